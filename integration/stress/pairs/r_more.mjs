// A page that brings nothing new is the last, whatever it says.
import { send, start } from "./shelf.mjs";

const port = await start();
const items = new Map();
for (let page = 1, more = true; more; page++) {
  const answer = await send(port, "GET", `/pages?page=${page}`);
  const before = items.size;
  for (const item of answer.items) items.set(item.id, item);
  more = answer.has_more && items.size > before;
}
console.log(items.size);
process.exit(0);
