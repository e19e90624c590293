// The tag is sent only where Retrial takes it out again, and changes nothing else.
import assert from 'node:assert';
import { createRequire } from 'node:module';
import test from 'node:test';
import { agent, project, serve, trusting } from './support.mjs';

const EVERY_HOOK = `
  import http from 'node:http'; import https from 'node:https';
  const URL = process.env.URL;
  const module = URL.startsWith('https') ? https : http;
  const ask = (options) => new Promise((done) => module.get(URL, options, (res) => res.resume().on('end', done)));
  const kept = new module.Agent({ keepAlive: true });
  await (await fetch(URL)).text();
  for (const options of [{}, { agent: kept }, { agent: kept }, { agent: false }]) await ask(options);
  kept.destroy();`;

for (const [known, variables] of [['knows', {}], ['does not know', { RETRIAL_CA: '' }]]) {
  test(`a tunnel whose service shows its own certificate is never tagged by an agent that ${known} the authority`, async () => {
    const server = await serve('other');
    const app = project(server.url).write('main.mjs', EVERY_HOOK);
    const { code, out } = await app.run(['main.mjs'], { ...trusting('other'), ...variables });
    assert.strictEqual(code, 0, out);
    assert.deepStrictEqual(server.tags, Array(5).fill({ path: '/' }));
    server.close();
    app.remove();
  });
}

test('a connection that is opened is tagged on each of its requests, also without verification', async () => {
  const server = await serve('ours');
  const app = project(server.url).write('main.mjs', EVERY_HOOK);
  const { code, out } = await app.run(['main.mjs'], { ...trusting('other'), NODE_TLS_REJECT_UNAUTHORIZED: '0' });
  assert.strictEqual(code, 0, out);
  assert.strictEqual(server.tags.length, 5);
  for (const tag of server.tags) assert.match(tag.site || '', /^main\.mjs:/);
  server.close();
  app.remove();
});

test('a resumed session is tagged too', async () => {
  const server = await serve('ours');
  const app = project(server.url).write('main.mjs', `
    import https from 'node:https';
    const agent = new https.Agent({ maxCachedSessions: 10 });
    let resumed = 0;
    for (let i = 0; i < 3; i++) {
      await new Promise((done) => https.get(process.env.URL, { agent }, (res) => {
        resumed += res.socket.isSessionReused();
        res.resume().on('end', () => setImmediate(done));
      }));
    }
    if (resumed !== 2) throw new Error('resumed: ' + resumed);`);
  const { code, out } = await app.run(['main.mjs'], trusting('ours'));
  assert.strictEqual(code, 0, out);
  assert.deepStrictEqual(server.tags.map((tag) => Boolean(tag.site)), [true, true, true]);
  server.close();
  app.remove();
});

test('clear text to an outside address is never tagged', async () => {
  const server = await serve();
  const far = `import net from 'node:net'; import { mock } from 'node:test';
    mock.method(net.Socket.prototype, '_getpeername', () => ({ address: '203.0.113.1' }));`;
  const app = project(server.url).write('main.mjs', far + EVERY_HOOK);
  const { code, out } = await app.run(['main.mjs']);
  assert.strictEqual(code, 0, out);
  assert.deepStrictEqual(server.tags, Array(5).fill({ path: '/' }));
  server.close();
  app.remove();
});

test('near are loopback and private addresses', () => {
  const { isNear } = createRequire(import.meta.url)(agent.replace('retrial.cjs', 'lib/peer.cjs'));
  const near = '127.0.0.1 127.9.9.9 10.0.0.1 172.16.0.1 172.31.255.1 192.168.1.1 ::1 ::ffff:10.0.0.1 fd00::1 FC12::1';
  const far = '8.8.8.8 172.15.0.1 172.32.0.1 192.169.0.1 169.254.169.254 100.64.0.1 2001:db8::1 fe80::1 ::2 ::ffff:8.8.8.8 fc::1';
  assert.deepStrictEqual(near.split(' ').filter((a) => !isNear(a)), []);
  assert.deepStrictEqual([...far.split(' '), undefined, ''].filter(isNear), []);
});

const SENDS = {
  text: `end('text')`,
  bytes: `end(Buffer.from('text'))`,
  'text in parts': `write('te'); setImmediate(() => req.end('xt'))`,
  'a head that goes first': `flushHeaders(); req.once('socket', () => setImmediate(() => req.end('text')))`,
  'a body that waits for the socket': `once('socket', (socket) => socket.once(socket.encrypted ? 'secureConnect' : 'connect', () => req.end('text')))`,
};
for (const scheme of ['http', 'https']) {
  test(`a body arrives as it was sent over ${scheme}, whatever way it is handed over`, async () => {
    const server = await serve(scheme === 'https' && 'ours');
    const app = project(server.url).write('main.mjs', `import module from 'node:${scheme}';
      const url = process.env.URL;
      const sends = [${Object.values(SENDS).map((way) => `(req) => { req.${way}; }`)}];
      for (const send of sends) {
        await new Promise((done, failed) => {
          const req = module.request(url, { method: 'POST', agent: false }, (res) => res.resume().on('end', done)).on('error', failed);
          send(req);
        });
      }
      const stream = new ReadableStream({ start(it) { it.enqueue(new TextEncoder().encode('te')); it.enqueue(new TextEncoder().encode('xt')); it.close(); } });
      for (const body of ['text', new TextEncoder().encode('text'), new Blob(['text']), stream]) {
        await (await fetch(url, { method: 'POST', body, duplex: 'half' })).text();
      }
      process.exit();`);
    const { code, out } = await app.run(['main.mjs'], trusting('ours'));
    assert.strictEqual(code, 0, out);
    assert.deepStrictEqual(server.bodies, Array(Object.keys(SENDS).length + 4).fill('text'));
    for (const tag of server.tags) assert.match(tag.site || '', /^main\.mjs:/, JSON.stringify(server.tags));
    server.close();
    app.remove();
  });
}

test('a connect or handshake that fails, or is given up, fails as without the agent', async () => {
  const [server, clear] = [await serve('ours'), await serve()];
  const app = project(server.url).write('main.mjs', `import https from 'node:https';
    const told = [];
    const ask = (url, act = () => {}) => new Promise((done) => {
      const req = https.request(url, { method: 'POST' });
      for (const name of ['socket', 'response', 'timeout', 'close']) req.on(name, () => told.push(name));
      req.on('error', (error) => told.push(error.code || error.message)).on('close', done);
      act(req);
      req.end('body');
    });
    const { URL: url, CLEAR: clear } = process.env;
    await ask(url);
    await ask('https://127.0.0.1:1');
    await ask(clear);
    await ask(url, (req) => req.on('socket', () => req.destroy()));
    await ask(url, (req) => req.on('socket', (socket) => socket.on('connect', () => req.destroy(new Error('mine')))));
    await fetch(url).catch((error) => told.push(error.cause.code));
    console.log(JSON.stringify(told));`);
  const variables = { CLEAR: clear.url.replace('http:', 'https:'), NODE_EXTRA_CA_CERTS: '' };
  const [with_, without] = [await app.run(['main.mjs'], variables), await app.run(['main.mjs'], { ...variables, RETRIAL_EVENTS: '' })];
  assert.deepStrictEqual(with_, without);
  assert.strictEqual(with_.code, 0, with_.out);
  assert(with_.out.includes('mine'), with_.out);
  server.close();
  clear.close();
  app.remove();
});
