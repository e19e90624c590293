// What is asked of shelf.py, for programs in JavaScript.
import http from "node:http";

const ITEMS = Array.from({ length: 12 }, (_, n) => ({ id: `item-${n}`, name: `thing ${n}`, price: 10 + n }));
const PAGE = 5;

function answer(request) {
  const url = new URL(request.url, "http://shelf");
  if (url.pathname === "/all") return [200, { items: ITEMS, count: ITEMS.length }];
  if (url.pathname === "/pages") {
    const page = Number(url.searchParams.get("page") ?? 1);
    return [200, { items: ITEMS.slice((page - 1) * PAGE, page * PAGE), page, has_more: page * PAGE < ITEMS.length }];
  }
  return [404, { error: "there is none" }];
}

export async function start() {
  const server = http.createServer((request, response) => {
    const [status, value] = answer(request);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return server.address().port;
}

export async function send(port, method, path) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
  if (response.status >= 500) throw new Error(`status ${response.status}`);
  return response.json();
}
