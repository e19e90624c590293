#include "oracles/failed_read.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/characters.h"
#include "base/text.h"
#include "oracles/evidence.h"
#include "oracles/exchange_members.h"
#include "oracles/ledger.h"
#include "oracles/made_of.h"
#include "oracles/members.h"
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

namespace {

bool same_thing(const Exchange& a, const Exchange& b) {
  return a.service == b.service && trace::message::path_of(a.target) == trace::message::path_of(b.target);
}

// Another value of the same member, or another text.
bool is_other(std::string_view there, std::string_view put) {
  auto was = members_of(there), is = members_of(put);
  if (was.empty() || is.empty()) {
    auto words = [](std::string_view text) { return !text.empty() && std::ranges::none_of(text, is_digit); };
    return was.empty() && is.empty() && words(there) && words(put) && there != put;
  }
  return std::ranges::any_of(was, [&](auto& m) {
    auto it = std::ranges::find(is, m.path, &Member::path);
    return it != is.end() && !m.listed && it->kind == m.kind && it->value != m.value && !drawn_anew(m, *it);
  });
}

// What lies there, as far as it is known whole: what this run has put there, or what the reference reads.
std::string_view content_of(const Comparison& c, const Call& read) {
  auto& first = read.first();
  std::string_view content;
  if (auto* beside = counterpart(c, read))
    if (auto& usual = beside->last(); delivered(usual) && is_success(usual.service_status) && same_thing(usual, first))
      content = kept_whole(usual) ? std::string_view(usual.response_sample) : "";
  for (auto& e : c.in_case->exchanges)
    if (e.begun < first.begun && e.method == "PUT" && same_thing(e, first) && had_effect(e))
      content = e.request_bytes == e.request_sample.size() ? std::string_view(e.request_sample) : "";
  return content;
}

}  // namespace

const Call* put_over(const ComparedCase& compared, const Comparison& c, const Call& read) {
  auto& last = read.last();
  auto there = content_of(c, read);
  if (last.told == 0 || there.empty() || !trace::message::safe_method(last.method)) return nullptr;
  for (auto& pair : c.pairs) {
    if (pair.reference || !pair.in_case || pair.in_case->first().begun < last.told) continue;
    auto& write = pair.in_case->last();
    if (write.method != "PUT" || !same_thing(write, last) || !had_effect(write) || is_put_aside(write.target)) continue;
    auto on_condition = [&](std::string_view header) { return !trace::find(write.request_headers, header).empty(); };
    if (on_condition("if-match") || on_condition("if-none-match") || !by_application(compared, write)) continue;
    bool read_since = std::ranges::any_of(c.in_case->exchanges, [&](auto& e) {
      return e.begun >= last.told && e.begun < write.begun && trace::message::safe_method(e.method) &&
             same_thing(e, last) && delivered(e);
    });
    bool usual = std::ranges::any_of(c.reference->exchanges, [&](auto& e) {
      return e.method == "PUT" && same_thing(e, write) && e.request_digest == write.request_digest;
    });
    if (!read_since && !usual && is_other(there, write.request_sample)) return pair.in_case;
  }
  return nullptr;
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
