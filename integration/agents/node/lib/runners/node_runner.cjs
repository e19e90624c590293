// Reports node:test: its Test class is met as the first resource of type Test is made, whatever way
// the file imports it (default or named, ESM or CommonJS), with --test or without.
//
// Only names that Node itself looks up on the prototype at run time are wrapped: run, runHook,
// postRun, runInAsyncScope. Where one is gone, its part of the report is missing, nothing else.
'use strict';
const { AsyncLocalStorage } = require('async_hooks');
const chain = require('../chain.cjs');
const chosen = require('../chosen.cjs');
const context = require('../context.cjs');
const current = require('../current.cjs');
const events = require('../events.cjs');
const frames = require('../frames.cjs');

const PHASES = { before: 'shared', after: 'shared', beforeEach: 'setup', afterEach: 'teardown' };
const liftsTimeLimit = process.env.RETRIAL_NO_TIME_LIMIT === '1';
const wrapped = new WeakSet();
const reported = new WeakSet();
const executions = new WeakMap(); // the names of tests that run several times (chosen.cjs)
const further = new WeakMap(); // of a test of the file's own: what runs behind it
const stages = new AsyncLocalStorage(); // the test that runs here: tests may run at the same time
let announced = false;

const kindOf = (test) => test.constructor.name;
const isRunner = () => process.execArgv.includes('--test') && !process.env.NODE_TEST_CONTEXT;

function fileOf(test) {
  const main = process.argv[1];
  const file = main && !isRunner() ? main : test.loc && test.loc.file;
  return file || '';
}

function idOf(test) {
  const names = [];
  for (let node = test; node && node.parent; node = node.parent) {
    if (executions.has(node)) return [executions.get(node), ...names].join(' > ');
    names.unshift(String(node.name));
  }
  return [frames.relative(fileOf(test)), ...names].join(' > ');
}

function isReported(test) {
  return Boolean(test.parent) && kindOf(test) === 'Test';
}

function announce(test) {
  if (announced) return;
  announced = true;
  frames.addTestFile(fileOf(test));
  events.announce('node:test');
}

function wrap(prototype, name, make) {
  if (!Object.hasOwn(prototype, name) || typeof prototype[name] !== 'function') return;
  prototype[name] = make(prototype[name]);
}

function onTest(resource) {
  for (let it = Object.getPrototypeOf(resource); it && it.constructor.name !== 'AsyncResource'; it = Object.getPrototypeOf(it)) {
    if (wrapped.has(it)) continue;
    wrapped.add(it);
    wrap(it, 'run', wrapRun);
    wrap(it, 'runHook', wrapRunHook);
    wrap(it, 'postRun', wrapPostRun);
    wrap(it, 'createSubtest', wrapCreate);
    wrap(it, 'start', wrapStart);
    if (it.constructor.name === 'Test') it.runInAsyncScope = wrapBody(it.runInAsyncScope);
  }
}

// A test is registered once for each time that it is to run. What a test registers while it runs (t.test) is its own.
function wrapCreate(createSubtest) {
  return function (...args) {
    const test = createSubtest.apply(this, args);
    if (!isReported(test) || isReported(this) || !chosen.some()) return test;
    const [name, ...others] = chosen.executions(idOf(test));
    if (!name) return test;
    const copies = others.map(() => createSubtest.apply(this, args));
    [test, ...copies].forEach((one, n) => executions.set(one, [name, ...others][n]));
    if (!this.parent) further.set(test, copies);
    return test;
  };
}

// A suite starts all that is registered in it; of a file's own tests each registration starts its own.
function wrapStart(start) {
  return function (...args) {
    const started = start.apply(this, args);
    for (const one of further.get(this) || []) start.call(one);
    return started;
  };
}

function wrapRun(run) {
  return function (...args) {
    if (liftsTimeLimit) this.timeout = null; // the test's own, its suite's, and --test-timeout
    // A file's before hook that comes when its root has started runs at once, without runHook.
    if (kindOf(this) === 'TestHook' && !current.own()) {
      announce(this);
      return current.during(frames.relative(fileOf(this)), 'shared', () => run.apply(this, args));
    }
    if (!isReported(this)) return run.apply(this, args);
    announce(this);
    return stages.run(this, () => run.apply(this, args));
  };
}

function wrapRunHook(runHook) {
  return function (name, ...args) {
    const hooks = this.hooks && this.hooks[name];
    const phase = PHASES[name];
    if (!phase || !hooks || !hooks.length || kindOf(this) === 'FileTest') return runHook.call(this, name, ...args);
    announce(this);
    const test = stages.getStore();
    // A test's own before and after (t.before, t.after) are part of it.
    const owned = isReported(this) && phase === 'shared';
    const told = owned ? (name === 'before' ? 'setup' : 'teardown') : phase;
    const id = told === 'shared' || !test ? idOf(this) : idOf(owned ? this : test);
    return current.during(id, told, () => runHook.call(this, name, ...args));
  };
}

function wrapBody(runInAsyncScope) {
  return function (fn, ...args) {
    if (fn === this.fn && kindOf(this) === 'TestHook') return runInAsyncScope.call(this, current.kept(fn), ...args);
    if (fn !== this.fn || !isReported(this)) return runInAsyncScope.call(this, fn, ...args);
    const done = args.length === 3 && typeof args[2] === 'function' ? args[2] : null;
    const run = () => runInAsyncScope.call(this, current.kept(fn), ...args);
    if (!done) return current.during(idOf(this), 'test', run);
    let result;
    const finished = (resolve) => {
      args[2] = (...outcome) => (resolve(), done(...outcome));
      result = run();
    };
    current.during(idOf(this), 'test', () => new Promise(finished)).catch(done); // it threw before it called back
    return result;
  };
}

function wrapPostRun(postRun) {
  return function (...args) {
    const result = postRun.apply(this, args);
    try {
      if (isReported(this) && !reported.has(this)) {
        reported.add(this);
        report(this);
      }
    } catch (error) {
      events.failed('node_runner', error);
    }
    return result;
  };
}

function report(test) {
  announce(test);
  let error = test.passed ? null : test.error;
  const failure = (error && error.failureType) || '';
  if (error && error.code === 'ERR_TEST_FAILURE' && error.cause instanceof Object) error = error.cause;
  const skipped = test.skipped || (test.isTodo && !test.passed);
  const phase = failure !== 'hookFailed' ? 'test' : /after/i.test(String(test.error.message)) ? 'teardown' : 'setup';
  events.write({
    ev: 'result',
    id: idOf(test),
    phase,
    outcome: skipped ? 'skipped' : test.passed ? 'passed' : phase === 'test' ? 'failed' : 'error',
    ms: test.startTime === null || test.startTime === undefined ? 0 : Math.round(milliseconds(test)),
    chain: skipped ? [] : chain.of(error),
  });
}

function milliseconds(test) {
  const taken = typeof test.duration === 'function' ? test.duration() : 0;
  return Number(taken) || 0;
}

module.exports = { install: () => context.onNew.set('Test', onTest) };
