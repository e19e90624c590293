// The tag of a request: [name, value] pairs, ready for the wire.
'use strict';
const net = require('net');
const context = require('./context.cjs');
const current = require('./current.cjs');
const events = require('./events.cjs');

const connect = net.Socket.prototype.connect;
const SITE = 'x-retrial-site';

function encode(text) {
  return text.replace(/[^\x21-\x24\x26-\x7e]+/g, (part) =>
    [...Buffer.from(part)].map((byte) => '%' + byte.toString(16).toUpperCase().padStart(2, '0')).join(''));
}

// False while an interceptor (nock 15, msw) stands in the place of every socket's connect: what is
// written then reaches a mock.
function reachesTheWire() {
  return net.Socket.prototype.connect === connect;
}

function headers(origin) {
  try {
    events.announce();
    const stage = current.stage();
    const pairs = [];
    const add = (name, value) => value && pairs.push([name, encode(value)]);
    add(SITE, origin && origin.site);
    add('x-retrial-call', origin && origin.entry);
    add('x-retrial-test', stage && stage.phase !== 'shared' && stage.id);
    add('x-retrial-phase', stage && stage.phase);
    return pairs;
  } catch {
    return [];
  }
}

module.exports = { SITE, reachesTheWire, headers, origin: context.origin };
