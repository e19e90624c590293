// What an answer says by itself, or beside the one before: echoes, counts, same-answer, never-falls, rises.
#include <fmt/format.h>

#include <algorithm>

#include "checkers/monitor.h"

namespace retrial::checkers {
namespace {

// Alike for requests that ask for the same in the same way.
std::string asked(const trace::Exchange& e) {
  std::string key;
  for (auto part : {&e.service, &e.method, &e.target}) key.append(*part).append(" ");
  key += std::to_string(e.request_digest);
  for (std::string_view name : {"accept", "accept-language", "range", "x-user", "x-tenant"})
    key.append(" ").append(trace::find(e.request_headers, name));
  return key;
}

std::string all_of(const Deed& d) {
  if (d.fate == Fate::refused) return fmt::format("status {}", d.e->service_status);
  std::string out;
  for (auto& leaf : d.answer.leaves)
    if (!leaf.path.ends_with('#')) out.append(leaf.path).append("=").append(leaf.text).append("\n");
  return out;
}

// The first that differs, in words.
std::string difference(const std::string& before, const std::string& now) {
  auto at = std::ranges::mismatch(before, now);
  auto from = static_cast<std::size_t>(at.in1 - before.begin());
  from = from == 0 ? 0 : before.rfind('\n', from - 1) == before.npos ? 0 : before.rfind('\n', from - 1) + 1;
  return fmt::format("{} before, {} now", in_marks(std::string_view(before).substr(std::min(from, before.size()))),
                     in_marks(std::string_view(now).substr(std::min(from, now.size()))));
}

}  // namespace

void Monitor::judge_number(std::size_t n, const Now& now) {
  auto& c = checkers_[n];
  auto& d = now.d;
  auto& f = c.fields.front();
  auto* leaf = d.fate == Fate::done && d.answer.known ? d.answer.at(f.right) : nullptr;
  double value = 0;
  if (!leaf || !number_of(*leaf, value)) return;
  auto* before = find(n, d.spot);
  if (before && before->set < now.begun && world_.ended(d.spot, d.e->service) <= before->set) {
    double was = std::strtod(before->values.front().front().c_str(), nullptr);
    bool right = c.rule == Rule::rises ? value > was : value >= was;
    tell(c, &f, right ? Verdict::pass : Verdict::fail, now, before->from, value > was ? "rose" : "",
         right ? ""
               : fmt::format("`{}` of {} was {} and then {}", f.right, d.path, show_number(was), show_number(value)));
  }
  auto& state = put(n, d.spot);
  if (before && state.set > now.begun && state.values.front().size() == 1 &&
      std::strtod(state.values.front().front().c_str(), nullptr) > value)
    return;  // they overlapped: the higher one stands
  state = {};
  state.set = now.ended;
  state.from = {d.e->id};
  state.values = {{leaf->text}};
}

void Monitor::judge_same(std::size_t n, const Now& now) {
  auto& c = checkers_[n];
  auto& d = now.d;
  bool missing = d.missing();
  if (!d.looks() || (!missing && (d.fate != Fate::done || !d.answer.known))) return;
  auto key = asked(*d.e);
  auto answer = all_of(d);
  if (auto* before = find(n, key); before && calm(c, now, d.spot, before->set)) {
    auto& was = before->values.front().front();
    bool right = was == answer;
    tell(c, nullptr, right ? Verdict::pass : Verdict::fail, now, before->from, d.e->target + answer,
         right ? ""
               : fmt::format("{} was asked again with nothing written between, and answered otherwise: {}", d.e->target,
                             difference(was, answer)));
  }
  if (auto is = standing(c, now); is.last > now.begun || is.open) return drop(n, key);
  auto& state = put(n, key);
  state = {};
  state.set = now.ended;
  state.from = {d.e->id};
  state.values = {{std::move(answer)}};
}

void Monitor::judge_own(std::size_t n, const Now& now) {
  auto& c = checkers_[n];
  auto& d = now.d;
  if (d.fate != Fate::done || !d.answer.known) return;
  for (auto& f : c.fields) {
    auto* leaf = d.answer.at(f.right);
    // What has no such member is another kind of thing at the same depth ("/docs/_settings"), or a part of one.
    if (!leaf && (d.answer.redacted || d.is_view() || f.left == "{path}")) continue;
    std::string said;
    if (c.rule == Rule::counts) {
      if (d.is_view()) continue;  // "total" may count what its query leaves out
      auto array = f.left.substr(0, f.left.size() - std::min<std::size_t>(2, f.left.size()));
      if (!d.answer.at(array)) continue;
      said = std::to_string(d.answer.length(array));
    } else if (f.left == "{path}") {
      said = d.last_segment();
    } else if (auto* sent = d.request.at(f.left)) {
      said = sent->text;
    } else {
      continue;
    }
    bool right = leaf && leaf->text == said;
    tell(c, &f, right ? Verdict::pass : Verdict::fail, now, {}, said,
         right
             ? ""
             : fmt::format("`{}` of {} is {}, where {} {}", f.right, c.then, leaf ? in_marks(leaf->text) : "not there",
                           c.rule == Rule::counts ? "the items are" : "its request says",
                           c.rule == Rule::counts ? said : in_marks(said)));
  }
}

}  // namespace retrial::checkers
