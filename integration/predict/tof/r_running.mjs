// Who runs says so by its place, and what a run before has left there is its own.
import { fileURLToPath } from "node:url";
import { call, called, keep, serve } from "./kept.mjs";

const file = fileURLToPath(import.meta.url);

async function work(port) {
  await call(port, "PUT", "/running", "host-1");
  await call(port, "PUT", "/index", "built");
  await call(port, "DELETE", "/running");
}

if (called()) {
  await work(called());
} else {
  const port = await serve();
  const status = await keep(file, port);
  if (status) throw new Error(`the worker ended with ${status}`);
}
