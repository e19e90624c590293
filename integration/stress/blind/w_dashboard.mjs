// Wrong: when one panel fails, all eight panels are asked for again, the good ones too (retry storm).
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

async function loadAll() {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await Promise.all(PANELS.map(readPanel));
    } catch (error) {
      if (attempt >= 5) throw error;
      await sleep(40);
    }
  }
}

try {
  for (const panel of await loadAll()) console.log(`${panel.panel}: ${total(panel)}`);
} catch (error) {
  console.log('dashboard not available:', error.message);
} finally {
  service.close();
}
