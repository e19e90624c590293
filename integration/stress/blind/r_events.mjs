// Right: a recursive function over cursors that reads 150 pages at most (bounded paging).
import { serve } from './service.mjs';

const EVENTS = Array.from({ length: 17 }, (_, i) => ({
  id: 3000 + i, name: ['created', 'paid', 'shipped'][i % 3], at: 1700000000 + i * 60,
}));
const SIZE = 6;
const encode = (start) => Buffer.from(`start:${start}`).toString('base64url');
const decode = (cursor) => Number(Buffer.from(cursor, 'base64url').toString().split(':')[1]) || 0;

const service = await serve([
  ['/events', (query) => {
    const start = query.has('cursor') ? decode(query.get('cursor')) : 0;
    const end = start + SIZE;
    return { data: EVENTS.slice(start, end), meta: { next_cursor: end < EVENTS.length ? encode(end) : null } };
  }],
]);

async function readPage(cursor) {
  const url = new URL('/events', service.base);
  if (cursor) url.searchParams.set('cursor', cursor);
  const response = await fetch(url, { headers: { accept: 'application/json' } });
  if (response.status !== 200) {
    await response.arrayBuffer();
    throw new Error(`events: status ${response.status}`);
  }
  return response.json();
}

const MAX_PAGES = 150;

async function collect(cursor, page = 1) {
  const { data, meta } = await readPage(cursor);
  for (const event of data) counts[event.name] = (counts[event.name] ?? 0) + 1;
  if (!meta.next_cursor) return;
  if (page >= MAX_PAGES) {
    console.log(`more than ${MAX_PAGES} pages of events; the rest is left out`);
    return;
  }
  await collect(meta.next_cursor, page + 1);
}

const counts = {};
try {
  await collect(null);
} catch (error) {
  console.log('incomplete:', error.message);
} finally {
  service.close();
}
console.log(JSON.stringify(counts).slice(0, 200));
