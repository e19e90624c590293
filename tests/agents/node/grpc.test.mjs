// The metadata of grpc-js's calls.
import assert from 'node:assert';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import test from 'node:test';
import { certificate, has, modules, project, trusting } from './support.mjs';

const skip = has('@grpc/grpc-js') ? false : '@grpc/grpc-js is not installed';
const grpc = skip ? null : createRequire(path.join(modules, 'x.js'))('@grpc/grpc-js');

const KINDS = { One: [false, false], Down: [false, true], Up: [true, false], Both: [true, true] };
const bytes = (b) => b;
const methods = (service) => Object.fromEntries(Object.entries(KINDS).map(([name, [requestStream, responseStream]]) => [name, {
  path: `/test.${service}/${name}`, requestStream, responseStream, requestSerialize: bytes, requestDeserialize: bytes,
  responseSerialize: bytes, responseDeserialize: bytes,
}]));

// A real server that remembers the tags of each call; of three calls of /test.Flaky two fail.
async function serve(leaf) {
  const tags = [];
  let flaky = 0;
  const server = new grpc.Server();
  const credentials = !leaf ? grpc.ServerCredentials.createInsecure() : grpc.ServerCredentials.createSsl(null, [{
    private_key: fs.readFileSync(certificate(`${leaf}-leaf.key`)), cert_chain: fs.readFileSync(certificate(`${leaf}-leaf.pem`)),
  }]);
  const answer = (service, name) => (call, done) => {
    const tag = { path: `/test.${service}/${name}` };
    for (const [key, value] of Object.entries(call.metadata.getMap())) {
      if (key.startsWith('x-retrial-')) tag[key.slice('x-retrial-'.length)] = decodeURIComponent(value);
      if (key === 'x-mine') tag.mine = value;
    }
    tags.push(tag);
    const error = service === 'Flaky' && ++flaky % 3 ? { code: grpc.status.UNAVAILABLE, details: 'not now' } : null;
    if (KINDS[name][0]) call.resume();
    if (done) return done(error, Buffer.from('answer'));
    call.write(Buffer.from('answer'));
    call.end();
  };
  for (const service of ['Plain', 'Flaky']) {
    server.addService(methods(service), Object.fromEntries(Object.keys(KINDS).map((name) => [name, answer(service, name)])));
  }
  const port = await new Promise((done, failed) => server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error ? failed(error) : done(bound))));
  return { target: `127.0.0.1:${port}`, tags, close: () => server.forceShutdown() };
}

const HEAD = `
  const { promisify } = await import('node:util');
  const bytes = (b) => b;
  const KINDS = ${JSON.stringify(KINDS)};
  const service = (name) => grpc.makeGenericClientConstructor(Object.fromEntries(Object.entries(KINDS).map(([kind, [requestStream, responseStream]]) =>
    [kind, { path: '/test.' + name + '/' + kind, requestStream, responseStream, requestSerialize: bytes, requestDeserialize: bytes,
      responseSerialize: bytes, responseDeserialize: bytes }])), name);
  const credentials = process.env.SECURE ? grpc.credentials.createSsl() : grpc.credentials.createInsecure();
  const client = (name, options = {}) => new (service(name))(process.env.TARGET, credentials, options);
  const ended = (call) => new Promise((done, failed) => call.on('data', () => {}).on('end', done).on('error', failed));
  const text = Buffer.from('text');
`;
const IMPORTS = {
  'import * as': `import * as grpc from '@grpc/grpc-js';`,
  'import of the default': `import grpc from '@grpc/grpc-js';`,
  require: `import { createRequire } from 'node:module'; const grpc = createRequire(import.meta.url)('@grpc/grpc-js');`,
  'import()': `const grpc = await import('@grpc/grpc-js');`,
};

async function run(text, variables = {}, { leaf, load = IMPORTS['import * as'] } = {}) {
  const server = await serve(leaf);
  const app = project('').write('main.mjs', `${load}${HEAD}${text}\nprocess.exit();\n`);
  const { code, out } = await app.run(['main.mjs'], { TARGET: server.target, ...variables });
  const source = fs.readFileSync(path.join(app.folder, 'main.mjs'), 'utf8').split('\n');
  const at = (mark) => source.findIndex((line) => line.endsWith('// ' + mark)) + 1;
  server.close();
  app.remove();
  assert.strictEqual(code, 0, out);
  return { tags: server.tags, at, out };
}

