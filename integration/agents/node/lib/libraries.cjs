// The library that a call was given to, by name and version as its nearest package.json has them; of Node's own
// modules "Node v22.1.0 http".
'use strict';
const path = require('path');
const { readFileSync } = require('fs');
const { encode } = require('./wire.cjs');

const names = new Map(); // file -> name, encoded

function nameOf(file) {
  let found = names.get(file);
  if (found === undefined) names.set(file, (found = encode(read(file), ',')));
  return found;
}

function read(file) {
  if (file.startsWith('node:')) return `Node ${process.version} ${file.slice(5).split('/').pop()}`;
  const at = file.startsWith('file://') ? decodeURIComponent(file.slice(7)) : file;
  for (let folder = path.dirname(at); ; folder = path.dirname(folder)) {
    try {
      const { name, version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
      if (name) return version ? `${name} ${version}` : name; // a folder's own file may say its type alone
    } catch {}
    if (folder === path.dirname(folder) || path.basename(path.dirname(folder)) === 'node_modules') return '';
  }
}

module.exports = { nameOf };
