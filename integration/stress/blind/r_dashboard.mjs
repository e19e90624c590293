// Right: only the panel that failed is asked for again, three times at most with pauses, and shown as missing after that.
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from './service.mjs';

const PANELS = ['visitors', 'sales', 'stock', 'returns', 'errors', 'mails', 'queues', 'disks'];
const service = await serve([
  ['/panels/([a-z]+)', (query, panel) => ({
    panel,
    series: Array.from({ length: 6 }, (_, i) => ({ id: i + 1, name: `${panel}-${i + 1}`, value: panel.length * i })),
  })],
]);

async function readPanel(panel) {
  const response = await fetch(`${service.base}/panels/${panel}`);
  if (!response.ok) {
    await response.text();
    throw Object.assign(new Error(`${panel}: ${response.status}`), { status: response.status });
  }
  return response.json();
}

const total = (panel) => panel.series.reduce((sum, point) => sum + point.value, 0);

async function loadPanel(panel, attempts = 4) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await readPanel(panel);
    } catch (error) {
      if (error.status !== 503 || attempt >= attempts) throw error;
      await sleep(25 * 2 ** attempt + Math.random() * 20);
    }
  }
}

try {
  const results = await Promise.allSettled(PANELS.map((panel) => loadPanel(panel)));
  results.forEach((result, i) => {
    const text = result.status === 'fulfilled' ? total(result.value) : `missing (${result.reason.message})`;
    console.log(`${PANELS[i]}: ${text}`);
  });
} finally {
  service.close();
}
