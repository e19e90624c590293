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

const AGAIN = {
  'the test itself': ["for (let i = 0; i < 3; i++) { await track(); await null; }", 'ask track'],
  'a function': ["await twice();", 'ask track twice '],
  'what a test gave to a timer': ["await new Promise((done) => setTimeout(() => track().then(() => setTimeout(() => track().then(done), 1)), 1));", 'ask track'],
  'what a test gave to a promise': ["await track().then(track);", 'ask track '],
};
for (const [name, [text, expected]] of Object.entries(AGAIN)) {
  test(`the chain says whether it is the test that runs: ${name} sends again`, async () => {
    const tags = await run({
      'base.mjs': BASE,
      'track.mjs': `import { ask } from './base.mjs';
export const track = () => ask();
export async function twice() { await track(); await null; await track(); }
`,
      'it.test.mjs': `import test from 'node:test';
import { track, twice } from './track.mjs';
test('it', async () => { ${text} });
`,
    }, ['--test', 'it.test.mjs']);
    for (const tag of tags.slice(1)) {
      assert.equal(functions(tag).join(' '), expected, JSON.stringify(tag));
      assert.ok(tag.statement, JSON.stringify(tag));
    }
  });
}

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
