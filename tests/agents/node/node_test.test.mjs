// What the hook for node:test reports.
import assert from 'node:assert';
import test from 'node:test';
import fs from 'node:fs';
import path from 'node:path';
import { agent, project, serve } from './support.mjs';

const SUITE = (load) => `${load}
const assert = require('node:assert');
const ask = async (what) => (await fetch(process.env.URL + '/' + what)).text();
before(() => ask('shared'));
beforeEach(() => ask('up'));
afterEach(() => ask('down'));
test('top', async (t) => { await ask('top'); await t.test('sub', () => ask('sub')); });
describe('suite', () => {
  it('name', () => ask('name'));
  it('fails', () => { throw Object.assign(new Error('load', { cause: Object.assign(new AggregateError([new RangeError('a')], 'gone'), { code: 'ECONNRESET', status: 503 }) }), { statusCode: 504 }); });
  it('asserts', () => assert.strictEqual(1, 2));
});
test('skipped', { skip: true }, () => {});
test('calls back', (t, done) => { ask('back').then(() => done()); });
`;
const COMMON = `const { test, describe, it, before, beforeEach, afterEach } = require('node:test');`;
const MODULE = `import test, { describe, it, before, beforeEach, afterEach } from 'node:test';
import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;

for (const [file, load] of [['a.test.cjs', COMMON], ['a.test.mjs', MODULE]]) {
  for (const args of [['--test'], []]) {
    test(`each request of ${file} ${args} carries its test and phase, each result is told once`, async () => {
      const server = await serve();
      const app = project(server.url).write(file, SUITE(load));
      const { out } = await app.run([...args, file]);
      const told = Object.fromEntries(server.tags.filter((t) => !/up|down/.test(t.path)).map((t) => [t.path.slice(1), [t.test, t.phase]]));
      assert.deepStrictEqual(told, {
        shared: [undefined, 'shared'],
        top: [`${file} > top`, 'test'],
        sub: [`${file} > top > sub`, 'test'],
        name: [`${file} > suite > name`, 'test'],
        back: [`${file} > calls back`, 'test'],
      }, out);
      const of = (path) => server.tags.filter((t) => t.path === path && t.test === `${file} > suite > name`).map((t) => t.phase);
      assert.deepStrictEqual([of('/up'), of('/down')], [['setup'], ['teardown']]);

      const results = Object.fromEntries(app.of('result').map((r) => [r.id.split(' > ').slice(1).join(' > '), r]));
      assert.strictEqual(app.of('result').length, 7);
      assert.deepStrictEqual(Object.fromEntries(Object.entries(results).map(([k, r]) => [k, r.outcome])), {
        'top > sub': 'passed', top: 'passed', 'suite > name': 'passed', 'suite > fails': 'failed',
        'suite > asserts': 'failed', skipped: 'skipped', 'calls back': 'passed',
      });
      assert.deepStrictEqual(results['suite > fails'].chain.map((e) => [e.type, e.code, e.link, e.in_test, e.file]), [
        ['Error', '504', 'raised', true, file],
        ['AggregateError', 'ECONNRESET 503', 'cause', true, file],
        ['RangeError', undefined, 'member', true, file],
      ]);
      assert.deepStrictEqual(results['suite > asserts'].chain.map((e) => [e.type, e.in_test]), [['AssertionError', true]]);
      assert.strictEqual(app.of('agent')[0].runner, 'node:test');
      server.close();
      app.remove();
    });
  }
}

test('the time limit of a test is lifted', async () => {
  const app = project('').write('t.test.mjs', `import test from 'node:test';
    test('slow', { timeout: 20 }, () => new Promise((done) => setTimeout(done, 200)));\n`);
  assert.strictEqual((await app.run(['--test', 't.test.mjs'], { RETRIAL_EVENTS: '' })).code, 1);
  assert.strictEqual((await app.run(['--test', 't.test.mjs'], { RETRIAL_NO_TIME_LIMIT: '1' })).code, 0);
  app.remove();
});

test('tests that run at the same time keep their own requests', async () => {
  const server = await serve();
  const app = project(server.url).write('p.test.mjs', `import { describe, it } from 'node:test';
    describe('par', { concurrency: true }, () => {
      for (let n = 0; n < 8; n++) it('n' + n, async () => { await null; await fetch(process.env.URL + '/n' + n); await fetch(process.env.URL + '/n' + n); });
    });\n`);
  await app.run(['p.test.mjs']);
  assert.strictEqual(server.tags.length, 16);
  for (const tag of server.tags) assert.strictEqual(tag.test, `p.test.mjs > par > ${tag.path.slice(1)}`);
  server.close();
  app.remove();
});

test('two hundred tests of one request each are all attributed', async () => {
  const server = await serve();
  const app = project(server.url).write('m.test.mjs', `import test from 'node:test';
    for (let n = 0; n < 200; n++) test('n' + n, async () => { await (await fetch(process.env.URL + '/n' + n)).text(); });\n`);
  await app.run(['--test', 'm.test.mjs']);
  const right = server.tags.filter((t) => t.test === 'm.test.mjs > ' + t.path.slice(1) && t.phase === 'test');
  assert.deepStrictEqual([right.length, server.tags.length], [200, 200]);
  server.close();
  app.remove();
});

test('an agent that is unpacked below the project is no test of it', async () => {
  const app = project('').write('a.test.mjs', `import test from 'node:test'; test('a', () => {});\n`);
  fs.cpSync(path.dirname(agent), path.join(app.folder, '.retrial/agents/node'), { recursive: true });
  const { out } = await app.run(['--test', '--test-reporter=tap']);
  assert.match(out, /^# tests 1$/m, out);
  app.remove();
});

test('what a test is given to, or asserted by, is no library that sends again', async () => {
  const server = await serve();
  const app = project(server.url);
  app.write('client.mjs', `import { setTimeout as sleep } from 'node:timers/promises';
