// Right: reads doors, badges and grants once each and counts with a set and a map (three requests, linear).
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
  const [{ doors: allDoors }, { badges: allBadges }, { grants: allGrants }] = await Promise.all([
    get('/doors'), get('/badges'), get('/grants'),
  ]);
  const known = new Set(allBadges.map((badge) => badge.id));
  const perDoor = new Map();
  for (const grant of allGrants) {
    if (known.has(grant.badgeId)) perDoor.set(grant.doorId, (perDoor.get(grant.doorId) ?? 0) + 1);
  }
  return allDoors.map((door) => ({ name: door.name, count: perDoor.get(door.id) ?? 0 }));
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
