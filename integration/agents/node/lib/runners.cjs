// Hooks of test runners: one file a runner below runners/, which an adapter names (campaign/workload/adapters).
'use strict';
const fs = require('fs');
const path = require('path');
const events = require('./events.cjs');

function install() {
  const folder = path.join(__dirname, 'runners');
  for (const file of fs.readdirSync(folder).filter((name) => name.endsWith('.cjs'))) {
    try {
      require(path.join(folder, file)).install();
    } catch (error) {
      events.failed(file, error);
    }
  }
}

module.exports = { install };
