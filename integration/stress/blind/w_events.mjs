// Wrong: a recursive function that reads the page after each page for as long as it is given a cursor (unbounded paging).
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

async function collect(cursor) {
  const { data, meta } = await readPage(cursor);
  for (const event of data) counts[event.name] = (counts[event.name] ?? 0) + 1;
  if (meta.next_cursor) await collect(meta.next_cursor);
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