const lineOf = (tag) => Number((tag.site || '').split(':')[1]);
const calls = (tags) => new Set(tags.map((tag) => tag.call));

const FORMS = {
  unary: 'await new Promise((done, failed) => c.One(text, (error, answer) => (error ? failed(error) : done(answer)))); // here',
  'unary, promisified': 'await promisify(c.One.bind(c))(text); // here',
  'unary, by its path': 'await promisify(c.makeUnaryRequest.bind(c))("/test.Plain/One", bytes, bytes, text); // here',
  'unary with metadata': `const m = new grpc.Metadata(); m.set('x-mine', '1');
    await promisify(c.One.bind(c))(text, m, { deadline: Date.now() + 5000 }); // here
    if (JSON.stringify(m.getMap()).includes('retrial')) throw new Error('seen');`,
  'server streaming': 'await ended(c.Down(text)); // here',
  'client streaming': 'await new Promise((done, failed) => { const call = c.Up((error) => (error ? failed(error) : done())); call.write(text); call.end(); }); // here',
  bidirectional: 'const call = c.Both(); call.write(text); call.end(); await ended(call); // here',
};
for (const [name, form] of Object.entries(FORMS)) {
  test(`a ${name} call tells its line, and each is a call of its own`, { skip }, async () => {
    const { tags, at } = await run(`const c = client('Plain');\nfor (let i = 0; i < 2; i++) {\n${form}\n}`);
    assert.deepStrictEqual(tags.map(lineOf), [at('here'), at('here')], JSON.stringify(tags));
    assert(tags.every((tag) => tag.call));
    assert.strictEqual(calls(tags).size, 2);
    assert.deepStrictEqual(tags.map((tag) => tag.mine), Array(2).fill(name.includes('metadata') ? '1' : undefined));
  });
}

for (const [name, load] of Object.entries(IMPORTS)) {
  test(`grpc-js is met whatever way it is loaded: ${name}`, { skip }, async () => {
    const { tags, at } = await run(`const c = client('Plain');\n${FORMS.unary}`, {}, { load });
    assert.deepStrictEqual(tags.map(lineOf), [at('here')], JSON.stringify(tags));
  });
}

test('grpc-js is met where jest loads it for a test', { skip: skip || (!has('jest') && 'jest is not installed') }, async () => {
  const server = await serve();
  const app = project('').write('package.json', '{"jest": {"haste": {"enableSymlinks": false}}}').write('a.test.js', `
    const grpc = require('@grpc/grpc-js');
    const { promisify } = require('node:util');
    ${HEAD.replace(/.*node:util.*/, '')}
    it('asks', async () => {
      const c = client('Plain');
      ${FORMS.unary}
      c.close();
    });\n`);
  const { code, out } = await app.run(['node_modules/jest/bin/jest.js'], { TARGET: server.target });
  const line = fs.readFileSync(path.join(app.folder, 'a.test.js'), 'utf8').split('\n').findIndex((l) => l.endsWith('// here')) + 1;
  server.close();
  app.remove();
  assert.strictEqual(code, 0, out);
  assert.deepStrictEqual(server.tags.map(lineOf), [line], JSON.stringify(server.tags));
});

test('calls that wait for the connection at the same time each keep their line', { skip }, async () => {
  const { tags, at } = await run(`const c = client('Plain');
    await Promise.all([
      promisify(c.One.bind(c))(text), // first
      promisify(c.One.bind(c))(text), // second
      ended(c.Down(text)), // third
    ]);`);
  assert.deepStrictEqual(tags.map(lineOf).sort((a, b) => a - b), ['first', 'second', 'third'].map(at), JSON.stringify(tags));
  assert.strictEqual(calls(tags).size, 3);
});

