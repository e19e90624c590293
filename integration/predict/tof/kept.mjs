// The small service of store.py, and what keeps a worker running, for the samples in Node.
import { fork } from "node:child_process";
import http from "node:http";

const RESTARTS = 3;
const values = new Map();
const held = new Map();

function answer(method, path, body, headers) {
  const known = values.has(path);
  if (method === "GET") {
    if (known) return [200, { value: values.get(path) }];
    const inside = [...values.keys()].filter((name) => name.startsWith(path + "/")).map((name) => name.slice(path.length + 1));
    return inside.length || path.endsWith("s") ? [200, { names: inside.sort() }] : [404, { error: "nothing there" }];
  }
  if (method === "PUT") {
    if (known && headers["if-none-match"] === "*") return [412, { error: "it is there" }];
    values.set(path, body);
    return [known ? 200 : 201, {}];
  }
  if (method === "DELETE") return values.delete(path) ? [200, {}] : [404, { error: "nothing there" }];
  const at = path.lastIndexOf("/");
  const [thing, action] = [path.slice(0, at), path.slice(at + 1)];
  if (action === "take") {
    if (held.has(thing) && held.get(thing) !== body) return [409, { error: "taken" }];
    values.delete(thing);
    held.set(thing, body);
    return [200, { by: body }];
  }
  return held.delete(thing) ? [200, {}] : [409, { error: "not taken" }];
}

// The port at which it answers from now on.
export function serve(from = {}) {
  for (const [path, value] of Object.entries(from)) values.set(path, value);
  const server = http.createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => (body += piece));
    request.on("end", () => {
      const [status, said] = answer(request.method, request.url.replace(/^\/|\/$/g, ""), body, request.headers);
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(said));
    });
  });
  server.unref();
  return new Promise((done) => server.listen(0, "127.0.0.1", () => done(server.address().port)));
}

// What the service says and its status.
export function call(port, method, path, body = "", headers = {}) {
  return new Promise((done, failed) => {
    const request = http.request({ host: "127.0.0.1", port, method, path, headers: { ...headers, "content-length": body.length }, agent: false });
    request.on("error", failed);
    request.on("response", (response) => {
      let text = "";
      response.on("data", (piece) => (text += piece));
      response.on("end", () => done({ status: response.statusCode, ...JSON.parse(text) }));
    });
    request.end(body);
  });
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
export const start = (file, port) => fork(file, [String(port)]);
export const ended = (child) => new Promise((done) => child.on("exit", (code, signal) => done({ code, signal })));

// A worker, again where a signal has ended it; its status.
export async function keep(file, port) {
  for (let i = 0; i < RESTARTS; i++) {
    const { code, signal } = await ended(start(file, port));
    if (!signal) return code;
  }
  return 1;
}
export const called = () => (process.argv[2] ? Number(process.argv[2]) : 0); // the port that a worker was started with
