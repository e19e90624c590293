// Roots that a program names in its own code (`ca`): beside each stands, from here on, what Retrial
// signs with in its place (docs/certificates.md, "Authorities in code"). Nothing is taken away, and
// nothing else is trusted. Every client of TLS comes through tls.createSecureContext: https, http2,
// undici, grpc-js.
'use strict';
const tls = require('tls');
const path = require('path');
const { readFileSync, writeFileSync, linkSync, unlinkSync } = require('fs'); // now: a test may replace them
const events = require('./events.cjs');

const MOST = 32; // a list with more roots that nobody else knows is a bundle of the whole world
const BLOCK = /-----BEGIN (?:X509 )?CERTIFICATE-----([^-]*)-----END/g;
const added = new Map(); // the base64 of a root -> the PEM that stands for it
const files = new Map(); // read once

function read(name) {
  if (!files.has(name)) files.set(name, readFileSync(path.join(process.env.RETRIAL_TRUST, name), 'latin1'));
  return files.get(name);
}

const plain = (text) => text.replace(/\s+/g, '');
const rootsIn = (pem) => [...pem.matchAll(BLOCK)].map((block) => plain(block[1]));
const pemOf = (base64) => `-----BEGIN CERTIFICATE-----\n${base64.match(/.{1,64}/g).join('\n')}\n-----END CERTIFICATE-----\n`;

// The first that nobody has chosen, or that was chosen for this very root. A root comes to its place whole.
function standIn(root) {
  const folder = path.join(process.env.RETRIAL_TRUST, 'stand-ins');
  const draft = path.join(folder, `draft-${process.pid}-${process.hrtime.bigint()}`);
  writeFileSync(draft, pemOf(root));
  try {
    for (const [n, one] of rootsIn(read('stand-ins/all.pem')).entries()) {
      const place = path.join(folder, String(n).padStart(2, '0') + '.pem');
      try {
        linkSync(draft, place);
      } catch (error) {
        if (error.code !== 'EEXIST') throw error;
        if (readFileSync(place, 'latin1') !== pemOf(root)) continue;
      }
      return pemOf(one);
    }
    return '';
  } finally {
    unlinkSync(draft);
  }
}

// The PEM of what stands for the roots in this one; empty where there is nothing to add.
function beside(pem) {
  const roots = [...new Set(rootsIn(pem))];
  const [ours] = rootsIn(read('ca.pem'));
  if (!files.has('plain')) files.set('plain', plain(read('known.pem') + tls.rootCertificates.join('')));
  const fresh = roots.filter((root) => !files.get('plain').includes(root) && !added.has(root));
  if (!roots.length || roots.includes(ours) || fresh.length > MOST) return '';
  for (const root of fresh) added.set(root, standIn(root));
  return [...new Set(roots.map((root) => added.get(root) ?? read('ca.pem')))].join('');
}

function install() {
  const { createSecureContext } = tls;
  if (!process.env.RETRIAL_TRUST) return;
  // Retrial takes it from here on that this process may be right where it refuses a certificate.
  writeFileSync(path.join(process.env.RETRIAL_TRUST, 'stand-ins', `process-${process.pid}`), '', { mode: 0o600 });
  tls.createSecureContext = function (options) {
    try {
      if (options?.ca) {
        const own = [].concat(options.ca);
        const more = beside(own.map((one) => Buffer.from(one).toString('latin1')).join('\n'));
        if (more) return Reflect.apply(createSecureContext, this, [{ ...options, ca: [...own, more] }]);
      }
    } catch (error) {
      events.failed('trust', error);
    }
    return Reflect.apply(createSecureContext, this, arguments);
  };
}

module.exports = { install };
