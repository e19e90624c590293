// Reports mocha (CommonJS and ESM, every version since 6): its root suite and its Runner are event emitters, met as
// they are first listened to, before a test file is loaded; their classes are wrapped, and the emitter is left alone.
//
// Where a name is gone in some version, its part of the report is missing, nothing else.
'use strict';
const EventEmitter = require('events');
const fs = require('fs');
const path = require('path');
const chain = require('../chain.cjs');
const chosen = require('../chosen.cjs');
const current = require('../current.cjs');
const events = require('../events.cjs');
const frames = require('../frames.cjs');

const IS_MOCHA = /(^|[\\/])_?mocha(\.[cm]?js)?$|[\\/]mocha[\\/](bin|lib)[\\/]/;
const HOOKS = { _beforeAll: ['shared', 'setup'], _beforeEach: ['setup', 'setup'], _afterEach: ['teardown', 'teardown'], _afterAll: ['shared', 'teardown'] };
const chains = new WeakMap(); // runnable -> the chain of its failure, read before mocha shortens the stack
const executions = new WeakMap(); // what tests go by that are to run several times
let running = null; // the stage that runs: mocha has one at a time
let latest = null; // the test that ran last
let loading = ''; // the file that is being loaded
let failure; // why it was not

const listOf = (hook) => Object.keys(HOOKS).find((list) => hook.parent && (hook.parent[list] || []).includes(hook));
const testsIn = (suite) => [...suite.tests, ...suite.suites.flatMap(testsIn)];
const isDry = (runner) => Boolean(runner._opts && runner._opts.dryRun);

function idOf(runnable) {
  if (executions.has(runnable)) return executions.get(runnable);
  const names = [];
  for (let node = runnable; node && !node.root; node = node.parent) names.unshift(node.originalTitle || node.title);
  return chosen.id(runnable.file || (runnable.parent && runnable.parent.file), names);
}

// The id and phase of a runnable that begins: those of a hook of one test are the test's.
function stageOf(runnable) {
  if (runnable.type !== 'hook') return [idOf((latest = runnable)), 'test'];
  const phase = (HOOKS[listOf(runnable)] || ['shared'])[0];
  const test = runnable.ctx && runnable.ctx.currentTest;
  return [idOf(phase === 'shared' || !test ? runnable : test), phase];
}

function guarded(fn) {
  try {
    return fn();
  } catch (error) {
    events.failed('mocha', error);
  }
}

function wrap(prototype, name, make) {
  if (prototype && typeof prototype[name] === 'function') prototype[name] = make(prototype[name]);
}

const wrapRun = (run) => function (fn) {
  if (running) running.done(); // an uncaught error ended it
  const stage = (running = guarded(() => current.begin(...stageOf(this))));
  if (!stage) return run.call(this, fn);
  return stage.run(() => run.call(this, (...args) => (stage.done(), fn(...args))));
};

const NO_LIMIT = 2 ** 31 - 1; // 0 would mean so since version 8 only

// Whatever the command, the suite, the test or its body says.
const wrapTimeout = (timeout) => function (...args) {
  return args.length ? timeout.apply(this, args) : NO_LIMIT;
};

const wrapFail = (fail) => function (runnable, error, ...rest) {
  guarded(() => chains.set(runnable, chain.of(error)));
  return fail.call(this, runnable, error, ...rest);
};

const wrapRunSuite = (runSuite) => function (suite, ...rest) {
  if (suite.root) guarded(() => prepare(this, suite));
  return runSuite.call(this, suite, ...rest);
};

// All is defined now, `only` has been applied, and nothing has run.
function prepare(runner, root) {
  const all = testsIn(root);
  for (const test of all) if (test.file) frames.addTestFile(test.file);
  const hooks = Object.keys(HOOKS).flatMap((list) => root[list] || []);
  let runnable = [...all, ...hooks][0];
  while (runnable && !Object.hasOwn(runnable, 'run')) runnable = Object.getPrototypeOf(runnable);
  wrap(runnable, 'run', wrapRun);
  if (process.env.RETRIAL_NO_TIME_LIMIT === '1') {
    wrap(runnable, 'timeout', wrapTimeout);
    wrap(runnable, 'resetTimeout', () => function () {});
  }
  if (chosen.some()) narrow(root);
  if (isDry(runner)) for (const test of testsIn(root)) events.write({ ev: 'listed', id: idOf(test), file: frames.relative(test.file || '') });
  else report(runner);
}

