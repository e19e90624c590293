// @grpc/grpc-js: a call is told where a client's method is entered, and its tag follows the call's
// metadata, and each copy of it, down to the request of every attempt. Interceptors see none of it.
//
// A call may wait for a connection and then be made in the course of another: http2.cjs alone
// could not tell whose it is.
'use strict';
const Module = require('module');
const context = require('./context.cjs');
const events = require('./events.cjs');
const http2 = require('./http2.cjs');
const tag = require('./tag.cjs');

const calls = new WeakMap(); // Metadata -> { fields, origin }
const seen = new WeakSet();

// The arguments of a call as the client has sorted them: { metadata, ... }.
function entered(sorted) {
  try {
    const origin = context.origin();
    const metadata = sorted.metadata.clone(); // one may serve several calls
    calls.set(metadata, { fields: tag.fields(origin), origin });
    return { ...sorted, metadata };
  } catch {
    return sorted;
  }
}

function wrap(owner, name, then) {
  const original = owner[name];
  if (typeof original !== 'function') return;
  owner[name] = function () {
    return then(Reflect.apply(original, this, arguments), this);
  };
}

function apply({ Client, Metadata }) {
  for (const name of ['checkOptionalUnaryResponseArguments', 'checkMetadataAndOptions']) {
    wrap(Client.prototype, name, entered);
  }
  wrap(Metadata.prototype, 'clone', (copy, metadata) => {
    const call = calls.get(metadata);
    if (call) calls.set(copy, call);
    return copy;
  });
  wrap(Metadata.prototype, 'toHttp2Headers', (headers, metadata) => {
    const call = calls.get(metadata);
    if (call) http2.announce(call, headers);
    return headers;
  });
}

function onLoaded(name, exports) {
  if (typeof name !== 'string' || !name.includes('grpc-js') || !exports || seen.has(exports)) return;
  try {
    if (typeof exports.Client !== 'function' || typeof exports.Metadata !== 'function') return;
    seen.add(exports);
    apply(exports);
  } catch (error) {
    events.failed('grpc_js', error);
  }
}

// Also what ES modules import comes through here, as any CommonJS does.
function install() {
  const load = Module._load;
  Module._load = function (name) {
    const exports = Reflect.apply(load, this, arguments);
    onLoaded(name, exports);
    return exports;
  };
}

module.exports = { install, onLoaded };
