// One entry a client: for each method, how an application would make one call of it. `ask` is { url, timeout, item }: the service's
// address, the client's time-out in ms (undefined: the library's own), and the name of what the call is about. A client's
// packages are loaded when it is asked for.
const old = process.env.ZOO_OLD ? JSON.parse(process.env.ZOO_OLD) : [];
const load = (name) => import(old.includes(name) ? `${name}-old` : name);
const loadDefault = async (name) => (await load(name)).default;

const path = ({ item }, method) => (method === 'GET' ? `/items/${item}` : '/items');
const content = ({ item }) => ({ name: item });
const signal = ({ timeout }) => (timeout ? AbortSignal.timeout(timeout) : undefined);

// The call that users of fetch are told to write: a status that is none of 2xx is thrown.
async function fetched(fetch, ask, method, more) {
  const body = method === 'GET' ? {} : { body: JSON.stringify(content(ask)), headers: { 'content-type': 'application/json' } };
  const response = await fetch(ask.url + path(ask, method), { method, signal: signal(ask), ...body, ...more });
  if (!response.ok) throw Object.assign(new Error(`status ${response.status}`), { status: response.status });
  return response.text();
}

const getAndPost = (call) => ({ GET: (ask) => call(ask, 'GET'), POST: (ask) => call(ask, 'POST') });

function plainHttp(ask, method, http) {
  return new Promise((resolve, reject) => {
    const request = http.request(ask.url + path(ask, method), { method, headers: method === 'GET' ? {} : { 'content-type': 'application/json' }, timeout: ask.timeout }, (response) => {
      response.on('error', reject).on('end', () => (response.statusCode < 300 ? resolve(response.statusCode) : reject(new Error(`status ${response.statusCode}`)))).resume();
    });
    request.on('timeout', () => request.destroy(new Error('timed out'))).on('error', reject);
    request.end(method === 'GET' ? undefined : JSON.stringify(content(ask)));
  });
}

async function axiosRetry(ask, method, more) {
  const client = (await loadDefault('axios')).create({ baseURL: ask.url, timeout: ask.timeout });
  const { default: retry, exponentialDelay } = await load('axios-retry');
  retry(client, { retries: 3, ...(more ? { retryDelay: exponentialDelay } : {}) });
  return (await client.request({ url: path(ask, method), method, data: method === 'GET' ? undefined : content(ask) })).status;
}

const aws = ({ url, timeout }, more) => ({
  region: 'us-east-1',
  endpoint: url,
  credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'example' },
  ...(timeout ? { requestHandler: { requestTimeout: timeout, throwOnRequestTimeout: true } } : {}),
  ...more,
});

async function s3(ask, command, input) {
  const library = await load('@aws-sdk/client-s3');
  const client = new library.S3Client(aws(ask, { forcePathStyle: true }));
  const output = await client.send(new library[command]({ Bucket: 'shelf', Key: ask.item, ...input }));
  return output.Body ? output.Body.transformToString() : output.ETag ?? output.UploadId;
}

const s3Calls = {
  GET: (ask) => s3(ask, 'GetObjectCommand'),
  PUT: (ask) => s3(ask, 'PutObjectCommand', { Body: 'light' }),
  POST: (ask) => s3(ask, 'CreateMultipartUploadCommand'),
};

const azureKey = Buffer.from('an account key of no account at all').toString('base64');

async function azureBlob({ url, item }) {
  const { BlobServiceClient, StorageSharedKeyCredential } = await load('@azure/storage-blob');
  const service = new BlobServiceClient(`${url}/devstoreaccount1`, new StorageSharedKeyCredential('devstoreaccount1', azureKey));
  return service.getContainerClient('shelf').getBlockBlobClient(item);
}

async function azureQueue({ url }) {
  const { QueueServiceClient, StorageSharedKeyCredential } = await load('@azure/storage-queue');
  const service = new QueueServiceClient(`${url}/devstoreaccount1`, new StorageSharedKeyCredential('devstoreaccount1', azureKey));
  return service.getQueueClient('orders');
}

