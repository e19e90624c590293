// Pages are asked for as long as the service says that there are more, whether anything came or not.
import { send, start } from "./shelf.mjs";

const port = await start();
let items = [];
for (let page = 1, more = true; more; page++) {
  const answer = await send(port, "GET", `/pages?page=${page}`);
  items.push(...answer.items);
  more = answer.has_more;
}
console.log(items.length);
process.exit(0);
