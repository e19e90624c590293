// Which requests had been answered by what a request is sent for: the order that a program keeps, however many of its
// tasks share the one thread (Lamport's "happened before", of requests).
//
// An asynchronous resource knows what whatever made it knew. A promise's reactions know besides what whoever settled
// it knew, and those of Promise.all and allSettled what all of their members' did. From its answer on a request's own
// callbacks know that request. So `await a(); b()` and `await Promise.all([a(), c()]); b()` order a before b;
// `Promise.all([a(), b()])` does not, though b may be sent last.
'use strict';
const { createHook, executionAsyncId, executionAsyncResource } = require('async_hooks');
const context = require('./context.cjs');
const { notes } = require('./notes.cjs');

const MOST = 16; // requests known by name, the latest: whoever knows them knows what they knew
const LONGEST = 1 << 14; // promises whose settling is remembered, twice: nobody says when the last has looked

const NOTHING = Object.freeze([]);
const knowledge = notes(); // of a resource: numbers, rising
const reactsTo = notes(); // of a promise: the number of the one that it awaits
const idOf = notes(); // of a promise
const sent = new WeakMap(); // request -> { own, knows }

// A map that forgets what is old.
class Lately {
  #young = new Map();
  #old = new Map();
  get(key) {
    return this.#young.get(key) ?? this.#old.get(key);
  }
  set(key, value) {
    if (this.#young.size >= LONGEST) [this.#old, this.#young] = [this.#young, new Map()];
    this.#young.set(key, value);
  }
}
const settled = new Lately(); // promise's number -> what whoever settled it knew
const members = new Lately(); // of Promise.all's promise -> its members' numbers

function union(a, b) {
  if (!b || b === a || b.length === 0) return a;
  if (!a || a.length === 0) return b;
  if (b.every((number) => a.includes(number))) return a;
  return [...new Set([...a, ...b])].sort((x, y) => x - y).slice(-MOST);
}

const known = () => knowledge.get(executionAsyncResource()) || NOTHING;

function learn(more) {
  const resource = executionAsyncResource();
  const now = union(knowledge.get(resource), more);
  if (now && now.length) knowledge.set(resource, now);
}

function init(id, type, trigger, resource) {
  const here = knowledge.get(executionAsyncResource());
  if (here) knowledge.set(resource, here);
  if (type !== 'PROMISE') return;
  idOf.set(resource, id);
  if (trigger !== executionAsyncId()) reactsTo.set(resource, trigger);
}

// What runs within another callback (AsyncResource.runInAsyncScope) was called by it.
const running = [];

function before(id) {
  const resource = executionAsyncResource();
  if (running.length) learn(knowledge.get(running.at(-1).resource));
  running.push({ id, resource });
  const awaited = reactsTo.get(resource);
  if (awaited === undefined) return;
  learn(settled.get(awaited));
  for (const member of members.get(awaited) || NOTHING) learn(settled.get(member));
}

function after(id) {
  while (running.length && running.pop().id !== id);
}

function promiseResolve(id) {
  const here = known();
  if (here.length) settled.set(id, union(settled.get(id), here));
}

let watching = false;

// The strands of a request that is sent now: the numbers of those whose answers led to it, rising, then its own.
function strands(request) {
  if (!watching || !request) return NOTHING;
  const knows = known();
  const own = context.next();
  sent.set(request, { own, knows });
  return [...knows, own];
}

// The running callback has that request's answer. A connection that is used again has been in other hands: what
// they knew goes.
function answered(request) {
  const of = watching && sent.get(request);
  if (of) knowledge.set(executionAsyncResource(), union(of.knows, [of.own]));
}

// The running callback goes on with that answer.
function goesOn(request) {
  const of = watching && sent.get(request);
  if (of) learn(union(of.knows, [of.own]));
}

function watch(name) {
  const { value: original, ...described } = Object.getOwnPropertyDescriptor(Promise, name);
  const wrapped = {
    [name](all) {
      const result = Reflect.apply(original, this, arguments);
      if (Array.isArray(all)) {
        const id = idOf.get(result);
        const found = all.map((one) => (one instanceof Promise ? idOf.get(one) : undefined)).filter((one) => one !== undefined);
        if (id !== undefined && found.length) members.set(id, found);
      }
      return result;
    },
  }[name];
  Object.defineProperty(Promise, name, { ...described, value: wrapped });
}

// Takes a suite of requests 10 to 20 % more of a processor: done where orders are looked at alone.
function install() {
  if (!process.env.RETRIAL_CAUSES) return;
  watching = true;
  createHook({ init, before, after, promiseResolve }).enable();
  process.on('uncaughtExceptionMonitor', () => running.splice(0)); // nothing is told of their ends
  watch('all');
  watch('allSettled');
}

module.exports = { install, strands, answered, goesOn };
