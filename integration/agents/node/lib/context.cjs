// Where a call comes from, and which entry into a library it belongs to, across callbacks, timers
// and promises.
//
// An asynchronous resource (a promise, a timer, ...) that is made while an application frame is on
// the stack gets an origin: the call site (the innermost such frame), and the entry into the
// outermost library function just inside of it. What is made without one inherits the origin of
// the resource whose callback runs. So a library's retry, however it waits, still knows its entry.
//
// JavaScript cannot mark a frame, so an entry is told by what happens in it. Within one callback,
// what runs below one place of the application is one entry until a position on the stack, from
// the library's inside to that place, comes up again: that is the application's loop going round
// (or the library's, which then only splits one entry in two, and unequal ids prove nothing).
//
// Loading ES modules makes some forty promises a module, and calls nobody: what it makes is known by
// what it runs in (see isLoading), for a look at the stack costs more than all else here.
//
// What the application does while a library's entry runs (an interceptor, a hook) is of a new origin, whose
// `course` names the entries that it runs in the course of.
//
// Sockets outlive calls: they carry no origin. What a request emits runs under that request's own
// origin (see under).
'use strict';
const { createHook, executionAsyncResource, executionAsyncId } = require('async_hooks');
const callers = require('./callers.cjs');
const current = require('./current.cjs');
const frames = require('./frames.cjs');
const { notes } = require('./notes.cjs');
const places = require('./places.cjs');
const stack = require('./stack.cjs');

const DEEP = 100;
const SHALLOW = 10;
const COURSE = 7; // a callback that makes the next request, and so on for ever, has no outermost
const LOADING = -1;
const CONNECTION = 1, PROMISE = 2, CAPTURED = 3;
const SORTS = new Map([
  ...['TCPWRAP', 'TCPSERVERWRAP', 'TLSWRAP', 'PIPEWRAP', 'PIPESERVERWRAP', 'HTTPINCOMINGMESSAGE', 'HTTPCLIENTREQUEST',
    'STREAM_END_OF_STREAM', 'TTYWRAP', 'PROCESSWRAP'].map((type) => [type, CONNECTION]),
  ['PROMISE', PROMISE],
  ...['Timeout', 'Immediate', 'Microtask'].map((type) => [type, CAPTURED]),
]);

// What is known of a resource: { origin, state }.
const known = notes();
// Its origin: { site, callers, chain, statement, entry, library, course: [{ site, entry, library }], the outermost first };
// `chain`: what goes on behind the frames of whatever is made in its course, its site the first; null: the test's. `statement`:
// of the test, as file:line:function.
// Its state:
const QUIET = 1; // a promise that the runtime's own functions await (see entered)
const LOADS = 2; // a promise of the module loader, whose callbacks never run a module
const AWAITED = 3; // a promise by which a function of the application goes on
const SEALED = 4; // of the runtime's fetch: nothing that is made in its course ever runs the application (see entered)
const BARE = [0, QUIET, LOADS, AWAITED, SEALED].map((state) => ({ origin: undefined, state }));

const segments = notes(); // of the resource whose callback runs: the entry it last made
const timers = new WeakSet(); // functions of the runtime's undici that it gives to timers: they work for no one call
const onNew = new Map(); // type of resource -> callback(resource), whose answer is its origin, null for none
let forced; // origin that stands for the running resource's (undefined: none does)
let entries = 0;
let within = 0; // QUIET or SEALED while one entry runs that calls nobody back (see entered)
let sealing = true;
let innermost = null; // what the last look found of a library
let busy = false;

function note(resource, origin, state) {
  if (!origin) return state ? known.set(resource, BARE[state]) : undefined;
  known.set(resource, ((origin.notes ||= [])[state] ||= { origin, state }));
}

function inherited() {
  return forced !== undefined ? forced : known.get(executionAsyncResource())?.origin;
}

