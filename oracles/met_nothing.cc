#include "oracles/met_nothing.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "oracles/client_words.h"
#include "oracles/evidence.h"
#include "oracles/exchange_members.h"
#include "oracles/failure.h"
#include "oracles/members.h"
#include "oracles/programming_errors.h"
#include "oracles/taken_for_data.h"
#include "trace/profiles/message.h"

namespace retrial::oracles {
namespace {

constexpr std::array<std::string_view, 4> kNothing{"null", "none", "nonetype", "undefined"};
constexpr std::size_t kTelling = 3;  // characters of a value that an assertion names by no chance

bool says_nothing_is_there(std::string_view message) {
  return std::ranges::any_of(kNothing, [&](auto word) { return holds_word(message, word); });
}

}  // namespace

bool met_nothing(const trace::Comparison& c, const trace::Call& call, const trace::Thrown& thrown) {
  auto* beside = counterpart(c, call);
  if (!beside || errors_are_values(*c.in_case) || !thrown.in_test || trace::recovered(call) ||
      !says_nothing_is_there(thrown.message))
    return false;
  auto told = members_answered(beside->last());
  if (is_programming_error(thrown)) return !told.empty();
  return is_assertion(thrown) && !tells_failure(thrown.message) && std::ranges::any_of(told, [&](auto& m) {
           return m.value.size() >= kTelling && holds_word(thrown.message, m.value);
         });
}

namespace {

// "exists", "key_exists", "hasObject", "contains": of a thing, not of how the service is ("is_up").
bool asks_whether(std::string_view function) {
  static constexpr std::array<std::string_view, 5> kThere{"exist", "contain", "include", "registered", "member"};
  auto words = words_of_name(function);
  return has_word(function, kThere) || (words.size() > 1 && words.front() == "has");
}

// "Store.exists" of "src.client.Store.exists": the last of its names.
std::string_view last_name_of(std::string_view function) { return function.substr(function.find_last_of(".:#$ ") + 1); }

std::string_view last_line_of(std::string_view source) {
  source = trim(source);
  return source.substr(source.rfind('\n') + 1);
}

}  // namespace

std::string denied_by(const trace::Comparison& c, const trace::Call& call, const trace::Thrown& thrown) {
  auto& first = call.first();
  if (errors_are_values(*c.in_case) || !thrown.in_test || !is_assertion(thrown) || trace::recovered(call) ||
      !trace::message::safe_method(first.method) || !first.tag.site || !holds_word(thrown.message, "false"))
    return {};
  for (auto& frame : trace::frames_of(*first.tag.site)) {
    auto name = last_name_of(frame.function);
    bool asserted = holds_word(last_line_of(thrown.source), name) || holds_word(thrown.message, name);
    if (asks_whether(name) && asserted) return frame.function;
  }
  return {};
}

}  // namespace retrial::oracles
