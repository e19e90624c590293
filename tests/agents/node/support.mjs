// A real HTTP server that remembers tags, and programs run in processes of their own.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const agent = fileURLToPath(new URL('../../../integration/agents/node/retrial.cjs', import.meta.url));
export const modules = process.env.RETRIAL_TEST_MODULES || '';
export const has = (name) => Boolean(modules) && fs.existsSync(path.join(modules, name));

// Retrial's authority (`ours`) and one that is not (`other`), with a leaf each.
let folderOfCertificates;
export function certificate(name) {
  if (!folderOfCertificates) {
    folderOfCertificates = fs.mkdtempSync(path.join(os.tmpdir(), 'retrial-certificates-'));
    execFileSync(fileURLToPath(new URL('../certificates.sh', import.meta.url)), [folderOfCertificates]);
    process.on('exit', () => fs.rmSync(folderOfCertificates, { recursive: true, force: true }));
  }
  return path.join(folderOfCertificates, name);
}

// Variables: the agent knows `ours`, the program trusts `name`.
export const trusting = (name) => ({ RETRIAL_CA: certificate('ours.pem'), NODE_EXTRA_CA_CERTS: certificate(name + '.pem') });

// Answers 200; below a path with `flaky`, 503 to two of every three; with `reset`, a reset instead.
// With `leaf`, the name of an authority, it speaks TLS. `bodies` are what the requests carried.
export async function serve(leaf) {
  const tags = [];
  const bodies = [];
  let flaky = 0;
  const keys = leaf && { cert: fs.readFileSync(certificate(`${leaf}-leaf.pem`)), key: fs.readFileSync(certificate(`${leaf}-leaf.key`)) };
  const server = (leaf ? https : http).createServer(keys || {}, (req, res) => {
    let body = '';
    req.setEncoding('latin1').on('data', (text) => (body += text)).on('end', () => {
      bodies.push(body);
      const tag = { path: req.url };
      for (const [name, value] of Object.entries(req.headers)) {
        if (name.startsWith('x-retrial-')) tag[name.slice('x-retrial-'.length)] = decodeURIComponent(value);
      }
      tags.push(tag);
      const bad = req.url.includes('flaky') && ++flaky % 3 !== 0;
      if (bad && req.url.includes('reset')) return leaf ? req.socket.destroy() : req.socket.resetAndDestroy();
      res.writeHead(bad ? 503 : 200, { 'content-type': 'application/json' });
      res.end('{}');
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref(); // where an assertion fails, nobody closes it
  const close = () => (server.closeAllConnections(), server.close());
  return { url: `http${leaf ? 's' : ''}://127.0.0.1:${server.address().port}`, tags, bodies, close, flaky: () => flaky };
}

export function project(url) {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'retrial-agent-')));
  if (modules) fs.symlinkSync(modules, path.join(folder, 'node_modules'));
  const events = path.join(folder, 'events');
  return {
    folder,
    write(name, text) { fs.writeFileSync(path.join(folder, name), text); return this; },
    line(name, mark) {
      const lines = fs.readFileSync(path.join(folder, name), 'utf8').split('\n');
      return lines.findIndex((line) => line.endsWith('// ' + mark)) + 1;
    },
    run(args, variables = {}) {
      const env = { ...process.env, URL: url, RETRIAL_EVENTS: events, NODE_OPTIONS: `--require=${agent}`, ...variables };
      delete env.NODE_TEST_CONTEXT;
      return new Promise((resolve) => {
        const child = spawn(process.execPath, args, { cwd: folder, env });
        let out = '';
        child.stdout.on('data', (data) => (out += data));
        child.stderr.on('data', (data) => (out += data));
        child.on('close', (code) => resolve({ code, out }));
      });
    },
    of: (kind) => (fs.existsSync(events) ? fs.readFileSync(events, 'utf8') : '').split('\n').filter(Boolean)
      .map((line) => JSON.parse(line)).filter((event) => event.ev === kind),
    remove: () => fs.rmSync(folder, { recursive: true, force: true }),
  };
}
