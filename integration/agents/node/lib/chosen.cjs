// The tests that RETRIAL_ONLY asks for, by id: `file > suite > name`.
'use strict';
const fs = require('fs');
const frames = require('./frames.cjs');

let ids; // undefined: not read yet; null: all tests are wanted

function wanted() {
  if (ids !== undefined) return ids;
  const file = process.env.RETRIAL_ONLY;
  return (ids = file ? new Set(fs.readFileSync(file, 'utf8').split('\n').filter(Boolean)) : null);
}

// One line, whatever the names are; a test whose file is not known begins with its suite.
function id(file, names) {
  const words = [...(file ? [frames.relative(file)] : []), ...names];
  return words.map((word) => String(word).replace(/\s*[\r\n]+\s*/g, ' ')).join(' > ');
}

module.exports = {
  id,
  // The names by which that test is asked for: its own, or `ID [again 2]`, one for each time it is to run.
  executions: (id) => [...(wanted() || [])].filter((one) => one.replace(/ \[again \d+\]$/, '') === id),
  some: () => wanted() !== null, // not all tests are to run
  has: (id) => wanted() === null || wanted().has(id),
  // Is there such a test in that file? Also true where an id names none.
  hasFile(file) {
    const start = id(file, []) + ' > ';
    return wanted() === null || [...wanted()].some((one) => one.startsWith(start));
  },
};
