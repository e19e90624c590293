import { setTimeout as sleep } from 'node:timers/promises';

type Text = string;

// Wrong: it asks again at once, and for ever.
export async function watch(shop: string): Promise<Text> {
  for (;;) {
    try {
      return await get(shop, '/watched');
    } catch {
      continue;
    }
  }
}

// Right: it waits longer each time, and gives up.
export async function count(shop: string): Promise<Text> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await get(shop, '/counted');
    } catch (error) {
      if (attempt === 2) throw error;
      await sleep(1000 * 2 ** attempt * (0.5 + Math.random()));
    }
  }
}

async function get(shop: string, path: string): Promise<Text> {
  const answer = await fetch(shop + path, { signal: AbortSignal.timeout(10_000) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`the shop answered ${answer.status}`);
  return text;
}
