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
const frames = require('./frames.cjs');
const stack = require('./stack.cjs');

const DEEP = 100;
const SHALLOW = 10;
const COURSE = 7; // a callback that makes the next request, and so on for ever, has no outermost
const LOADING = -1;
const CONNECTIONS = new Set(['TCPWRAP', 'TCPSERVERWRAP', 'TLSWRAP', 'PIPEWRAP', 'PIPESERVERWRAP',
  'HTTPINCOMINGMESSAGE', 'HTTPCLIENTREQUEST', 'STREAM_END_OF_STREAM', 'TTYWRAP', 'PROCESSWRAP']);
const CAPTURED = new Set(['PROMISE', 'Timeout', 'Immediate', 'Microtask']);

// resource -> { site, callers, chain, entry, library, course: [{ site, entry, library }], the outermost first };
// `chain`: what goes on behind the frames of whatever is made in its course, its site the first; null: the test's.
const origins = new WeakMap();
const segments = new WeakMap(); // resource whose callback runs -> the entry it last made
const quiet = new WeakSet(); // promises that the runtime's own functions await (see entered)
const loading = new WeakSet(); // promises of the module loader, whose callbacks never run a module
const onNew = new Map(); // type of resource -> callback(resource), whose answer is its origin, null for none
let forced; // origin that stands for the running resource's (undefined: none does)
let entries = 0;
let within = false; // one entry runs that calls nobody back (see entered)
let busy = false;

function inherited() {
  return forced !== undefined ? forced : origins.get(executionAsyncResource());
}

// Reads call sites until the innermost application frame that runs now. `awaited`: also one that
// awaits this code.
function place(sites, awaited) {
  for (let i = 0; i < sites.length; i++) {
    const site = sites[i];
    if (!awaited && site.isAsync()) return null;
    const name = site.getFileName();
    if (frames.kind(name) === frames.APPLICATION) return { site, name, inside: sites, depth: i };
  }
  return sites.length;
}

// What lies between the innermost code and the application's frame: the outermost library
// function, '' where there is none, and the position of it all.
function describe(found) {
  found.marker = '';
  found.library = '';
  for (let i = 0; i < found.depth; i++) {
    const site = found.inside[i];
    const name = site.getFileName();
    if (frames.kind(name) !== frames.LIBRARY) continue;
    found.marker += name + site.getPosition() + ';';
    found.library = name + ' ' + site.getFunctionName();
    found.file = name;
  }
}

// The loader's functions that find and read modules. `run` and `import`, which evaluate them, are not among them; nor
// do these call them: so what is made by their callbacks is loading, too.
const LOADS = /^(_?link|resolve|load|loadAndTranslate|getSource|defaultLoad|addJobsToDependencyGraph|ModuleJob|#?createModuleJob|getModuleJob.*)$/;

function isLoading(sites) {
  for (const site of sites) {
    const kind = frames.kind(site.getFileName());
    if (kind === frames.LOADER) return LOADS.test(site.getFunctionName());
    if (kind === frames.LIBRARY) return false;
  }
  return false;
}

const loads = (sites) => {
  const found = place(sites, false);
  return typeof found === 'number' && isLoading(sites) ? LOADING : found;
};
const placeNow = (sites) => place(sites, false);
const placeAwaited = (sites) => place(sites, true);

// The call site and who called it.
function chainOf(found) {
  const own = callers.frameOf(found.site, found.name);
  const outer = inherited();
  const beyond = callers.beyond(found.inside, found.depth, own, outer && outer.chain);
  return { site: own.text, callers: beyond, chain: frames.inTest(found.name) ? null : [own, ...beyond] };
}

function newEntry() {
  return ++entries;
}

const NOTHING = [];

// The entries that what runs now is in the course of.
function course() {
  const outer = inherited();
  if (!outer) return NOTHING;
  if (!outer.entry) return outer.course;
  return outer.course.slice(-(COURSE - 1)).concat({ site: outer.site, entry: outer.entry, library: outer.library });
}

// The origin of what is made at `found`; a new entry where that is not the running one.
function originAt(found) {
  describe(found);
  if (!found.library) return { ...chainOf(found), entry: null, course: course(), now: true };
  const running = executionAsyncResource();
  const where = found.name + found.site.getPosition() + ' ' + found.library;
  const last = segments.get(running);
  if (last && last.where === where && !last.markers.has(found.marker)) {
    last.markers.add(found.marker);
    return last.origin;
  }
  const origin = { ...chainOf(found), entry: newEntry(), library: found.file, course: course() };
  segments.set(running, { where, markers: new Set([found.marker]), origin });
  return origin;
}

function init(id, type, trigger, resource) {
  if (busy || CONNECTIONS.has(type)) return;
  if (loading.has(executionAsyncResource())) {
    if (type === 'PROMISE') loading.add(resource);
    return;
  }
  busy = true;
  try {
    const created = onNew.get(type);
    let origin = created ? created(resource) : undefined;
    if (origin !== undefined) {
      // As it says.
    } else if (within) {
      origin = forced;
      if (type === 'PROMISE') quiet.add(resource);
    } else if (CAPTURED.has(type) && !(type === 'PROMISE' && quiet.has(executionAsyncResource()))) {
      // An await or a then seldom is a library's first act: a short look does.
      const chained = type === 'PROMISE' && trigger !== executionAsyncId();
      const found = stack.read(chained ? SHALLOW : DEEP, loads);
      if (found === LOADING) loading.add(resource);
      if (found === SHALLOW && chained) origin = lastEntry();
      if (found !== null && typeof found === 'object') origin = originAt(found);
    } else {
      origin = lastEntry();
    }
    if (origin === undefined) origin = inherited();
    if (origin) origins.set(resource, origin);
  } catch {
  } finally {
    busy = false;
  }
}

function lastEntry() {
  const last = segments.get(executionAsyncResource());
  return last && last.origin;
}

// A callback that runs again (an interval, a socket) begins anew.
function before() {
  segments.delete(executionAsyncResource());
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
// stands for all that it makes.
function entered(fn, self, args) {
  const was = within;
  let found = was ? forced : origin();
  if (found && !found.entry && found.now) found = { ...found, entry: newEntry() };
  within = true;
  try {
    return under(found, fn, self, args);
  } finally {
    within = was;
  }
}

// The running callback works for `origin` from now on.
function adopt(origin) {
  if (origin) origins.set(executionAsyncResource(), origin);
}

function install() {
  createHook({ init, before }).enable();
}

module.exports = { install, origin, under, entered, adopt, onNew };
