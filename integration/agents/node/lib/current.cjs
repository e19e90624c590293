// The test that is running, as the runner's hook knows it, and the phase it is in.
'use strict';
const { AsyncLocalStorage } = require('async_hooks');
const events = require('./events.cjs');

const clock = performance; // its own: a test may fake it
const read = performance.now;
const now = () => Math.round(read.call(clock) * 10) / 10;

let scopes = null; // made by the first runner: AsyncLocalStorage costs
const open = []; // stages that were started, innermost last
const atBegin = []; // called as each begins

function scope() {
  return (scopes ||= new AsyncLocalStorage());
}

let restBefore = process.env.RETRIAL_REST_BEFORE; // a test

// What is kept for a while only is no longer kept when the test begins.
function rest() {
  restBefore = undefined;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000 * Number(process.env.RETRIAL_REST));
}

// Begins a stage of a test: `run` runs code in it, `done` ends it, once.
function begin(id, phase) {
  const stage = { id, phase };
  if (id === restBefore && phase !== 'shared') rest();
  for (const fn of atBegin) fn();
  open.push(stage);
  events.write({ ev: 'start', id, phase, at: now() });
  const done = () => {
    const at = open.indexOf(stage);
    if (at < 0) return;
    open.splice(at, 1);
    events.write({ ev: 'end', id, phase, at: now() });
  };
  return { done, run: (fn) => scope().run(stage, fn) };
}

// Runs `fn` as a stage of a test: events around it, until what it returns has settled.
function during(id, phase, fn) {
  const { done, run } = begin(id, phase);
  let result;
  try {
    result = run(fn);
  } catch (error) {
    done();
    throw error;
  }
  if (result === null || typeof result !== 'object' || typeof result.then !== 'function') {
    done();
    return result;
  }
  return result.then((value) => (done(), value), (error) => (done(), Promise.reject(error)));
}

// `fn` under the stage that runs here: AsyncResource.runInAsyncScope would leave it.
function kept(fn) {
  const mine = own();
  if (!mine) return fn;
  return function (...args) {
    return scope().run(mine, () => fn.apply(this, args));
  };
}

// The stage that this code runs in, undefined outside of any.
function own() {
  return scopes ? scopes.getStore() : undefined;
}

// The stage that made this call, else the one that was started last.
function stage() {
  const mine = own();
  return mine && open.includes(mine) ? mine : open[open.length - 1];
}

module.exports = { begin, during, stage, own, kept, onBegin: (fn) => atBegin.push(fn) };
