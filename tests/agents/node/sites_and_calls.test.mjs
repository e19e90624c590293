// The call site to the line, and the call id equal within a call and different across calls.
import assert from 'node:assert';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { has, project, serve, trusting } from './support.mjs';

const undici = (name) => ({
  needs: name,
  text: `import { request } from '${name}';
    const call = async () => (await request(URL)).body.text(); // here`,
});
const CLIENTS = {
  fetch: { text: `const call = async () => (await fetch(URL)).text(); // here` },
  'node:http': {
    text: `import http from 'node:http'; import https from 'node:https';
      const call = () => new Promise((done) => {
        const req = (URL.startsWith('https') ? https : http).get(URL, (res) => res.resume().on('end', done)); // here
        if (JSON.stringify(req.getHeaders()).includes('retrial')) throw new Error('seen');
      });`,
  },
  'undici 5': undici('undici5'),
  'undici 6': undici('undici6'),
  'undici 7': undici('undici7'),
  'undici 7 with its retry interceptor': {
    needs: 'undici7', flaky: true,
    text: `import { Agent, interceptors, request } from 'undici7';
      const dispatcher = new Agent().compose(interceptors.retry({ minTimeout: 1, maxTimeout: 1 }));
      const call = async () => (await request(URL + '/flaky', { dispatcher })).body.text(); // here`,
  },
  'node-fetch 2': { needs: 'node-fetch-2', text: `import fetch2 from 'node-fetch-2'; const call = () => fetch2(URL); // here` },
  'node-fetch 3': { needs: 'node-fetch', text: `import fetch3 from 'node-fetch'; const call = () => fetch3(URL); // here` },
  axios: { needs: 'axios', text: `import axios from 'axios'; const call = () => axios.get(URL); // here` },
  got: {
    needs: 'got', flaky: true,
    text: `import got from 'got';
      const call = () => got(URL + '/flaky', { retry: { limit: 5, backoffLimit: 1 } }); // here`,
  },
  'got on a kept-alive socket that is reset': {
    needs: 'got', flaky: true, inTurnOnly: true,
    text: `import got from 'got'; import http from 'node:http'; import https from 'node:https';
      const options = { keepAlive: true, maxSockets: 1 };
      const agent = { http: new http.Agent(options), https: new https.Agent(options) };
      await got(URL + '/first', { agent });
      const call = () => got(URL + '/flaky-reset', { agent, retry: { limit: 5, backoffLimit: 1 } }); // here`,
  },
  'the Azure SDK': {
    needs: '@azure/core-rest-pipeline', flaky: true,
    text: `import * as core from '@azure/core-rest-pipeline';
      const pipeline = core.createPipelineFromOptions({ retryOptions: { retryDelayInMs: 1, maxRetryDelayInMs: 1 } });
      const client = core.createDefaultHttpClient();
      const request = () => core.createPipelineRequest({ url: URL + '/flaky', allowInsecureConnection: true });
      const call = () => pipeline.sendRequest(client, request()); // here`,
  },
  'the AWS SDK': {
    needs: '@aws-sdk/client-s3', flaky: true,
    text: `import { S3Client, PutObjectCommand } from '@aws-sdk/client-s3';
      const client = new S3Client({ endpoint: URL, region: 'x', forcePathStyle: true, maxAttempts: 5,
        credentials: { accessKeyId: 'a', secretAccessKey: 'b' } });
      const call = () => client.send(new PutObjectCommand({ Bucket: 'flaky', Key: 'k', Body: 'x' })); // here`,
  },
};

const WAYS = [['http', 'in turn'], ['http', 'at the same time'], ['https', 'in turn']];

