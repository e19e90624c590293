import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { blobService, queueService } from '../src/clients.mjs';

export const uniqueName = (prefix) => `${prefix}-${randomUUID().slice(0, 13)}`;

export async function createQueue() {
  const service = queueService();
  const client = service.getQueueClient(uniqueName('jobs'));
  await client.create();
  return { service, client, name: client.name, remove: () => client.delete() };
}

export async function createContainer() {
  const service = blobService();
  const client = service.getContainerClient(uniqueName('gallery'));
  await client.create();
  return { service, client, name: client.containerName, remove: () => client.deleteIfExists() };
}

/** A subscriber's web server: keeps what it is told. */
export async function startReceiver({ events = ['rendered'], status = 202 } = {}) {
  const received = [];
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ events }));
      return;
    }
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      received.push(JSON.parse(text));
      response.writeHead(status).end();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/hooks/renditions`,
    received,
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A grey gradient. */
export function gradient(width, height) {
  const pixels = Buffer.alloc(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) pixels[y * width + x] = (x * 3 + y * 2) % 256;
  }
  return { width, height, pixels };
}
