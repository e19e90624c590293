// Puts the tag on the wire, and only where Retrial's proxy takes it out again.
//
// TLS: the peer has shown a certificate of Retrial's own authority, so the proxy has opened it; what
// stays a tunnel shows the service's own. Clear text: the peer's address is loopback or private, as
// those of all connections that Retrial captures. Both are known when the socket hands bytes to its
// handle, and no earlier: a request is written before there is a connection. There the tag joins
// the head, behind its first line.
'use strict';
const net = require('net');
const { readFileSync } = require('fs');
const events = require('./events.cjs');

const KEY_ID = Buffer.from('0603551d0e04160414', 'hex'); // subjectKeyIdentifier of 20 bytes, RFC 5280 4.2.1.2
const ISSUER = Buffer.from('8014', 'hex'); // keyIdentifier of the authorityKeyIdentifier, 4.2.1.1
const WAITING = Symbol('retrial.waiting'); // { head(), lines } of the next head, if it is to have a tag
const OURS = Symbol('retrial.ours');

const connect = net.Socket.prototype.connect;
const authorities = issuers();

// The bytes by which leaves name the authorities in $RETRIAL_CA (PEM).
function issuers() {
  const path = process.env.RETRIAL_CA;
  if (!path) return [];
  try {
    const parts = readFileSync(path, 'latin1').split('-----BEGIN CERTIFICATE-----').slice(1);
    if (!parts.length) throw new Error('no certificate');
    return parts.map((part) => {
      const der = Buffer.from(part.split('-----END')[0], 'base64');
      const at = der.indexOf(KEY_ID);
      if (at < 0) throw new Error('no subjectKeyIdentifier');
      return Buffer.concat([ISSUER, der.subarray(at + KEY_ID.length, at + KEY_ID.length + 20)]);
    });
  } catch (error) {
    events.failed('RETRIAL_CA', error);
    return [];
  }
}

// True for a loopback or private address, as the proxy has it (link-local is neither).
function isNear(address) {
  if (!address) return false;
  const plain = address.toLowerCase().replace(/^::ffff:/, '');
  if (plain.includes(':')) return plain === '::1' || /^f[cd][0-9a-f]{2}:/.test(plain);
  return /^(127|10|192\.168|172\.(1[6-9]|2\d|3[01]))\./.test(plain);
}

function isOurs(socket) {
  if (socket[OURS] === undefined) socket[OURS] = socket.encrypted ? isOpened(socket) : isNear(socket.remoteAddress);
  return socket[OURS];
}

// A resumed handshake shows no certificate: there the session holds the one that began it.
function isOpened(socket) {
  if (!authorities.length) return false;
  const shown = socket.isSessionReused() ? socket.getSession() : (socket.getPeerX509Certificate() || {}).raw;
  return Boolean(shown) && authorities.some((issuer) => shown.includes(issuer));
}

// False while an interceptor (nock 15, msw) stands in the place of every socket's connect: what is
// written then reaches a mock.
function reachesTheWire() {
  return net.Socket.prototype.connect === connect;
}

// Whether what this socket carries is read by Retrial's proxy. It is connected, and its handshake done.
function isReached(socket) {
  return reachesTheWire() && isOurs(socket);
}

// The next bytes that `socket` writes get `lines` if they begin with head(), a head's text.
function expect(socket, head, lines) {
  if (lines && socket && typeof socket._writeGeneric === 'function') socket[WAITING] = { head, lines };
}

// The first line of the head that is expected, '' where these bytes (text, a buffer, or a list of
// { chunk }, as _writeGeneric takes them) are not that head, or it has a tag.
function firstLine(waiting, isList, data) {
  const first = isList ? data[0].chunk : data;
  const head = waiting.head();
  if (!head || typeof first !== 'string' || !first.startsWith(head)) return '';
  return /\r\nx-retrial-site:/i.test(head) ? '' : head.slice(0, head.indexOf('\r\n') + 2);
}

function linesFor(socket, waiting) {
  try {
    return isReached(socket) ? waiting.lines : '';
  } catch {
    return '';
  }
}

// `data` with `text` in place of its first line.
function beginning(text, line, isList, data) {
  if (!isList) return text + data.slice(line.length);
  const list = data.slice();
  list[0] = { ...data[0], chunk: text + data[0].chunk.slice(line.length) };
  return list;
}

function install() {
  const write = net.Socket.prototype._writeGeneric;
  net.Socket.prototype._writeGeneric = function (isList, data, encoding, done) {
    const waiting = this[WAITING];
    // While it connects, the original waits, and comes back here.
    if (waiting === undefined || this.connecting) return Reflect.apply(write, this, arguments);
    this[WAITING] = undefined;
    const line = firstLine(waiting, isList, data);
    if (!line) return Reflect.apply(write, this, arguments);
    if (!this.secureConnecting) {
      return write.call(this, isList, beginning(line + linesFor(this, waiting), line, isList, data), encoding, done);
    }
    // Whoever waits for a write is told why the handshake failed, and so one is under way: of the
    // first line, which goes out when the handshake is done.
    return write.call(this, false, line, 'latin1', (error) => {
      if (error) return done(error);
      write.call(this, isList, beginning(linesFor(this, waiting), line, isList, data), encoding, done);
    });
  };
}

module.exports = { install, expect, isNear, isReached };
