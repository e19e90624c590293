// What the hook for vitest reports.
import assert from 'node:assert';
import test from 'node:test';
import fs from 'node:fs';
import path from 'node:path';
import { has, modules, project, serve } from './support.mjs';

const skip = !has('vitest') && 'vitest is not installed';
const vitest = 'node_modules/vitest/vitest.mjs';
function made(url, version = 'vitest') {
  const app = project(url).write('package.json', '{"type": "module"}');
  if (version === 'vitest') return app;
  const modulesOfApp = path.join(app.folder, 'node_modules');
  fs.unlinkSync(modulesOfApp);
  fs.mkdirSync(modulesOfApp);
  fs.symlinkSync(path.join(modules, version), path.join(modulesOfApp, 'vitest'));
  return app;
}
const outcomes = (app) => Object.fromEntries(app.of('result').map((r) => [r.id, r.outcome]));

const SUITE = `import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
interface Asked { what: string }
const ask = async (what: Asked['what']): Promise<string> =>
  (await fetch(process.env.URL + '/' + what)).text(); // ask
beforeAll(() => ask('shared'));
beforeEach(() => ask('up'));
afterEach(() => ask('down'));
it('top', () => ask('top'));
describe('suite', () => {
  it('name', () => ask('name'));
  it('fails', () => { throw new Error('load', { cause: Object.assign(new AggregateError([new RangeError('a')], 'gone'), { code: 'ECONNRESET' }) }); }); // fails
  it('expects', () => expect(1).toBe(2));
});
it.skip('skipped', () => {});
`;

test('each request under vitest carries its test, phase and line, each result is told once', { skip }, async () => {
  const server = await serve();
  const app = made(server.url).write('a.test.ts', SUITE);
  const { out } = await app.run([vitest, '--maxWorkers', '2'], { RETRIAL_SERIAL: '1' });
  const told = server.tags.filter((t) => !/up|down/.test(t.path)).map((t) => [t.path, t.test, t.phase]);
  assert.deepStrictEqual(told, [
    ['/shared', undefined, 'shared'],
    ['/top', 'a.test.ts > top', 'test'],
    ['/name', 'a.test.ts > suite > name', 'test'],
  ], out);
  assert.deepStrictEqual(new Set(server.tags.map((t) => t.site)), new Set([`a.test.ts:${app.line('a.test.ts', 'ask')}:ask`]));
  const around = server.tags.filter((t) => t.test === 'a.test.ts > suite > name').map((t) => [t.path, t.phase]);
  assert.deepStrictEqual(around, [['/up', 'setup'], ['/name', 'test'], ['/down', 'teardown']]);
  assert.strictEqual(app.of('result').length, 5);
  assert.deepStrictEqual(outcomes(app), {
    'a.test.ts > top': 'passed', 'a.test.ts > suite > name': 'passed', 'a.test.ts > suite > fails': 'failed',
    'a.test.ts > suite > expects': 'failed', 'a.test.ts > skipped': 'skipped',
  });
  const chain = (id) => app.of('result').find((r) => r.id.endsWith(id)).chain;
  const line = app.line('a.test.ts', 'fails');
  assert.deepStrictEqual(chain('fails').map((e) => [e.type, e.code, e.link, e.in_test, e.file, e.line]), [
    ['Error', undefined, 'raised', true, 'a.test.ts', line],
    ['AggregateError', 'ECONNRESET', 'cause', true, 'a.test.ts', line],
    ['RangeError', undefined, 'member', true, 'a.test.ts', line],
  ]);
  assert.deepStrictEqual(chain('expects').map((e) => [e.type, e.in_test]), [['AssertionError', true]]);
  assert.strictEqual(app.of('start').length, app.of('end').length);
  assert.strictEqual(app.of('agent')[0].runner, 'vitest');
  server.close();
  app.remove();
});

test('an assertion of vitest that leaves out a part of what it was given is told with the whole', { skip }, async () => {
  const app = made('http://127.0.0.1:1').write('a.test.js', `import { expect, it } from 'vitest';
    it('cut', () => expect({ applied: ['lamp', 'door'], failed: [{ id: 'heat', why: 'Service Unavailable' }] }).toEqual({ applied: [], failed: [] }));
    it('short', () => expect({ a: 1 }).toEqual({ a: 2 }));
  `);
  await app.run([vitest]);
  const said = Object.fromEntries(app.of('result').map((r) => [r.id.split(' > ')[1], r.chain[0].msg]));
  assert.match(said.cut, /^expected .*…\(1\).* to deeply equal .*: it was .*failed.*why.*Service Unavailable/);
  assert.strictEqual(said.short, 'expected { a: 1 } to deeply equal { a: 2 }');
  app.remove();
});

