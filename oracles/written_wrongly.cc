#include "oracles/asserted.h"

#include <fmt/format.h>

#include <algorithm>

#include "oracles/taken_for_data.h"
#include "oracles/written_after.h"

namespace retrial::oracles {
using trace::Call;

namespace {

std::optional<Said> by_a_write(const Asserted& a, const Call* write, std::string_view how, const char* why) {
  if (!write) return {};
  return Said{at_most_likely(write->confidence),
              fmt::format("{}, no exception came of it, and {} was then made{}", a.done, write->operation, how), why};
}

}  // namespace

std::optional<Said> by_an_error_written_as_data(const Asserted& a) {
  return by_a_write(a, error_written_as_data(a.c, a.call), " with the body of that error",
                    "The answer was read without a look at its status.");
}
std::optional<Said> by_what_is_written_with_less(const Asserted& a) {
  return by_a_write(a, written_with_less(a.c, a.call).first, " without data that it has else",
                    "The failure was taken for an answer that holds nothing.");
}
std::optional<Said> by_what_is_written_with_other(const Asserted& a) {
  return by_a_write(a, written_with_other(a.c, a.call), " with another value than it reads there else",
                    "What it could not read it took from elsewhere.");
}
std::optional<Said> by_what_is_written_as_it_says(const Asserted& a) {
  return by_a_write(a, written_as_told(a.c, a.call, a.message()), " with that value",
                    "What could not be read was left out of it, and nobody was told.");
}
std::optional<Said> by_what_is_written_instead(const Asserted& a) {
  if (!may_pass(a.call.last())) return {};
  return by_a_write(a, written_instead(a.compared, a.c, a.call),
                    ", which the same test does not make without the fault",
                    "The failure was taken for an answer that holds nothing.");
}

}  // namespace retrial::oracles
