// The chain beyond a call site: the application's functions that called it, the nearest first, up to the test. A
// function stands once, however often it calls itself. An empty one parts those that run now from those that await them
// or handed work over.
'use strict';
const frames = require('./frames.cjs');
const { encode } = require('./wire.cjs');

const MOST = 7, BYTES = 1024;
const known = new Map(); // file and position -> { text, encoded, name }

function frameOf(site, name) {
  const key = name + ' ' + site.getPosition();
  let found = known.get(key);
  if (found) return found;
  if (known.size > 4096) known.clear();
  const file = frames.relative(name), fn = site.getFunctionName();
  const line = frames.line(name, site.getLineNumber(), site.getColumnNumber());
  const text = `${file}:${line}:${fn || '<anonymous>'}`;
  known.set(key, (found = { text, encoded: encode(text, ','), name: `${file}:${fn || line}` }));
  return found;
}

// Beyond the frame at `depth` of `sites`, which is `own`; and beyond them `before`, the frames of whoever handed the
// work over: [{ encoded, name }], or null where it was a test. The answer has an empty frame, null, as above.
function beyond(sites, depth, own, before) {
  if (frames.inTest(sites[depth].getFileName())) return [];
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
    const site = sites[i], name = site.getFileName();
    if (frames.kind(name) !== frames.APPLICATION) continue;
    if (running && site.isAsync()) running = out.push(null) < 0;
    if (frames.inTest(name) || !add(frameOf(site, name))) return out;
  }
  if (!before) return out;
  if (running) out.push(null);
  for (const frame of before) if (frame && !add(frame)) break;
  return out;
}

const line = (callers) => callers.map((frame) => (frame ? frame.encoded : '')).join(',') + (callers.length === 1 && !callers[0] ? ',' : '');

module.exports = { frameOf, beyond, line };
