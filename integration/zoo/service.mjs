// The service of the zoo: every client gets the answer that its own service would give when all is well. Prints its two addresses,
// HTTP and gRPC, as one line of JSON, and runs until its standard input ends. `--status N` answers every request with that
// status instead: how often a client tries is then seen without Retrial.
import { createHash } from 'node:crypto';
import http from 'node:http';
import { createRequire } from 'node:module';
const { Server, ServerCredentials } = createRequire(new URL('npm/', import.meta.url))('@grpc/grpc-js');

const status = process.argv[2] === '--status' ? Number(process.argv[3]) : 0;
const date = 'Mon, 05 Jan 2026 00:00:00 GMT';
const md5 = (text) => createHash('md5').update(text).digest('hex');
const xml = (text) => `<?xml version="1.0" encoding="utf-8"?>${text}`;
const answer = (status, body, type = 'application/json', headers = {}) => [status, typeof body === 'string' ? body : JSON.stringify(body), { 'content-type': type, ...headers }];

const message = '<MessageId>1</MessageId><InsertionTime>D</InsertionTime><ExpirationTime>D</ExpirationTime><PopReceipt>p</PopReceipt><TimeNextVisible>D</TimeNextVisible>'.replaceAll('D', date);
const object = { kind: 'storage#object', name: 'lamp', bucket: 'shelf', generation: '1', metageneration: '1', md5Hash: 'KsQ6pDv0c/mpwJtLYIYZ0w==', crc32c: '4nCk1w==' };

// The first whose test holds answers.
const services = [
  [({ headers }) => headers['x-amz-target'], ({ body }) =>
    answer(200, { MessageId: 'm', MD5OfMessageBody: md5(JSON.parse(body).MessageBody) }, 'application/x-amz-json-1.0')],
  [({ headers, url }) => url.includes('devstoreaccount1') && url.split('?')[0].endsWith('/messages'), ({ method }) =>
    answer(method === 'POST' ? 201 : 200, xml(`<QueueMessagesList>${method === 'POST' ? `<QueueMessage>${message}</QueueMessage>` : ''}</QueueMessagesList>`), 'application/xml')],
  [({ headers, url }) => url.includes('devstoreaccount1') && headers.accept?.includes('json'), ({ method }) =>
    answer(method === 'POST' ? 201 : 200, { PartitionKey: 'shelf', RowKey: 'lamp', 'odata.etag': 'W/"1"' }, 'application/json;odata=minimalmetadata', { etag: 'W/"1"' })],
  [({ url }) => url.includes('devstoreaccount1'), ({ method }) =>
    method === 'PUT' ? answer(201, '', 'text/plain', { etag: '"1"', 'last-modified': date }) : answer(200, 'light', 'text/plain', { etag: '"1"', 'last-modified': date })],
  [({ headers, url }) => /^AWS4/.test(headers.authorization) && url.includes('uploads'), () =>
    answer(200, xml('<InitiateMultipartUploadResult><Bucket>shelf</Bucket><Key>lamp</Key><UploadId>u</UploadId></InitiateMultipartUploadResult>'), 'application/xml')],
  [({ headers }) => /^AWS4/.test(headers.authorization), ({ method }) =>
    method === 'DELETE' ? answer(204, '') : answer(200, method === 'PUT' ? '' : 'light', 'text/plain', { etag: `"${md5('light')}"`, 'last-modified': date })],
  [({ url }) => url.startsWith('/upload/') || url.startsWith('/storage/') || url.startsWith('/b/') || url.startsWith('/b?'), () => answer(200, object)],
  [({ headers }) => headers['x-elastic-client-meta'], ({ method }) =>
    answer(method === 'POST' ? 201 : 200, { _id: '1', _index: 'items', found: true }, 'application/vnd.elasticsearch+json;compatible-with=9', { 'x-elastic-product': 'Elasticsearch' })],
  [({ url }) => url.startsWith('/v1/customers'), () => answer(200, { id: 'cus_1', object: 'customer' })],
  [({ url }) => url.startsWith('/v1/'), () => answer(200, { object: 'list', data: [], choices: [] })],
  [({ url }) => url.startsWith('/api/'), () => answer(200, { ok: true })],
  [({ url }) => url.startsWith('/rest/v1/'), ({ method }) => (method === 'POST' ? answer(201, '') : answer(200, []))],
  [({ method, url }) => url.startsWith('/repos/'), ({ method }) => answer(method === 'POST' ? 201 : 200, { id: 1 })],
  [() => true, () => answer(200, { ok: true })],
];

const server = http.createServer((request, response) => {
  const chunks = [];
  request.on('error', () => {}).on('data', (chunk) => chunks.push(chunk)).on('end', () => {
    const asked = { method: request.method, url: request.url, headers: request.headers, body: Buffer.concat(chunks) };
    if (status) console.error(`${asked.method} ${asked.url} ${Date.now()}`);
    const [code, body, headers] = status ? answer(status, { error: 'asked for' }) : services.find(([test]) => test(asked))[1](asked);
    response.writeHead(code, code === 204 ? {} : { ...headers, 'content-length': Buffer.byteLength(body) });
    response.end(code === 204 ? undefined : body);
  });
});
server.keepAliveTimeout = 0; // an idle connection is the client's to close
server.requestTimeout = 0;

const same = (bytes) => bytes;
const grpc = new Server();
grpc.addService({ Add: { path: '/zoo.Items/Add', requestStream: false, responseStream: false, requestSerialize: same, requestDeserialize: same, responseSerialize: same, responseDeserialize: same } }, {
  Add: (call, answered) => {
    if (status) console.error(`POST /zoo.Items/Add ${Date.now()}`);
    answered(status ? { code: 14, details: 'asked for' } : null, call.request);
  },
});

server.listen(0, '127.0.0.1', () => grpc.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  console.log(JSON.stringify({ http: `http://127.0.0.1:${server.address().port}`, grpc: `http://127.0.0.1:${port}` }));
}));
process.stdin.on('end', () => process.exit(0)).resume();