test('vitest runs the chosen tests alone, by their whole ids, though one fails and all are slow', { skip }, async () => {
  const server = await serve();
  const odd = 'costs $1 (net) [x] > "ünï" .*';
  const app = made(server.url).write('vitest.config.mjs', 'export default { test: { testTimeout: 50, bail: 1 } };\n')
    .write('a.test.js', `import { beforeAll, beforeEach, describe, it } from 'vitest';
    const ask = (what) => fetch(process.env.URL + '/' + what);
    describe('none', () => { beforeAll(() => ask('unwanted')); it('same', () => ask('unwanted')); });
    describe('slow', () => {
      beforeEach(() => new Promise((resolve) => setTimeout(resolve, 150)), 20);
      it('same', async () => { await new Promise((resolve) => setTimeout(resolve, 150)); await ask('same'); }, 30);
      it('other', () => ask('unwanted'));
    });
    it('fails', () => { throw new RangeError('no'); });
    it(${JSON.stringify(odd)}, () => ask('odd'));\n`);
  const chosen = ['a.test.js > slow > same', 'a.test.js > fails', `a.test.js > ${odd}`];
  fs.writeFileSync(path.join(app.folder, 'only'), chosen.join('\n'));
  const { out } = await app.run([vitest, 'run'], { RETRIAL_SERIAL: '1', RETRIAL_NO_TIME_LIMIT: '1', RETRIAL_ONLY: 'only' });
  assert.deepStrictEqual(outcomes(app), { [chosen[0]]: 'passed', [chosen[1]]: 'failed', [chosen[2]]: 'passed' }, out);
  assert.deepStrictEqual(server.tags.map((t) => t.path), ['/same', '/odd']);
  server.close();
  app.remove();
});

test('vitest runs a test again that is named again, with the hooks around it, each told for itself', { skip }, async () => {
  const server = await serve();
  const app = made(server.url).write('a.test.js', `import { afterEach, beforeEach, describe, expect, it } from 'vitest';
    const ask = (what) => fetch(process.env.URL + '/' + what);
    let times = 0;
    describe('in', () => {
      beforeEach(() => ask('up'));
      afterEach(() => ask('down'));
      it('x', () => ask('x'));
      it('by turns', () => { if (times++ % 2) throw new RangeError('no ' + times); });
      it('tried again', { retry: 1 }, () => { if (times++ % 2) throw new Error('no'); });
      it.fails('fails', () => { throw new Error('as it should'); });
      it('left out', () => ask('unwanted'));
    });\n`);
  const thrice = (test) => ['', ' [again 2]', ' [again 3]'].map((again) => `a.test.js > in > ${test}${again}`);
  const wanted = ['x', 'by turns', 'tried again', 'fails'].flatMap(thrice);
  fs.writeFileSync(path.join(app.folder, 'only'), wanted.join('\n'));
  const { out } = await app.run([vitest, 'run'], { RETRIAL_ONLY: 'only', RETRIAL_SERIAL: '1' });
  assert.deepStrictEqual(app.of('result').map((r) => [r.id, r.outcome, r.chain.map((e) => e.msg).join()]), [
    ...thrice('x').map((id) => [id, 'passed', '']),
    ...thrice('by turns').map((id, n) => (n % 2 ? [id, 'failed', 'no 2'] : [id, 'passed', ''])),
    ...thrice('tried again').map((id) => [id, 'passed', '']),
    ['a.test.js > in > fails', 'passed', ''],
  ], out);
  assert.deepStrictEqual(server.tags.filter((t) => t.path === '/x').map((t) => t.test), thrice('x'));
  for (const id of [...thrice('x'), ...thrice('by turns')])
    for (const [at, phase] of [['/up', 'setup'], ['/down', 'teardown']])
      assert.strictEqual(server.tags.filter((t) => t.path === at && t.test === id && t.phase === phase).length, 1, id);
  assert.strictEqual(app.of('start').length, app.of('end').length);
  server.close();
  app.remove();
});

