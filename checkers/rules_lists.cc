// What a list holds: listed, unlisted.
#include <fmt/format.h>

#include <algorithm>

#include "checkers/monitor.h"

namespace retrial::checkers {

void Monitor::set_item(std::size_t n, const Now& now, const std::string& list) {
  auto& c = checkers_[n];
  auto& d = now.d;
  if (d.fate == Fate::refused) return;
  auto& state = put(n, list);
  auto& service = d.e->service;
  auto last = world_.last(d.spot, service, c.within);
  // What the same operation does there leaves the others in it as they are; what else was written there since does not.
  auto touched = [&](const Item& item) { return item.spot == d.spot || c.within != Within::resource; };
  std::erase_if(state.items, [&](auto& entry) { return touched(entry.second) && last > entry.second.set; });
  for (auto& [value, item] : state.items)
    if (touched(item)) item.set = now.ended;
  auto& f = c.fields.front();
  auto* leaf = d.request.at(f.left);
  if (f.left != "{path}" && !leaf) return;
  auto value = f.left == "{path}" ? std::string(d.last_segment()) : leaf->text;
  bool alone = last <= now.begun && !world_.open(d.spot, service, c.within);
  if (d.fate == Fate::done && alone)
    state.items[value] = {d.spot, now.ended, d.e->id};
  else if (c.rule == Rule::unlisted || !alone)
    state.items.erase(value);
  if (state.items.size() > kMostItems)
    state.items.erase(std::ranges::min_element(state.items, {}, [](auto& entry) { return entry.second.set; }));
}

void Monitor::judge_list(std::size_t n, const Now& now) {
  auto& c = checkers_[n];
  auto& d = now.d;
  auto* state = d.fate == Fate::done && d.looks() ? find(n, d.spot) : nullptr;
  auto* whole = state && whole_ ? &*whole_ : nullptr;
  if (!whole || state->items.empty() || whole->body.redacted) return;
  // Pages that were read while something else was written may have moved.
  if (whole->paged &&
      (world_.last(d.spot, d.e->service, c.within) > whole->begun || world_.open(d.spot, d.e->service, c.within)))
    return;
  auto& f = c.fields.front();
  auto held = whole->body.items(f.right);
  bool one_each = f.left == "{path}";
  std::vector<std::uint64_t> from;
  std::string judged, wrong;  // the newest that it holds
  std::uint64_t newest = 0;
  for (auto& [value, item] : state->items) {
    if (!calm(c, {d, whole->begun, now.ended}, item.spot, item.set)) continue;
    auto times = std::ranges::count(held, value);
    bool right = c.rule == Rule::unlisted ? times == 0 : times == 1 || (times > 1 && !one_each);
    if (item.exchange >= newest) newest = item.exchange, judged = value;
    if (right || !wrong.empty()) continue;
    from = {item.exchange};
    wrong = fmt::format("{} was answered well for {}, and {} holds it in `{}` {}", c.after, in_marks(value), c.then,
                        f.right,
                        times == 0   ? std::string("not at all")
                        : times == 1 ? std::string("still")
                                     : fmt::format("{} times", times));
  }
  if (!judged.empty()) tell(c, &f, wrong.empty() ? Verdict::pass : Verdict::fail, now, from, judged, wrong);
}

}  // namespace retrial::checkers