test('retries of the service configuration share a call id, and two calls do not', { skip }, async () => {
  const { tags, at } = await run(`const config = { methodConfig: [{ name: [{}], retryPolicy: { maxAttempts: 5, initialBackoff: '0.02s',
      maxBackoff: '0.02s', backoffMultiplier: 1, retryableStatusCodes: [14] } }] };
    const c = client('Flaky', { 'grpc.service_config': JSON.stringify(config) });
    for (let i = 0; i < 2; i++) {
      await promisify(c.One.bind(c))(text); // here
    }`);
  assert.deepStrictEqual(tags.map(lineOf), Array(6).fill(at('here')), JSON.stringify(tags));
  assert.strictEqual(calls(tags).size, 2);
  assert.deepStrictEqual(tags.map((tag) => tag.call === tags[0].call), [true, true, true, false, false, false]);
});

test('a loop of the application makes several calls', { skip }, async () => {
  const { tags, at } = await run(`const c = client('Flaky');
    for (;;) {
      try {
        await promisify(c.One.bind(c))(text); // here
        break;
      } catch {}
    }`);
  assert.deepStrictEqual(tags.map(lineOf), Array(3).fill(at('here')), JSON.stringify(tags));
  assert.strictEqual(calls(tags).size, 3);
});

test('an interceptor that repeats a call is part of it, and sees no tag', { skip }, async () => {
  const { tags, at } = await run(`
    const repeat = (options, nextCall) => {
      let message;
      return new grpc.InterceptingCall(nextCall(options), {
        start(metadata, listener, go) {
          if (JSON.stringify(metadata.getMap()).includes('retrial')) throw new Error('seen');
          let answer, pass;
          const again = (status, told) => {
            if (status.code === 0) return pass(answer), told(status);
            const call = nextCall(options);
            call.start(metadata, { onReceiveMessage: (it) => { answer = it; }, onReceiveStatus: (it) => again(it, told) });
            call.sendMessage(message);
            call.halfClose();
          };
          go(metadata, { onReceiveMessage: (it, next) => { answer = it; pass = next; }, onReceiveStatus: again });
        },
        sendMessage(it, go) { message = it; go(it); },
      });
    };
    const c = client('Flaky', { interceptors: [repeat] });
    await promisify(c.One.bind(c))(text); // here`);
  assert.deepStrictEqual(tags.map(lineOf), Array(tags.length).fill(at('here')), JSON.stringify(tags));
  assert.strictEqual(tags.length, 3);
  assert.strictEqual(calls(tags).size, 1);
});

for (const leaf of ['ours', 'other']) {
  test(`over TLS the peer's certificate decides: ${leaf}`, { skip }, async () => {
    const text = `const c = client('Plain'); await promisify(c.One.bind(c))(text);`;
    const variables = { ...trusting(leaf), SECURE: '1', GRPC_DEFAULT_SSL_ROOTS_FILE_PATH: certificate(`${leaf}.pem`) };
    const { tags } = await run(text, variables, { leaf });
    assert.deepStrictEqual(tags.map((tag) => Boolean(tag.site)), [leaf === 'ours']);
    if (leaf === 'other') assert.deepStrictEqual(tags, [{ path: '/test.Plain/One' }]);
  });
}

test('a call that fails fails as without the agent', { skip }, async () => {
  const text = `const c = client('Plain');
    const told = [];
    const ask = (go) => { try { return go(); } catch (error) { told.push(error.message); } };
    ask(() => c.One(text));
    ask(() => c.One(text, 1, 2, 3));
    ask(() => c.Down(text, 5));
    await promisify(c.makeUnaryRequest.bind(c))('/test.Plain/None', bytes, bytes, text).catch((error) => told.push(error.code));
    c.close();
    await promisify(c.One.bind(c))(text).catch((error) => told.push(error.message));
    const nobody = new (service('Plain'))('127.0.0.1:1', credentials, {});
    await promisify(nobody.One.bind(nobody))(text).catch((error) => told.push(error.code));
    console.log(JSON.stringify(told));`;
  const [with_, without] = [await run(text), await run(text, { RETRIAL_EVENTS: '' })];
  assert.strictEqual(with_.out, without.out);
  assert(with_.out.includes('12') && with_.out.includes('14'), with_.out);
});
