// Source maps of what is compiled as it is loaded: those that Node keeps itself (tsx, --enable-source-maps), and those
// that a loader hands over within the code (ts-node, esbuild-register, Babel).
'use strict';
const Module = require('module');
const { pathToFileURL } = require('url');

const MARK = '//# sourceMappingURL=data:application/json;';
const BASE64 = /^(?:charset=[\w-]+;)?base64,([A-Za-z0-9+/=]+)\s*$/;
const inline = new Map(); // file -> its map in base64, or, once it was asked for, the map

function keep(file, content) {
  const at = content.lastIndexOf(MARK);
  const found = at >= 0 && BASE64.exec(content.slice(at + MARK.length));
  if (found) inline.set(file, found[1]);
}

function parsed(file) {
  const map = inline.get(file);
  if (typeof map !== 'string') return map;
  const made = new Module.SourceMap(JSON.parse(Buffer.from(map, 'base64').toString('utf8')));
  inline.set(file, made);
  return made;
}

// The map of a file, by its path or its URL; undefined where there is none.
function of(file) {
  const url = file.startsWith('file://') ? file : pathToFileURL(file).href;
  return Module.findSourceMap(file) || Module.findSourceMap(url) || parsed(file);
}

function install() {
  const compile = Module.prototype._compile;
  Module.prototype._compile = function (content, file, ...rest) {
    if (typeof content === 'string' && typeof file === 'string' && !file.includes('/node_modules/')) keep(file, content);
    return Reflect.apply(compile, this, [content, file, ...rest]);
  };
}

module.exports = { install, of };
