// Which statement of the running test a request comes from.
import assert from 'node:assert';
import test from 'node:test';
import { has, project, serve } from './support.mjs';

const BASE = `
const http = require('node:http');
const fs = require('node:fs');
const ask = async (path) => (await fetch(process.env.URL + path)).text();
const later = async (path) => { await null; return ask(path); };
const send = (path) => new Promise((done) => http.get(process.env.URL + path, (res) => res.resume().on('end', done)));
const afterReading = (path) => new Promise((done) => fs.readFile(__filename, () => send(path).then(done)));
const afterAWhile = (path) => new Promise((done) => setTimeout(() => send(path).then(done), 1));
module.exports = { ask, later, send, afterReading, afterAWhile };
`;
const SUITE = `
const { ask, later, send, afterReading, afterAWhile } = require('./base.cjs');
before(() => ask('/shared'));
const helper = (path) => ask(path);
const goesOn = async (path) => { await null; await helper(path); };
it('asks', async () => {
  await ask('/one'); // one
  await ask('/two'); // two
  for (let i = 0; i < 2; i++) await later('/loop'); // loop
  await helper('/helper'); // helper 1
  await helper('/helper'); // helper 2
  await goesOn('/goes-on'); // goes on 1
  await goesOn('/goes-on'); // goes on 2
  await send('/send'); // send
  await Promise.all([send('/all'), later('/all')]); // all
  await afterAWhile('/timer'); // timer
  await Promise.resolve('/then').then(send); // then
  await afterReading('/read'); // none: who called it is not to be seen
});
it('calls back', () => new Promise((done) => { // first
  send('/first').then(() => {
    send('/second').then(done); // second
  });
}));
`;
const EXPECTED = {
  '/one': ['one'], '/two': ['two'], '/loop': ['loop', 'loop'], '/helper': ['helper 1', 'helper 2'], '/goes-on': ['goes on 1', 'goes on 2'], '/send': ['send'],
  '/all': ['all', 'all'], '/timer': ['timer'], '/then': ['then'], '/first': ['first'], '/second': ['second'],
};
const NONE = { '/shared': [undefined], '/read': [undefined] };

// FNV-1a, 32 bits.
const hash = (text) => [...text].reduce((value, c) => Math.imul(value ^ c.charCodeAt(0), 0x01000193) >>> 0, 0x811c9dc5).toString(16);

const RUNNERS = {
  'node:test': ['a.test.cjs', "const { it, before } = require('node:test');", ['--test', 'a.test.cjs']],
  mocha: ['a.test.cjs', '', ['node_modules/mocha/bin/mocha.js', 'a.test.cjs']],
  jest: ['a.test.js', 'const before = beforeAll;', ['node_modules/jest/bin/jest.js']],
  vitest: ['a.test.mjs', "import { it, beforeAll as before } from 'vitest';\nimport { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\n",
    ['node_modules/vitest/vitest.mjs', 'run']],
};

for (const [name, [file, load, args]] of Object.entries(RUNNERS)) {
  const skip = name !== 'node:test' && !has(name) && `${name} is not installed`;
  test(`a request under ${name} says which statement of its test it comes from`, { skip }, async () => {
    for (const run of [1, 2]) {
      const server = await serve();
      const app = project(server.url).write('base.cjs', BASE).write(file, load + SUITE).write('package.json', '{"jest": {"haste": {"enableSymlinks": false}}}');
      const { code, out } = await app.run(args);
      assert.equal(code, 0, out);
      const told = {};
      for (const tag of server.tags) (told[tag.path] ||= []).push(tag.statement);
      const expected = { ...NONE };
      for (const [path, marks] of Object.entries(EXPECTED)) {
        expected[path] = marks.map((mark) => hash(`${file}:${app.line(file, mark)}:<anonymous>`));
      }
      assert.deepEqual(told, expected, `run ${run}`);
      server.close();
      app.remove();
    }
  });
}

test('where no test is known to run there is no statement', async () => {
  const server = await serve();
  const app = project(server.url).write('base.cjs', BASE).write('a.test.cjs', "require('./base.cjs').ask('/');");
  await app.run(['a.test.cjs']);
  assert.deepEqual(server.tags.map((tag) => 'statement' in tag), [false]);
  server.close();
  app.remove();
});

test('what goes around a test is none of its statements', async () => {
  const server = await serve();
  const app = project(server.url).write('base.cjs', BASE).write('a.test.cjs', `
    const { it } = require('node:test');
    const { ask } = require('./base.cjs');
    it('around', async (t) => {
      await t.test('within', async () => {
        await ask('/one'); // one
        await ask('/two'); // two
      });
    });`);
  await app.run(['--test', 'a.test.cjs']);
  assert.deepEqual(server.tags.map((tag) => tag.statement), ['one', 'two'].map((mark) => hash(`a.test.cjs:${app.line('a.test.cjs', mark)}:<anonymous>`)));
  server.close();
  app.remove();
});

test('a stack that is cut before its test shows no statement', async () => {
  const server = await serve();
  const app = project(server.url).write('base.cjs', BASE).write('a.test.cjs', `
    const { it } = require('node:test');
    const { ask } = require('./base.cjs');
    const down = (n, path) => (n ? down(n - 1, path) : ask(path));
    it('is deep', async () => {
      await down(30, '/seen'); // seen
      await down(200, '/cut');
    });`);
  await app.run(['--test', 'a.test.cjs']);
  assert.deepEqual(server.tags.map((tag) => tag.statement), [hash(`a.test.cjs:${app.line('a.test.cjs', 'seen')}:<anonymous>`), undefined]);
  server.close();
  app.remove();
});
