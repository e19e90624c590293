// What is known of each place in the code that a stack has shown: read from its call site once. Looks at the stack are
// most of what this agent costs.
'use strict';
const frames = require('./frames.cjs');

const MOST = 65536;
const NOWHERE = { kind: frames.RUNTIME, file: undefined, id: 0 };
const files = new Map(); // name -> { kind, place: of all of it, or null, at: position -> place }
let count = 0;

function fileOf(name) {
  let file = files.get(name);
  if (file) return file;
  const kind = frames.kind(name);
  // Of what means nothing by itself nobody asks for more than its kind.
  const place = kind === frames.RUNTIME || kind === frames.AGENT ? { kind, file: name, id: 0 } : null;
  files.set(name, (file = { kind, place, at: new Map() }));
  return file;
}

// { kind, file, id, function } of a call site: the same object each time.
function of(site) {
  const name = site.getFileName();
  if (!name) return NOWHERE;
  const file = fileOf(name);
  if (file.place) return file.place;
  const position = site.getPosition();
  let place = file.at.get(position);
  if (place) return place;
  if (++count % MOST === 0) files.clear();
  place = { kind: file.kind, file: name, id: count, function: site.getFunctionName(), frame: null };
  file.at.set(position, place);
  return place;
}

module.exports = { of };
