// node client.mjs NAME METHOD URL [--timeout MS]: one call, and how it ended as one line of JSON. The exit status is 0 however the
// call ended, 2 where there was none.
import { clients } from './adapters.mjs';

const [name, method, url, flag, ms] = process.argv.slice(2);
const call = clients[name]?.[method];
if (!call || !url || (flag && !(flag === '--timeout' && Number(ms) > 0))) {
  console.error(call ? 'client.mjs NAME METHOD URL [--timeout MS]' : `client.mjs: no ${method} of ${name}`);
  process.exit(2);
}
const end = (outcome) => process.stdout.write(`${JSON.stringify(outcome)}\n`, () => process.exit(0));
process.on('exit', (status) => status || console.log(JSON.stringify({ ok: false, error: 'the promise never settled' })));
try {
  const result = await call({ url, timeout: flag ? Number(ms) : undefined });
  process.removeAllListeners('exit');
  end({ ok: true, result });
} catch (error) {
  if (['ERR_MODULE_NOT_FOUND', 'ERR_PACKAGE_PATH_NOT_EXPORTED'].includes(error.code)) throw error;
  process.removeAllListeners('exit');
  end({ ok: false, error: `${error.name}: ${error.message}`.slice(0, 300), cause: error.cause?.code });
}
