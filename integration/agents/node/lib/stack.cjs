// Reads the running stack as call sites, out of sight of the program's own Error settings.
'use strict';

let visit = null;

function prepare(_, sites) {
  return visit(sites);
}

// The answer of `reader(sites)`, given at most `limit` frames from the inside out: those that run
// now, then those that await them.
function read(limit, reader) {
  const prepareBefore = Error.prepareStackTrace;
  const limitBefore = Error.stackTraceLimit;
  const visitBefore = visit;
  visit = reader;
  try {
    Error.stackTraceLimit = limit;
    Error.prepareStackTrace = prepare;
    const holder = {};
    Error.captureStackTrace(holder, read);
    return holder.stack;
  } finally {
    Error.prepareStackTrace = prepareBefore;
    Error.stackTraceLimit = limitBefore;
    visit = visitBefore;
  }
}

module.exports = { read };
