#include "oracles/compensations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "oracles/evidence.h"
#include "oracles/held_by_rpc.h"
#include "oracles/ledger.h"
#include "oracles/made_of.h"
#include "oracles/members.h"
#include "oracles/repeat.h"
#include "trace/profiles/message.h"

namespace retrial::oracles {
namespace {
using trace::Exchange;

const Exchange* undone_by(const trace::Run& run, const Exchange& step) {
  constexpr std::size_t kTelling = 3;  // characters: a shorter id is many things'
  auto id = std::string(trace::message::json_top(step.response_sample, "id"));
  if (step.method != "POST" || id.size() < kTelling || !trace::carried_out(step) || undoes(step)) return nullptr;
  auto found = std::ranges::find_if(run.exchanges, [&](auto& e) {
    return e.begun >= step.told && undoes(e) && trace::carried_out(e) && std::ranges::binary_search(values_of(e), id);
  });
  return found == run.exchanges.end() ? nullptr : &*found;
}

// What gives up what the step has made, that alone. Null: nothing.
const Exchange* given_back(const trace::Run& run, const Removals& removals, const Exchange& step) {
  if (auto* undone = undone_by(run, step)) return undone;
  if (step.grpc.is) {
    auto* gave = trace::carried_out(step) ? given_up_by(run, step) : nullptr;
    return gave && trace::carried_out(*gave) ? gave : nullptr;
  }
  auto path = removals.made_by(step);
  if (path.empty()) return nullptr;
  auto removed = removal_of(run, path, step.told);
  bool all_of_it = removed.by && trace::message::path_of(removed.by->target).starts_with(path);
  return removed.how == Removal::done && all_of_it && trace::carried_out(*removed.by) ? removed.by : nullptr;
}

// The call of the same function that its service refused in between. Null: there is none.
const Exchange* refused_between(const trace::Run& run, const Exchange& step, const Exchange& back,
                                const std::string& test) {
  auto refused = std::ranges::find_if(run.exchanges, [&](auto& e) {
    return e.begun >= step.told && e.told <= back.begun && e.service_status >= 400 && e.tag.site && step.tag.site &&
           in_one_function(*step.tag.site, *e.tag.site, test);
  });
  return refused == run.exchanges.end() ? nullptr : &*refused;
}

std::string where_seen(const Exchange* refused, const std::string& test) {
  auto where = test.empty() ? std::string("the command") : test;
  if (!refused) return where;
  return fmt::format("{} was answered {} in {}", refused->operation, refused->service_status, where);
}

}  // namespace

bool undoes(const Exchange& e) {
  static constexpr std::array<std::string_view, 10> kUndoing{"refund", "reversal", "reverse", "void",   "cancellation",
                                                             "cancel", "rollback", "undo",    "revert", "compensate"};
  auto path = trace::message::path_of(e.target);
  if (e.method == "PUT") path = trace::message::folder_of(path);  // it names what it makes
  return (e.method == "POST" || e.method == "PUT") && has_word(path.substr(path.rfind('/') + 1), kUndoing);
}

bool is_step_before(const Exchange& step, const Exchange& work, const std::string& test) {
  return step.operation != work.operation && step.told && step.told <= work.begun && step.tag.site && work.tag.site &&
         !lets_in(step) && in_one_function(*step.tag.site, *work.tag.site, test);
}

void Compensations::learn(const trace::Run& run, const std::string& test) {
  auto may_give_back = [](auto& e) { return removes(e) || e.grpc.is || undoes(e); };
  if (std::ranges::none_of(run.exchanges, may_give_back)) return;
  Removals removals(run);
  std::set<std::pair<std::string, std::string>> asked;
  for (auto& step : run.exchanges) {
    if (!step.tag.site || step.tag.test != test) continue;
    auto site = trace::key_of(*step.tag.site);
    if (!asked.emplace(step.operation, site).second) continue;
    auto* back = given_back(run, removals, step);
    if (!back || !back->tag.site || in_tests(back->tag.site->file, test)) continue;
    bool own = in_one_function(*step.tag.site, *back->tag.site, test);
    auto* refused = own ? refused_between(run, step, *back, test) : nullptr;
    bool after_error = refused != nullptr;
    if (own && !after_error) continue;  // what it always does: resource-leak speaks of that
    Known one{{step.operation, back->operation, trace::show(*back->tag.site), after_error, where_seen(refused, test)},
              site};
    auto& all = known_[step.operation];
    bool there = std::ranges::any_of(all, [&](auto& k) {
      return k.compensation.after_error == after_error && (!after_error || k.step_site == site);
    });
    if (!there) all.push_back(std::move(one));
  }
}

trace::Compensation Compensations::before(const std::vector<const trace::Call*>& calls, const std::string& test) const {
  trace::Compensation best;
  if (known_.empty() || calls.empty()) return best;
  auto& work = calls.back()->first();
  for (auto* call : calls) {
    auto& step = call->last();
    auto known = known_.find(step.operation);
    if (known == known_.end() || !had_effect(step) || !is_step_before(step, work, test)) continue;
    for (auto& k : known->second) {
      if (k.compensation.after_error && k.step_site != trace::key_of(*step.tag.site)) continue;
      if (k.compensation.by == work.operation) continue;  // it was tried, and failed
      if (k.compensation.after_error || !best.after_error) best = k.compensation;
    }
  }
  return best;
}

}  // namespace retrial::oracles
