// What a test expects to be thrown, and is: whoever it calls told of a failure. node:assert's, and any `expect` (jest's, vitest's).
'use strict';
const Module = require('module');
const chain = require('./chain.cjs');
const current = require('./current.cjs');
const events = require('./events.cjs');

const ASSERT = /^(node:)?assert(\/strict)?$/;
const isPromise = (value) => value !== null && typeof value === 'object' && typeof value.then === 'function';
const seen = new WeakSet(); // one error is told once, however often it is looked at

function tell(error) {
  try {
    const stage = current.stage();
    const isObject = error !== null && typeof error === 'object';
    if (!stage || (isObject && seen.has(error))) return;
    if (isObject) seen.add(error);
    events.write({ ev: 'expected', id: stage.id, chain: chain.of(error) });
  } catch (problem) {
    events.failed('expected', problem);
  }
}

// The same, and what it throws or is rejected with is told of.
function watched(value) {
  if (isPromise(value)) value.then(undefined, tell);
  if (typeof value !== 'function') return value;
  return function (...args) {
    try {
      const made = value.apply(this, args);
      return isPromise(made) ? watched(made) : made;
    } catch (error) {
      tell(error);
      throw error;
    }
  };
}

let wrapped = false;

function wrapAssert() {
  if (wrapped) return;
  wrapped = true;
  const assert = require('assert');
  for (const one of new Set([assert, assert.strict])) {
    for (const name of ['throws', 'rejects']) {
      const own = one[name];
      one[name] = function (actual, ...rest) {
        return own.call(this, watched(actual), ...rest);
      };
    }
  }
  Module.syncBuiltinESMExports();
}

// By `import` it comes past Module._load: it is there when a test begins. Loading it for nobody would cost.
function begun() {
  if (!wrapped && process.moduleLoadList.includes('NativeModule assert')) wrapAssert();
}

// `expect` of jest: what it makes has the matchers as its own properties.
function ofJest(expect) {
  return new Proxy(expect, {
    apply(target, self, [actual, ...rest]) {
      const made = Reflect.apply(target, self, [actual, ...rest]);
      const again = (property) => Reflect.apply(target, self, [watched(actual), ...rest])[property];
      if (isPromise(actual) || typeof actual === 'function') lend(made, 'rejects', again);
      if (typeof actual === 'function') ['toThrow', 'toThrowError'].forEach((name) => lend(made, name, again));
      return made;
    },
  });
}

function lend(made, name, again) {
  if (made && name in made) Object.defineProperty(made, name, { configurable: true, enumerable: true, get: () => again(name) });
}

const met = new WeakSet();

// `expect` of vitest: chai's, so all that it makes share one prototype, and keep what they are about as a flag.
function ofVitest() {
  const expect = globalThis[Symbol.for('expect-global')];
  const prototype = typeof expect === 'function' && Object.getPrototypeOf(expect(0));
  if (!prototype || met.has(prototype)) return;
  met.add(prototype);
  for (const name of ['rejects', 'toThrow', 'toThrowError', 'throw', 'throws', 'Throw']) {
    const own = Object.getOwnPropertyDescriptor(prototype, name);
    if (!own || !own.configurable) continue;
    const watching = function () {
      const flags = this.__flags;
      if (flags && !flags.promise && (name === 'rejects' || typeof flags.object === 'function')) flags.object = watched(flags.object);
      return own.get ? own.get.call(this) : own.value;
    };
    Object.defineProperty(prototype, name, { configurable: true, enumerable: own.enumerable, get: watching });
  }
}

function install() {
  const load = Module._load;
  Module._load = function (request, ...rest) {
    if (typeof request === 'string' && ASSERT.test(request)) wrapAssert();
    return load.call(this, request, ...rest);
  };
  current.onBegin(begun);
}

module.exports = { install, ofJest, ofVitest };
