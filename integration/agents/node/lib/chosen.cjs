// The tests that RETRIAL_ONLY asks for, by id: `file > suite > name`. One that is to run several times stands there as
// often: by its id, and by `ID [again 2]`, which that execution goes by.
'use strict';
const fs = require('fs');
const frames = require('./frames.cjs');

const AGAIN = / \[again \d+\]$/;
let names; // of each test's executions, by its id; undefined: not read yet; null: all tests are wanted

function wanted() {
  if (names !== undefined) return names;
  const file = process.env.RETRIAL_ONLY;
  names = file ? new Map() : null;
  for (const name of file ? fs.readFileSync(file, 'utf8').split('\n').filter(Boolean) : []) {
    const id = name.replace(AGAIN, '');
    if (!names.has(id)) names.set(id, []);
    names.get(id).push(name);
  }
  return names;
}

// One line, whatever the names are; a test whose file is not known begins with its suite.
function id(file, names) {
  const words = [...(file ? [frames.relative(file)] : []), ...names];
  return words.map((word) => String(word).replace(/\s*[\r\n]+\s*/g, ' ')).join(' > ');
}

module.exports = {
  id,
  some: () => wanted() !== null, // not all tests are to run
  has: (id) => wanted() === null || wanted().has(id),
  executions: (id) => (wanted() && wanted().get(id)) || [],
  // Is there such a test in that file? Also true where an id names none.
  hasFile(file) {
    const start = id(file, []) + ' > ';
    return wanted() === null || [...wanted().keys()].some((one) => one.startsWith(start));
  },
};
