#include "oracles/what_was_set.h"

#include <algorithm>

#include "oracles/evidence.h"
#include "oracles/exchange_members.h"
#include "oracles/members.h"
#include "oracles/recognition.h"
#include "trace/profiles/message.h"
#include "trace/recording/redact.h"

namespace retrial::oracles {
using trace::Exchange;

namespace {

bool names_its_thing(const Exchange& look, const std::string& value) {
  auto parts = trace::message::segments(trace::message::path_of(look.target));
  return std::ranges::find(parts, value) != parts.end();
}

bool tells_the_same(const Exchange& was, const Exchange& is) {
  auto whole = [](const Exchange& e) { return delivered(e) && is_success(e.service_status) && kept_whole(e); };
  if (!whole(was) || !whole(is)) return false;
  auto usual = members_of(was.response_sample), told = members_of(is.response_sample);
  return !told.empty() && std::ranges::equal(usual, told, [&](auto& a, auto& b) {
    bool names = names_its_thing(was, a.value) && names_its_thing(is, b.value);
    return a.path == b.path && (a.value == b.value || names || drawn_anew(a, b));
  });
}

template <class Shows>
std::string look_at_the_thing(const trace::Comparison& c, const Exchange& before, const Exchange& next, Shows shows) {
  if (next.told == 0 || before.request_digest != next.request_digest) return {};
  auto path = trace::message::path_of(before.target);
  for (auto& pair : c.pairs) {
    if (!pair.reference || !pair.in_case || pair.in_case->first().begun < next.told) continue;
    auto &was = pair.reference->last(), &is = pair.in_case->last();
    auto at = trace::message::path_of(is.target);
    bool around = path.starts_with(at) && (path.size() == at.size() || (at.size() > 1 && path[at.size()] == '/'));
    if (around && trace::message::safe_method(is.method) && is.service == before.service && was.method == is.method &&
        !asks_for_part(is.target) && tells_the_same(was, is) && shows(is))
      return is.operation;
  }
  return {};
}

}  // namespace

std::string what_was_set(const trace::Comparison& c, const Exchange& before, const Exchange& next) {
  auto sent = members_of(before.request_sample);
  bool flat = std::ranges::all_of(sent, [](auto& m) { return m.path == "/" + m.name && m.value != trace::kRedacted; });
  if (sent.empty() || !flat) return {};
  return look_at_the_thing(c, before, next, [&](const Exchange& look) {
    auto told = members_of(look.response_sample);
    return std::ranges::all_of(sent, [&](auto& m) {
      return std::ranges::any_of(
          told, [&](auto& shown) { return !shown.listed && shown.name == m.name && shown.value == m.value; });
    });
  });
}

std::string thing_as_usual(const trace::Comparison& c, const Exchange& before, const Exchange& next) {
  return look_at_the_thing(c, before, next, [](auto&) { return true; });
}

}  // namespace retrial::oracles
