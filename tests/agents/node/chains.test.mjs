// The chain that a request comes by, from its call site outwards to the test, and the library that it was given to.
import assert from 'node:assert';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { has, modules, project, serve } from './support.mjs';

const BASE = `export async function ask() { return (await fetch(process.env.URL)).text(); }
`;
const functions = (tag) => [tag.site, ...(tag.callers || '').split(',')].map((frame) => frame.split(':').pop());

async function run(files, main) {
  const server = await serve();
  const at = project(server.url);
  for (const [name, text] of Object.entries(files)) at.write(name, text);
  const done = await at.run([...main]);
  assert.equal(done.code, 0, done.out);
  server.close();
  at.remove();
  return server.tags;
}

const WAYS = {
  'functions that call': ['const send = () => ask(); const track = () => send(); await track();', 'ask send track <anonymous>'],
  'a function that calls itself': ['const down = (n) => (n ? down(n - 1) : ask()); await down(30);', 'ask down <anonymous>'],
  'functions that await': ['async function send() { return await ask(); } async function track() { return await send(); } await track();',
    'ask send track <anonymous>'],
  'functions that go on': [
    `async function send() { await null; return await ask(); } async function track() { return await send(); } await track();`,
    'ask send  track <anonymous>'],
  'a timer': ['const track = () => new Promise((done) =>\n setTimeout(() => done(ask()), 1));\n await track();', 'ask <anonymous>  track <anonymous>'],
};
for (const [name, [text, expected]] of Object.entries(WAYS)) {
  test(`a chain goes outwards: ${name}`, async () => {
    const [tag] = await run({ 'base.mjs': BASE, 'main.mjs': `import { ask } from './base.mjs';\n${text}` }, ['main.mjs']);
    assert.equal(functions(tag).join(' '), expected, JSON.stringify(tag));
  });
}

test('a test\'s own functions are no part of a chain', async () => {
  const [tag] = await run({
    'base.mjs': BASE,
    'track.mjs': "import { ask } from './base.mjs';\nexport const track = () => ask();\n",
    'it.test.mjs': "import test from 'node:test';\nimport { track } from './track.mjs';\ntest('it', () => track());\n",
  }, ['--test', 'it.test.mjs']);
  assert.equal(tag.callers, 'track.mjs:2:track');
});

test('a function that goes on after its first attempt is the outermost that runs', async () => {
  const tags = await run({
    'base.mjs': BASE,
    'main.mjs': `import { ask } from './base.mjs';
      async function send() { return ask(); }
      async function track() { for (let i = 0; i < 3; i++) { await send(); await new Promise((go) => setTimeout(go, 1)); } }
      await track();`,
  }, ['main.mjs']);
  for (const tag of tags.slice(1)) assert.deepEqual(functions(tag).slice(0, 4), ['ask', 'send', 'track', ''], JSON.stringify(tag));
});

test('the library that was called is named with its version', { skip: !has('got') && 'got is not installed' }, async () => {
  const server = await serve();
  const at = project(server.url).write('main.mjs', `import got from 'got';
    await got(process.env.URL + '/flaky', { retry: { limit: 5, backoffLimit: 1 } });`);
  assert.equal((await at.run(['main.mjs'])).code, 0);
  const { version } = JSON.parse(fs.readFileSync(path.join(modules, 'got/package.json')));
  assert.equal(server.tags.length, 3);
  for (const tag of server.tags) assert.match(tag.libraries, new RegExp(`^\\d+:got ${version}$`));
  server.close();
  at.remove();
});
