// What the hook for mocha reports.
import assert from 'node:assert';
import test from 'node:test';
import fs from 'node:fs';
import path from 'node:path';
import { has, project, serve } from './support.mjs';

const versions = ['mocha', 'mocha7'].filter(has);
const skip = !versions.length && 'mocha is not installed';
const programs = versions.map((name) => [name, `node_modules/${name}/bin/${fs.existsSync(path.join(process.env.RETRIAL_TEST_MODULES, name, 'bin/mocha.js')) ? 'mocha.js' : 'mocha'}`]);
const outcomes = (app) => Object.fromEntries(app.of('result').map((r) => [r.id, r.outcome]));

const SUITE = `
const ask = async (what) => (await fetch(process.env.URL + '/' + what)).text();
before(() => ask('shared'));
beforeEach(() => ask('up'));
afterEach(() => ask('down'));
it('top', () => ask('top'));
describe('suite', () => {
  it('name', () => ask('name'));
  it('fails', () => { throw new Error('load', { cause: Object.assign(new AggregateError([new RangeError('a')], 'gone'), { code: 'ECONNRESET' }) }); });
  it('asserts', () => assert.strictEqual(1, 2));
});
it.skip('skipped', () => {});
it('calls back', (done) => { ask('back').then(() => done()); });
`;

