#include "trace/calls/waiting.h"

#include <utility>

namespace retrial::trace {

template <class Do>
void WaitingCalls::each_key(const Waiting& w, Do what) {
  auto key = [&](By by, Key k) {
    if (k) what(mix(static_cast<Key>(by), k));
  };
  key(By::call_id, w.call_id);
  key(By::call_id, w.first_call_id);
  key(By::course, w.course);
  for (std::size_t i = 0; i < w.ids.count; i++) key(By::id, id_key(w.pid, w.ids.value[i]));
  key(By::place, w.place);
  key(By::place, w.first_place);
  key(By::anywhere, w.anywhere);
  key(By::rpc, w.rpc);
  key(By::content, w.content);
  key(By::content, w.first_content);
  key(By::once, w.once);
}

void WaitingCalls::put(Waiting w) {
  auto serial = ++serials_;
  each_key(w, [&](Key key) { index_[key].insert(serial); });
  waiting_.emplace(serial, std::move(w));
  if (waiting_.size() > kMost) take(waiting_.begin()->first);
}

Waiting WaitingCalls::take(std::uint64_t serial) {
  auto node = waiting_.extract(serial);
  each_key(node.mapped(), [&](Key key) {
    auto it = index_.find(key);
    if (it == index_.end()) return;
    it->second.erase(serial);
    if (it->second.empty()) index_.erase(it);
  });
  return std::move(node.mapped());
}

}  // namespace retrial::trace
