#include <algorithm>
#include <utility>

#include "proxy/admin/connection.h"

namespace retrial::proxy::admin {
namespace {

bool has(const std::list<Connection*>& list, Connection* one) { return std::ranges::find(list, one) != list.end(); }

}  // namespace

void Connections::make_room() {
  if (open >= AdminServer::kMostConnections) waiting.front()->close();
}

void Connections::waits(Connection* one) {
  if (!has(all, one)) {
    all.push_back(one);
    open++;
  }
  waiting.remove(one);
  waiting.push_back(one);
  if (freed) freed();
}

void Connections::feeds_on(Connection* one) {
  waiting.remove(one);
  open--;
  feeds.push_back(one);
  watched = true;
  if (feeds.size() > AdminServer::kMostFeeds) feeds.front()->close();
  if (freed) freed();
}

void Connections::left(Connection* one) {
  if (!has(all, one)) return;
  if (!has(feeds, one)) open--;
  for (auto list : {&all, &waiting, &feeds}) list->remove(one);
  watched = !feeds.empty();
  if (freed) freed();
}

}  // namespace retrial::proxy::admin
