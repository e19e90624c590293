import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { Gallery } from '../src/gallery.mjs';
import { JobQueue } from '../src/jobs.mjs';
import { decodePgm, encodePgm } from '../src/pgm.mjs';
import { Worker } from '../src/worker.mjs';
import { createContainer, createQueue, gradient, startReceiver } from '../support/fixtures.mjs';

describe('worker', () => {
  let queue;
  let container;
  let receiver;
  let jobs;
  let gallery;
  let worker;

  beforeEach(async () => {
    [queue, container, receiver] = await Promise.all([
      createQueue(),
      createContainer(),
      startReceiver(),
    ]);
    jobs = new JobQueue(queue.service, queue.name);
    gallery = new Gallery(container.service, container.name);
    worker = new Worker(jobs, gallery);
  });

  afterEach(async () => {
    await Promise.all([queue.remove(), container.remove(), receiver.stop()]);
  });

  it('renders every size of an image', async () => {
    await gallery.putOriginal('cat.pgm', encodePgm(gradient(96, 48)));
    const names = await worker.render({ image: 'cat.pgm', sizes: ['small', 'medium'] });
    assert.deepEqual(names, ['renditions/small/cat.pgm', 'renditions/medium/cat.pgm']);
    const small = await container.client.getBlobClient(names[0]).downloadToBuffer();
    assert.equal(decodePgm(small).width, 16);
  });

  it('works until the queue is empty', async () => {
    const ids = [];
    for (const image of ['a.pgm', 'b.pgm', 'c.pgm']) {
      await gallery.putOriginal(image, encodePgm(gradient(40, 40)));
      ids.push(await jobs.submit({ image, sizes: ['small'], callback: receiver.url }));
    }
    assert.deepEqual(await worker.drain(), ids);
    assert.deepEqual(receiver.received.map((told) => told.jobId), ids);
    assert.equal(await jobs.backlog(), 0);
    assert.equal((await gallery.listRenditions('small')).length, 3);
  });

  it('publishes images one after the other', async () => {
    await container.client.getBlockBlobClient('manifest.json').upload('[]', 2);
    await worker.publish('a.pgm');
    await worker.publish('b.pgm');
    assert.deepEqual((await gallery.readManifest()).entries, ['a.pgm', 'b.pgm']);
  });

  it('reports a day once', async () => {
    await gallery.putRendition('a.pgm', 'small', encodePgm(gradient(16, 16)));
    assert.equal(await worker.report('2024-05-01'), true);
    assert.equal(await worker.report('2024-05-01'), false);
    const stored = await container.client.getBlobClient('reports/2024-05-01.json').downloadToBuffer();
    assert.deepEqual(JSON.parse(stored).counts, { small: 1, medium: 0 });
  });
});
