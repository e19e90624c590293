// The built-in fetch and npm's undici, by their diagnostics channel: a request that exists is
// beyond every MockAgent. HTTP/1 over http:// only.
'use strict';
const channels = require('diagnostics_channel');
const context = require('./context.cjs');
const tag = require('./tag.cjs');

const made = new WeakMap(); // request -> origin

function onCreate({ request }) {
  try {
    if (!String(request.origin).startsWith('http:') || request.method === 'CONNECT' || !tag.reachesTheWire()) return;
    if (String(request.headers).toLowerCase().includes(tag.SITE)) return;
    const origin = tag.origin();
    made.set(request, origin);
    for (const [name, value] of tag.headers(origin)) request.addHeader(name, value);
  } catch {}
}

// From its answer on, and when it fails, a socket's callback works for this request: what retries
// from there (RetryAgent) belongs to it.
function onAnswer({ request }) {
  if (made.has(request)) context.adopt(made.get(request));
}

// fetch makes some forty promises before it returns; one look at the stack does for all.
function wrapFetch() {
  const fetch = globalThis.fetch;
  if (typeof fetch !== 'function') return;
  const wrapped = { fetch(input, init = undefined) { return context.entered(fetch, this, arguments); } }.fetch;
  Object.defineProperty(globalThis, 'fetch', { ...Object.getOwnPropertyDescriptor(globalThis, 'fetch'), value: wrapped });
}

function install() {
  wrapFetch();
  channels.subscribe('undici:request:create', onCreate);
  channels.subscribe('undici:request:headers', onAnswer);
  channels.subscribe('undici:request:error', onAnswer);
}

module.exports = { install };
