// Which requests had been answered by what a request is sent for, as its strands say.
import assert from 'node:assert';
import test from 'node:test';
import { has, project, serve } from './support.mjs';

const strands = (tag) => tag.stack.split(',').filter((part) => part.startsWith('/')).map((part) => Number(part.slice(1)));

// "/a </b": /b was sent for what had the answer of /a.
function orders(tags) {
  const found = [];
  for (const one of tags) {
    const own = strands(one).at(-1);
    for (const other of tags) if (other !== one && strands(other).slice(0, -1).includes(own)) found.push(`${one.path.slice(1)}<${other.path.slice(1)}`);
  }
  return found.sort().join(' ');
}

const CLIENTS = {
  fetch: { text: `const ask = async (what) => (await fetch(URL + '/' + what)).text();` },
  http: {
    text: `import http from 'node:http';
const agent = new http.Agent({ keepAlive: true, maxSockets: 2 });
const ask = (what) => new Promise((resolve) => http.get(URL + '/' + what, { agent }, (res) => res.resume().on('end', resolve)));`,
  },
  axios: { needs: 'axios', text: `import axios from 'axios';\nconst ask = (what) => axios.get(URL + '/' + what);` },
  undici: { needs: 'undici', text: `import { request } from 'undici';\nconst ask = async (what) => (await request(URL + '/' + what)).body.text();` },
};
const LATER = `const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));`;

const PROGRAMS = {
  'one after another': [`await ask('a'); await ask('b');`, 'a<b'],
  'one after another, with a pause': [`await ask('a'); await later(20); await ask('b');`, 'a<b'],
  'side by side': [`await Promise.all([ask('a'), ask('b')]);`, ''],
  'side by side, the second started later': [`await Promise.all([ask('a'), later(60).then(() => ask('b'))]);`, ''],
  'not waited for': [`const a = ask('a'); await later(60); await ask('b'); await a;`, ''],
  'waited for by another task': [`const a = ask('a'); await Promise.all([later(60).then(async () => { await a; await ask('b'); }), a]);`, 'a<b'],
  'behind all of several': [`await Promise.all([ask('a'), later(60).then(() => ask('b'))]); await ask('c');`, 'a<c b<c'],
  'behind the settling of several': [`await Promise.allSettled([later(60).then(() => ask('a')), ask('b')]); await ask('c');`, 'a<c b<c'],
  'behind an event': [
    `const { EventEmitter } = await import('node:events'); const bus = new EventEmitter(); let done;
const end = new Promise((resolve) => (done = resolve)); bus.on('go', async () => { await ask('b'); done(); });
await ask('a'); bus.emit('go'); await end;`, 'a<b'],
  'on connections that are used again': [`const two = async (x, y) => { await ask(x); await later(40); await ask(y); };
await Promise.all([two('a', 'b'), later(20).then(() => two('c', 'd'))]);`, 'a<b c<d'],
};

for (const [name, client] of Object.entries(CLIENTS)) {
  const skip = client.needs && !has(client.needs) ? `${client.needs} is not installed` : false;
  for (const [way, [program, expected]] of Object.entries(PROGRAMS)) {
    test(`${name}: requests ${way} are ordered as the program orders them`, { skip }, async () => {
      const server = await serve();
      const app = project(server.url);
      app.write('main.mjs', `${client.text}\nconst URL = process.env.URL;\n${LATER}\nasync function main() { ${program} }\nawait main(); process.exit();\n`);
      const { code, out } = await app.run(['main.mjs'], { RETRIAL_CAUSES: '1' });
      assert.strictEqual(code, 0, out);
      assert.strictEqual(orders(server.tags), expected, JSON.stringify(server.tags));
      server.close();
      app.remove();
    });
  }
}
