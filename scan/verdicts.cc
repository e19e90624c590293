#include "scan/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "base/text.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

// What fails for good is among it: the root of all errors, or of all that a client tells.
bool is_whatever(const std::string& error) {
  static constexpr std::array<std::string_view, 14> all{
      "any",         "Exception",        "err != nil",    "Err",
      "Throwable",   "BaseException",    "StandardError", "exception",
      "Error",

      "ClientError", "RequestException", "FaradayError",  "HttpRequestException",
      "SQLException"};
  return std::ranges::count(all, error) > 0;
}

void judge_alone(Location& at) {
  auto say = [&](const char* name, std::string text) { at.verdicts.push_back({name, std::move(text)}); };
  if (at.bound.kind == Bound::none) say("missing-cap", "No end was seen: neither a number of attempts nor a time.");
  // Once more with new credentials is not to wait for anything.
  bool refused = !at.back.empty() && std::ranges::all_of(at.back, [](auto& e) {
    return e.contains("401") || icontains(e, "unauthorized");
  });
  if (at.wait.kind == Wait::none && !at.wait.told && !(refused && at.bound.kind != Bound::none))
    say("missing-delay", "No wait was seen between a failure and the next attempt.");
  else if (at.wait.kind == Wait::fixed && !at.wait.told && at.bound.kind == Bound::none)
    say("no-backoff", fmt::format("The wait does not grow{}, and there is no end.",
                                  at.wait.text.empty() ? "" : fmt::format(" ({})", at.wait.text)));
  bool all = !at.looked_at && !at.back.empty() && (at.whatever || std::ranges::any_of(at.back, is_whatever));
  if (all)
    say("retries-permanent-error",
        fmt::format("Whatever fails leads back ({}), also what fails the same way each time.", at.back.front()));
  if (!at.effect.empty() && !at.key)
    say("retries-non-idempotent",
        fmt::format("{} has an effect by its name or its method, and no key was seen by which a service could know it "
                    "again.",
                    at.effect));
  if (!at.effect.empty() && at.new_key)
    say("changed-on-retry",
        fmt::format("{} is sent with a key that is made anew for each attempt: no service can know it again.",
                    at.effect));
  if (at.gives_up_silently) say("swallowed-error", "After the last attempt it goes on as if nothing had failed.");
}

// Does this call begin that function? What is called of something imported is it if that is where it stands.
bool calls(const Callee& callee, const Location& one) {
  if (callee.module.empty()) return callee.own || parts_of(callee.name).size() > 1;  // not any object's `close`
  std::filesystem::path path(one.file);
  return path.stem() == callee.module || path.parent_path().filename() == callee.module;
}

bool same_function(const Location& a, const Location& b) {
  return a.file == b.file && a.function_line == b.function_line;
}

// Where a function of a name tries again; null: several functions have that name.
using ByName = std::map<std::string, const Location*>;

ByName functions_that_try_again(const std::vector<Location>& all) {
  ByName found;
  for (auto& one : all)
    if (one.function.size() > 3 && one.shape != Shape::queue && one.shape != Shape::timer)
      if (auto [at, fresh] = found.emplace(one.function, &one); at->second && !same_function(*at->second, one))
        at->second = nullptr;
  return found;
}

// What begins next within a loop is the first of what stands in it. `all` is sorted by file and line.
const Location* nested_in(const std::vector<Location>& all, std::size_t i) {
  auto& outer = all[i];
  for (i++; outer.shape == Shape::loop && i < all.size(); i++) {
    if (all[i].file != outer.file || all[i].line > outer.last_line) return nullptr;
    if (all[i].line > outer.line && all[i].last_line <= outer.last_line) return &all[i];
  }
  return nullptr;
}

