#include "scan/across.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "scan/words.h"

namespace retrial::scan {
namespace {

bool same(const Wait& a, const Wait& b) { return a.kind == b.kind && a.jitter == b.jitter && a.told == b.told; }

}  // namespace

void complete(std::vector<Location>& locations, const std::vector<Delay>& delays) {
  std::map<std::string, const Delay*, std::less<>> by_name;
  for (auto& delay : delays) {
    auto [at, fresh] = by_name.emplace(delay.name, &delay);
    if (!fresh && at->second && !same(at->second->wait, delay.wait)) at->second = nullptr;
  }
  std::map<std::string, const Location*, std::less<>> wrappers;
  for (auto& one : locations)
    if (one.shape == Shape::loop && !one.function.empty() && says_retry(one.function)) {
      auto [at, fresh] = wrappers.emplace(one.function, &one);
      if (!fresh) at->second = nullptr;
    }
  for (auto& one : locations) {
    if (one.wait.kind == Wait::elsewhere)
      for (auto id : identifiers(one.wait.text))
        if (auto at = by_name.find(id); at != by_name.end() && at->second) {
          auto text = one.wait.text;
          one.wait = at->second->wait;
          one.wait.text = text;
          break;
        }
    auto at = one.shape == Shape::library ? wrappers.find(last_name(one.by)) : wrappers.end();
    if (at == wrappers.end() || !at->second || at->second->language != one.language) continue;
    auto& wrapper = *at->second;
    auto where = fmt::format("as at {}:{}", wrapper.file, wrapper.line);
    if (one.bound.kind == Bound::elsewhere) one.bound = {wrapper.bound.kind, where};
    if (one.wait.kind == Wait::elsewhere) {
      one.wait = wrapper.wait;
      one.wait.text = where;
    }
    one.back = wrapper.back;
    one.looked_at = wrapper.looked_at;
  }
}

}  // namespace retrial::scan
