// The tag of a request: header lines, ready for the wire.
'use strict';
const current = require('./current.cjs');
const events = require('./events.cjs');

function encode(text) {
  return text.replace(/[^\x21-\x24\x26-\x7e]+/g, (part) =>
    [...Buffer.from(part)].map((byte) => '%' + byte.toString(16).toUpperCase().padStart(2, '0')).join(''));
}

// The lines of a request that is being made now, of this origin.
function lines(origin) {
  try {
    events.announce();
    const stage = current.stage();
    let text = '';
    const add = (name, value) => value && (text += `${name}: ${encode(value)}\r\n`);
    add('x-retrial-site', origin && origin.site);
    add('x-retrial-call', origin && origin.entry);
    add('x-retrial-test', stage && stage.phase !== 'shared' && stage.id);
    add('x-retrial-phase', stage && stage.phase);
    return text;
  } catch {
    return '';
  }
}

module.exports = { lines };
