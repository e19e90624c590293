import { setTimeout as sleep } from 'node:timers/promises';

interface Sent {
  path: string;
  key?: string;
}

export class Orders {
  constructor(private readonly shop: string) {}

  // Wrong: what may have been paid is paid once more.
  async pay(order: string): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.post({ path: '/payments' }, order);
      } catch (error) {
        if (attempt === 2) throw error;
        await sleep(1000 * 2 ** attempt);
      }
    }
  }

  // Right: a key tells the shop that it is the same order.
  async place(order: string): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.post({ path: '/orders', key: `order-${order}` }, order);
      } catch (error) {
        if (attempt === 2) throw error;
        await sleep(1000 * 2 ** attempt);
      }
    }
  }

  private async post({ path, key }: Sent, body: string): Promise<void> {
    const headers: Record<string, string> = key ? { 'idempotency-key': key } : {};
    const answer = await fetch(this.shop + path, { method: 'POST', body, headers, signal: AbortSignal.timeout(10_000) });
    await answer.text();
    if (!answer.ok) throw new Error(`the shop answered ${answer.status}`);
  }
}
