// What a stack frame is, and how a place in a file is written.
'use strict';
const path = require('path');
const events = require('./events.cjs');
const maps = require('./maps.cjs');
const { readFileSync, realpathSync } = require('fs');

const here = process.cwd(); // tests change directories; `file` is relative to where we began
const ours = path.dirname(__dirname) + path.sep;
const APPLICATION = 0, LIBRARY = 1, RUNTIME = 2, AGENT = 3, LOADER = 4;
const kinds = new Map();
const relatives = new Map();

// These hand work on without meaning anything by it, and send nothing: between the application and them lies no
// library's entry.
const HANDS_ON = /^node:(internal\/(timers|async_hooks|process\/|modules\/|test_runner\/|vm|util|assert|per_context\/)|timers|async_hooks|events|test|vm|diagnostics_channel|util|assert)/;

function toPath(name) {
  if (!name.startsWith('file://')) return name;
  try {
    return decodeURIComponent(name.slice(7));
  } catch {
    return name.slice(7);
  }
}

function kind(name) {
  if (!name) return RUNTIME;
  let found = kinds.get(name);
  if (found === undefined) kinds.set(name, (found = classify(name)));
  return found;
}

function classify(name) {
  if (name.startsWith('node:internal/modules/esm/')) return LOADER;
  if (name.startsWith('node:')) return HANDS_ON.test(name) ? RUNTIME : LIBRARY;
  const file = toPath(name);
  if (!path.isAbsolute(file)) return RUNTIME;
  if (file.startsWith(ours)) return AGENT;
  return file.includes('/node_modules/') && !isOfApplication(file) ? LIBRARY : APPLICATION;
}

// The packages that are the application where they are installed: those that the user says, else the one that the
// project's own file names.
let application;
const told = new Set();
function names() {
  if (process.env.RETRIAL_APPLICATION) return process.env.RETRIAL_APPLICATION.split(',');
  for (let folder = here; ; folder = path.dirname(folder)) {
    try {
      const name = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')).name;
      return typeof name === 'string' && name ? [name] : [];
    } catch {}
    if (folder === path.dirname(folder)) return [];
  }
}

const INSTALLED = '/node_modules/';
function isOfApplication(file) {
  const at = file.lastIndexOf(INSTALLED);
  if (at < 0) return false;
  application ||= names();
  const found = application.find((name) => file.startsWith(name + '/', at + INSTALLED.length));
  if (found && !told.has(found)) events.write({ ev: 'application', package: found });
  if (found) told.add(found);
  return Boolean(found);
}

// `name` relative to the working directory where it lies below it; of the application's own package where it is
// installed, relative to that place; else absolute.
function relative(name) {
  let found = relatives.get(name);
  if (found !== undefined) return found;
  const file = (found = toPath(name));
  if (isOfApplication(file)) {
    relatives.set(name, (found = file.slice(file.lastIndexOf(INSTALLED) + INSTALLED.length)));
    return found;
  }
  const candidates = [file];
  try {
    candidates.push(realpathSync(file));
  } catch {}
  for (const candidate of candidates) {
    const inside = path.relative(here, candidate);
    if (inside && !inside.startsWith('..') && !path.isAbsolute(inside)) {
      found = inside;
      break;
    }
  }
  relatives.set(name, found);
  return found;
}

let mapOf = maps.of; // file -> the source map (Node's SourceMap) of what was loaded for it, or none

// The line that the author wrote, where a loader or a runner compiles sources in memory. What was compiled into a file of
// its own (dist/app.js of src/app.ts) is named by that file's lines.
function line(name, generated, column) {
  if (!generated) return generated;
  try {
    const map = mapOf(toPath(name));
    const entry = map && map.findEntry(generated - 1, Math.max(0, (column || 1) - 1));
    if (!entry || !Number.isInteger(entry.originalLine)) return generated;
    const own = !entry.originalSource || path.basename(entry.originalSource) === path.basename(toPath(name));
    return own ? entry.originalLine + 1 : generated;
  } catch {
    return generated;
  }
}

const testFiles = new Set();

function isTestFile(name) {
  const file = relative(name);
  if (testFiles.has(file)) return true;
  if (path.isAbsolute(file) || file.includes('node_modules/') || name.startsWith('node:')) return false;
  return /(^|\/)(tests?|__tests__|spec)\//.test(file) || /[.\-_](test|spec)\.[cm]?[jt]sx?$/.test(file) ||
    /(^|\/)test([-_].*)?\.[cm]?[jt]s$/.test(file);
}

const tests = new Map(); // name -> is it of a test file

function inTest(name) {
  let found = tests.get(name);
  if (found === undefined) tests.set(name, (found = isTestFile(name)));
  return found;
}

// Of a test runner, what calls a test's own functions.
const RUNNERS = /^node:internal\/test_runner\/|\/node_modules\/(mocha\/lib|jest-circus|@vitest\/runner)\//;
const runners = new Map(); // name -> is it of one

function isRunner(name) {
  let found = runners.get(name);
  if (found === undefined) runners.set(name, (found = RUNNERS.test(name)));
  return found;
}

module.exports = {
  APPLICATION, LIBRARY, RUNTIME, AGENT, LOADER, kind, relative, isTestFile, inTest, isRunner, line,
  useMaps: (fn) => (mapOf = fn),
  addTestFile: (name) => {
    testFiles.add(relative(name));
    tests.clear();
  },
};
