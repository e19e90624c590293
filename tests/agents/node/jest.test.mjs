// What the hook for jest reports.
import assert from 'node:assert';
import test from 'node:test';
import fs from 'node:fs';
import path from 'node:path';
import { has, project, serve } from './support.mjs';

const skip = !has('jest') && 'jest is not installed';
const jest = 'node_modules/jest/bin/jest.js';
const made = (url) => project(url).write('package.json', '{"jest": {"haste": {"enableSymlinks": false}}}');
const outcomes = (app) => Object.fromEntries(app.of('result').map((r) => [r.id, r.outcome]));

test('each request under jest carries its test and phase, each result is told once', { skip }, async () => {
  const server = await serve();
  const app = made(server.url).write('a.test.js', `
    const ask = async (what) => (await fetch(process.env.URL + '/' + what)).text();
    beforeAll(() => ask('shared'));
    beforeEach(() => ask('up'));
    afterEach(() => ask('down'));
    it('top', () => ask('top'));
    describe('suite', () => {
      it('name', () => ask('name'));
      it('fails', () => { throw new Error('load', { cause: Object.assign(new AggregateError([new RangeError('a')], 'gone'), { code: 'ECONNRESET' }) }); });
      it('expects', () => expect(1).toBe(2));
    });
    it.skip('skipped', () => {});
    it('calls back', (done) => { ask('back').then(() => done()); });\n`);
  const { out } = await app.run([jest, '--maxWorkers', '2'], { RETRIAL_SERIAL: '1' });
  const told = server.tags.filter((t) => !/up|down/.test(t.path)).map((t) => [t.path, t.test, t.phase]);
  assert.deepStrictEqual(told, [
    ['/shared', undefined, 'shared'],
    ['/top', 'a.test.js > top', 'test'],
    ['/name', 'a.test.js > suite > name', 'test'],
    ['/back', 'a.test.js > calls back', 'test'],
  ], out);
  const around = server.tags.filter((t) => t.test === 'a.test.js > suite > name').map((t) => [t.path, t.phase]);
  assert.deepStrictEqual(around, [['/up', 'setup'], ['/name', 'test'], ['/down', 'teardown']]);
  assert.strictEqual(app.of('result').length, 6);
  assert.deepStrictEqual(outcomes(app), {
    'a.test.js > top': 'passed', 'a.test.js > suite > name': 'passed', 'a.test.js > suite > fails': 'failed',
    'a.test.js > suite > expects': 'failed', 'a.test.js > skipped': 'skipped', 'a.test.js > calls back': 'passed',
  });
  const chain = (id) => app.of('result').find((r) => r.id.endsWith(id)).chain;
  assert.deepStrictEqual(chain('fails').map((e) => [e.type, e.code, e.link, e.in_test, e.file]), [
    ['Error', undefined, 'raised', true, 'a.test.js'],
    ['AggregateError', 'ECONNRESET', 'cause', true, 'a.test.js'],
    ['RangeError', undefined, 'member', true, 'a.test.js'],
  ]);
  assert.deepStrictEqual(chain('expects').map((e) => [e.type, e.in_test]), [['JestAssertionError', true]]);
  assert.strictEqual(app.of('start').length, app.of('end').length);
  assert.strictEqual(app.of('agent')[0].runner, 'jest');
  server.close();
  app.remove();
});

test('jest runs the chosen tests alone, by their whole ids, though one fails and all are slow', { skip }, async () => {
  const server = await serve();
  const odd = 'costs $1 (net) [x] > "ünï" .*';
  const app = made(server.url).write('a.test.js', `const ask = (what) => fetch(process.env.URL + '/' + what);
    describe('none', () => { beforeAll(() => ask('unwanted')); it('same', () => ask('unwanted')); });
    describe('outer', () => {
      beforeAll(() => ask('before'));
      it('same', () => { throw new Error('no'); });
      describe('inner', () => { it(${JSON.stringify(odd)}, () => ask('odd'), 1); it('other', () => ask('unwanted')); });
      it.each([1, 2])('each %i', (n) => ask('each' + n));
    });\n`).write('b.test.js', `it('slow', () => new Promise((done) => setTimeout(done, 50)), 5); it('same', () => fetch(process.env.URL + '/unwanted'));\n`);
  const wanted = ['a.test.js > outer > same', `a.test.js > outer > inner > ${odd}`, 'a.test.js > outer > each 2', 'b.test.js > slow'];
  const only = path.join(app.folder, 'only');
  fs.writeFileSync(only, wanted.join('\n') + '\n');
  const { out } = await app.run([jest, '--bail', '--runTestsByPath', 'a.test.js', 'b.test.js'], { RETRIAL_ONLY: only, RETRIAL_SERIAL: '1', RETRIAL_NO_TIME_LIMIT: '1' });
  assert.deepStrictEqual(server.tags.map((t) => t.path).sort(), ['/before', '/each2', '/odd'], out);
  assert.deepStrictEqual(outcomes(app), { [wanted[0]]: 'failed', [wanted[1]]: 'passed', [wanted[2]]: 'passed', [wanted[3]]: 'passed' });
  server.close();
  app.remove();
});

