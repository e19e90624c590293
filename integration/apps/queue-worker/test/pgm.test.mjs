import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodePgm, encodePgm, shrink } from '../src/pgm.mjs';
import { gradient } from '../support/fixtures.mjs';

test('an image survives encoding', () => {
  const image = gradient(7, 5);
  assert.deepEqual(decodePgm(encodePgm(image)), image);
});

test('shrinking keeps the aspect ratio', () => {
  const { width, height, pixels } = shrink(gradient(64, 32), 16);
  assert.deepEqual([width, height, pixels.length], [16, 8, 128]);
});

test('shrinking takes the mean of each box', () => {
  const image = { width: 2, height: 2, pixels: Buffer.from([10, 20, 30, 40]) };
  assert.deepEqual([...shrink(image, 1).pixels], [25]);
});

test('a small image is left as it is', () => {
  const image = gradient(8, 8);
  assert.deepEqual(shrink(image, 16), image);
});

test('something else than a PGM is refused', () => {
  assert.throws(() => decodePgm(Buffer.from('GIF89a')), /not an 8-bit binary PGM/);
});
