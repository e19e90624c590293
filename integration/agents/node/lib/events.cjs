// Events: one JSON object a line, appended to $RETRIAL_EVENTS by one O_APPEND write.
'use strict';
// Taken now: a test that replaces functions of fs does not reach us.
const { openSync, writeSync, closeSync, constants } = require('fs');

const path = process.env.RETRIAL_EVENTS;
const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;
const announced = new Set();

// Returns when the line is in the file. An error is swallowed: nobody could hear it.
function write(event) {
  try {
    const line = JSON.stringify({ ...event, pid: process.pid }) + '\n';
    const fd = openSync(path, flags, 0o644);
    try {
      writeSync(fd, line);
    } finally {
      closeSync(fd);
    }
  } catch {}
}

// The `agent` event, once a process and runner: at a runner's start or at the first request, so
// that helpers such as npm stay silent.
function announce(runner) {
  if (announced.has(runner) || (!runner && announced.size)) return;
  if (!announced.size) process.on('uncaughtExceptionMonitor', uncaught);
  announced.add(runner);
  write({ ev: 'agent', language: 'node', version: process.versions.node, runner });
}

// What ends a process that sent requests.
function uncaught(error) {
  try {
    write({ ev: 'uncaught', chain: require('./chain.cjs').of(error) });
  } catch {}
}

function failed(part, error) {
  const text = `${part}: ${String((error && error.message) || error).slice(0, 1000)}`;
  write({ ev: 'agent', language: 'node', version: process.versions.node, error: text });
}

module.exports = { write, announce, failed };
