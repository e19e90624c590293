import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { JobQueue } from '../src/jobs.mjs';
import { createQueue } from '../support/fixtures.mjs';

describe('job queue', () => {
  let queue;
  let jobs;

  beforeEach(async () => {
    queue = await createQueue();
    jobs = new JobQueue(queue.service, queue.name);
  });

  afterEach(async () => {
    await queue.remove();
  });

  const put = (job) =>
    queue.client.sendMessage(Buffer.from(JSON.stringify(job)).toString('base64'));

  it('puts a submitted job into the queue', async () => {
    const id = await jobs.submit({ image: 'cat.pgm', sizes: ['small'] });
    const { peekedMessageItems } = await queue.client.peekMessages({ numberOfMessages: 32 });
    const stored = JSON.parse(Buffer.from(peekedMessageItems[0].messageText, 'base64').toString());
    assert.equal(stored.id, id);
    assert.equal(stored.image, 'cat.pgm');
  });

  it('puts each submitted job there once', async () => {
    const ids = [];
    for (const image of ['a.pgm', 'b.pgm']) {
      ids.push(await jobs.submit({ image, sizes: ['small', 'medium'] }));
    }
    const { peekedMessageItems } = await queue.client.peekMessages({ numberOfMessages: 32 });
    const stored = peekedMessageItems.map(
      (message) => JSON.parse(Buffer.from(message.messageText, 'base64').toString()).id,
    );
    assert.deepEqual(stored, ids);
  });

  it('hands out every job once', async () => {
    for (const id of ['1', '2', '3']) await put({ id, image: `${id}.pgm`, sizes: ['small'] });
    const taken = [];
    for (let ticket = await jobs.take(); ticket; ticket = await jobs.take()) {
      taken.push(ticket.job.id);
    }
    assert.deepEqual(taken, ['1', '2', '3']);
  });

  it('hands out a batch', async () => {
    for (const id of ['1', '2', '3']) await put({ id, image: `${id}.pgm`, sizes: ['small'] });
    const tickets = await jobs.takeBatch(3);
    assert.deepEqual(tickets.map((ticket) => ticket.job.id), ['1', '2', '3']);
    assert.ok(tickets.every((ticket) => ticket.attempts === 1));
  });

  it('hands out nothing when nothing is waiting', async () => {
    assert.equal(await jobs.take(), undefined);
  });

  it('drops a finished job', async () => {
    await put({ id: '1', image: '1.pgm', sizes: ['small'] });
    const { receivedMessageItems } = await queue.client.receiveMessages();
    await jobs.finish(receivedMessageItems[0]);
    const { approximateMessagesCount } = await queue.client.getProperties();
    assert.equal(approximateMessagesCount, 0);
  });

  it('keeps a long job hidden, and finishes it with the new receipt', async () => {
    await put({ id: '1', image: '1.pgm', sizes: ['medium'] });
    const { receivedMessageItems } = await queue.client.receiveMessages();
    const [{ messageId, popReceipt }] = receivedMessageItems;
    const ticket = await jobs.extend({ job: { id: '1' }, messageId, popReceipt }, 300);
    assert.notEqual(ticket.popReceipt, popReceipt);
    await queue.client.deleteMessage(ticket.messageId, ticket.popReceipt);
  });

  it('shows what is next without taking it', async () => {
    await put({ id: '1', image: '1.pgm', sizes: ['small'] });
    assert.deepEqual((await jobs.upcoming()).map((job) => job.id), ['1']);
    assert.deepEqual((await jobs.upcoming()).map((job) => job.id), ['1']);
  });

  it('counts the backlog', async () => {
    assert.equal(await jobs.backlog(), 0);
    await put({ id: '1', image: '1.pgm', sizes: ['small'] });
    await put({ id: '2', image: '2.pgm', sizes: ['small'] });
    assert.equal(await jobs.backlog(), 2);
  });
});
