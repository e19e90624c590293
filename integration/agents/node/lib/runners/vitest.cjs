// Reports vitest: the runner of a worker (forks or threads) is met as it is given its module runner, and its lifecycle
// methods (a public interface of it) are wrapped. What stands between them is named by its traces, since version 4.
'use strict';
const { SourceMap } = require('module');
const chain = require('../chain.cjs');
const chosen = require('../chosen.cjs');
const current = require('../current.cjs');
const events = require('../events.cjs');
const expected = require('../expected.cjs');
const frames = require('../frames.cjs');

const IS_VITEST = /(^|[\\/])vitest(\.m?js)?$/;
const MARKS = new Set(['moduleRunner', '__vitest_executor']); // by version
const STAGES = {
  'suite.beforeAll': 'shared', 'suite.afterAll': 'shared', 'test.beforeEach': 'setup', 'test.callback': 'test', 'test.afterEach': 'teardown',
  'test.cleanup': 'teardown',
};
const liftsTimeLimit = process.env.RETRIAL_NO_TIME_LIMIT === '1';

const clockOfOurs = performance; // a test may fake its own
const read = performance.now;
const now = () => read.call(clockOfOurs);

const runs = (task) => task.mode === 'run' || task.mode === 'queued';
const testsIn = (task) => (task.type === 'suite' ? task.tasks.flatMap(testsIn) : [task]);

function idOf(task) {
  const names = [];
  let node = task;
  for (; node && !node.filepath; node = node.suite || node.file) names.unshift(node.name);
  return chosen.id(node ? node.filepath : '', names);
}

function guarded(fn) {
  try {
    return fn();
  } catch (error) {
    events.failed('vitest', error);
  }
}

// What it is for vitest to repeat a test: its fixtures and hooks are run for each, and what it tells at last is of the last.
const mayRepeat = (test) => !test.concurrent && !test.fails && !test.repeats;

// Leaves those that are asked for, as often as they are. A suite without tests runs no hooks.
function narrow(task) {
  if (task.type !== 'suite') {
    if (runs(task) && !chosen.has(idOf(task))) task.mode = 'skip';
    else if (runs(task) && mayRepeat(task)) task.repeats = Math.max(0, chosen.executions(idOf(task)).length - 1);
    return;
  }
  task.tasks.forEach(narrow);
  if (runs(task) && task.tasks.length && !task.tasks.some(runs)) task.mode = 'skip';
}

// What one worker's tests tell.
class Report {
  constructor(runner) {
    this.runner = runner;
    this.test = null; // that runs
    this.execution = 0; // of it, from 0
    this.began = 0; // that execution
    this.suites = []; // around it
    this.latest = null; // the test that ran last
    this.failures = new Map(); // task -> { phase, error }, the first of each, as it was thrown
    this.told = new WeakSet();
    this.stage = null; // of versions without traces
  }

  // As that execution of it goes by.
  id(task) {
    const id = idOf(task);
    return (task === this.test && chosen.executions(id)[this.execution]) || id;
  }

  tell(test, phase, outcome, chained) {
    this.told.add(test);
    const ms = this.test === test ? Math.round(now() - this.began) : 0;
    events.write({ ev: 'result', id: this.id(test), phase, outcome, ms, chain: chained });
  }

  failed(task, phase, error) {
    if (!this.failures.has(task)) this.failures.set(task, { phase, error });
  }

  collected(files) {
    for (const file of files) {
      frames.addTestFile(file.filepath);
      if (file.result && file.result.state === 'fail') {
        const [error] = file.result.errors || [];
        events.write({ ev: 'broken', file: frames.relative(file.filepath), msg: String((error && error.message) || 'it could not be loaded').slice(0, 4000) });
      }
      if (chosen.some()) narrow(file);
    }
  }

