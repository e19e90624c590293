// Requests of Node's own http2 client.
import assert from 'node:assert';
import fs from 'node:fs';
import http2 from 'node:http2';
import test from 'node:test';
import { certificate, has, project, trusting } from './support.mjs';

async function serve(leaf) {
  const tags = [];
  const keys = leaf && { cert: fs.readFileSync(certificate(`${leaf}-leaf.pem`)), key: fs.readFileSync(certificate(`${leaf}-leaf.key`)) };
  const server = leaf ? http2.createSecureServer(keys) : http2.createServer();
  server.on('stream', (stream, headers) => {
    const tag = { path: headers[':path'] };
    for (const [name, value] of Object.entries(headers)) {
      if (name.startsWith('x-retrial-')) tag[name.slice('x-retrial-'.length)] = decodeURIComponent(value);
    }
    let body = '';
    stream.setEncoding('utf8').on('data', (text) => (body += text)).on('end', () => {
      if (body) tag.body = body;
      tags.push(tag);
      stream.respond({ ':status': 200 });
      stream.end('{}');
    });
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  server.unref();
  return { url: `http${leaf ? 's' : ''}://127.0.0.1:${server.address().port}`, tags, close: () => server.close() };
}

const WAYS = {
  'import of a name': `import { connect } from 'node:http2';`,
  require: `import { createRequire } from 'node:module'; const { connect } = createRequire(import.meta.url)('http2');`,
};
const PROGRAM = `
  const ended = (req) => new Promise((done, failed) => req.on('data', () => {}).on('end', done).on('error', failed));
  const session = connect(process.env.URL);
  const early = session.request({ ':path': '/early' }); // early
  if (JSON.stringify(early.sentHeaders).includes('retrial')) throw new Error('seen');
  await ended(early);
  for (let i = 0; i < 2; i++) {
    const req = session.request({ ':path': '/late', ':method': 'POST', 'x-list': ['a', 'b'] }, { endStream: false }); // late
    req.end('text');
    await ended(req);
    if (JSON.stringify(req.sentHeaders).includes('retrial')) throw new Error('seen');
  }
  await ended(session.request({ ':path': '/mine', 'x-retrial-site': 'mine' }));
  process.exit();`;

for (const [way, load] of Object.entries(WAYS)) {
  for (const leaf of ['', 'ours', 'other']) {
    test(`each request by ${way} ${leaf ? `over TLS to ${leaf}` : 'in clear text'} is tagged where it leads to Retrial`, async () => {
      const server = await serve(leaf);
      const app = project(server.url).write('main.mjs', load + PROGRAM);
      const { code, out } = await app.run(['main.mjs'], leaf ? trusting(leaf) : {});
      assert.strictEqual(code, 0, out);
      const late = { path: '/late', body: 'text' };
      if (leaf === 'other') {
        assert.deepStrictEqual(server.tags, [{ path: '/early' }, late, late, { path: '/mine', site: 'mine' }]);
      } else {
        const at = ['early', 'late', 'late'].map((mark) => app.line('main.mjs', mark));
        assert.deepStrictEqual(server.tags.map((tag) => tag.site.split(':')[1]), [...at.map(String), undefined]);
        assert.strictEqual(new Set(server.tags.slice(0, 3).map((tag) => tag.call)).size, 3);
        assert.deepStrictEqual(server.tags.map((tag) => tag.body), [undefined, 'text', 'text', undefined]);
        assert.deepStrictEqual(server.tags[3], { path: '/mine', site: 'mine' });
      }
      server.close();
      app.remove();
    });
  }
}

test('a request that undici holds back for its connection is told by no other line', { skip: has('undici7') ? false : 'undici7 is not installed' }, async () => {
  const server = await serve('ours');
  const app = project(server.url).write('main.mjs', `import { Agent, request } from 'undici7';
    const dispatcher = new Agent({ allowH2: true, connections: 1 });
    await Promise.all(['/a', '/b'].map(async (path) => (await request(process.env.URL + path, { dispatcher })).body.text()));
    process.exit();`);
  const { code, out } = await app.run(['main.mjs'], trusting('ours'));
  assert.strictEqual(code, 0, out);
  assert.deepStrictEqual(server.tags.map((tag) => tag.path).sort(), ['/a', '/b']);
  for (const tag of server.tags) assert.deepStrictEqual(Object.keys(tag), ['path']);
  server.close();
  app.remove();
});