async function azureTable({ url }) {
  const { AzureNamedKeyCredential, TableClient } = await load('@azure/data-tables');
  return new TableClient(`${url}/devstoreaccount1`, 'items', new AzureNamedKeyCredential('devstoreaccount1', azureKey), { allowInsecureConnection: true });
}

const tableOptions = ({ timeout }) => (timeout ? { requestOptions: { timeout } } : {});

async function bucket({ url, timeout }) {
  const { Storage } = await load('@google-cloud/storage');
  return new Storage({ apiEndpoint: url, projectId: 'retrial', ...(timeout ? { timeout } : {}) }).bucket('shelf');
}

const upload = async (ask, more) => (await bucket(ask)).file(ask.item).save('light', { resumable: false, ...more });

const gcsCalls = {
  GET: async (ask) => (await (await bucket(ask)).file(ask.item).getMetadata())[0].name,
  POST: async (ask) => (await (await bucket(ask)).create())[0].name,
  'POST(upload,no precondition)': (ask) => upload(ask),
  'POST(upload,ifGenerationMatch=0)': (ask) => upload(ask, { preconditionOpts: { ifGenerationMatch: 0 } }),
};

const elastic = async ({ url, timeout }) => new (await load('@elastic/elasticsearch')).Client({ node: url, ...(timeout ? { requestTimeout: timeout } : {}) });
const openai = async ({ url, timeout }) => new (await loadDefault('openai'))({ apiKey: 'example', baseURL: `${url}/v1`, ...(timeout ? { timeout } : {}) });

async function stripe({ url, timeout }) {
  const { hostname, port } = new URL(url);
  return new (await loadDefault('stripe'))('sk_test_example', { host: hostname, port, protocol: 'http', ...(timeout ? { timeout } : {}) });
}

async function minio({ url }) {
  const { hostname, port } = new URL(url);
  return new (await load('minio')).Client({ endPoint: hostname, port: Number(port), useSSL: false, accessKey: 'example', secretKey: 'example-secret', region: 'us-east-1' });
}

async function octokit(ask, route, parameters) {
  const { Octokit } = await load('@octokit/core');
  const { retry } = await load('@octokit/plugin-retry');
  const client = new (Octokit.plugin(retry))({ baseUrl: ask.url, auth: 'example' });
  return (await client.request(route, { ...parameters, ...(ask.timeout ? { request: { signal: signal(ask) } } : {}) })).status;
}

async function supabase(ask, build) {
  const realtime = { transport: class {} }; // Node.js 20 has no WebSocket, and nothing here opens one
  const client = (await load('@supabase/supabase-js')).createClient(ask.url, 'example', { realtime });
  const query = build(client.from('items'));
  const { error, status } = await (ask.timeout ? query.abortSignal(signal(ask)) : query);
  if (error) throw Object.assign(new Error(error.message), { code: error.code, status });
  return status;
}

async function grpc({ url, timeout, item }, policy) {
  const { Client, credentials } = await load('@grpc/grpc-js');
  const serviceConfig = policy && { 'grpc.service_config': JSON.stringify({ loadBalancingConfig: [], methodConfig: [{ name: [{ service: 'zoo.Items' }], retryPolicy: policy }] }) };
  const client = new Client(new URL(url).host, credentials.createInsecure(), serviceConfig || {});
  const same = (bytes) => bytes;
  return new Promise((resolve, reject) => {
    const options = timeout ? { deadline: Date.now() + timeout } : {};
    client.makeUnaryRequest('/zoo.Items/Add', same, same, Buffer.from(item), options, (error, answer) => (error ? reject(error) : resolve(answer.toString())));
  });
}