for (const [name, client] of Object.entries(CLIENTS)) {
  for (const [scheme, way] of WAYS.filter((pair) => !client.inTurnOnly || pair[1] === 'in turn')) {
    const skip = client.needs && !has(client.needs) ? `${client.needs} is not installed` : false;
    test(`${name} over ${scheme}: attempts share a call id and two calls made ${way} do not`, { skip }, async () => {
      const server = await serve(scheme === 'https' && 'ours');
      const app = project(server.url);
      const calls = way === 'in turn' ? 'for (let i = 0; i < 2; i++) await call();' : 'await Promise.all([1, 2].map(() => call()));';
      app.write('main.mjs', `const URL = process.env.URL;\n${client.text}\n${calls}\nprocess.exit();\n`);
      const { code, out } = await app.run(['main.mjs'], scheme === 'https' ? trusting('ours') : {});
      assert.strictEqual(code, 0, out);
      const tags = server.tags.filter((tag) => tag.path !== '/first');
      const where = new RegExp(`^main\\.mjs:${app.line('main.mjs', 'here')}:`);
      for (const tag of tags) assert.match(tag.site || '', where);
      assert.strictEqual(new Set(tags.map((tag) => tag.call)).size, 2);
      assert(tags.every((tag) => tag.call));
      if (way === 'in turn') {
        const half = tags.length / 2;
        assert.strictEqual(half, client.flaky ? 3 : 1);
        assert.strictEqual(new Set(tags.slice(0, half).map((tag) => tag.call)).size, 1);
      }
      server.close();
      app.remove();
    });
  }
}

test('a request that carries a site is left as it is', async () => {
  const server = await serve();
  const app = project(server.url);
  app.write('main.mjs', `const headers = { 'X-Retrial-Site': 'mine' };
    await fetch(process.env.URL, { headers });
    await (await import('node:http')).default.get(process.env.URL, { headers });\n`);
  await app.run(['main.mjs']);
  assert.deepStrictEqual(server.tags, [{ path: '/', site: 'mine' }, { path: '/', site: 'mine' }]);
  server.close();
  app.remove();
});

const MOCKS = {
  nock: `import nock from 'nock'; import http from 'node:http';
    const seen = [];
    nock('http://service.test').get('/').times(2).reply(function () { seen.push(this.req.headers); return [200, '']; });
    await new Promise((done) => http.get('http://service.test/', (res) => res.resume().on('end', done)));
    await fetch('http://service.test/');`,
  msw: `import { http as handlers, HttpResponse } from 'msw'; import { setupServer } from 'msw/node'; import http from 'node:http';
    const seen = [];
    setupServer(handlers.get('http://service.test/', ({ request }) => { seen.push([...request.headers]); return HttpResponse.text(''); })).listen();
    await new Promise((done) => http.get('http://service.test/', (res) => res.resume().on('end', done)));
    await fetch('http://service.test/');`,
  undici7: `import { MockAgent, request } from 'undici7';
    const seen = [];
    const agent = new MockAgent(); agent.disableNetConnect();
    agent.get('http://service.test').intercept({ path: '/' }).reply((options) => { seen.push(options.headers || {}); return { statusCode: 200 }; }).times(2);
    for (let i = 0; i < 2; i++) await request('http://service.test/', { dispatcher: agent });`,
};
for (const [name, text] of Object.entries(MOCKS)) {
  test(`${name} never sees the tag`, { skip: has(name) ? false : `${name} is not installed` }, async () => {
    const app = project('');
    app.write('main.mjs', `${text}\nconsole.log(JSON.stringify(seen)); process.exit();\n`);
    const { code, out } = await app.run(['main.mjs']);
    assert.strictEqual(code, 0, out);
    assert.strictEqual(JSON.parse(out.trim().split('\n').pop()).length, 2);
    assert.doesNotMatch(out, /retrial/i);
    app.remove();
  });
}

test('a helper process stays silent', async () => {
  const app = project('');
  const { code, out } = await app.run(['-e', 'Promise.resolve().then(() => setTimeout(() => {}, 1))']);
  assert.deepStrictEqual([code, out, app.of('agent')], [0, '', []]);
  app.remove();
});

