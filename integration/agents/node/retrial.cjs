// The Retrial agent for Node.js: NODE_OPTIONS=--require=<this directory>/retrial.cjs
// Inert without RETRIAL_EVENTS. The contract is docs/agents.md.
'use strict';
if (process.env.RETRIAL_EVENTS && !globalThis[Symbol.for('retrial.agent')]) {
  Object.defineProperty(globalThis, Symbol.for('retrial.agent'), { value: true });
  const parts = ['maps', 'context', 'causes', 'peer', 'trust', 'http', 'undici', 'http2', 'grpc_js', 'expected', 'runners'];
  for (const part of parts) {
    try {
      require('./lib/' + part + '.cjs').install();
    } catch (error) {
      require('./lib/events.cjs').failed(part, error); // an agent never fails the program it is in
    }
  }
}
