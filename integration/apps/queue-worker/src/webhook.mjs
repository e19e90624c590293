import got from 'got';
import { webhookTimeout } from './config.mjs';

/** Which events a subscriber wants to hear of. */
export async function subscribedEvents(callback) {
  const { events } = await got.get(callback, { timeout: { request: webhookTimeout } }).json();
  return events;
}

/** Tells a subscriber; subscribers drop what they have seen, by `delivery`. */
export async function notify(callback, event, payload) {
  const response = await got.post(callback, {
    json: { event, delivery: `${event}/${payload.jobId}`, ...payload },
    timeout: { request: webhookTimeout },
  });
  return response.statusCode;
}
