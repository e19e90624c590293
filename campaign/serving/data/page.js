"use strict";
// The page of the admin side: asks what the API tells, and shows it. No library, no network but this origin.
const $ = id => document.getElementById(id);
let token = sessionStorage.getItem("retrial-token") || "";
let etag = "";
let state = null;

async function ask(method, path, body, headers = {}) {
  if (token) headers.Authorization = "Bearer " + token;
  const answer = await fetch(path, {method, headers, body: body === undefined ? undefined : JSON.stringify(body)});
  if (answer.status === 401) throw Object.assign(new Error("this token is not the one"), {unknown: true});
  const said = answer.status === 204 ? null : await answer.json();
  if (!answer.ok) throw new Error(said && said.error || answer.statusText);
  return {said, etag: answer.headers.get("ETag")};
}

function trouble(error) {
  $("trouble").hidden = !error;
  $("trouble").textContent = error ? error.message || String(error) : "";
}

// An element with text or children; text is never read as HTML.
function element(name, content, className) {
  const made = document.createElement(name);
  if (className) made.className = className;
  for (const one of [].concat(content ?? [])) made.append(one);
  return made;
}

// The rows of a table, or a list, anew: what has the same key and text stays, so that focus stays too.
function fill(body, rows, columns, none) {
  const before = new Map([...body.children].map(row => [row.dataset.key, row]));
  const next = rows.map(({key, make, text}) => {
    const old = before.get(key);
    if (old && old.dataset.text === text) return old;
    const row = make();
    row.dataset.key = key;
    row.dataset.text = text;
    return row;
  });
  if (!next.length) {
    const cell = element("td", none, "none");
    cell.colSpan = columns;
    next.push(columns ? element("tr", cell) : element("li", none, "none"));
  }
  const focused = document.activeElement && document.activeElement.id;
  body.replaceChildren(...next);
  if (focused && body.contains($(focused))) $(focused).focus();
}

const time = ms => ms === undefined || ms === null ? "–" : ms >= 1000 ? (ms / 1000).toFixed(2) + " s" : ms.toFixed(ms < 10 ? 2 : 0) + " ms";

function showState(next) {
  state = next;
  const left = next.seconds_left === null ? "" : `, for ${Math.floor(next.seconds_left / 60)} min ${next.seconds_left % 60} s more`;
  const words = {observing: "Observing: no fault is injected", armed: "Armed: faults are injected" + left, halted: "Halted: " + next.why};
  $("mode").textContent = words[next.mode] + (next.draining ? " (draining)" : "");
  $("mode").className = next.mode;
  $("renew").disabled = next.mode !== "armed";
  $("resume").disabled = next.mode === "armed" || next.draining;
  $("halt").disabled = next.mode === "halted";
  document.title = `${next.mode} · Retrial`;
}

function showServices({services}) {
  fill($("services").tBodies[0], services.filter(one => one.last_minute).map(one => {
    const m = one.last_minute;
    const told = Object.entries(m.told).map(([key, n]) => `${key === "none" ? "no status" : key}: ${n}`).join(", ") || "–";
    const cells = [one.service, (m.requests / 60).toFixed(1), told, `${m.fired} of ${m.planned}`, String(m.own_errors), time(m.p50_ms), time(m.p99_ms)];
    return {key: one.service, text: cells.join("|"), make: () => element("tr", cells.map((text, i) => element("td", text, i === 4 && m.own_errors ? "bad" : "")))};
  }), 7, "No request so far.");
}

function showRules(rules) {
  fill($("rules").tBodies[0], rules.map(rule => {
    const match = Object.entries(rule.match).map(([key, value]) => `${key} ${value}`).join(", ") || "every request";
    const text = JSON.stringify([rule.enabled, rule.etag, rule.counts]);
    return {key: rule.name, text, make: () => {
      const box = element("input");
      box.type = "checkbox";
      box.id = "rule-" + rule.name;
      box.checked = rule.enabled;
      box.setAttribute("aria-label", "rule " + rule.name);
      box.addEventListener("change", () => act(async () => {
        await ask("POST", `/v1/rules/${rule.name}/${box.checked ? "enable" : "disable"}`, undefined, {"If-Match": rule.etag});
        await loadRules();
      }));
      return element("tr", [element("td", box), element("td", `${rule.name}${rule.from === "operators" ? "" : ` (${rule.from})`}`), element("td", match),
        element("td", element("code", rule.inject)), element("td", `${rule.counts.fired} of ${rule.counts.planned}`), element("td", String(rule.counts.withheld))]);
    }};
  }), 6, "No rule: PUT /v1/rules/NAME, retrial ctl rules put, or [[rule]] in the file.");
}

function showCalls({calls}) {
  fill($("calls").tBodies[0], calls.slice(0, 50).map(one => {
    const cells = [`${one.operation}  ·  ${one.service}`, one.call_site || "–", String(one.calls), String(one.retries),
      one.calls ? (one.attempts / one.calls).toFixed(2) + "×" : "–", String(one.failed), one.retries ? time(one.gap_p50_ms) : "–"];
    return {key: one.service + one.operation + one.call_site, text: cells.join("|"), make: () => element("tr", cells.map(text => element("td", text)))};
  }), 7, "No call so far.");
}

