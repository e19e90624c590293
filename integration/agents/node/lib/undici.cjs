// The built-in fetch and npm's undici, by their diagnostics channel: a request that exists is
// beyond every MockAgent. HTTP/1 only.
'use strict';
const channels = require('diagnostics_channel');
const causes = require('./causes.cjs');
const context = require('./context.cjs');
const peer = require('./peer.cjs');
const tag = require('./tag.cjs');

const made = new WeakMap(); // request -> { origin, lines }
let readersWrapped = false;

function onCreate({ request }) {
  try {
    if (request.method === 'CONNECT') return;
    const origin = context.origin();
    made.set(request, { origin, lines: tag.lines(origin, request) });
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
  causes.answered(request);
  const known = made.get(request);
  if (known) context.adopt(known.origin);
}

// fetch makes some forty promises before it returns, and so do the readers of a body; one look at
// the stack does for all.
function wrapFetch() {
  if (typeof globalThis.fetch === 'function') ours = enter(globalThis, 'fetch', isPlain);
}

// While all that the application gave to fetch is data, and nobody has taken the stream of a body or put another
// dispatcher in place of the runtime's, what fetch does later runs nothing of the application's either.
const DISPATCHER = Symbol.for('undici.globalDispatcher.1');
let dispatcher; // the runtime's own, if the first fetch found none
let ours; // fetch, as we left it
let urlOf; // a Response's; '' of one that did not come from fetch

function isPlain(_, [target, options]) {
  wrapReaders();
  const body = options?.body ?? '';
  const plain = dispatcher !== undefined && globalThis[DISPATCHER] === dispatcher && !options?.dispatcher &&
    (typeof target === 'string' || target instanceof URL) &&
    (typeof body === 'string' || ArrayBuffer.isView(body) || body instanceof URLSearchParams);
  if (!plain) context.unseal();
  return plain;
}

const isFetched = (response) => urlOf !== undefined && globalThis.fetch === ours && Reflect.apply(urlOf, response, []) !== '';

// At the first fetch: before it nobody has an answer to read, and Node loads all of undici for
// `Response`, which takes longer than the rest of this agent.
function wrapReaders() {
  if (readersWrapped) return;
  readersWrapped = true;
  const before = globalThis[DISPATCHER];
  for (const kind of [globalThis.Response, globalThis.Request]) {
    for (const name of ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text']) {
      if (kind && Object.hasOwn(kind.prototype, name)) enter(kind.prototype, name, kind === globalThis.Response ? isFetched : () => false);
    }
    watchBody(kind);
  }
  if (before === undefined) dispatcher = globalThis[DISPATCHER];
  urlOf = globalThis.Response && Object.getOwnPropertyDescriptor(globalThis.Response.prototype, 'url')?.get;
}

function watchBody(kind) {
  const described = kind && Object.getOwnPropertyDescriptor(kind.prototype, 'body');
  if (!described || !described.get) return context.unseal();
  const original = described.get;
  const { get } = Object.getOwnPropertyDescriptor({
    get body() {
      context.unseal();
      return Reflect.apply(original, this, []);
    },
  }, 'body');
  Object.defineProperty(kind.prototype, 'body', { ...described, get });
}

function enter(owner, name, isSealed) {
  const described = Object.getOwnPropertyDescriptor(owner, name);
  const original = described.value;
  if (typeof original !== 'function') return undefined;
  const wrapped = {
    [name]() {
      return context.entered(original, this, arguments, sealed(isSealed, this, arguments));
    },
  }[name];
  Object.defineProperty(wrapped, 'length', { value: original.length, configurable: true });
  Object.defineProperty(owner, name, { ...described, value: wrapped });
  return wrapped;
}

function sealed(ask, self, args) {
  try {
    return ask(self, args);
  } catch {
    return false;
  }
}

function install() {
  wrapFetch();
  channels.subscribe('undici:request:create', onCreate);
  channels.subscribe('undici:client:sendHeaders', onSend);
  channels.subscribe('undici:request:headers', onAnswer);
  channels.subscribe('undici:request:error', onAnswer);
}

module.exports = { install };