// What tries again what itself tries again multiplies the attempts.
void judge_nested(std::vector<Location>& all) {
  auto by_name = functions_that_try_again(all);
  for (std::size_t i = 0; i < all.size(); i++) {
    auto& outer = all[i];
    auto* inner = nested_in(all, i);
    for (auto& callee : outer.callees) {
      if (inner) break;
      auto at = by_name.find(callee.name);
      auto* one = at == by_name.end() ? nullptr : at->second;
      bool chain = outer.shape == Shape::timer && one && one->shape == Shape::recursion;  // one begins the other
      if (one && !chain && one->language == outer.language && one->function != outer.function && calls(callee, *one))
        inner = one;
    }
    if (inner)
      outer.verdicts.push_back(
          {"retry-amplification",
           fmt::format("What it tries again tries again itself, at {}:{}: their attempts multiply.", inner->file,
                       inner->line)});
  }
}

void tell_odd(const std::string& error, const std::vector<Location*>& few, const std::vector<Location*>& many,
              const char* here, const char* there) {
  auto total = few.size() + many.size();
  if (total < 3 || few.empty() || few.size() * 3 > total) return;
  auto where = fmt::format("{}:{}", many.front()->file, many.front()->line);
  for (auto* one : few)
    one->verdicts.push_back({"inconsistent-retry", fmt::format("{} {} here, and {} in {} of {} places, at {} for one.",
                                                               error, here, there, many.size(), total, where)});
}

// One error of one callee that most places of a project treat one way, and few the other (WASABI, SOSP 2024, 3.2.2).
void judge_outliers(std::vector<Location>& all) {
  struct Places {
    std::vector<Location*> back, leaves;
  };
  std::map<std::pair<std::string, std::string>, Places> by_both;
  for (auto& one : all) {
    if (one.calls.empty()) continue;
    for (auto& error : one.back)
      if (error != "any" && error.find(' ') == error.npos && error.find('(') == error.npos)
        by_both[{error, one.calls}].back.push_back(&one);
    for (auto& error : one.leaves)
      if (error != "any" && error.find(' ') == error.npos) by_both[{error, one.calls}].leaves.push_back(&one);
  }
  for (auto& [both, places] : by_both) {
    auto what = fmt::format("{} of {}", both.first, both.second);
    tell_odd(what, places.leaves, places.back, "is not tried again", "is");
    tell_odd(what, places.back, places.leaves, "is tried again", "is not");
  }
}

}  // namespace

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all{
      {"missing-cap", "It may try for ever", "ends after some attempts or some time, and says that it gave up", "P3",
       "missing-cap"},
      {"missing-delay", "It tries again at once",
       "waits longer after each failure, by a time that differs from client to client", "P3", "missing-delay"},
      {"no-backoff", "It waits equally long for ever", "waits longer after each failure, up to a limit", "P3",
       "no-backoff,missing-cap"},
      {"retries-permanent-error", "It tries again what fails the same way each time",
       "looks at the error, and tries again only what may pass", "N1", "retries-permanent-error"},
      {"retries-non-idempotent", "It may do twice what was to be done once",
       "sends the same key with each attempt, or asks first whether it was done", "P1",
       "retries-non-idempotent,duplicate-effect"},
      {"changed-on-retry", "Each attempt carries another key", "makes the key once, before the first attempt", "P1,K1",
       "changed-on-retry,duplicate-effect"},
      {"swallowed-error", "Nobody hears of the last failure", "gives its caller the last error", "P3",
       "lost-effect,silent-wrong-result,settled-undone"},
      {"retry-amplification", "Retries within retries multiply", "tries again at one layer", "P3",
       "retry-amplification"},
      {"inconsistent-retry", "One error is treated in two ways", "treats an error alike wherever the same is called",
       "P3", "inconsistent-retry"},
  };
  return all;
}

const Rule* rule_named(std::string_view name) {
  auto it = std::ranges::find(rules(), name, &Rule::name);
  return it == rules().end() ? nullptr : &*it;
}

void judge(std::vector<Location>& locations) {
  for (auto& one : locations) judge_alone(one);
  judge_nested(locations);
  judge_outliers(locations);
}

}  // namespace retrial::scan
