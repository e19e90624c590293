// Silence is given up and tried once more; whoever goes on to answer, however slowly, is waited for.
import http from "node:http";
import { start } from "./shelf.mjs";

const port = await start();

function ask() {
  return new Promise((done, failed) => {
    const request = http.get({ port, host: "127.0.0.1", path: "/all", timeout: 2000 }, async (response) => {
      try {
        let text = "";
        for await (const piece of response) text += piece;
        done(JSON.parse(text).count);
      } catch (error) {
        failed(error);
      }
    });
    request.on("timeout", () => request.destroy(new Error("silence")));
    request.on("error", failed);
  });
}

console.log(await ask().catch(ask).catch(() => "no answer in time"));
process.exit(0);
