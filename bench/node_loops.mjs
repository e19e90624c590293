// Loops whose CPU time bench/agents.py reads: node node_loops.mjs KIND COUNT, which prints microseconds each; or
// `serve`, which prints the ports of a service of HTTP/1 and one of gRPC, and ends with its input. What is not Node's own is found
// below $RETRIAL_TEST_MODULES.
import http from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';

const [kind, count] = [process.argv[2], Number(process.argv[3])];
const url = `http://127.0.0.1:${process.env.HTTP_PORT}/`;
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
const required = createRequire(path.join(process.env.RETRIAL_TEST_MODULES || '/', 'x.js'));
const imported = async (name) => (await import(required.resolve(name))).default;

const bytes = (b) => b;
const METHOD = { path: '/bench.Service/Ask', requestStream: false, responseStream: false, requestSerialize: bytes,
  requestDeserialize: bytes, responseSerialize: bytes, responseDeserialize: bytes };

function get() {
  return new Promise((done, failed) => {
    http.get(url, { agent }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part) => (text += part)).on('end', () => done(JSON.parse(text)));
    }).on('error', failed);
  });
}

async function step(n) {
  return n + 1;
}

// What is made once, and then called again and again.
const KINDS = {
  fetch: () => async () => (await fetch(url)).json(),
  'http.get': () => get,
  axios: async () => {
    const client = (await imported('axios')).create({ httpAgent: agent });
    return async () => (await client.get(url)).data;
  },
  got: async () => {
    const got = await imported('got');
    return () => got(url, { agent: { http: agent } }).json();
  },
  'grpc-js': () => {
    const grpc = required('@grpc/grpc-js');
    const client = new (grpc.makeGenericClientConstructor({ ask: METHOD }, 'Service'))(`127.0.0.1:${process.env.GRPC_PORT}`, grpc.credentials.createInsecure());
    return () => new Promise((done, failed) => client.ask(Buffer.from('question'), (error, answer) => (error ? failed(error) : done(answer))));
  },
  await: () => (n) => step(n),
  'new Promise': () => (n) => new Promise((done) => done(n)),
  then: () => (n) => Promise.resolve(n).then((m) => m + 1),
  immediate: () => () => new Promise((done) => setImmediate(done)),
};

async function loop(call, times) {
  for (let n = 0; n < times; n++) await call(n);
}

async function measure() {
  const call = await KINDS[kind]();
  await loop(call, Math.min(count, 300 + count / 5));
  const before = process.cpuUsage();
  await loop(call, count);
  const { user, system } = process.cpuUsage(before);
  console.log((user + system) / count);
  process.exit();
}

function serve() {
  const service = http.createServer((request, response) => request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"found":1}');
  }));
  service.keepAliveTimeout = 0;
  process.stdin.on('end', () => process.exit()).resume();
  service.listen(0, '127.0.0.1', () => {
    const told = (port) => console.log(`${service.address().port} ${port}`);
    let grpc;
    try {
      grpc = required('@grpc/grpc-js');
    } catch {
      return told(0);
    }
    const server = new grpc.Server();
    server.addService({ ask: METHOD }, { ask: (call, done) => done(null, Buffer.from('answer')) });
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) => told(error ? 0 : port));
  });
}

await (kind === 'serve' ? serve() : measure());
