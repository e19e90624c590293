// Reports jest, whose tests jest-circus runs: the events that it sends to the test environment. It waits for each to
// be taken, so a test does not begin before it is told.
'use strict';
const fs = require('fs');
const Module = require('module');
const chain = require('../chain.cjs');
const chosen = require('../chosen.cjs');
const current = require('../current.cjs');
const events = require('../events.cjs');
const expected = require('../expected.cjs');
const frames = require('../frames.cjs');
const grpcJs = require('../grpc_js.cjs');

const IS_JEST = /(^|[\\/])jest(\.[cm]?js)?$/;
const IS_CIRCUS = /jest-circus[\\/](build[\\/])?(runner|legacy-code-todo-rewrite[\\/]jestAdapter)(\.js)?$/;
const PHASES = { beforeAll: 'shared', afterAll: 'shared', beforeEach: 'setup', afterEach: 'teardown' };
const NO_LIMIT = 2 ** 31 - 1;
const liftsTimeLimit = process.env.RETRIAL_NO_TIME_LIMIT === '1';
const reported = Symbol('retrial');

// What the tests of one file tell.
class File {
  constructor(file) {
    this.file = file;
    this.failedIn = new Map(); // test -> the phase in which it failed first
    this.names = new WeakMap(); // what tests go by that are to run several times
    this.stage = null;
    this.latest = null;
  }

  id(node) {
    if (this.names.has(node)) return this.names.get(node);
    const names = [];
    for (let it = node; it && it.parent; it = it.parent) names.unshift(it.name);
    return chosen.id(this.file, names);
  }

  begin(node, phase) {
    this.end();
    this.stage = current.begin(this.id(node), phase);
  }

  end() {
    if (this.stage) this.stage.done();
    this.stage = null;
  }

  narrow(block) {
    block.children = block.children.flatMap((child) => {
      if (child.type === 'describeBlock') this.narrow(child);
      else if (!chosen.has(this.id(child))) child.mode = 'skip';
      else if (!child.concurrent) return this.executions(child);
      return [child];
    });
  }

  executions(test) {
    return chosen.executions(this.id(test)).map((name, n) => {
      const own = { errors: [], retryReasons: [], unhandledRejectionErrorByPromise: new Map() };
      const execution = n ? { ...test, ...own } : test;
      this.names.set(execution, name);
      return execution;
    });
  }

  tell(test, phase, outcome, chained) {
    events.write({ ev: 'result', id: this.id(test), phase, outcome, ms: Math.round(test.duration || 0), chain: chained });
  }

  take(event, state) {
    const test = event.test || state.currentlyRunningTest;
    if (liftsTimeLimit && event.hook) event.hook.timeout = NO_LIMIT;
    if (liftsTimeLimit && event.test) event.test.timeout = NO_LIMIT;
    switch (event.name) {
      case 'run_start':
        if (chosen.some()) this.narrow(state.rootDescribeBlock);
        break;
      case 'hook_start': {
        const phase = PHASES[event.hook.type];
        this.begin(phase === 'shared' || !test ? event.hook.parent : test, phase || 'shared');
        break;
      }
      case 'test_fn_start':
        this.begin((this.latest = event.test), 'test');
        break;
      case 'hook_failure':
        this.end();
        if (event.hook.type === 'afterAll' && this.latest) this.tell(this.latest, 'teardown', 'error', chain.of(thrown(event.error)));
        else if (test && !this.failedIn.has(test)) this.failedIn.set(test, PHASES[event.hook.type]);
        break;
      case 'test_fn_failure':
        if (!this.failedIn.has(event.test)) this.failedIn.set(event.test, 'test');
        this.end();
        break;
      case 'hook_success':
      case 'test_fn_success':
        this.end();
        break;
      case 'test_retry':
        this.failedIn.delete(event.test);
        break;
      case 'test_skip':
      case 'test_todo':
        if (chosen.has(this.id(event.test))) this.tell(event.test, 'test', 'skipped', []);
        break;
      case 'test_done': {
        const [first] = event.test.errors;
        const phase = first === undefined ? 'test' : this.failedIn.get(event.test) || 'setup'; // else its beforeAll
        const outcome = first === undefined ? 'passed' : phase === 'test' ? 'failed' : 'error';
        this.tell(event.test, phase, outcome, chain.of(thrown(first)));
        break;
      }
    }
  }
}

