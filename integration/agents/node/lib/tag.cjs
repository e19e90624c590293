// The tag of a request, ready for the wire.
'use strict';
const causes = require('./causes.cjs');
const current = require('./current.cjs');
const events = require('./events.cjs');
const { line } = require('./callers.cjs');
const { nameOf } = require('./libraries.cjs');
const { encode } = require('./wire.cjs');

// FNV-1a, 32 bits.
function hash(text) {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return (value >>> 0).toString(16);
}

// What comes again with each request of a place or a test is written once.
function once(make, most) {
  const made = new Map();
  return (text) => {
    let found = made.get(text);
    if (found === undefined) {
      if (made.size >= most) made.clear();
      made.set(text, (found = make(text)));
    }
    return found;
  };
}

const encoded = once((text) => encode(text), 4096);
const hashed = once(hash, 4096);

// Its strands (causes.cjs); the entries that it is made in the course of, and its
// own: `/number,entry.place`, the outermost first.
function stackOf({ course, site, entry }, strands) {
  let text = strands.map((number) => `/${number},`).join('');
  for (const one of course) text += `${one.entry}.${hashed(one.site)},`;
  return text + `${entry}.${hashed(site)}`;
}

// `entry:name` of the library of each entry that is known by name, as above.
function librariesOf(origin) {
  const named = [];
  for (const { library, entry } of [...origin.course, origin]) {
    const name = library && nameOf(library);
    if (name) named.push(`${entry}:${name}`);
  }
  return named.slice(-6).join(',');
}

// Tells add(name, value) each field of a request that is being made now, of this origin and these strands.
function tell(origin, strands, add) {
  events.announce();
  const stage = current.stage();
  const told = (name, value) => value && add(name, encoded(value));
  told('x-retrial-site', origin && origin.site);
  if (origin && origin.entry) add('x-retrial-call', `${process.pid}-${origin.entry}`);
  told('x-retrial-test', stage && stage.phase !== 'shared' && stage.id);
  told('x-retrial-phase', stage && stage.phase);
  if (origin && origin.statement && stage && stage.phase !== 'shared') add('x-retrial-statement', hashed(origin.statement));
  if (origin && origin.entry) add('x-retrial-stack', stackOf(origin, strands));
  if (origin && origin.callers && origin.callers.length) add('x-retrial-callers', line(origin.callers));
  const libraries = origin && origin.entry ? librariesOf(origin) : '';
  if (libraries) add('x-retrial-libraries', libraries);
}

// [name, value] of each.
function fields(origin, request) {
  const told = [];
  try {
    tell(origin, causes.strands(request), (name, value) => told.push([name, value]));
  } catch {
    return [];
  }
  return told;
}

// The same as lines of a head.
function lines(origin, request) {
  let text = '';
  try {
    tell(origin, causes.strands(request), (name, value) => (text += `${name}: ${value}\r\n`));
  } catch {
    return '';
  }
  return text;
}

module.exports = { fields, lines };
