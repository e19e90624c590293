// node:http clients: got, axios, node-fetch, the AWS and Azure SDKs.
//
// The tag joins where the head is turned into text (_storeHeader), so getHeaders() never shows it.
// Its origin is taken where the request is made, which may be well before.
'use strict';
const http = require('http');
const context = require('./context.cjs');
const tag = require('./tag.cjs');

const madeBy = new WeakMap(); // ClientRequest -> origin or null

function originOf(request) {
  let origin = madeBy.get(request);
  if (origin === undefined) madeBy.set(request, (origin = tag.origin()));
  return origin;
}

// Interceptors (msw, nock) hand a real request an agent of their own, whose socket is theirs.
function isMocked(request) {
  if (!tag.reachesTheWire()) return true;
  const agent = request.agent;
  if (agent && /^Mock/.test((agent.constructor && agent.constructor.name) || '')) return true;
  const socket = request.socket;
  return Boolean(socket) && socket.constructor !== require('net').Socket;
}

function isWanted(request, headers) {
  if (request.protocol !== 'http:' || request.socketPath || request.method === 'CONNECT') return false;
  if (request.hasHeader(tag.SITE) || isMocked(request)) return false;
  return !Array.isArray(headers) || !String(headers).toLowerCase().includes(tag.SITE);
}

// `headers` as _storeHeader takes them, with `pairs` at the end: own lines, an array (flat or of
// pairs), a plain object, or nothing.
function joined(request, headers, pairs) {
  if (Array.isArray(headers)) {
    return headers.length && Array.isArray(headers[0]) ? [...headers, ...pairs] : [...headers, ...pairs.flat()];
  }
  const lines = [];
  for (const key in headers || {}) {
    const entry = headers[key];
    const isOwn = Array.isArray(entry) && entry.length === 2 && String(entry[0]).toLowerCase() === key;
    lines.push(isOwn ? entry : [key, entry]);
  }
  return [...lines, ...pairs];
}

function install() {
  const request = http.ClientRequest.prototype;
  const storeHeader = request._storeHeader;
  request._storeHeader = function (firstLine, headers) {
    let given = headers;
    try {
      if (isWanted(this, headers)) {
        const pairs = tag.headers(originOf(this));
        if (pairs.length) given = joined(this, headers, pairs);
      }
    } catch {}
    return storeHeader.call(this, firstLine, given);
  };

  const agent = http.Agent.prototype;
  const addRequest = agent.addRequest;
  agent.addRequest = function (req, ...rest) {
    if (req instanceof http.ClientRequest) originOf(req);
    return addRequest.call(this, req, ...rest);
  };

  // A kept-alive socket speaks in the context of the request that opened it, not of this one.
  emitUnderOrigin(request, (self) => self);
  emitUnderOrigin(http.IncomingMessage.prototype, (self) => self.req);
}

function emitUnderOrigin(prototype, requestOf) {
  const emit = prototype.emit;
  prototype.emit = function () {
    const request = requestOf(this);
    const origin = request && madeBy.get(request);
    if (!origin) return Reflect.apply(emit, this, arguments);
    return context.under(origin, emit, this, arguments);
  };
}

module.exports = { install };
