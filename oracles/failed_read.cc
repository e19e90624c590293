#include "oracles/failed_read.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/characters.h"
#include "base/text.h"
#include "oracles/evidence.h"
#include "oracles/ledger.h"
#include "oracles/made_of.h"
#include "oracles/taken_for_data.h"
#include "trace/profiles/message.h"

namespace retrial::oracles {
using trace::Call;
using trace::Comparison;
using trace::Exchange;

EndOfWait ended_by_failure(const ComparedCase& compared, const Comparison& c, const Call& read) {
  auto& last = read.last();
  if (last.told == 0 || !trace::message::safe_method(last.method)) return {};
  auto answers = [&](const trace::Run& run, auto same) {
    std::vector<const Exchange*> all;
    for (auto& e : run.exchanges)
      if (!is_look(e) && e.operation == last.operation && same(e) && delivered(e) && trace::carried_out(e))
        all.push_back(&e);
    return all;
  };
  auto* beside = counterpart(c, read);
  if (!beside) return {};
  auto usual = answers(*c.reference, [&](auto& e) { return e.target == beside->last().target; });
  auto here = answers(*c.in_case, [&](auto& e) { return e.target == last.target; });
  bool waits = usual.size() > 1 && usual.front()->response_sample != usual.back()->response_sample &&
               usual[usual.size() - 2]->response_sample != usual.back()->response_sample;
  if (!waits || here.size() >= usual.size()) return {};
  if (std::ranges::any_of(here, [&](auto* e) { return e->begun > last.begun; })) return {};
  // What has a number of its own ("/jobs/j1") is named by what is made of it.
  auto parts = trace::message::segments(trace::message::path_of(last.target));
  auto name = parts.empty() ? std::string() : percent_decode(parts.back());
  auto of_it = [&](const Exchange& write) {
    if (std::ranges::none_of(name, is_digit)) return true;
    auto values = values_of(write);
    return write.target.contains(name) || std::ranges::binary_search(values, name);
  };
  for (auto& pair : c.pairs) {
    if (!pair.reference || !pair.in_case || pair.in_case->first().begun < last.told) continue;
    auto &write = pair.in_case->last(), &was = pair.reference->last();
    bool after = pair.reference->first().begun >= usual.back()->told;
    bool made = had_effect(write) && had_effect(was) && !removes(write) && by_application(compared, write);
    if (after && made && of_it(write) && !tells_failure(write.request_sample)) return {pair.in_case, usual.size()};
  }
  return {};
}

Swept swept_after(const ComparedCase& compared, const Comparison& c, const Call& read) {
  auto& last = read.last();
  constexpr int kSeveral = 2;
  Swept swept;
  bool usual = false;
  std::optional<Removals> here;
  for (auto& pair : c.pairs) {
    if (!pair.in_case) continue;
    auto& removal = pair.in_case->last();
    if (last.told == 0 || pair.in_case->first().begun < last.told || removal.pid != last.pid) continue;
    if (removal.method != "DELETE" || !had_effect(removal) || is_gone(removal)) continue;
    if (!by_application(compared, removal)) continue;
    auto folder = [](const Exchange& e) { return trace::message::folder_of(trace::message::path_of(e.target)); };
    auto alike = [&](auto& e) {
      return e.method == removal.method && e.tag.site == removal.tag.site && folder(e) == folder(removal);
    };
    if (std::ranges::any_of(c.reference->exchanges, [&](auto& e) { return same_request(e, removal); })) continue;
    if (!here) here.emplace(*c.in_case);
    if (here->made(trace::message::path_of(removal.target))) continue;
    usual |= std::ranges::any_of(c.reference->exchanges, alike);
    if (!swept.first) swept.first = pair.in_case;
    swept.things++;
  }
  return usual || swept.things >= kSeveral ? swept : Swept();
}

}  // namespace retrial::oracles
