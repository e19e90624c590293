#include "oracles/asserted.h"

#include <fmt/format.h>

#include <algorithm>

#include "oracles/client_words.h"
#include "oracles/silent_wrong_result.h"
#include "oracles/taken_for_data.h"

namespace retrial::oracles {
using trace::Comparison;
using trace::Confidence;

namespace {

// A function that application code calls elsewhere in this test, and nobody but the test here: it hands answers on, and
// whoever called it was to look at them.
bool is_helper_of_others(const Comparison& c, const trace::CallSite& site) {
  auto outermost = trace::frames_of(site).back();
  return std::ranges::any_of(c.reference->exchanges, [&](auto& e) {
    if (!e.tag.site) return false;
    auto frames = trace::frames_of(*e.tag.site);
    auto& caller = frames.back();
    return caller.file != outermost.file &&
           std::ranges::any_of(frames, [&](auto& frame) { return frame.file == outermost.file; });
  });
}

}  // namespace

std::optional<Said> of_an_error_read_as_data(const Asserted& a) {
  auto* e = error_read_as_data(a.c, a.failure);
  if (!e) return {};
  auto& site = a.call.first().tag.site;
  bool of_test = !site || in_tests(site->file, a.compared.row->test) || is_helper_of_others(a.c, *site);
  return Said{
      of_test ? Confidence::possible : at_most_likely(a.call.confidence),
      fmt::format("{}, no exception came of it", a.done),
      fmt::format("It found the body of that {} where the data should be: the answer was read without a look at "
                  "its status.",
                  show_answer(e->client_status))};
}

// "147 !== 20000", where 147 bytes were told by the fault, and 20000 are read else.
std::optional<Said> of_the_errors_length(const Asserted& a) {
  constexpr std::size_t kLeast = 16;  // bytes: fewer may be any number
  auto* beside = counterpart(a.c, a.call);
  auto words = words_in(a.message());
  bool usual = beside && words.contains(std::to_string(beside->last().response_bytes));
  auto told = [&](auto* e) {
    auto size = e->injected_sample.size();
    return e->fired && size >= kLeast && size < trace::kSampleBytes && words.contains(std::to_string(size));
  };
  if (!usual || std::ranges::none_of(a.call.attempts, told)) return {};
  return Said{at_most_likely(a.call.confidence), fmt::format("{}, no exception came of it", a.done),
              "It found as many bytes as that error's body has where the data should be: the answer was read without a "
              "look at its status."};
}

std::optional<Said> of_a_cut_body(const Asserted& a) {
  if (!cut_short(a.c, a.call)) return {};
  return Said{at_most_likely(a.call.confidence), fmt::format("{}, no exception came of it", a.done),
              "The first part of the body was taken for the whole."};
}

}  // namespace retrial::oracles