  // `run` as the stage that its name says.
  during(name, run) {
    const phase = STAGES[name];
    const task = phase === 'shared' ? this.suites[this.suites.length - 1] : this.test;
    if (!phase || !task) return run();
    return Promise.resolve(current.during(this.id(task), phase, run)).catch((error) => {
      this.failed(task, name === 'suite.afterAll' ? 'teardown' : phase === 'shared' ? 'setup' : phase, error);
      throw error;
    });
  }

  beforeTest(test) {
    if (runs(test)) this.begin(test, 0);
    else if (chosen.has(idOf(test)) && test.mode !== 'todo') this.tell(test, 'test', 'skipped', []);
  }

  begin(test, execution) {
    this.test = this.latest = test;
    this.execution = execution;
    this.began = now();
  }

  // A further execution begins: the one before has come to its end.
  beforeTry(test, { retry, repeats } = {}) {
    if (test !== this.test || retry || !repeats || repeats === this.execution || !runs(test)) return;
    this.ended(test);
    this.failures.delete(test);
    this.begin(test, repeats);
    Object.assign(test.result, { state: 'run', errors: undefined });
  }

  afterTest(test) {
    this.ended(test);
    this.test = null;
  }

  ended(test) {
    const state = (test.result && test.result.state) || test.mode;
    if (state !== 'fail') return this.tell(test, 'test', state === 'pass' ? 'passed' : 'skipped', []);
    const known = this.failures.get(test);
    const phase = known ? known.phase : 'test';
    const error = known ? known.error : (test.result.errors || [])[0];
    this.tell(test, phase, phase === 'test' ? 'failed' : 'error', chain.of(error));
  }

  // What was to be set up for them all is missing to all.
  afterSuite(suite) {
    const known = this.failures.get(suite);
    if (!known) return;
    const hit = known.phase === 'setup' ? testsIn(suite).filter((test) => !this.told.has(test) && chosen.has(idOf(test))) : [this.latest];
    for (const test of hit) if (test) this.tell(test, known.phase, 'error', chain.of(known.error));
  }
}

// Has `fn` called with the arguments of the runner's method, before what the runner itself does.
function before(runner, name, fn) {
  const own = runner[name];
  runner[name] = function (...args) {
    guarded(() => fn(...args));
    return own && own.apply(this, args);
  };
}

const INLINE = /^\/\/# sourceMappingURL=data:application\/json;[^\n]*base64,([^\s]+)\s*$/gm;
const maps = new WeakMap(); // module -> its map

// Finds what vite made of a file: { code }, and it the same as long as that is.
function modulesOf(runner) {
  const modules = runner.moduleRunner && runner.moduleRunner.evaluatedModules;
  if (modules && modules.fileToModulesMap) return (file) => ([...(modules.fileToModulesMap.get(file) || [])][0] || {}).meta;
  const cache = runner.__vitest_executor && runner.__vitest_executor.moduleCache; // until version 3
  return cache && ((file) => cache.get(file));
}

// vite hands modules over with their maps in the last line.
function findMaps(runner) {
  const moduleOf = modulesOf(runner);
  if (!moduleOf) return;
  frames.useMaps((file) => {
    const module = moduleOf(file);
    if (!module || !module.code) return null;
    if (!maps.has(module)) {
      const found = [...module.code.matchAll(INLINE)].pop();
      maps.set(module, found ? new SourceMap(JSON.parse(Buffer.from(found[1], 'base64').toString())) : null);
    }
    return maps.get(module);
  });
}

