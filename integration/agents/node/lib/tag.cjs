// The tag of a request, ready for the wire.
'use strict';
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

// The entries that a request is made in the course of, and its own: `entry:place`, the outermost first.
function stackOf(origin) {
  if (!origin || !origin.entry) return '';
  return [...origin.course, origin].map(({ site, entry }) => `${entry}:${hash(site)}`).join(',');
}

// `entry:name` of the library of each entry that is known by name, as above.
function librariesOf(origin) {
  if (!origin || !origin.entry) return '';
  return [...origin.course, origin].filter(({ library }) => library && nameOf(library))
    .map(({ entry, library }) => `${entry}:${nameOf(library)}`).slice(-6).join(',');
}

// [name, value] of each field of a request that is being made now, of this origin.
function fields(origin) {
  try {
    events.announce();
    const stage = current.stage();
    const told = [
      ['x-retrial-site', origin && origin.site],
      ['x-retrial-call', origin && origin.entry && `${process.pid}-${origin.entry}`],
      ['x-retrial-test', stage && stage.phase !== 'shared' && stage.id],
      ['x-retrial-phase', stage && stage.phase],
      ['x-retrial-stack', stackOf(origin)],
    ].filter(([, value]) => value).map(([name, value]) => [name, encode(value)]);
    if (origin && origin.callers && origin.callers.length) told.push(['x-retrial-callers', line(origin.callers)]);
    const libraries = librariesOf(origin);
    if (libraries) told.push(['x-retrial-libraries', libraries]);
    return told;
  } catch {
    return [];
  }
}

const lines = (origin) => fields(origin).map(([name, value]) => `${name}: ${value}\r\n`).join('');

module.exports = { fields, lines };
