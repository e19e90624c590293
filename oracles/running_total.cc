#include "oracles/running_total.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "oracles/evidence.h"
#include "oracles/ledger.h"
#include "oracles/members.h"
#include "trace/calls/service_name.h"
#include "trace/profiles/message.h"

namespace retrial::oracles {
using trace::Exchange;

namespace {

using Members = std::vector<Member>;

bool is_amount(const Member& m) { return !m.listed && m.kind == Member::Kind::number && may_count(m); }

const Member* at(const Members& members, const std::string& path) {
  auto it = std::ranges::find(members, path, &Member::path);
  return it == members.end() ? nullptr : &*it;
}

// It sends the same, but for this member.
bool same_but_for(const Members& one, const Members& other, const std::string& path) {
  return std::ranges::equal(
      one, other, [&](auto& a, auto& b) { return a.path == b.path && (a.path == path || a.value == b.value); });
}

// Of these requests, which all concern one thing: is what one sends what its total has more than the one before?
bool adds_up(const trace::Run& run, const Exchange& like, const Exchange& left_out, const std::string& amount,
             const std::string& total) {
  auto sent = members_of(like.request_sample);
  std::optional<double> last;
  for (auto& e : run.exchanges) {
    if (&e == &left_out || e.operation != like.operation ||
        trace::service_name(e.service) != trace::service_name(like.service) ||
        trace::message::path_of(e.target) != trace::message::path_of(like.target) || !had_effect(e))
      continue;
    auto asked = members_of(e.request_sample), told = members_of(e.response_sample);
    if (!same_but_for(asked, sent, amount)) continue;
    auto *by = at(asked, amount), *now = at(told, total);
    if (!by || !now) continue;
    auto step = number_of(by->value), sum = number_of(now->value);
    if (last && step && sum && *step != 0 && nearly(*sum, *last + *step)) return true;
    last = sum;
  }
  return false;
}

}  // namespace

std::string same_total(const trace::Comparison& c, const Exchange& before, const Exchange& next) {
  if (!is_success(before.service_status) || !is_success(next.service_status) ||
      before.request_digest != next.request_digest)
    return {};
  auto was = members_of(before.response_sample), is = members_of(next.response_sample);
  for (auto& amount : members_of(before.request_sample)) {
    if (!is_amount(amount) || number_of(amount.value).value_or(0) == 0) continue;
    for (auto& total : was) {
      auto* again = is_amount(total) ? at(is, total.path) : nullptr;
      if (!again || again->value != total.value) continue;
      if (adds_up(*c.in_case, before, next, amount.path, total.path) ||
          adds_up(*c.reference, before, next, amount.path, total.path))
        return fmt::format("both answers say \"{}\": {}, to which what is sent is added else", total.name, total.value);
    }
  }
  return {};
}

}  // namespace retrial::oracles
