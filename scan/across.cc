#include "scan/across.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <string>

#include "scan/words.h"

namespace retrial::scan {
namespace {

bool same(const Wait& a, const Wait& b) { return a.kind == b.kind && a.jitter == b.jitter && a.told == b.told; }

// Two functions of one name that try once more are one to who calls them: nobody can tell them how often.
bool alike(const Location& a, const Location& b) {
  return a.shape == Shape::repeat && b.shape == Shape::repeat && same(a.wait, b.wait);
}

// Each function below a decorator that the project has made of a library's is tried again as that says.
void add_decorated(Found& all) {
  std::map<std::string, const Location*, std::less<>> by_name;
  for (auto& one : all.decorators)
    if (auto [at, fresh] = by_name.emplace(one.by, &one); !fresh) at->second = nullptr;
  for (auto& one : all.decorated) {
    auto made = by_name.find(one.by);
    if (made == by_name.end() || !made->second) continue;
    one.by = "@" + one.by;
    one.bound = made->second->bound;
    one.wait = made->second->wait;
    one.back = made->second->back;
    one.looked_at = made->second->looked_at;
    all.locations.push_back(std::move(one));
  }
}

}  // namespace

void complete(Found& all) {
  add_decorated(all);
  auto& locations = all.locations;
  std::map<std::string, const Delay*, std::less<>> by_name;
  for (auto& delay : all.delays) {
    auto [at, fresh] = by_name.emplace(delay.name, &delay);
    if (!fresh && at->second && !same(at->second->wait, delay.wait)) at->second = nullptr;
  }
  std::map<std::string, const Location*, std::less<>> wrappers;
  for (auto& one : locations)
    if ((one.shape == Shape::loop || one.shape == Shape::repeat) && says_retry(one.function)) {
      auto [at, fresh] = wrappers.emplace(one.function, &one);
      if (!fresh && at->second && !alike(*at->second, one)) at->second = nullptr;
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
    // "httpjson.Retry" is the Retry of httpjson/httpjson.go, whatever a library of that name would do; and that of a
    // library whose waits are known ("backoff.Retry") is none of the project's.
    auto of = last_name(receiver(one.by));
    std::filesystem::path file(wrapper.file);
    bool own = !of.empty() && (file.stem() == of || file.parent_path().filename() == of);
    if (one.language == "Go" && !of.empty() && !own && one.wait.kind != Wait::elsewhere) continue;
    auto where = fmt::format("as at {}:{}", wrapper.file, wrapper.line);
    if (one.bound.kind == Bound::elsewhere) one.bound = {wrapper.bound.kind, where};
    if (one.bound.kind == Bound::caller && one.never_cancelled) one.bound = {};
    if (one.wait.kind == Wait::elsewhere || own) {
      one.wait = wrapper.wait;
      one.wait.text = where;
    }
    one.back = wrapper.back;
    one.looked_at = wrapper.looked_at;
  }
}

}  // namespace retrial::scan
