import { randomUUID } from 'node:crypto';
import { healthTimeout, jobVisibilityTimeout } from './config.mjs';

const encode = (job) => Buffer.from(JSON.stringify(job)).toString('base64');
const decode = (text) => JSON.parse(Buffer.from(text, 'base64').toString('utf8'));

/** Render jobs in one Azure Storage queue. */
export class JobQueue {
  #queue;

  constructor(service, name) {
    this.#queue = service.getQueueClient(name);
  }

  async submit({ image, sizes, callback }) {
    const job = { id: randomUUID(), image, sizes, callback, submittedAt: new Date().toISOString() };
    await this.#queue.sendMessage(encode(job));
    return job.id;
  }

  /** Takes the next job, or undefined if none is waiting. */
  async take() {
    const [ticket] = await this.takeBatch(1);
    return ticket;
  }

  async takeBatch(limit) {
    const response = await this.#queue.receiveMessages({
      numberOfMessages: limit,
      visibilityTimeout: jobVisibilityTimeout,
    });
    return response.receivedMessageItems.map((message) => ({
      job: decode(message.messageText),
      messageId: message.messageId,
      popReceipt: message.popReceipt,
      attempts: message.dequeueCount,
    }));
  }

  /** Keeps a long job hidden from other workers; answers the ticket to go on with. */
  async extend(ticket, seconds) {
    const response = await this.#queue.updateMessage(
      ticket.messageId,
      ticket.popReceipt,
      encode(ticket.job),
      seconds,
    );
    return { ...ticket, popReceipt: response.popReceipt };
  }

  async finish(ticket) {
    await this.#queue.deleteMessage(ticket.messageId, ticket.popReceipt);
  }

  /** What is next in line, without taking it. */
  async upcoming(limit = 5) {
    const response = await this.#queue.peekMessages({ numberOfMessages: limit });
    return response.peekedMessageItems.map((message) => decode(message.messageText));
  }

  /** Number of jobs not finished yet. Asked by the health check, so it must answer in time. */
  async backlog() {
    const properties = await this.#queue.getProperties({
      abortSignal: AbortSignal.timeout(healthTimeout),
    });
    return properties.approximateMessagesCount;
  }
}