export const clients = {
  'http.request (node core)': getAndPost(async (ask, method) => plainHttp(ask, method, await import('node:http'))),
  'fetch (node built-in)': getAndPost((ask, method) => fetched(fetch, ask, method)),
  axios: getAndPost(async (ask, method) => (await (await loadDefault('axios'))({ url: ask.url + path(ask, method), method, timeout: ask.timeout, data: method === 'GET' ? undefined : content(ask) })).status),
  'axios-retry': getAndPost((ask, method) => axiosRetry(ask, method)),
  'axios-retry+exponentialDelay': getAndPost((ask, method) => axiosRetry(ask, method, true)),
  got: getAndPost(async (ask, method) => (await (await loadDefault('got'))(ask.url + path(ask, method), { method, ...(method === 'GET' ? {} : { json: content(ask) }), ...(ask.timeout ? { timeout: { request: ask.timeout } } : {}) })).statusCode),
  ky: getAndPost(async (ask, method) => (await (await loadDefault('ky'))(ask.url + path(ask, method), { method, ...(method === 'GET' ? {} : { json: content(ask) }), ...(ask.timeout ? { timeout: ask.timeout } : {}) })).status),
  'superagent.retry': getAndPost(async (ask, method) => {
    const superagent = await loadDefault('superagent');
    const request = method === 'GET' ? superagent.get(ask.url + path(ask, method)) : superagent.post(ask.url + path(ask, method)).send(content(ask));
    return (await (ask.timeout ? request.retry(2).timeout(ask.timeout) : request.retry(2))).status;
  }),
  'undici RetryAgent': getAndPost(async (ask, method) => {
    const { Agent, RetryAgent } = await load('undici');
    const agent = new RetryAgent(new Agent(ask.timeout ? { headersTimeout: ask.timeout } : {}));
    const { statusCode, body } = await agent.request({ method, origin: ask.url, path: path(ask, method), ...(method === 'GET' ? {} : { body: JSON.stringify(content(ask)), headers: { 'content-type': 'application/json' } }) });
    await body.text();
    if (statusCode >= 300) throw new Error(`status ${statusCode}`);
    return statusCode;
  }),
  'fetch-retry': getAndPost(async (ask, method) => fetched((await loadDefault('fetch-retry'))(fetch), ask, method, { retries: 3, retryDelay: 1000 })),
  'fetch-retry retryOn:[429,500,503]': getAndPost(async (ask, method) => fetched((await loadDefault('fetch-retry'))(fetch), ask, method, { retryOn: [429, 500, 503] })),
  'p-retry + undici fetch': getAndPost(async (ask, method) => {
    const { default: retry, AbortError } = await load('p-retry');
    const { fetch } = await load('undici');
    const once = () => fetched(fetch, ask, method).catch((error) => { throw error.status === 404 ? new AbortError(error.message) : error; });
    return retry(once, { retries: 5 });
  }),
  'async-retry + node-fetch': getAndPost(async (ask, method) => {
    const retry = await loadDefault('async-retry');
    const fetch = await loadDefault('node-fetch');
    const once = (bail) => fetched(fetch, ask, method).catch((error) => { if (error.status !== 403) throw error; bail(error); });
    return retry(once, { retries: 5 });
  }),
  'promise-retry + node-fetch': getAndPost(async (ask, method) => {
    const fetch = await loadDefault('node-fetch');
    return (await loadDefault('promise-retry'))((again) => fetched(fetch, ask, method).catch(again));
  }),
  'cockatiel + fetch': getAndPost(async (ask, method) => {
    const { ExponentialBackoff, handleAll, retry } = await load('cockatiel');
    return retry(handleAll, { maxAttempts: 3, backoff: new ExponentialBackoff() }).execute(() => fetched(fetch, ask, method));
  }),
  'rxjs retry() + fetch': getAndPost(async (ask, method) => {
    const { defer, firstValueFrom, retry } = await load('rxjs');
    return firstValueFrom(defer(() => fetched(fetch, ask, method)).pipe(retry()));
  }),
  '@azure/storage-blob': {
    GET: async (ask) => (await (await azureBlob(ask)).downloadToBuffer()).length,
    PUT: async (ask) => (await (await azureBlob(ask)).upload('light', 5)).etag,
  },
  '@azure/storage-queue': {
    GET: async (ask) => (await (await azureQueue(ask)).receiveMessages()).receivedMessageItems.length,
    POST: async (ask) => (await (await azureQueue(ask)).sendMessage(ask.item)).messageId,
  },
  '@azure/data-tables': {
    GET: async (ask) => (await (await azureTable(ask)).getEntity('shelf', ask.item, tableOptions(ask))).rowKey,
    POST: async (ask) => (await (await azureTable(ask)).createEntity({ partitionKey: 'shelf', rowKey: ask.item }, tableOptions(ask))).etag,
  },
  '@aws-sdk/client-s3': s3Calls,
  '@aws-sdk/client-s3 (S3-shaped errors)': s3Calls,
  '@aws-sdk/client-sqs': {
    POST: async (ask) => {
      const { SQSClient, SendMessageCommand } = await load('@aws-sdk/client-sqs');
      return (await new SQSClient(aws(ask)).send(new SendMessageCommand({ QueueUrl: `${ask.url}/000000000000/orders`, MessageBody: ask.item }))).MessageId;
    },
  },
  '@google-cloud/storage': gcsCalls,
  '@google-cloud/storage (Google-shaped errors)': gcsCalls,
  '@elastic/elasticsearch': {
    GET: async (ask) => (await (await elastic(ask)).get({ index: 'items', id: ask.item })).found,
    POST: async (ask) => (await (await elastic(ask)).index({ index: 'items', document: content(ask) }))._id,
  },
  '@octokit/plugin-retry': {
    GET: (ask) => octokit(ask, 'GET /repos/{owner}/{repo}', { owner: 'shelf', repo: ask.item }),
    POST: (ask) => octokit(ask, 'POST /repos/{owner}/{repo}/issues', { owner: 'shelf', repo: 'lamp', title: ask.item }),
  },
  openai: {
    GET: async (ask) => (await (await openai(ask)).models.list()).data.length,
    POST: async (ask) => (await (await openai(ask)).chat.completions.create({ model: 'm', messages: [{ role: 'user', content: ask.item }] })).choices.length,
  },
  stripe: {
    GET: async (ask) => (await (await stripe(ask)).customers.retrieve(`cus_${ask.item}`)).id,
    POST: async (ask) => (await (await stripe(ask)).customers.create({ name: ask.item })).id,
  },
  '@slack/web-api': {
    POST: async ({ url, timeout, item }) => {
      const { WebClient } = await load('@slack/web-api');
      return (await new WebClient('xoxb-example', { slackApiUrl: `${url}/api/`, ...(timeout ? { timeout } : {}) }).chat.postMessage({ channel: 'C1', text: item })).ok;
    },
  },
  minio: {
    GET: async (ask) => {
      let bytes = 0;
      for await (const piece of await (await minio(ask)).getObject('shelf', ask.item)) bytes += piece.length;
      return bytes;
    },
    PUT: async (ask) => (await (await minio(ask)).putObject('shelf', ask.item, 'light')).etag,
    POST: async (ask) => (await minio(ask)).initiateNewMultipartUpload('shelf', ask.item, {}),
  },
  '@supabase/supabase-js': {
    GET: (ask) => supabase(ask, (items) => items.select().eq('name', ask.item)),
    POST: (ask) => supabase(ask, (items) => items.insert(content(ask))),
  },
  '@grpc/grpc-js (no service config)': { POST: (ask) => grpc(ask) },
  '@grpc/grpc-js (retryPolicy)': {
    POST: (ask) => grpc(ask, { maxAttempts: 4, initialBackoff: '0.1s', maxBackoff: '1s', backoffMultiplier: 2, retryableStatusCodes: ['UNAVAILABLE'] }),
  },
};