export async function load(path) {
  for (let n = 0; n < 3; n++) {
    const answer = await fetch(process.env.URL + path);
    if (answer.ok) return answer.text();
    await sleep(1);
  }
  throw new Error('gone');
}
`).write('a.test.mjs', `import { test, before, after } from 'node:test';
import assert from 'node:assert';
import { promisify } from 'node:util';
import { load } from './client.mjs';
before(async () => { await null; });
after(() => {});
test('plain', () => load('/flaky/plain'));
test('asserted', () => assert.doesNotReject(() => load('/flaky/asserted')));
test('promisified', () => promisify((done) => load('/flaky/promisified').then(() => done(), done))());
`);
  const { out } = await app.run(['--test', 'a.test.mjs']);
  assert.strictEqual(server.tags.length, 9, out);
  for (const tag of server.tags) {
    assert.strictEqual(tag.libraries, undefined, out);
    assert.strictEqual(tag.stack.split(',').length, 1, tag.stack);
  }
  server.close();
  app.remove();
});

for (const args of [['--test'], []]) {
  test(`a test that is named again runs again, with the hooks around it (${args})`, async () => {
    const server = await serve();
    const app = project(server.url).write('a.test.mjs', SUITE(MODULE));
    const names = ['top', 'suite > name', 'calls back'].map((name) => `a.test.mjs > ${name}`);
    const wanted = names.flatMap((name) => [name, `${name} [again 2]`]).concat(`${names[1]} [again 3]`);
    const only = path.join(app.folder, 'only');
    fs.writeFileSync(only, wanted.join('\n'));
    const { out } = await app.run([...args, 'a.test.mjs'], { RETRIAL_ONLY: only });
    const results = app.of('result').map((r) => r.id);
    assert.deepStrictEqual(results.filter((id) => wanted.includes(id)).sort(), wanted.sort(), out);
    assert.deepStrictEqual(results.filter((id) => id.endsWith('sub')), [`${names[0]} > sub`, `${names[0]} [again 2] > sub`], out);
    const asked = server.tags.filter((t) => t.path === '/name').map((t) => [t.test, t.phase]);
    assert.deepStrictEqual(asked, ['', ' [again 2]', ' [again 3]'].map((again) => [names[1] + again, 'test']));
    for (const [hook, phase] of [['/up', 'setup'], ['/down', 'teardown']]) {
      const around = server.tags.filter((t) => t.path === hook && t.test.startsWith(names[1])).map((t) => t.test);
      assert.deepStrictEqual(around, asked.map(([id]) => id), phase);
    }
    server.close();
    app.remove();
  });
}

for (const [how, file, from] of [['required', 'a.test.cjs', "const assert = require('node:assert/strict'); const { rejects, throws } = require('assert'); const test = require('node:test');"],
  ['imported', 'a.test.mjs', "import assert, { rejects, throws } from 'node:assert'; import test from 'node:test';"]]) {
  test(`what a test expects to be thrown, and is, is told (assert is ${how})`, async () => {
    const app = project('http://127.0.0.1:9').write(file, `${from}
      const fail = async (message) => { throw new RangeError(message); };
      test('rejects', () => assert.rejects(fail('one'), RangeError));
      test('rejects from a function', () => rejects(() => fail('two'), /two/));
      test('throws', () => throws(() => { throw new TypeError('three'); }, { message: 'three' }));
      test('none', () => assert.doesNotThrow(() => 1));\n`);
    const { out } = await app.run(['--test', file]);
    assert.deepStrictEqual(app.of('result').map((r) => r.outcome), Array(4).fill('passed'), out);
    assert.deepStrictEqual(app.of('expected').map((e) => [e.id, e.chain[0].type, e.chain[0].msg]), [
      [`${file} > rejects`, 'RangeError', 'one'],
      [`${file} > rejects from a function`, 'RangeError', 'two'],
      [`${file} > throws`, 'TypeError', 'three'],
    ], out);
    app.remove();
  });
}
