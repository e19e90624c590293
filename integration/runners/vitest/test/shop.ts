import http from 'node:http';
import type { AddressInfo } from 'node:net';

export async function open(): Promise<{ url: string; close: () => void }> {
  const server = http.createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(request.method === 'POST' ? 201 : 200).end('12'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => (server.closeAllConnections(), server.close()) };
}
