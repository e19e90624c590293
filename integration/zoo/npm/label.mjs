// Each request tells by x-zoo-call which call of this process it belongs to: the truth beside which an assignment is measured.
// Nothing of Retrial reads the header.
import { AsyncLocalStorage } from 'node:async_hooks';
import diagnostics from 'node:diagnostics_channel';
import http from 'node:http';

const call = new AsyncLocalStorage();
const start = http.ClientRequest.prototype._implicitHeader;
http.ClientRequest.prototype._implicitHeader = function labelled() {
  if (call.getStore()) this.setHeader('x-zoo-call', call.getStore());
  start.call(this);
};
diagnostics.subscribe('undici:request:create', ({ request }) => call.getStore() && request.addHeader('x-zoo-call', call.getStore()));

// Runs `once` so often, with a number from 1 on, one after another or all at once; how each ended.
export async function calls(often, atOnce, once) {
  const outcomes = [];
  const label = (n) => call.run(String(n), () => Promise.resolve().then(() => once(n)).then((value) => ({ value }), (reason) => ({ reason })));
  if (atOnce) return Promise.all(Array.from({ length: often }, (_, n) => label(n + 1)));
  for (let n = 1; n <= often; n++) outcomes.push(await label(n));
  return outcomes;
}