// One bar each, on one scale: from the first byte of a request until its client was told of the end.
function showExchanges({exchanges}) {
  const longest = Math.max(1, ...exchanges.map(one => one.ms || 0));
  $("scale").textContent = exchanges.length ? `bars up to ${time(longest)}` : "";
  const share = ms => Math.min(100, 100 * ms / longest) + "%";
  fill($("exchanges"), exchanges.map(one => ({key: String(one.id), text: longest.toFixed(1), make: () => {
    const at = one.at_ms || {};
    const end = at.told ?? one.ms ?? 0;
    const points = [["request", 0, at.request_read ?? end], ["service", at.request_read, at.answered ?? end], ["response", at.answered, end]];
    const parts = points.filter(([, from, to]) => from !== undefined && to > from);
    const bar = element("span", parts.map(([name, from, to], i) => {
      const part = element("i", [], one.fired === "yes" && i === parts.length - 1 ? "fault" : name);
      part.style.left = share(from);
      part.style.width = share(to - from);
      return part;
    }), "bar");
    bar.setAttribute("aria-hidden", "true");
    const attempt = one.attempt > 1 ? ` · attempt ${one.attempt}` : "";
    const fault = one.fault ? ` · ${one.fault}${one.fired === "yes" ? "" : " (not fired)"}` : "";
    const what = element("span", `${one.method} ${one.target}`, "what code");
    what.title = `${one.service} ${one.operation || ""} exchange ${one.id}`;
    return element("li", [what, element("span", `${one.status || one.ending}${attempt}${fault}`, one.failed ? "bad" : ""), element("span", time(one.ms), "took"), bar]);
  }})), 0, "No exchange so far.");
}

function showFinding(finding) {
  $("s-findings").hidden = false;
  const text = `${finding.verdict} (${finding.confidence}): ${finding.message} Exchanges ${finding.evidence.join(", ")}.`;
  const old = [...$("findings").children].find(one => one.dataset.key === finding.id);
  const made = element("li", text);
  made.dataset.key = finding.id;
  if (old) old.replaceWith(made); else $("findings").prepend(made);
}

async function loadRules() {
  const {said, etag: now} = await ask("GET", "/v1/rules");
  etag = now;
  showRules(said.rules);
}

async function act(what) {
  try {
    trouble(null);
    await what();
  } catch (error) {
    if (error.unknown) return askForToken(error);
    trouble(error);
    await loadRules().catch(() => {});
  }
}

$("halt").addEventListener("click", () => act(async () => showState((await ask("POST", "/v1/halt", {why: "by the page"})).said)));
$("resume").addEventListener("click", () => act(async () => showState((await ask("POST", "/v1/resume")).said)));
$("renew").addEventListener("click", () => act(async () => showState((await ask("POST", "/v1/renew")).said)));
document.addEventListener("keydown", event => {
  const typing = event.target instanceof HTMLInputElement && event.target.type !== "checkbox";
  if (event.key === "h" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) $("halt").click();
});

function askForToken(error) {
  $("all").hidden = true;
  $("hands").hidden = true;
  $("ask").hidden = false;
  $("mode").textContent = "";
  trouble(token && error.unknown ? error : null);
  $("token").focus();
}
$("ask").addEventListener("submit", event => {
  event.preventDefault();
  token = $("token").value.trim();
  sessionStorage.setItem("retrial-token", token);
  $("token").value = "";
  begin();
});

// The stream of events, by fetch: EventSource cannot send a token.
async function listen() {
  const answer = await fetch("/v1/events", {headers: token ? {Authorization: "Bearer " + token} : {}});
  if (!answer.ok) throw new Error("the events ended");
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const {value, done} = await reader.read();
    if (done) throw new Error("The connection to retrial serve was lost.");
    rest += value;
    const events = rest.split("\n\n");
    rest = events.pop();
    for (const event of events) {
      const name = /^event: (.*)$/m.exec(event), data = /^data: (.*)$/m.exec(event);
      if (!name || !data) continue;
      const said = JSON.parse(data[1]);
      if (name[1] === "state") showState(said);
      else if (name[1] === "services") { showServices(said); tick(); }
      else if (name[1] === "rules" && said.etag !== etag) loadRules().catch(trouble);
      else if (name[1] === "finding") showFinding(said);
    }
  }
}

let ticking = false;
async function tick() {
  if (ticking || document.hidden) return;
  ticking = true;
  try {
    showState((await ask("GET", "/v1/state")).said);
    await loadRules();
    showCalls((await ask("GET", "/v1/calls")).said);
    showExchanges((await ask("GET", "/v1/exchanges?last=40")).said);
  } catch (error) {
    if (!/nothing is recorded/.test(error.message)) trouble(error);
  } finally {
    ticking = false;
  }
}

async function begin() {
  try {
    showState((await ask("GET", "/v1/state")).said);
    trouble(null);
    $("ask").hidden = true;
    $("all").hidden = $("hands").hidden = false;
    showServices((await ask("GET", "/v1/services")).said);
    await ask("GET", "/v1/findings").then(({said}) => said.findings.reverse().forEach(showFinding), () => {});
    await tick();
    await listen();
  } catch (error) {
    if (error.unknown) return askForToken(error);
    trouble(error);
    setTimeout(begin, 2000);
  }
}
begin();