// jest keeps an error beside one that it made in the place of the call.
const thrown = (error) => (Array.isArray(error) ? error[0] || error[1] : error);

// A transform (babel-jest, by default) writes lines of its own, and a map from them beside it: the runtime knows where.
function findMaps(runtime) {
  if (!runtime || typeof runtime.getSourceMaps !== 'function') return;
  const known = new Map(); // path of a map -> it
  frames.useMaps((file) => {
    const path = runtime.getSourceMaps().get(file);
    if (path && !known.has(path)) known.set(path, new Module.SourceMap(JSON.parse(fs.readFileSync(path, 'utf8'))));
    return path ? known.get(path) : null;
  });
}

// The one that tests import from @jest/globals is the global one.
function watchExpect(runtime) {
  const own = runtime && runtime.setGlobalsForRuntime;
  if (!own) return;
  runtime.setGlobalsForRuntime = function (globals, ...rest) {
    if (globals && typeof globals.expect === 'function') globals.expect = expected.ofJest(globals.expect);
    return own.call(this, globals, ...rest);
  };
}

// Modules of a test's are loaded by jest's runtime alone.
function watchModules(runtime) {
  const own = runtime && runtime.requireModuleOrMock;
  if (!own) return;
  runtime.requireModuleOrMock = function (from, name, ...rest) {
    const loaded = own.call(this, from, name, ...rest);
    grpcJs.onLoaded(name, loaded);
    return loaded;
  };
}

function wrapRunner(run) {
  return async function (globalConfig, config, environment, runtime, path, ...rest) {
    events.announce('jest');
    frames.addTestFile(path);
    findMaps(runtime);
    watchExpect(runtime);
    watchModules(runtime);
    const file = new File(path);
    const own = environment.handleTestEvent;
    environment.handleTestEvent = async function (event, state) {
      try {
        file.take(event, state);
      } catch (error) {
        events.failed('jest', error);
      }
      if (own) return own.call(environment, event, state);
    };
    try {
      return await run.call(this, globalConfig, config, environment, runtime, path, ...rest);
    } catch (error) {
      events.write({ ev: 'broken', file: frames.relative(path), msg: String((error && error.message) || error).slice(0, 4000) });
      throw error;
    }
  };
}

// Takes an option with its value out of the command line, by any of its names.
function drop(names, value) {
  for (let i = 2; i < process.argv.length; i++) {
    const word = process.argv[i];
    if (!names.some((name) => word === name || word.startsWith(name + '='))) continue;
    process.argv.splice(i, names.includes(word) && value.test(process.argv[i + 1] || '') ? 2 : 1);
    i--;
  }
}

function install() {
  if (IS_JEST.test(process.argv[1] || '')) {
    if (process.env.RETRIAL_SERIAL === '1') {
      drop(['--maxWorkers', '-w'], /./);
      drop(['--runInBand', '-i'], /^(true|false)$/);
      process.argv.splice(2, 0, '--runInBand');
    }
    if (process.env.RETRIAL_ONLY) {
      drop(['--bail', '-b'], /^(\d+|true|false)$/);
      process.argv.splice(2, 0, '--bail=0');
    }
  }
  const load = Module._load;
  Module._load = function (request, ...rest) {
    const loaded = load.call(this, request, ...rest);
    if (typeof request !== 'string' || !IS_CIRCUS.test(request)) return loaded;
    const run = loaded.default || loaded;
    return typeof run === 'function' ? (run[reported] ||= wrapRunner(run)) : loaded;
  };
}

module.exports = { install };
