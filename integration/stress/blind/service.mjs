// A small JSON service on 127.0.0.1 for the sample programs: routes are path patterns and functions.
import http from 'node:http';

export function serve(routes) {
  const table = routes.map(([pattern, handler]) => [new RegExp(`^${pattern}$`), handler]);
  const server = http.createServer((request, response) => {
    const url = new URL(request.url, 'http://127.0.0.1');
    let status = 404;
    let value = { error: 'not found' };
    for (const [pattern, handler] of table) {
      const found = pattern.exec(url.pathname);
      if (found) {
        status = 200;
        value = handler(url.searchParams, ...found.slice(1).map(decodeURIComponent));
        break;
      }
    }
    const body = JSON.stringify(value);
    response.writeHead(status, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    });
    response.end(body);
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve({
        base: `http://127.0.0.1:${server.address().port}`,
        close() {
          server.close();
          server.closeAllConnections();
        },
      });
    });
  });
}
