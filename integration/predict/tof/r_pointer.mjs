// What is current is named once it is there.
import { fileURLToPath } from "node:url";
import { call, called, keep, serve } from "./kept.mjs";

const file = fileURLToPath(import.meta.url);

async function work(port) {
  const { value } = await call(port, "GET", "/current");
  if (value === "v2") {
    const there = await call(port, "GET", "/versions/v2");
    if (there.status !== 200) throw new Error("the current version is not there");
    return;
  }
  await call(port, "PUT", "/versions/v2", "text");
  await call(port, "PUT", "/current", "v2");
}

if (called()) {
  await work(called());
} else {
  const port = await serve({ current: "v1", "versions/v1": "text" });
  const status = await keep(file, port);
  if (status) throw new Error(`the worker ended with ${status}`);
}
