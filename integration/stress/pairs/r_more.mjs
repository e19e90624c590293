// An empty page is the last, whatever it says.
import { send, start } from "./shelf.mjs";

const port = await start();
let items = [];
for (let page = 1, more = true; more; page++) {
  const answer = await send(port, "GET", `/pages?page=${page}`);
  items.push(...answer.items);
  more = answer.has_more && answer.items.length > 0;
}
console.log(items.length);
process.exit(0);
