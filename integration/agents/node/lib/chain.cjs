// A failure as the contract's chain: every error, outermost first, and how each hangs on the one
// before.
'use strict';
const { inspect } = require('util');
const frames = require('./frames.cjs');

const MOST_ERRORS = 16;
const MOST_CHARACTERS = 4000;

function of(error) {
  const out = [];
  if (error !== undefined && error !== null) add(error, 'raised', out, new Set());
  return out;
}

function add(error, link, out, seen) {
  while (error !== undefined && error !== null && !seen.has(error) && out.length < MOST_ERRORS) {
    seen.add(error);
    out.push(entry(error, link));
    if (Array.isArray(error.errors)) for (const member of error.errors) add(member, 'member', out, seen);
    error = error.cause;
    link = 'cause';
  }
}

// What a value says of itself. An error that a runner has passed on may have a `toString` that is none any more.
function words(value) {
  try {
    return String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

const SHOWN = { depth: 6, breakLength: Infinity, maxArrayLength: 50, maxStringLength: 200 };

// chai's assertion (vitest's, too) leaves out what is beyond 40 characters of the values that it holds against each other.
// A runner that has passed it on has made a text of them.
function inFull(message, actual) {
  if (!/…\(\d+\)/.test(words(message)) || actual === null || actual === undefined) return message;
  try {
    return `${message}: it was ${typeof actual === 'string' ? actual.replace(/\s+/g, ' ') : inspect(actual, SHOWN)}`;
  } catch {
    return message;
  }
}

function entry(error, link) {
  const isObject = typeof error === 'object';
  const message = isObject ? inFull(error.message, error.actual) : undefined;
  const result = { type: typeOf(error), msg: words(message ?? error).slice(0, MOST_CHARACTERS) };
  const code = isObject ? codeOf(error) : null;
  if (code !== null) result.code = code;
  result.link = link;
  const places = isObject ? placesIn(error.stack) : [];
  const raised = raisedAt(result.type, places);
  if (raised) Object.assign(result, { ...raised, file: frames.relative(raised.file) });
  result.in_test = Boolean(raised) && frames.isTestFile(raised.file);
  return result;
}

// The code and the status that it holds, or null.
function codeOf(error) {
  const says = (value) => typeof value === 'string' || typeof value === 'number';
  const status = [error.status, error.statusCode, error.response && error.response.status].find(says);
  const said = [error.code, status].filter(says);
  return said.length > 0 ? said.join(' ') : null;
}

function typeOf(error) {
  if (typeof error !== 'object') return typeof error;
  const made = error.constructor && error.constructor.name;
  return words(error.name && error.name !== 'Error' ? error.name : made || error.name || 'Error');
}

// { file, line, function } of each frame of a stack's text, innermost first. The text, since it is
// what source maps have corrected.
function placesIn(stack) {
  const places = [];
  for (const line of words(stack || '').split('\n')) {
    const found = /^\s+at (?:(.*?) \()?(?:async )?((?:file:\/\/|node:|\/).*?):(\d+):\d+\)?$/.exec(line);
    if (!found) continue;
    const named = (found[1] || '').replace(/^(async |new |Object\.|Module\.)+/, '').replace(/ \[as .*\]$/, '');
    places.push({ file: found[2], line: Number(found[3]), function: named || '<anonymous>' });
  }
  return places;
}

// An assertion library fails for its caller: there its own frames do not count.
function raisedAt(type, places) {
  const raised = places.find((place) => !place.file.startsWith('node:'));
  if (!/^Assertion(Error)?$|^AssertionError|^JestAssertionError$/.test(type)) return raised;
  return places.find((place) => frames.kind(place.file) === frames.APPLICATION) || raised;
}

module.exports = { of };
