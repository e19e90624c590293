// A real HTTP server that remembers tags, and programs run in processes of their own.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const agent = fileURLToPath(new URL('../../../integration/agents/node/retrial.cjs', import.meta.url));
export const modules = process.env.RETRIAL_TEST_MODULES || '';
export const has = (name) => Boolean(modules) && fs.existsSync(path.join(modules, name));

// Answers 200; below a path with `flaky`, 503 to two of every three; with `reset`, a reset instead.
export async function serve() {
  const tags = [];
  let flaky = 0;
  const server = http.createServer((req, res) => {
    req.resume().on('end', () => {
      const tag = { path: req.url };
      for (const [name, value] of Object.entries(req.headers)) {
        if (name.startsWith('x-retrial-')) tag[name.slice('x-retrial-'.length)] = decodeURIComponent(value);
      }
      tags.push(tag);
      const bad = req.url.includes('flaky') && ++flaky % 3 !== 0;
      if (bad && req.url.includes('reset')) return req.socket.resetAndDestroy();
      res.writeHead(bad ? 503 : 200, { 'content-type': 'application/json' });
      res.end('{}');
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => (server.closeAllConnections(), server.close());
  return { url: `http://127.0.0.1:${server.address().port}`, tags, close, flaky: () => flaky };
}

export function project(url) {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'retrial-agent-')));
  if (modules) fs.symlinkSync(modules, path.join(folder, 'node_modules'));
  const events = path.join(folder, 'events');
  return {
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
