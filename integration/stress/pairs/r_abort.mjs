// Two seconds are all that each of two tries has, whatever comes of it by then.
import { start } from "./shelf.mjs";

const port = await start();

async function ask() {
  const response = await fetch(`http://127.0.0.1:${port}/all`, { signal: AbortSignal.timeout(2000) });
  return (await response.json()).count;
}

console.log(await ask().catch(ask).catch(() => "no answer in time"));
process.exit(0);
