// The list takes in each entry, and is sorted once.
import { send, start } from "./shelf.mjs";

const port = await start();
const known = [];
for (const item of (await send(port, "GET", "/all")).items) known.push(item.id);
console.log(known.sort().length);
process.exit(0);
