// The chain beyond a call site: the application's functions that called it, the nearest first, up to the test. A
// function stands once, however often it calls itself. An empty one parts those that run now from those that await them
// or handed work over.
'use strict';
const frames = require('./frames.cjs');
const places = require('./places.cjs');
const { encode } = require('./wire.cjs');

const MOST = 7, BYTES = 1024;

// { text, encoded, name } of a call site at `place`, as the chain has it.
function frameOf(site, place) {
  if (place.frame) return place.frame;
  const file = frames.relative(place.file), fn = place.function;
  const line = frames.line(place.file, site.getLineNumber(), site.getColumnNumber());
  const text = `${file}:${line}:${fn || '<anonymous>'}`;
  return (place.frame = { text, encoded: encode(text, ','), name: `${file}:${fn || line}` });
}

// Beyond the frame at `depth` of `sites`, which is `own`, in `file`; and beyond them `before`, the frames of whoever handed
// the work over: [{ encoded, name }], null where it was a test, undefined where nobody did. The answer has an empty frame,
// null, as above: without one it is the test that runs.
function beyond(sites, depth, file, own, before) {
  if (frames.inTest(file)) return [];
  const out = [], names = new Set([own.name]);
  let size = 0, running = true;
  const add = (frame) => {
    if (names.has(frame.name)) return true;
    size += frame.encoded.length + 1;
    if (names.size > MOST || size >= BYTES) return false;
    names.add(frame.name);
    out.push(frame);
    return true;
  };
  for (let i = depth + 1; i < sites.length; i++) {
    const site = sites[i], place = places.of(site);
    if (place.kind !== frames.APPLICATION) continue;
    if (running && site.isAsync()) running = out.push(null) < 0;
    if (frames.inTest(place.file) || !add(frameOf(site, place))) return out;
  }
  if (before === undefined) return out;
  if (running) out.push(null);
  for (const frame of before || []) if (frame && !add(frame)) break;
  return out;
}

// Of the frame at `depth` and those outside of it: the outermost of a test's files that its runner has called, as
// file:line:function. undefined where there is none; null where the stack `isCut`, and may have one beyond.
function statement(sites, depth, isCut) {
  let found;
  for (let i = depth; i < sites.length; i++) {
    const { kind, file } = places.of(sites[i]);
    if (kind === frames.APPLICATION) {
      if (frames.inTest(file)) found = sites[i];
    } else if (found && frames.isRunner(file)) {
      isCut = false;
      break;
    }
  }
  if (isCut) return null;
  return found && frameOf(found, places.of(found)).text;
}

function line(callers) {
  let text = '';
  for (let i = 0; i < callers.length; i++) text += (i ? ',' : '') + (callers[i] ? callers[i].encoded : '');
  return text || ','; // a lone empty frame
}

module.exports = { frameOf, beyond, statement, line };