// Reads call sites until the innermost application frame that runs now. `awaited`: also one that
// awaits this code. What lies between it and the innermost code: the outermost library function, null where there is
// none, the position of it all, and whether it is `bare` of all but what made us look.
function place(sites, awaited) {
  let marker = '', library = null, bare = true;
  innermost = null;
  for (let depth = 0; depth < sites.length; depth++) {
    const at = places.of(sites[depth]);
    if (at.kind === frames.APPLICATION) {
      return !awaited && sites[depth].isAsync() ? null : { at, sites, depth, marker, library, bare };
    }
    if (at.kind === frames.LIBRARY) {
      marker += at.id + ';';
      library = at;
      innermost ||= at;
    }
    if (bare) bare = at.kind === frames.AGENT || at.file === 'node:internal/async_hooks';
  }
  return !awaited && sites.length && sites[sites.length - 1].isAsync() ? null : sites.length;
}

// The loader's functions that find and read modules. `run` and `import`, which evaluate them, are not among them; nor
// do these call them: so what is made by their callbacks is loading, too.
const LOADERS = /^(_?link|resolve|load|loadAndTranslate|getSource|defaultLoad|addJobsToDependencyGraph|ModuleJob|#?createModuleJob|getModuleJob.*)$/;

function isLoading(sites) {
  for (const site of sites) {
    const at = places.of(site);
    if (at.kind === frames.LOADER) return LOADERS.test(at.function);
    if (at.kind === frames.LIBRARY) return false;
  }
  return false;
}

const loads = (sites) => {
  const found = place(sites, false);
  return typeof found === 'number' && isLoading(sites) ? LOADING : found;
};
const placeNow = (sites) => place(sites, false);
const placeAwaited = (sites) => place(sites, true);

const isOfTest = ({ kind, file }) => kind === frames.APPLICATION && frames.inTest(file);
const hasTest = (sites) => sites.some((site) => isOfTest(places.of(site)));

// The call site, who called it, and for which statement of the test. A short look that saw no test may have ended
// before it.
function chainOf({ at, sites, depth }) {
  if (sites.length === SHALLOW && !hasTest(sites)) {
    const longer = stack.read(DEEP, placeAwaited);
    if (longer !== null && typeof longer === 'object' && longer.at === at) ({ sites, depth } = longer);
  }
  const own = callers.frameOf(sites[depth], at);
  const outer = inherited();
  const beyond = callers.beyond(sites, depth, at.file, own, outer ? outer.chain : undefined);
  const isCut = sites.length === SHALLOW || sites.length === DEEP;
  let statement = callers.statement(sites, depth, isCut);
  if (statement === undefined && outer) statement = outer.statement;
  return { site: own.text, callers: beyond, chain: frames.inTest(at.file) ? null : [own, ...beyond], statement };
}

const NOTHING = [];

// The entries that what runs now is in the course of.
function course() {
  const outer = inherited();
  if (!outer) return NOTHING;
  if (!outer.entry) return outer.course;
  return outer.course.slice(-(COURSE - 1)).concat({ site: outer.site, entry: outer.entry, library: outer.library });
}

function originOf({ site, callers, chain, statement }, entry, library, now) {
  return { site, callers, chain, statement, entry, library, course: course(), now, notes: null };
}

// The origin of what is made at `found`; a new entry where that is not the running one.
function originAt(found) {
  const { at, library, marker } = found;
  if (!library) return originOf(chainOf(found), null, undefined, true);
  const running = executionAsyncResource();
  const last = segments.get(running);
  if (last && last.at === at && last.file === library.file && last.function === library.function && !last.markers.has(marker)) {
    last.markers.add(marker);
    return last.origin;
  }
  const origin = originOf(chainOf(found), ++entries, library.file, false);
  segments.set(running, { at, file: library.file, function: library.function, markers: new Set([marker]), origin });
  return origin;
}

// A function that goes on after an await, and awaits again with nobody between: where it came from is known.
function goesOn({ sites, depth, bare }) {
  if (!bare || depth + 1 === SHALLOW) return false;
  const below = sites[depth + 1];
  return !below || below.getFileName() === 'node:internal/process/task_queues' || below.isAsync();
}

const UNDICI = 'node:internal/deps/undici';
const callbackOf = (timer) => timer._onTimeout || timer._onImmediate;

function init(id, type, trigger, resource) {
  if (busy) return;
  const sort = SORTS.get(type);
  if (sort === CONNECTION) return;
  const running = executionAsyncResource();
  const here = known.get(running);
  let state = here ? here.state : 0;
  if (state === LOADS) {
    if (sort === PROMISE) known.set(resource, BARE[LOADS]);
    return;
  }
  if (state === SEALED && !sealing) state = QUIET;
  busy = true;
  try {
    const created = sort === undefined ? onNew.get(type) : undefined;
    let origin = created ? created(resource) : undefined;
    let next = 0;
    if (origin !== undefined) {
      // As it says.
    } else if (within) {
      origin = forced;
      if (sort === PROMISE || (within === SEALED && sort !== undefined)) next = within;
    } else if (state === SEALED) {
      if (sort !== undefined) next = SEALED;
    } else if (sort === CAPTURED && timers.has(callbackOf(resource))) {
      // It inherits.
    } else if (sort !== undefined && !(sort === PROMISE && state === QUIET)) {
      // An await or a then seldom is a library's first act: a short look does.
      const chained = sort === PROMISE && trigger !== executionAsyncId();
      const found = stack.read(chained ? SHALLOW : DEEP, loads);
      if (found === LOADING) next = LOADS;
      if (found === SHALLOW && chained) origin = lastEntry(running);
      if (sort === CAPTURED && typeof found === 'number' && innermost?.file.startsWith(UNDICI) && callbackOf(resource)) timers.add(callbackOf(resource));
      if (found !== null && typeof found === 'object') {
        if (chained && found.bare) next = AWAITED;
        origin = chained && state === AWAITED && forced === undefined && here.origin && goesOn(found) ? here.origin : originAt(found);
        if (next === AWAITED && !origin.chain) origin.statement = null; // where a test's own function goes on, it is at another
      }
    } else {
      origin = lastEntry(running);
    }
    if (origin === undefined) origin = forced !== undefined ? forced : here?.origin;
    note(resource, origin, next);
  } catch {
  } finally {
    busy = false;
  }
}

function lastEntry(running) {
  const last = segments.get(running);
  return last && last.origin;
}

// A callback that runs again (an interval, a socket) begins anew.
function before() {
  const running = executionAsyncResource();
  if (segments.get(running)) segments.set(running, undefined);
}

// The origin of a request that is being made now, or null.
function origin() {
  busy = true; // what reading a stack makes is not the program's
  try {
    if (within) return forced;
    const found = stack.read(DEEP, placeNow);
    if (found !== null && typeof found === 'object') return originAt(found);
    const carried = inherited();
    if (carried) return carried;
    const awaited = stack.read(DEEP, placeAwaited);
    return awaited !== null && typeof awaited === 'object' ? { ...chainOf(awaited), entry: null, course: NOTHING } : null;
  } catch {
    return null;
  } finally {
    busy = false;
  }
}

// Runs `fn` as if the running resource had `origin`; AsyncLocalStorage sees nothing of it.
function under(origin, fn, self, args) {
  const was = forced;
  forced = origin;
  try {
    return Reflect.apply(fn, self, args);
  } finally {
    forced = was;
  }
}

// Runs `fn`, which calls nothing of the application's before it returns: one look at the stack
// stands for all that it makes; where `sealed`, for all that is ever made in its course.
function entered(fn, self, args, sealed) {
  const was = within;
  let found = was ? forced : origin();
  if (found && !found.entry && found.now) found = { ...found, entry: ++entries, notes: null };
  within = was || (sealed && sealing ? SEALED : QUIET);
  try {
    return under(found, fn, self, args);
  } finally {
    within = was;
  }
}

// From now on what a sealed entry makes may run the application: of that on we look again.
function unseal() {
  sealing = false;
}

// The running callback works for `origin` from now on.
function adopt(origin) {
  if (!origin) return;
  const running = executionAsyncResource();
  const state = known.get(running)?.state;
  note(running, origin, state === AWAITED ? 0 : state || 0);
}

// The running callback works for no call from now on: a test begins, whatever the one before it has left.
function leave() {
  const running = executionAsyncResource();
  const state = known.get(running)?.state;
  if (state !== undefined) known.set(running, BARE[state]);
}

// The number of a request that is sent now, of the same count as entries'.
const next = () => ++entries;

function install() {
  createHook({ init, before }).enable();
  current.onBegin(leave);
}

module.exports = { install, origin, under, entered, unseal, adopt, next, onNew };
