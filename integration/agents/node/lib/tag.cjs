// The tag of a request: [name, value] pairs, ready for the wire.
'use strict';
const context = require('./context.cjs');
const current = require('./current.cjs');
const events = require('./events.cjs');

const SITE = 'x-retrial-site';

function encode(text) {
  return text.replace(/[^\x21-\x24\x26-\x7e]+/g, (part) =>
    [...Buffer.from(part)].map((byte) => '%' + byte.toString(16).toUpperCase().padStart(2, '0')).join(''));
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

module.exports = { SITE, headers, origin: context.origin };