for (const [name, program] of programs) {
  for (const [file, load] of [['a.test.cjs', `const assert = require('node:assert');`], ['a.test.mjs', `import assert from 'node:assert';`]]) {
    test(`each request of ${file} under ${name} carries its test and phase, each result is told once`, async () => {
      const server = await serve();
      const app = project(server.url).write(file, load + SUITE);
      const { out } = await app.run([program, file], { RETRIAL_SERIAL: '1' });
      const told = server.tags.filter((t) => !/up|down/.test(t.path)).map((t) => [t.path, t.test, t.phase]);
      assert.deepStrictEqual(told, [
        ['/shared', undefined, 'shared'],
        ['/top', `${file} > top`, 'test'],
        ['/back', `${file} > calls back`, 'test'],
        ['/name', `${file} > suite > name`, 'test'],
      ], out);
      const around = server.tags.filter((t) => t.test === `${file} > suite > name`).map((t) => [t.path, t.phase]);
      assert.deepStrictEqual(around, [['/up', 'setup'], ['/name', 'test'], ['/down', 'teardown']]);

      assert.strictEqual(app.of('result').length, 6);
      assert.deepStrictEqual(outcomes(app), {
        [`${file} > top`]: 'passed', [`${file} > calls back`]: 'passed', [`${file} > skipped`]: 'skipped',
        [`${file} > suite > name`]: 'passed', [`${file} > suite > fails`]: 'failed', [`${file} > suite > asserts`]: 'failed',
      });
      const chain = (id) => app.of('result').find((r) => r.id === `${file} > suite > ${id}`).chain;
      assert.deepStrictEqual(chain('fails').map((e) => [e.type, e.code, e.link, e.in_test, e.file]), [
        ['Error', undefined, 'raised', true, file],
        ['AggregateError', 'ECONNRESET', 'cause', true, file],
        ['RangeError', undefined, 'member', true, file],
      ]);
      assert.deepStrictEqual(chain('asserts').map((e) => [e.type, e.in_test]), [['AssertionError', true]]);
      assert.deepStrictEqual([app.of('start').length, app.of('end').length], [16, 16]);
      assert.strictEqual(app.of('agent')[0].runner, 'mocha');
      server.close();
      app.remove();
    });
  }

  test(`${name} runs the chosen tests alone, by their whole ids, though one fails`, async () => {
    const server = await serve();
    const odd = 'costs $1 (net) [x] > "ünï" .*';
    const app = project(server.url).write('a.test.cjs', `const ask = (what) => fetch(process.env.URL + '/' + what);
      describe('none', () => { before(() => ask('unwanted')); it('same', () => ask('unwanted')); });
      describe('outer', () => {
        before(() => ask('before'));
        it('same', () => { throw new Error('no'); });
        describe('inner', () => { it(${JSON.stringify(odd)}, () => ask('odd')); it('other', () => ask('unwanted')); });
        for (const n of [1, 2]) it('each ' + n, () => ask('each' + n));
      });
      it('two\\nlines', () => ask('lines'));\n`).write('b.test.cjs', `it('same', () => fetch(process.env.URL + '/unwanted'));\n`);
    const wanted = [`a.test.cjs > outer > same`, `a.test.cjs > outer > inner > ${odd}`, 'a.test.cjs > outer > each 2', 'a.test.cjs > two lines'];
    const only = path.join(app.folder, 'only');
    fs.writeFileSync(only, wanted.join('\n') + '\n');
    const { out } = await app.run([program, '--bail', 'a.test.cjs', 'b.test.cjs'], { RETRIAL_ONLY: only });
    assert.deepStrictEqual(server.tags.map((t) => t.path).sort(), ['/before', '/each2', '/lines', '/odd'], out);
    assert.deepStrictEqual(Object.keys(outcomes(app)).sort(), wanted.sort());
    server.close();
    app.remove();
  });

  test(`${name} runs a test again that is named again, with the hooks around it, also where it tries it again`, async () => {
    const server = await serve();
    const app = project(server.url).write('a.test.cjs', `const ask = (what) => fetch(process.env.URL + '/' + what);
      let failed = 0;
      describe('in', () => {
        beforeEach(() => ask('up'));
        it('x', () => ask('x'));
        it('fails', function () { this.retries(1); if (failed++ % 2 === 0) throw new Error('no'); });
      });\n`);
    const wanted = ['x', 'fails'].flatMap((test) => ['', ' [again 2]', ' [again 3]'].map((again) => `a.test.cjs > in > ${test}${again}`));
    const only = path.join(app.folder, 'only');
    fs.writeFileSync(only, wanted.join('\n'));
    const { out } = await app.run([program, 'a.test.cjs'], { RETRIAL_ONLY: only });
    assert.deepStrictEqual(app.of('result').map((r) => [r.id, r.outcome]), wanted.map((id) => [id, 'passed']), out);
    const asked = server.tags.filter((t) => t.path === '/x').map((t) => t.test);
    assert.deepStrictEqual(asked, wanted.slice(0, 3));
    assert.deepStrictEqual(server.tags.filter((t) => t.path === '/up').map((t) => t.test), [...asked, ...wanted.slice(3).flatMap((id) => [id, id])]);
    server.close();
    app.remove();
  });

  test(`a set-up for all that fails under ${name} is the error of each, one for one test of that test`, async () => {
    const app = project('').write('a.test.cjs', `
      describe('all', () => { before(() => { throw new Error('before'); }); it('a', () => {}); describe('in', () => it('b', () => {})); });
      describe('one', () => { beforeEach(() => { throw new Error('each'); }); it('c', () => {}); });
      describe('down', () => { afterEach(() => { throw new Error('down'); }); it('d', () => {}); });
      describe('end', () => { after(() => { throw new Error('end'); }); it('e', () => {}); it('f', () => {}); });\n`);
    await app.run([program, 'a.test.cjs']);
    const of = (phase) => app.of('result').filter((r) => r.phase === phase).map((r) => [r.id.slice(13), r.outcome, r.chain[0]?.msg]);
    assert.deepStrictEqual(of('setup'), [['all > a', 'error', 'before'], ['all > in > b', 'error', 'before'], ['one > c', 'error', 'each']]);
    assert.deepStrictEqual(of('teardown'), [['down > d', 'error', 'down'], ['end > f', 'error', 'end']]);
    app.remove();
  });

  test(`the time limit of a test under ${name} is lifted, wherever it stands`, async () => {
    const app = project('').write('t.test.cjs', `it('slow', function () { this.timeout(20); return new Promise((done) => setTimeout(done, 200)); });
      it('calls', (done) => { setTimeout(done, 200); }).timeout(20);\n`);
    assert.strictEqual((await app.run([program, '--timeout', '10', 't.test.cjs'], { RETRIAL_EVENTS: '' })).code, 2);
    assert.strictEqual((await app.run([program, '--timeout', '10', 't.test.cjs'], { RETRIAL_NO_TIME_LIMIT: '1' })).code, 0);
    app.remove();
  });

  test(`a file that ${name} cannot load is told, and why`, async () => {
    const app = project('').write('bad.test.cjs', `throw new Error('no such thing');\n`);
    await app.run([program, 'bad.test.cjs']);
    assert.deepStrictEqual(app.of('broken').map((b) => [b.file, b.msg]), [['bad.test.cjs', 'no such thing']]);
    app.remove();
  });

  test(`a test under ${name} that an uncaught error ends leaves no stage behind`, async () => {
    const server = await serve();
    const app = project(server.url).write('u.test.cjs', `it('dies', (done) => { setTimeout(() => { throw new Error('late'); }, 1); });
      it('next', () => fetch(process.env.URL + '/next'));\n`);
    await app.run([program, 'u.test.cjs']);
    assert.deepStrictEqual(outcomes(app), { 'u.test.cjs > dies': 'failed', 'u.test.cjs > next': 'passed' });
    assert.deepStrictEqual(server.tags.map((t) => t.test), ['u.test.cjs > next']);
    assert.strictEqual(app.of('start').length, app.of('end').length);
    server.close();
    app.remove();
  });
}

