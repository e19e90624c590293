import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Orders } from '../src/orders';
import { count, watch } from '../src/stock';
import { open } from './shop';

let shop: Awaited<ReturnType<typeof open>>;
beforeAll(async () => {
  shop = await open();
});
afterAll(() => shop.close());

describe('orders', () => {
  test('are paid', () => new Orders(shop.url).pay('7'), 2000);

  test.each(['one of two', 'odd (na)me [x] > $1.*'])('%s is placed', (order) => new Orders(shop.url).place(order));
});

describe('the stock', () => {
  test('is watched', async () => expect(await watch(shop.url)).toBe('12'));

  test('is counted', async () => expect(await count(shop.url)).toBe('12'));
});
