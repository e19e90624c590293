// node client.mjs NAME METHOD URL [--timeout MS] [--calls N [--at-once] [--alike]]: one call, or N of them, and how the last ended as
// one line of JSON. The exit status is 0 however it ended, 2 where there was no call.
import { parseArgs } from 'node:util';
import { clients } from './adapters.mjs';

const string = { type: 'string' };
const options = { timeout: string, calls: string, 'at-once': { type: 'boolean' }, alike: { type: 'boolean' } };
const { values, positionals: [name, method, url] } = parseArgs({ allowPositionals: true, options });
const call = clients[name]?.[method];
if (!call || !url) {
  console.error(`client.mjs: no ${method} of ${name}, or no URL`);
  process.exit(2);
}
const once = (n) => call({ url, timeout: Number(values.timeout) || undefined, item: n && !values.alike ? `lamp-${n}` : 'lamp' });
const settled = (outcome) => process.removeAllListeners('exit') && process.stdout.write(`${JSON.stringify(outcome)}\n`, () => process.exit(0));
process.on('exit', () => console.log(JSON.stringify({ ok: false, error: 'the promise never settled' })));
try {
  const labelled = values.calls && (await (await import('./label.mjs')).calls(Number(values.calls), values['at-once'], once)).at(-1);
  if (labelled?.reason) throw labelled.reason;
  settled({ ok: true, result: labelled ? labelled.value : await once() });
} catch (error) {
  if (String(error.code).startsWith('ERR_MODULE') || error instanceof SyntaxError) throw error;
  settled({ ok: false, error: `${error.name}: ${error.message}`.slice(0, 300), cause: error.cause?.code });
}
