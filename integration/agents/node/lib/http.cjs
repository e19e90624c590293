// node:http and node:https clients: got, axios, node-fetch, the AWS and Azure SDKs.
//
// A request's origin is taken where it is made. The tag joins its head on the socket (peer.cjs), so
// neither getHeaders() nor an interceptor shows it.
'use strict';
const http = require('http');
const causes = require('./causes.cjs');
const context = require('./context.cjs');
const peer = require('./peer.cjs');
const tag = require('./tag.cjs');

const madeBy = new WeakMap(); // ClientRequest -> origin or null
const linesOf = new WeakMap(); // ClientRequest -> its tag

function note(request) {
  if (madeBy.has(request)) return;
  const origin = context.origin();
  madeBy.set(request, origin);
  if (request.method !== 'CONNECT') linesOf.set(request, tag.lines(origin, request));
}

function install() {
  const request = http.ClientRequest.prototype;
  const agent = http.Agent.prototype;
  const { onSocket, _storeHeader: storeHeader } = request;
  const { addRequest } = agent;

  // Agents of others need not come through addRequest: the head is made soon after.
  agent.addRequest = function (req, ...rest) {
    if (req instanceof http.ClientRequest) note(req);
    return addRequest.call(this, req, ...rest);
  };
  request._storeHeader = function (...args) {
    note(this);
    return storeHeader.apply(this, args);
  };
  request.onSocket = function (socket, ...rest) {
    note(this);
    peer.expect(socket, () => this._header, linesOf.get(this));
    return onSocket.call(this, socket, ...rest);
  };

  // A kept-alive socket speaks in the context of the request that opened it, not of this one.
  emitUnderOrigin(request, (self) => self, (self, event) => event === 'response' && causes.answered(self));
  emitUnderOrigin(http.IncomingMessage.prototype, (self) => self.req, (self) => causes.goesOn(self.req));
}

function emitUnderOrigin(prototype, requestOf, learn) {
  const emit = prototype.emit;
  prototype.emit = function (event) {
    const request = requestOf(this);
    const origin = request && madeBy.get(request);
    if (request) learn(this, event);
    if (!origin) return Reflect.apply(emit, this, arguments);
    return context.under(origin, emit, this, arguments);
  };
}

module.exports = { install };
