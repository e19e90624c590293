// What is done where memory, or the number of connections, comes to its limit.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "proxy/connections/connections.h"

namespace retrial::proxy {
namespace {
constexpr Nanos kStill = kSecond;          // who moves nothing for so long may make room for others
constexpr Nanos kStillest = 60 * kSecond;  // beyond it nobody is more so

std::string connections_of(std::size_t count) { return fmt::format("{} connection{}", count, count == 1 ? "" : "s"); }
}  // namespace

bool Connections::may_read() {
  wake();
  if (!memory_.spent()) return true;
  if (!std::exchange(relieves_, true)) reliever_.set(0);
  return false;
}

// Those end first that hold most for longest with nothing moving.
void Connections::relieve() {
  relieves_ = false;
  if (!memory_.scarce()) return;
  struct Held {
    ClientConnection* client;
    std::size_t bytes;
    double score;
  };
  now = clock.now();
  std::vector<Held> all;
  std::size_t held = 0;
  for (auto& client : clients) {
    auto bytes = client->holds();
    auto still = std::min(now - client->still.since, kStillest);
    all.push_back({client.get(), bytes, static_cast<double>(bytes) * (1 + static_cast<double>(still) / kSecond)});
    held += bytes;
  }
  auto rest = memory_.to_free(held);
  std::ranges::sort(all, std::greater(), &Held::score);
  std::vector<ClientConnection*> victims;
  for (auto& one : all) {
    if (rest == 0) break;
    rest -= std::min(rest, one.bytes);
    victims.push_back(one.client);
  }
  if (victims.empty()) return;
  say(fmt::format("memory: {} of {} in use: {} that held most ended", show_size(memory_.in_use()),
                  show_size(memory_.limit()), connections_of(victims.size())));
  shed(victims, "short of memory");
}

// A few more than one, so that not each that comes has to look at all.
bool Connections::has_room() {
  auto most = options.most_connections;
  if (most == 0 || clients.size() < most) return true;
  now = clock.now();
  std::vector<ClientConnection*> victims;
  for (auto& client : clients)
    if (now - client->still.since >= kStill && client->moved() == client->still.moved) victims.push_back(client.get());
  auto few = std::min(victims.size(), most / 16 + 1);
  // What a fault of ours holds is still because of us: last of all.
  std::ranges::partial_sort(victims, victims.begin() + static_cast<std::ptrdiff_t>(few), {},
                            [](auto* c) { return std::pair(c->held() > 0, c->still.since); });
  victims.resize(few);
  if (victims.empty()) return false;
  say(fmt::format("{} are open, the most there may be: {} that had been still longest ended",
                  connections_of(clients.size()), victims.size()));
  shed(victims, "too many connections");
  return true;
}

void Connections::shed(std::vector<ClientConnection*>& victims, std::string_view why) {
  counts.shed += victims.size();
  for (auto* client : victims) client->shed(why);
}

}  // namespace retrial::proxy