test('jest runs a test again that is named again, with the hooks around it, also where it tries it again', { skip }, async () => {
  const server = await serve();
  const app = made(server.url).write('a.test.js', `const ask = (what) => fetch(process.env.URL + '/' + what);
    jest.retryTimes(1);
    let failed = 0;
    describe('in', () => {
      beforeEach(() => ask('up'));
      it('x', () => ask('x'));
      it('fails', () => { if (failed++ < 3) throw new Error('no'); });
    });\n`);
  const wanted = ['x', 'fails'].flatMap((test) => ['', ' [again 2]', ' [again 3]'].map((again) => `a.test.js > in > ${test}${again}`));
  const only = path.join(app.folder, 'only');
  fs.writeFileSync(only, wanted.join('\n'));
  const { out } = await app.run([jest, '--runTestsByPath', 'a.test.js'], { RETRIAL_ONLY: only, RETRIAL_SERIAL: '1' });
  assert.deepStrictEqual(outcomes(app), Object.fromEntries(wanted.map((id) => [id, 'passed'])), out);
  assert.deepStrictEqual(server.tags.filter((t) => t.path === '/x').map((t) => t.test), wanted.slice(0, 3));
  for (const id of wanted) assert.ok(server.tags.some((t) => t.path === '/up' && t.test === id), id);
  server.close();
  app.remove();
});

test('a call site under jest is at the line that its author wrote, whatever babel made of it', { skip }, async () => {
  const server = await serve();
  const app = made(server.url).write('client.js', `// A client.


const where = process.env.URL;



async function ask(what) {

  const { status = 0, ...rest } = await fetch(where + '/' + what); // asks

  return [status, rest];
}


module.exports = { ask };\n`).write('a.test.js', `const { ask } = require('./client');


it('x',

  async () => {


    await ask('x'); // calls
  });\n`);
  const { out } = await app.run([jest], { RETRIAL_SERIAL: '1' });
  assert.deepStrictEqual(server.tags.map((t) => t.site), [`client.js:${app.line('client.js', 'asks')}:ask`], out);
  server.close();
  app.remove();
});

test('a set-up under jest that fails is an error of its tests, a file that it cannot load is told', { skip }, async () => {
  const app = made('').write('bad.test.js', `throw new Error('no such thing');\n`).write('a.test.js', `
    describe('all', () => { beforeAll(() => { throw new Error('before'); }); it('a', () => {}); describe('in', () => it('b', () => {})); });
    describe('one', () => { beforeEach(() => { throw new Error('each'); }); it('c', () => {}); });
    describe('down', () => { afterEach(() => { throw new Error('down'); }); it('d', () => {}); });
    describe('end', () => { afterAll(() => { throw new Error('end'); }); it('e', () => {}); it('f', () => {}); });\n`);
  const { out } = await app.run([jest], { RETRIAL_SERIAL: '1' });
  const of = (phase) => app.of('result').filter((r) => r.phase === phase).map((r) => [r.id.slice(12), r.outcome, r.chain[0]?.msg]);
  assert.deepStrictEqual(of('setup'), [['all > a', 'error', 'before'], ['all > in > b', 'error', 'before'], ['one > c', 'error', 'each']], out);
  assert.deepStrictEqual(of('teardown'), [['down > d', 'error', 'down'], ['end > f', 'error', 'end']]);
  assert.deepStrictEqual(app.of('broken').map((b) => [b.file, b.msg]), [['bad.test.js', 'no such thing']]);
  app.remove();
});

test('jest tells what a test expects to be thrown, and is', { skip }, async () => {
  const app = made('http://127.0.0.1:9').write('a.test.js', `
    const fail = async (message) => { throw new RangeError(message); };
    const mock = jest.fn();
    it('rejects', async () => { await expect(fail('one')).rejects.toThrow(RangeError); });
    it('rejects from a function', async () => { await expect(() => fail('two')).rejects.toMatchObject({ message: 'two' }); });
    it('throws', () => { expect(() => { throw new TypeError('three'); }).toThrow('three'); });
    it('none', async () => { mock(1); expect(mock).toHaveBeenCalledWith(1); expect(() => 1).not.toThrow(); await expect(Promise.resolve(1)).resolves.toBe(1); });\n`);
  const { out } = await app.run([jest]);
  assert.deepStrictEqual(app.of('result').map((r) => r.outcome), Array(4).fill('passed'), out);
  assert.deepStrictEqual(app.of('expected').map((e) => [e.id, e.chain[0].type, e.chain[0].msg]), [
    ['a.test.js > rejects', 'RangeError', 'one'],
    ['a.test.js > rejects from a function', 'RangeError', 'two'],
    ['a.test.js > throws', 'TypeError', 'three'],
  ], out);
  app.remove();
});
