#include "oracles/met_nothing.h"

#include <algorithm>
#include <array>

#include "oracles/client_words.h"
#include "oracles/evidence.h"
#include "oracles/exchange_members.h"
#include "oracles/failure.h"
#include "oracles/programming_errors.h"
#include "oracles/taken_for_data.h"

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

}  // namespace retrial::oracles
