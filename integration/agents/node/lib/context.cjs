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
// Sockets outlive calls: they carry no origin. What a request emits runs under that request's own
// origin (see under).
'use strict';
const { createHook, executionAsyncResource, executionAsyncId } = require('async_hooks');
const frames = require('./frames.cjs');
const stack = require('./stack.cjs');

const DEEP = 100;
const SHALLOW = 8;
const CONNECTIONS = new Set(['TCPWRAP', 'TCPSERVERWRAP', 'TLSWRAP', 'PIPEWRAP', 'PIPESERVERWRAP',
  'HTTPINCOMINGMESSAGE', 'HTTPCLIENTREQUEST', 'STREAM_END_OF_STREAM', 'TTYWRAP', 'PROCESSWRAP']);
const CAPTURED = new Set(['PROMISE', 'Timeout', 'Immediate', 'Microtask']);

const origins = new WeakMap(); // resource -> { site, entry }
const segments = new WeakMap(); // resource whose callback runs -> the entry it last made
const onNew = new Map(); // type of resource -> callback(resource)
let forced; // origin that stands for the running resource's (undefined: none does)
let entries = 0;
let busy = false;

function inherited() {
  return forced !== undefined ? forced : origins.get(executionAsyncResource());
}

// Reads call sites until the innermost application frame that runs now. `awaited`: also one that
// awaits this code.
function place(sites, awaited) {
  let marker = '';
  let library = '';
  for (const site of sites) {
    if (site.isAsync() && !awaited) return null;
    const name = site.getFileName();
    const kind = frames.kind(name);
    if (kind === frames.APPLICATION) {
      return { site, name, marker, library, awaited: site.isAsync() };
    }
    if (kind === frames.LIBRARY) {
      marker += name + site.getPosition() + ';';
      library = name + ' ' + site.getFunctionName();
    }
  }
  return sites.length;
}

const placeNow = (sites) => place(sites, false);
const placeAwaited = (sites) => place(sites, true);

function text(found) {
  const fn = found.site.getFunctionName();
  return `${frames.relative(found.name)}:${found.site.getLineNumber()}:${fn || '<anonymous>'}`;
}

// The origin of what is made at `found`; a new entry where that is not the running one.
function originAt(found) {
  if (!found.library) return { site: text(found), entry: null };
  const running = executionAsyncResource();
  const where = found.name + found.site.getPosition() + ' ' + found.library;
  const last = segments.get(running);
  if (last && last.where === where && !last.markers.has(found.marker)) {
    last.markers.add(found.marker);
    return last.origin;
  }
  const origin = { site: text(found), entry: `${process.pid}-${++entries}` };
  segments.set(running, { where, markers: new Set([found.marker]), origin });
  return origin;
}

function init(id, type, trigger, resource) {
  if (busy || CONNECTIONS.has(type)) return;
  busy = true;
  try {
    const created = onNew.get(type);
    if (created) created(resource);
    let origin;
    if (CAPTURED.has(type)) {
      // An await or a then seldom is a library's first act: a short look does.
      const chained = type === 'PROMISE' && trigger !== executionAsyncId();
      const found = stack.read(chained ? SHALLOW : DEEP, placeNow);
      if (found !== null && typeof found === 'object') origin = originAt(found);
      else if (chained && found === SHALLOW) origin = lastEntry();
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
    const found = stack.read(DEEP, placeNow);
    if (found !== null && typeof found === 'object') return originAt(found);
    const carried = inherited();
    if (carried) return carried;
    const awaited = stack.read(DEEP, placeAwaited);
    return awaited !== null && typeof awaited === 'object' ? { site: text(awaited), entry: null } : null;
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

// The running callback works for `origin` from now on.
function adopt(origin) {
  if (origin) origins.set(executionAsyncResource(), origin);
}

function install() {
  createHook({ init, before }).enable();
}

module.exports = { install, origin, under, adopt, onNew };
