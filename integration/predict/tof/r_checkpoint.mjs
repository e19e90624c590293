// How far the work has come is written down once it has.
import { fileURLToPath } from "node:url";
import { call, called, keep, serve } from "./kept.mjs";

const file = fileURLToPath(import.meta.url);

async function work(port) {
  const at = await call(port, "GET", "/checkpoint");
  for (let item = Number(at.value ?? 0) + 1; item <= 3; item++) {
    await call(port, "PUT", `/results/${item}`, "done");
    await call(port, "PUT", "/checkpoint", String(item));
  }
}

if (called()) {
  await work(called());
} else {
  const port = await serve();
  await keep(file, port);
  const { names } = await call(port, "GET", "/results");
  if (names.join() !== "1,2,3") throw new Error(`results are missing: there are ${names.join()}`);
}