test('mocha that is to run files in parallel runs one after another', { skip }, async () => {
  const app = project('').write('.mocharc.json', '{"parallel": true}').write('a.test.cjs', `it('a', () => {});\n`).write('b.test.cjs', `it('b', () => {});\n`);
  for (const extra of [[], ['--parallel']]) {
    await app.run([programs[0][1], ...extra, 'a.test.cjs', 'b.test.cjs'], { RETRIAL_SERIAL: '1' });
  }
  const results = app.of('result');
  assert.deepStrictEqual([results.length, new Set(results.map((r) => r.pid)).size], [4, 2]);
  assert.deepStrictEqual(app.of('serial').map((e) => e.what), ['mocha --parallel']);
  app.remove();
});

for (const [version, program] of programs) {
  test(`${version} is told to run serially in a word that it knows`, async () => {
    const app = project('http://127.0.0.1:9');
    fs.mkdirSync(path.join(app.folder, 'test'));
    app.write('test/a.test.js', "it('a', () => console.log('WORDS', process.argv.slice(2).join(' ')));\n");
    const { out } = await app.run([program], { RETRIAL_SERIAL: '1' });
    assert.match(out, version === 'mocha7' ? /WORDS\s*$/m : /WORDS.*--no-parallel/, out);
    app.remove();
  });
}

test('what a test calls is called by no earlier one, however deep the library goes', { skip: !has('axios') }, async () => {
  const server = await serve();
  const here = project(server.url);
  here.write('app.mjs', `import axios from 'axios';
    const http = axios.create({ baseURL: process.env.URL });
    http.interceptors.request.use(async (config) => config);
    http.interceptors.response.use(async (response) => response);
    export async function lend() { await http.post('/loans', {}); }
    export async function visit() { await http.put('/visits', {}); await http.put('/seats', {}); }`);
  here.write('desk.test.mjs', `import { lend, visit } from './app.mjs';
    describe('desk', () => { it('lends', async () => { await lend(); }); it('visits', async () => { await visit(); }); });`);
  const { out } = await here.run(['node_modules/mocha/bin/mocha.js', 'desk.test.mjs']);
  assert.deepEqual(server.tags.map((tag) => tag.site.split(':').pop() + ' ' + (tag.callers || '').replace(/,/g, '')),
    ['lend ', 'visit ', 'visit '], out);
  here.remove();
  server.close();
});
