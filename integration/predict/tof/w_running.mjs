// Who runs says so, and takes that away at its end. Who comes after the dead takes it for running still.
import { fileURLToPath } from "node:url";
import { call, called, keep, serve } from "./kept.mjs";

const file = fileURLToPath(import.meta.url);

async function work(port) {
  const said = await call(port, "PUT", "/running", String(process.pid), { "if-none-match": "*" });
  if (said.status === 412) process.exit(3);
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
