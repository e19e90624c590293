// The page of the admin side, as an operator uses it: by mouse and by keyboard, light and dark, against a real `retrial serve`.
import assert from "node:assert/strict";
import {execFileSync, spawn} from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import {after, before, test} from "node:test";
import {chromium} from "playwright-core";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "retrial-page-"));
let browser, service, serve, admin, port, token;

// A `serve` with its log, from the moment on at which it listens.
function start() {
  fs.writeFileSync(path.join(folder, "retrial.toml"), `[serve]\nrecord = "trace"\njudge = true\n[service.queue]\naddress = "127.0.0.1:${service.address().port}"
[[listener]]\nmode = "reverse"\nlisten = "127.0.0.1:0"\nservice = "queue"
[[rule]]\nname = "flaky"\nmatch = { service = "queue", path = "/pay" }\ninject = "error(503) x 1, then pass"
[[rule]]\nname = "lost"\nmatch = { service = "queue", path = "/order" }\ninject = "lost-response(reset) x 1, then pass"
[admin]\nlisten = "127.0.0.1:0"\n`);
  serve = spawn(process.env.RETRIAL, ["serve", "--ca", path.join(folder, "ca")], {cwd: folder, stdio: ["ignore", "ignore", "pipe"]});
  return new Promise((resolve, reject) => {
    let log = "";
    serve.on("exit", () => reject(new Error(log)));
    serve.stderr.on("data", text => {
      log += text;
      const at = /admin on (\S+)/.exec(log), listening = /listening on 127\.0\.0\.1:(\d+)/.exec(log);
      if (at && listening) resolve([at[1], Number(listening[1])]);
    });
  });
}

const ask = (method, target) => new Promise((resolve, reject) => {
  const headers = {"x-retrial-site": "src/shop.py:41:pay"};
  http.request({port, host: "127.0.0.1", method, path: target, headers}, answer => answer.resume().on("end", () => resolve(answer.statusCode))).on("error", reject).end();
});

before(async () => {
  service = http.createServer((request, answer) => answer.end("ok")).listen(0, "127.0.0.1");
  await new Promise(resolve => service.once("listening", resolve));
  [admin, port] = await start();
  token = fs.readFileSync(path.join(folder, ".retrial/admin.token"), "utf8").trim();
  execFileSync(process.env.RETRIAL, ["ctl", "--admin", admin, "--token", path.join(folder, ".retrial/admin.token"), "resume"]);
  browser = await chromium.launch({executablePath: "/usr/bin/chromium", args: FLAGS});
  for (const target of ["/pay", "/pay", "/items", "/items"]) await ask(target === "/pay" ? "POST" : "GET", target);
});
after(async () => {
  await browser?.close();
  serve?.removeAllListeners("exit").kill();
  service?.close();
  fs.rmSync(folder, {recursive: true, force: true});
});

// A page that the token has opened. Whatever it asks of elsewhere, and whatever goes wrong in it, fails the test.
async function open(colorScheme = "light") {
  const page = await (await browser.newContext({colorScheme, viewport: {width: 1280, height: 900}})).newPage();
  const wrong = [];
  page.on("pageerror", error => wrong.push(error.message));
  page.on("request", request => new URL(request.url()).host === admin || wrong.push(request.url()));
  await page.goto(`http://${admin}/`);
  await page.waitForSelector("#ask:not([hidden])");
  assert.equal(await page.evaluate(() => document.activeElement.id), "token");
  await page.keyboard.type(token);
  await page.keyboard.press("Enter");
  await page.waitForSelector("#all:not([hidden])");
  return [page, wrong];
}
const picture = (page, name) => page.screenshot({path: path.join(process.env.PICTURES, name + ".png"), fullPage: true});

test("a wrong token opens nothing", async () => {
  const page = await browser.newPage();
  await page.goto(`http://${admin}/`);
  await page.fill("#token", "0".repeat(64));
  await page.keyboard.press("Enter");
  await page.waitForSelector("#trouble:not([hidden])");
  assert.ok(await page.isHidden("#all"));
  await picture(page, "token");
});

for (const scheme of ["light", "dark"])
  test(`services, rules, calls and exchanges are shown (${scheme})`, async () => {
    const [page, wrong] = await open(scheme);
    await page.waitForSelector("#exchanges li:nth-child(4) .bar i");
    assert.match(await page.textContent("#services tbody"), /127\.0\.0\.1:\d+.*2xx: 3, 5xx: 1.*1 of 1/);
    assert.match(await page.textContent("#rules tbody"), /flaky \(file\).*error\(503\) x 1, then pass.*1 of 1/);
    assert.match(await page.textContent("#calls tbody"), /POST \/pay.*src\/shop\.py:41 pay112\.00×1/);
    assert.match(await page.textContent("#exchanges"), /503 · error\(503\)/);
    assert.match(await page.textContent("#exchanges"), /attempt 2/);
    assert.equal(await page.getAttribute("#mode", "class"), "armed");
    await picture(page, scheme);
    assert.deepEqual(wrong, []);
  });

test("a rule is switched by the keyboard, and keeps the focus", async () => {
  const [page, wrong] = await open();
  await page.focus("#rule-flaky");
  await page.keyboard.press("Space");
  await page.waitForFunction(() => !document.querySelector("#rule-flaky").checked);
  assert.equal(await ask("POST", "/pay"), 200);
  await page.waitForFunction(() => document.activeElement.id === "rule-flaky");
  await page.keyboard.press("Space");
  await page.waitForFunction(() => document.querySelector("#rule-flaky").checked);
  assert.deepEqual(wrong, []);
});

test("everything can be reached by the keyboard alone", async () => {
  const [page] = await open();
  await page.waitForSelector("#rule-flaky");
  await page.evaluate(() => document.activeElement.blur());
  const reached = [];
  for (let i = 0; i < 6; i++) {
    await page.keyboard.press("Tab");
    reached.push(await page.evaluate(() => document.activeElement.id));
  }
  for (const id of ["renew", "halt", "rule-flaky"]) assert.ok(reached.includes(id), `${id} in ${reached}`);
});

test("findings of the running judge are shown as they are seen, and to who comes later", async () => {
  const [page, wrong] = await open();
  await ask("POST", "/order").catch(() => {});  // its answer is lost
  assert.equal(await ask("POST", "/order"), 200);
  const seen = () => [...document.querySelectorAll("#findings li")].some(one => /duplicate-effect.*Exchanges \d+, \d+/.test(one.textContent));
  await page.waitForFunction(seen);
  assert.ok(await page.isVisible("#s-findings"));
  const [later] = await open("dark");
  await later.waitForFunction(seen);
  await picture(later, "findings");
  assert.deepEqual(wrong, []);
});

test("the red button halts everything, and so does h; what another operator does is seen", async () => {
  const [page, wrong] = await open(), [other] = await open("dark");
  await page.click("#halt");
  await page.waitForSelector("#mode.halted");
  await other.waitForSelector("#mode.halted");
  assert.equal(await ask("POST", "/pay"), 200);
  await picture(other, "halted");
  await other.click("#resume");
  await page.waitForSelector("#mode.armed");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("h");
  await other.waitForSelector("#mode.halted");
  assert.deepEqual(wrong, []);
});
