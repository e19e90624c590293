// Wrong: asks the service once for every pair of a door and a badge (number of requests quadratic).
import { serve } from './service.mjs';

const doors = ['Main', 'Garage', 'Lab', 'Archive', 'Roof'].map((name, i) => ({ id: `d${i + 1}`, name }));
const badges = Array.from({ length: 8 }, (_, i) => ({ id: `k${i + 1}`, name: `Badge ${i + 1}` }));
const opens = (door, badge) => (door.charCodeAt(1) + badge.charCodeAt(1)) % 3 === 0;
const grants = doors.flatMap((door) => badges
  .filter((badge) => opens(door.id, badge.id))
  .map((badge) => ({ id: `${door.id}.${badge.id}`, name: 'grant', doorId: door.id, badgeId: badge.id })));

const service = await serve([
  ['/doors', () => ({ doors })],
  ['/badges', () => ({ badges })],
  ['/grants', () => ({ grants })],
  ['/doors/([^/]+)/badges/([^/]+)', (query, door, badge) => ({ door, badge, allowed: opens(door, badge) })],
]);

async function get(path) {
  const response = await fetch(service.base + path);
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`${path}: ${response.status}`);
  }
  return response.json();
}

async function countBadges() {
  const { doors: allDoors } = await get('/doors');
  const { badges: allBadges } = await get('/badges');
  const counts = [];
  for (const door of allDoors) {
    let count = 0;
    for (const badge of allBadges) {
      const path = `/doors/${encodeURIComponent(door.id)}/badges/${encodeURIComponent(badge.id)}`;
      const { allowed } = await get(path);
      if (allowed) count += 1;
    }
    counts.push({ name: door.name, count });
  }
  return counts;
}

try {
  const counts = await countBadges();
  for (const { name, count } of counts.slice(0, 5)) console.log(`${name}: ${count} badges`);
  console.log(`${counts.length} doors`);
} catch (error) {
  console.log('no overview:', error.message);
} finally {
  service.close();
}