test('a hook of vitest that fails is an error of each test that it is for, and a file that is broken is told', { skip }, async () => {
  const server = await serve();
  const app = made(server.url).write('broken.test.js', `import './no_such_file.js';\n`).write('a.test.js', `
    import { afterAll, beforeAll, beforeEach, describe, it } from 'vitest';
    describe('all', () => { beforeAll(() => { throw new Error('no service'); }); it('one', () => {}); it('two', () => {}); });
    describe('each', () => { beforeEach(() => { throw new Error('no row'); }); it('one', () => {}); });
    describe('after', () => { afterAll(() => { throw new Error('left over'); }); it('last', () => {}); });\n`);
  const { out } = await app.run([vitest, 'run'], { RETRIAL_SERIAL: '1' });
  const told = app.of('result').map((r) => [r.id, r.phase, r.outcome, r.chain.map((e) => e.msg).join()]);
  assert.deepStrictEqual(told.sort(), [
    ['a.test.js > after > last', 'teardown', 'error', 'left over'],
    ['a.test.js > after > last', 'test', 'passed', ''],
    ['a.test.js > all > one', 'setup', 'error', 'no service'],
    ['a.test.js > all > two', 'setup', 'error', 'no service'],
    ['a.test.js > each > one', 'setup', 'error', 'no row'],
  ], out);
  assert.deepStrictEqual(app.of('broken').map((e) => e.file), ['broken.test.js']);
  server.close();
  app.remove();
});

test('vitest 2, which tells less of what stands between its tests, has the same lines and executions', { skip: !has('vitest2') && skip }, async () => {
  const server = await serve();
  const app = made(server.url, 'vitest2').write('a.test.ts', `import { it } from 'vitest';
interface Asked { what: string }
const ask = async (what: Asked['what']): Promise<string> =>
  (await fetch(process.env.URL + '/' + what)).text(); // ask
it('x', () => ask('x'));\n`);
  const thrice = ['', ' [again 2]', ' [again 3]'].map((again) => `a.test.ts > x${again}`);
  fs.writeFileSync(path.join(app.folder, 'only'), thrice.join('\n'));
  const { out } = await app.run([vitest, 'run'], { RETRIAL_ONLY: 'only', RETRIAL_SERIAL: '1' });
  assert.deepStrictEqual(server.tags.map((t) => t.test), thrice, out);
  assert.deepStrictEqual(new Set(server.tags.map((t) => t.site)), new Set([`a.test.ts:${app.line('a.test.ts', 'ask')}:ask`]));
  assert.deepStrictEqual(app.of('start').filter((e) => e.phase === 'test').map((e) => e.test || e.id), thrice);
  server.close();
  app.remove();
});

for (const version of ['vitest', 'vitest2']) test(`${version} has what cleans up after a test in its clean-up, also where the test failed`, { skip: !has(version) && skip }, async () => {
  const server = await serve();
  const app = made(server.url, version).write('a.test.js', `import { afterEach, it } from 'vitest';
    const ask = (what) => fetch(process.env.URL + '/' + what);
    afterEach(() => ask('down'));
    it('passes', () => ask('passes'));
    it('fails', async () => { await ask('fails'); throw new Error('no'); });\n`);
  const { out } = await app.run([vitest, 'run'], { RETRIAL_SERIAL: '1' });
  assert.deepStrictEqual(server.tags.map((t) => [t.path, t.test, t.phase]), [
    ['/passes', 'a.test.js > passes', 'test'], ['/down', 'a.test.js > passes', 'teardown'],
    ['/fails', 'a.test.js > fails', 'test'], ['/down', 'a.test.js > fails', 'teardown'],
  ], out);
  assert.strictEqual(app.of('start').length, app.of('end').length);
  server.close();
  app.remove();
});

for (const version of ['vitest', 'vitest2']) test(`${version} tells what a test expects to be thrown, and is`, { skip }, async () => {
  const app = made('http://127.0.0.1:9', version).write('a.test.js', `import { expect, it, vi } from 'vitest';
    const fail = async (message) => { throw new RangeError(message); };
    const mock = vi.fn();
    it('rejects', async () => { await expect(fail('one')).rejects.toThrow(RangeError); });
    it('rejects from a function', async () => { await expect(() => fail('two')).rejects.toMatchObject({ message: 'two' }); });
    it('throws', () => { expect(() => { throw new TypeError('three'); }).toThrow('three'); });
    it('none', async () => { mock(1); expect(mock).toHaveBeenCalledWith(1); expect(() => 1).not.toThrow(); await expect(Promise.resolve(1)).resolves.toBe(1); });\n`);
  const { out } = await app.run([vitest, '--run']);
  assert.deepStrictEqual(app.of('result').map((r) => r.outcome), Array(4).fill('passed'), out);
  assert.deepStrictEqual(app.of('expected').map((e) => [e.id, e.chain[0].type, e.chain[0].msg]), [
    ['a.test.js > rejects', 'RangeError', 'one'],
    ['a.test.js > rejects from a function', 'RangeError', 'two'],
    ['a.test.js > throws', 'TypeError', 'three'],
  ], out);
  app.remove();
});