test('what an interceptor sends again is in the course of the call that failed, and what it asks besides is told apart',
  { skip: !has('axios') && 'axios is not installed' }, async () => {
    const server = await serve();
    const app = project(server.url);
    app.write('main.mjs', `import axios from 'axios';
      const api = axios.create({ baseURL: process.env.URL });
      api.interceptors.response.use((response) => response, async (error) => {
        await axios.get(process.env.URL + '/token');
        await new Promise((done) => setTimeout(done, 1));
        return api(error.config); // again
      });
      await Promise.all([1, 2].map((n) => api.get('/flaky/' + n))); // here
      await api.get('/last');
    `);
    const { code, out } = await app.run(['main.mjs']);
    assert.strictEqual(code, 0, out);
    const entries = (tag) => tag.stack.split(',').map((part) => part.split('.')[0]);
    const places = (tag) => tag.stack.split(',').map((part) => part.split('.')[1]);
    for (const path of ['/flaky/1', '/flaky/2']) {
      const [first, ...rest] = server.tags.filter((tag) => tag.path === path);
      assert(rest.length > 0);
      assert.strictEqual(entries(first).length, 1);
      assert.strictEqual(first.call.split('-')[1], entries(first)[0]);
      rest.forEach((tag, i) => {
        assert.match(tag.site, new RegExp(`^main\\.mjs:${app.line('main.mjs', 'again')}:`));
        assert.strictEqual(entries(tag)[0], entries(first)[0]);
        assert.strictEqual(places(tag)[0], places(first)[0]);
        assert.strictEqual(entries(tag).length, i + 2);
      });
    }
    const last = server.tags.find((tag) => tag.path === '/last');
    assert.strictEqual(entries(last).length, 1);
    assert(server.tags.filter((tag) => tag.path === '/token').every((tag) => entries(tag).length > 1));
  });

for (const [name, owned] of [['@tidy/client', true], ['tidy', false]]) {
  test(`of an installed package that the project ${owned ? 'names' : 'does not name'} as itself`, async () => {
    const server = await serve();
    const app = project(server.url);
    fs.rmSync(path.join(app.folder, 'node_modules'), { force: true });
    const folder = path.join(app.folder, 'node_modules', '@tidy', 'client');
    fs.mkdirSync(folder, { recursive: true });
    app.write('package.json', JSON.stringify({ name }));
    app.write('node_modules/@tidy/client/index.js', 'exports.ask = (url) => fetch(url).then((answer) => answer.text());\n');
    app.write('main.mjs', `import client from '@tidy/client';\nawait client.ask(process.env.URL);\n`);
    const { code, out } = await app.run(['main.mjs']);
    assert.strictEqual(code, 0, out);
    assert.strictEqual(server.tags[0].site, owned ? '@tidy/client/index.js:1:exports.ask' : 'main.mjs:2:<anonymous>');
    assert.deepStrictEqual(app.of('application').map((e) => e.package), owned ? [name] : []);
  });
}

// A source of three lines that a loader wrote on one, with the map of it behind.
const inMemory = (url, source = 'made.ts') => {
  const map = { version: 3, sources: [source], names: [], mappings: 'AAEA' };
  return `fetch('${url}');\n//# sourceMappingURL=data:application/json;base64,` +
    Buffer.from(JSON.stringify(map)).toString('base64');
};

test('a line is the one that the author wrote, where a loader hands its map over', async () => {
  const server = await serve();
  const here = project(server.url);
  here.write('load.cjs', `const Module = require('module');
    require.extensions['.ts'] = (made, file) => made._compile(${JSON.stringify(inMemory(server.url))}, file);
    require('./made.ts');`).write('made.ts', '');
  await here.run(['load.cjs']);
  assert.equal(server.tags[0].site, 'made.ts:3:<anonymous>');
  here.remove();
  server.close();
});

test('a line is the one that the author wrote, where Node keeps the map, unless he wrote it in another file', async () => {
  const server = await serve();
  const here = project(server.url);
  here.write('made.mjs', inMemory(server.url, 'made.mjs')).write('built.mjs', inMemory(server.url));
  await here.run(['--enable-source-maps', 'made.mjs']);
  await here.run(['--enable-source-maps', 'built.mjs']);
  assert.deepEqual(server.tags.map((tag) => tag.site), ['made.mjs:3:<anonymous>', 'built.mjs:1:<anonymous>']);
  here.remove();
  server.close();
});
