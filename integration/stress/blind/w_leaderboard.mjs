// Wrong: looks each player up with includes() in an array of ids and sorts the whole board after each insertion (quadratic).
import { serve } from './service.mjs';

const PLAYERS = Array.from({ length: 22 }, (_, i) => ({
  id: `pl-${i % 20}`, name: `Player ${i % 20}`, score: (i % 20) * 37 % 101,
}));
const PAGES = { first: [0, 8, 'mid'], mid: [8, 16, 'end'], end: [16, 22, undefined] };

const service = await serve([
  ['/players', (query) => {
    const [from, to, nextPageToken] = PAGES[query.get('pageToken') ?? 'first'] ?? [0, 0, undefined];
    return { players: PLAYERS.slice(from, to), nextPageToken };
  }],
]);

async function* readPlayers(maxPages = 20) {
  let token;
  for (let page = 0; page < maxPages; page += 1) {
    const query = token ? `?${new URLSearchParams({ pageToken: token })}` : '';
    const response = await fetch(`${service.base}/players${query}`);
    if (!response.ok) {
      await response.text();
      throw new Error(`players: ${response.status}`);
    }
    const { players, nextPageToken } = await response.json();
    yield* players;
    if (!nextPageToken || nextPageToken === token) return;
    token = nextPageToken;
  }
}

async function leaderboard() {
  const ids = [];
  const board = [];
  for await (const player of readPlayers()) {
    if (ids.includes(player.id)) continue;
    ids.push(player.id);
    board.push(player);
    board.sort((a, b) => b.score - a.score);
  }
  return board;
}

try {
  const board = await leaderboard();
  board.slice(0, 3).forEach((player, i) => console.log(`${i + 1}. ${player.name} (${player.score})`));
  console.log(`${board.length} players`);
} catch (error) {
  console.log('no leaderboard:', error.message);
} finally {
  service.close();
}