function wrapRunner(runner) {
  events.announce('vitest');
  guarded(() => findMaps(runner));
  const report = new Report(runner);
  // vitest sets its own in the place of onCollected, and calls what stands there first.
  before(runner, 'onCollected', (files) => {
    expected.ofVitest();
    report.collected(files);
  });
  before(runner, 'onBeforeRunSuite', (suite) => report.suites.push(suite));
  before(runner, 'onAfterRunSuite', (suite) => {
    report.suites = report.suites.filter((one) => one !== suite);
    report.afterSuite(suite);
  });
  before(runner, 'onBeforeRunTask', (test) => report.beforeTest(test));
  before(runner, 'onAfterRunTask', (test) => report.afterTest(test));
  let trace;
  Object.defineProperty(runner, 'trace', {
    configurable: true,
    get: () => trace,
    set(own) {
      trace = (name, ...rest) => own(name, ...rest.slice(0, -1), () => report.during(name, rest[rest.length - 1]));
    },
  });
  withoutTraces(runner, report, () => trace);
  // Before what a stage without traces begins as: that goes by the execution.
  before(runner, 'onBeforeTryTask', (test, tries) => report.beforeTry(test, tries));
  if (runner.config && chosen.some()) runner.config.bail = 0;
  if (liftsTimeLimit) liftLimits(runner);
}

// Until version 3: a test's set-up is a part of it. One that fails is finished (from version 2 on) without having been tried.
function withoutTraces(runner, report, hasTraces) {
  const end = () => {
    if (report.stage) report.stage.done();
    report.stage = null;
  };
  const as = (phase) => (test) => {
    if (hasTraces()) return;
    end();
    report.stage = current.begin(report.id(test), phase);
  };
  before(runner, 'onBeforeTryTask', as('test'));
  before(runner, 'onAfterTryTask', as('teardown'));
  before(runner, 'onTaskFinished', as('teardown'));
  before(runner, 'onAfterRunTask', end);
}

// A limit that is none makes vitest keep no time. One that a test says itself is told by the runner's own fields, which
// are written just before its timer is set and its clock is read: that timer never ends, and no time has passed.
function liftLimits(runner) {
  if (runner.config) runner.config.testTimeout = runner.config.hookTimeout = 0;
  let began, limit;
  Object.defineProperty(runner, '_currentTaskStartTime', {
    configurable: true,
    get: () => began,
    set(time) {
      if (time === undefined) clock.at = began;
      began = time;
    },
  });
  Object.defineProperty(runner, '_currentTaskTimeout', {
    configurable: true,
    get: () => limit,
    set: (time) => (limit = clock.timer = time),
  });
}

const clock = { at: undefined, timer: undefined };
const never = { ref: () => never, unref: () => never, hasRef: () => false, refresh: () => never, [Symbol.toPrimitive]: () => -1 };

function lendClock() {
  const { setTimeout } = globalThis;
  globalThis.setTimeout = Object.assign(function (fn, ms, ...args) {
    const ours = clock.timer !== undefined && ms === clock.timer;
    clock.timer = undefined;
    return ours ? never : setTimeout(fn, ms, ...args);
  }, setTimeout);
  const promisify = require('util').promisify.custom;
  Object.defineProperty(globalThis.setTimeout, promisify, { get: () => setTimeout[promisify], configurable: true });
  const now = performance.now;
  performance.now = function () {
    const { at } = clock;
    clock.at = undefined;
    return at === undefined ? now.call(performance) : at;
  };
}

// One file after another, once.
function makeSerial() {
  const words = process.argv.slice(2);
  const verb = words.find((word) => !word.startsWith('-'));
  process.argv.push('--no-file-parallelism');
  if (!words.includes('--run') && !['run', 'related', 'bench', 'list', 'init', 'typecheck'].includes(verb)) process.argv.push('--run');
}

function install() {
  const isMain = IS_VITEST.test(process.argv[1] || '');
  if (isMain && process.env.RETRIAL_SERIAL === '1') makeSerial();
  if (!isMain && !process.env.VITEST) return;
  if (liftsTimeLimit && !isMain) lendClock();
  const define = Object.defineProperty;
  Object.defineProperty = function (object, key, descriptor) {
    const result = define(object, key, descriptor);
    if (MARKS.has(key) && object && typeof object.importFile === 'function') guarded(() => wrapRunner(object));
    return result;
  };
}

module.exports = { install };
