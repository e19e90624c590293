// Tests of a site: the folder is made, and the page is rendered and uploaded, side by side in one thread.
import assert from "node:assert/strict";
import test from "node:test";
import { serve } from "../tof/kept.mjs";

const port = await serve();
const send = async (method, path, body) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, body });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
  return response.json();
};
const moment = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function publish(site) {
  const made = send("PUT", `/sites/${site}`, "open");
  const page = made.then(() => moment(30)).then(() => send("GET", `/sites/${site}`));
  await Promise.all([made, page]);
  return (await send("GET", `/sites/${site}`)).value;
}

test("a site is published", async () => {
  assert.equal(await publish("docs"), "open");
});
