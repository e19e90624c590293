// The built-in fetch and npm's undici, by their diagnostics channel: a request that exists is
// beyond every MockAgent. HTTP/1 only.
'use strict';
const channels = require('diagnostics_channel');
const context = require('./context.cjs');
const peer = require('./peer.cjs');
const tag = require('./tag.cjs');

const made = new WeakMap(); // request -> { origin, lines }
let readersWrapped = false;

function onCreate({ request }) {
  try {
    if (request.method === 'CONNECT') return;
    const origin = context.origin();
    made.set(request, { origin, lines: tag.lines(origin) });
  } catch {}
}

// `headers` is the head as it is about to be written, but for its last lines.
function onSend({ request, headers, socket }) {
  const known = made.get(request);
  if (known && typeof headers === 'string') peer.expect(socket, () => headers, known.lines);
}

// From its answer on, and when it fails, a socket's callback works for this request: what retries
// from there (RetryAgent) belongs to it.
function onAnswer({ request }) {
  const known = made.get(request);
  if (known) context.adopt(known.origin);
}

// fetch makes some forty promises before it returns, and so do the readers of a body; one look at
// the stack does for all.
function wrapFetch() {
  if (typeof globalThis.fetch === 'function') enter(globalThis, 'fetch', wrapReaders);
}

// At the first fetch: before it nobody has an answer to read, and Node loads all of undici for
// `Response`, which takes longer than the rest of this agent.
function wrapReaders() {
  if (readersWrapped) return;
  readersWrapped = true;
  for (const kind of [globalThis.Response, globalThis.Request]) {
    for (const name of ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text']) {
      if (kind && Object.hasOwn(kind.prototype, name)) enter(kind.prototype, name);
    }
  }
}

function enter(owner, name, before) {
  const described = Object.getOwnPropertyDescriptor(owner, name);
  const original = described.value;
  if (typeof original !== 'function') return;
  const wrapped = {
    [name]() {
      before?.();
      return context.entered(original, this, arguments);
    },
  }[name];
  Object.defineProperty(wrapped, 'length', { value: original.length, configurable: true });
  Object.defineProperty(owner, name, { ...described, value: wrapped });
}

function install() {
  wrapFetch();
  channels.subscribe('undici:request:create', onCreate);
  channels.subscribe('undici:client:sendHeaders', onSend);
  channels.subscribe('undici:request:headers', onAnswer);
  channels.subscribe('undici:request:error', onAnswer);
}

module.exports = { install };