// A suite without tests runs no hooks. A fault that fails one test ends no other.
function narrow(suite) {
  suite.tests = suite.tests.flatMap((test) => chosen.executions(idOf(test)).map((name, n) => named(n ? test.clone() : test, name)));
  suite._bail = false;
  suite.suites.forEach(narrow);
}

// So is every clone of it: mocha makes one for each retry.
function named(test, name) {
  const clone = test.clone;
  executions.set(test, name);
  test.clone = function () {
    return named(clone.call(this), name);
  };
  return test;
}

function report(runner) {
  const told = (test, phase, outcome, chain) =>
    events.write({ ev: 'result', id: idOf(test), phase, outcome, ms: Math.round(test.duration || 0), chain });
  const on = (name, fn) => runner.on(name, (...args) => guarded(() => fn(...args)));
  on('pass', (test) => told(test, 'test', 'passed', []));
  on('pending', (test) => told(test, 'test', 'skipped', []));
  on('fail', (runnable, error) => {
    const chained = chains.get(runnable) || chain.of(error);
    if (runnable.type !== 'hook') return told(runnable, 'test', 'failed', chained);
    const list = listOf(runnable);
    const phase = (HOOKS[list] || [])[1] || 'setup';
    const test = list === '_afterAll' ? latest : runnable.ctx && runnable.ctx.currentTest;
    // What was to be set up for them all is missing to all.
    const hit = list === '_beforeAll' ? testsIn(runnable.parent).filter((one) => !one.pending) : [test];
    for (const one of hit) if (one) told(one, phase, 'error', chained);
  });
}

function watchLoading(root) {
  root.on('pre-require', (context, file) => (loading = file || ''));
  root.on('post-require', () => (loading = ''));
  const file = Object.keys(require.cache).find((name) => /[\\/]lib[\\/]mocha\.c?js$/.test(name));
  const prototype = file && require.cache[file].exports.prototype;
  wrap(prototype, 'loadFilesAsync', (load) => function (...args) {
    return load.apply(this, args).catch((error) => Promise.reject((failure = error)));
  });
  process.on('exit', () => {
    if (!loading) return;
    events.announce('mocha');
    events.write({ ev: 'broken', file: frames.relative(loading), msg: failure ? String((failure && failure.message) || failure).slice(0, 4000) : 'it could not be loaded' });
  });
}

// One process, one test after another, whatever a configuration file says.
function makeSerial() {
  for (const word of ['--parallel', '--parallel=true', '-p']) {
    const at = process.argv.indexOf(word);
    if (at < 2) continue;
    process.argv.splice(at, 1);
    events.write({ ev: 'serial', what: `mocha ${word}` });
  }
  if (knowsParallel()) process.argv.splice(2, 0, '--no-parallel');
}

// Since version 8; one before it refuses the word. Where the version is not known, it is a late one.
function knowsParallel() {
  try {
    const file = fs.realpathSync(process.argv[1]);
    for (let folder = path.dirname(file); folder !== path.dirname(folder); folder = path.dirname(folder)) {
      const described = path.join(folder, 'package.json');
      if (!fs.existsSync(described)) continue;
      const { name, version } = JSON.parse(fs.readFileSync(described, 'utf8'));
      return name !== 'mocha' || Number.parseInt(version, 10) >= 8;
    }
  } catch {}
  return true;
}

function install() {
  if (!IS_MOCHA.test(process.argv[1] || '')) return;
  if (process.env.RETRIAL_SERIAL === '1') makeSerial();
  const { on } = EventEmitter.prototype;
  const roots = new WeakSet();
  EventEmitter.prototype.on = function (name, ...rest) {
    if (name === 'pre-require' && !roots.has(this)) {
      roots.add(this);
      guarded(() => watchLoading(this));
    } else if (this.constructor && /Runner$/.test(this.constructor.name) && typeof this.runSuite === 'function') {
      EventEmitter.prototype.on = on;
      guarded(() => wrapRunner(this));
    }
    return on.call(this, name, ...rest);
  };
}

function wrapRunner(runner) {
  events.announce('mocha');
  let prototype = runner;
  while (prototype && !Object.hasOwn(prototype, 'runSuite')) prototype = Object.getPrototypeOf(prototype);
  wrap(prototype, 'runSuite', wrapRunSuite);
  wrap(prototype, 'fail', wrapFail);
}

module.exports = { install };
