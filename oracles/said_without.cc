#include "oracles/said_without.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"
#include "oracles/exchange_members.h"
#include "oracles/ledger.h"
#include "oracles/members.h"

namespace retrial::oracles {
namespace {

constexpr std::size_t kTelling = 4;  // characters of a value that is no other's by chance

constexpr std::array<std::string_view, 5> kStates{"state", "status", "stage", "phase", "outcome"};

// {"state": "confirmed"}, or {"paid": true}.
bool says_done(const Member& m) {
  auto past = [](std::string_view word) { return word.size() > kTelling && word.ends_with("ed"); };
  if (m.kind == Member::Kind::boolean) return m.value == "true" && (past(lower(m.name)) || m.name == "paid");
  return m.kind == Member::Kind::text && has_word(m.name, kStates) &&
         (past(lower(m.value)) || lower(m.value) == "paid");
}

// What of this body is not in the other, all else being the same; null: nothing, or something else is another.
const Member* lacking(const std::vector<Member>& was, const std::vector<Member>& is, const std::vector<Member>& told) {
  const Member* lacks = nullptr;
  for (auto& m : was) {
    auto here = std::ranges::find(is, m.path, &Member::path);
    if (here != is.end() && (here->value == m.value || drawn_anew(m, *here))) continue;
    bool of_answer = m.value.size() >= kTelling && std::ranges::find(told, m.value, &Member::value) != told.end();
    if (here != is.end() || !of_answer) return nullptr;
    lacks = &m;
  }
  return lacks;
}

}  // namespace

std::string said_without(const trace::Comparison& c, const trace::Call& call, const trace::Call& beside) {
  auto told = members_answered(beside.last());
  for (auto& pair : c.pairs) {
    if (!pair.reference || !pair.in_case || pair.in_case->first().begun < call.last().told) continue;
    auto &usual = pair.reference->last(), &write = pair.in_case->last();
    if (!had_effect(usual) || !had_effect(write) || usual.begun < beside.last().told) continue;
    auto was = members_sent(usual), is = members_sent(write);
    auto* lacks = lacking(was, is, told);
    auto said = std::ranges::find_if(is, says_done);
    if (lacks && said != is.end() && is.size() < was.size())
      return fmt::format(", and {} then says \"{}\" without the \"{}\" that its answer tells else", write.operation,
                         said->kind == Member::Kind::boolean ? said->name : said->value, lacks->name);
  }
  return {};
}

}  // namespace retrial::oracles
