// Node's http2 client, and with it grpc-js: nothing is loaded for it, its asynchronous resources
// are met.
//
// A request's origin is taken where it is made (PendingRequest); its head is handed to the session's
// handle once the connection stands, and there, where its peer is known, the tag joins it. So the
// stream's sentHeaders do not show it.
'use strict';
const { executionAsyncResource } = require('async_hooks');
const context = require('./context.cjs');
const peer = require('./peer.cjs');
const stack = require('./stack.cjs');
const tag = require('./tag.cjs');

const GRPC = '\0application/grpc'; // as a value begins in a head
const DEEP = 20;
const tags = new WeakMap(); // PendingRequest -> { fields, path }
const wrapped = new WeakSet();
let next = null; // { fields, origin, headers }: what the next request is made of, as grpc-js says
let owner; // the symbol by which a handle knows its session

// The next request that is made of `headers` belongs to the call that `call` tells of.
function announce(call, headers) {
  next = { call, headers };
}

function onRequest(resource) {
  const told = next && next.headers[':path'] !== undefined ? next : null;
  next = null;
  if (told) {
    tags.set(resource, { fields: told.call.fields, path: told.headers[':path'] });
    return told.call.origin;
  }
  // A request that undici has held back is made in the course of another.
  const origin = stack.read(DEEP, isHeldBack) ? null : context.origin();
  tags.set(resource, { fields: tag.fields(origin), unplaced: tag.fields(null) });
  return origin;
}

const isHeldBack = (sites) => sites.some((site) => /[\\/]undici[^\\/]*[\\/]lib[\\/]|internal\/deps\/undici/.test(site.getFileName() || ''));

function onSession(handle) {
  const prototype = Object.getPrototypeOf(handle);
  if (!wrapped.has(prototype)) {
    wrapped.add(prototype);
    const { request } = prototype;
    prototype.request = function (head, ...rest) {
      return request.call(this, tagged(this, head), ...rest);
    };
  }
  return null; // sessions outlive calls: they carry no origin
}

// `head` is [text, count], a field's text `name NUL value NUL flags`.
function tagged(handle, head) {
  try {
    const [text, count] = head;
    const known = tags.get(executionAsyncResource());
    if (!known || typeof text !== 'string' || typeof count !== 'number') return head;
    if (text.includes('x-retrial-site\0') || !peer.isReached(sessionOf(handle).socket)) return head;
    if (known.path !== undefined && !text.includes(`:path\0${known.path}\0`)) return head;
    // Calls of a grpc-js that we did not see being loaded wait for a connection: who made them is not known.
    const fields = known.unplaced && text.includes(GRPC) ? known.unplaced : known.fields;
    const added = fields.map(([name, value]) => `${name}\0${value}\0\0`).join('');
    return [text + added, count + fields.length, ...head.slice(2)];
  } catch {
    return head;
  }
}

function sessionOf(handle) {
  owner ||= Object.getOwnPropertySymbols(handle).find((key) => handle[key] && typeof handle[key].request === 'function');
  return handle[owner];
}

function install() {
  context.onNew.set('PendingRequest', onRequest);
  context.onNew.set('HTTP2SESSION', onSession);
}

module.exports = { install, announce };
