// How a value is written on the wire.
'use strict';

const hex = (part) =>
  [...Buffer.from(part)].map((byte) => '%' + byte.toString(16).toUpperCase().padStart(2, '0')).join('');

// ASCII; anything else, `%`, space and the character `also`, percent-encoded as UTF-8.
function encode(text, also) {
  const out = text.replace(/[^\x21-\x24\x26-\x7e]+/g, hex);
  return also ? out.replaceAll(also, hex(also)) : out;
}

module.exports = { encode };
