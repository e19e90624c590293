import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { notify, subscribedEvents } from '../src/webhook.mjs';
import { startReceiver } from '../support/fixtures.mjs';

describe('webhook', () => {
  let receiver;

  beforeEach(async () => {
    receiver = await startReceiver({ events: ['rendered', 'removed'] });
  });

  afterEach(async () => {
    await receiver.stop();
  });

  it('tells the subscriber once', async () => {
    const status = await notify(receiver.url, 'rendered', { jobId: '7', renditions: ['a'] });
    assert.equal(status, 202);
    assert.deepEqual(receiver.received, [
      { event: 'rendered', delivery: 'rendered/7', jobId: '7', renditions: ['a'] },
    ]);
  });

  it('asks the subscriber for its events', async () => {
    assert.deepEqual(await subscribedEvents(receiver.url), ['rendered', 'removed']);
  });
});
