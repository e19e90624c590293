#include "oracles/kept_for_next.h"

#include <algorithm>

#include "base/text.h"
#include "oracles/evidence.h"
#include "oracles/failure.h"
#include "oracles/repeat.h"
#include "trace/executions.h"
#include "trace/profiles/message.h"

namespace retrial::oracles {
namespace {

// Everything that the next test sent, and none of it what the call asks for, went as it goes without the fault.
bool goes_on_without(const trace::Run& next, const trace::Exchange& failed) {
  return std::ranges::none_of(next.exchanges, [&](auto& e) {
    return e.fired || !delivered(e) || (e.operation == failed.operation && e.service == failed.service);
  });
}

// But for our looks.
bool asks_nobody(const trace::Run& next) { return std::ranges::all_of(next.exchanges, is_look); }

bool rested(const trace::Run& next, const trace::Exchange& failed) {
  constexpr int kGoodPart = 10;  // timers of others part it
  Nanos moved = 0;
  for (auto& jump : next.jumps)
    if (jump.at >= failed.told) moved += jump.by;
  return moved >= trace::kRest - trace::kRest / kGoodPart;
}

}  // namespace

std::optional<KeptForNext> kept_for_next(const ComparedCase& compared, const trace::Comparison& c,
                                         const trace::Call& call) {
  auto& failed = call.last();
  // Of a write it may be kept that nobody knows what became of it.
  bool unknown = !trace::message::safe_method(failed.method) && !reads_by_name(failed) && !lets_in(failed);
  bool by_fault = failed.fired && failed.told && failed.tag.site && may_pass(failed) && !unknown;
  if (!by_fault || may_be_unseen(c, failed) || in_tests(failed.tag.site->file, compared.row->test)) return {};
  auto failure = failure_of(compared, c), next_failure = failure_of_next(c);
  if (!failure || !next_failure || !failure->outermost() || !next_failure->outermost()) return {};
  auto& error = *failure->outermost();
  if (!in_test_phase(*failure->result) || !in_test_phase(*next_failure->result)) return {};
  auto text = text_of(*failure);  // its causes too: a breaker's may be the cause of one error for all
  if (text != text_of(*next_failure) || icontains(text, "circuit") || icontains(text, "breaker")) return {};
  auto& next = *c.in_case->followed_by;
  if (!goes_on_without(next, failed) || (is_assertion(error) && !asks_nobody(next))) return {};
  auto& test = next_failure->result->test;
  return KeptForNext{test == compared.row->test ? "" : test, named(error), rested(next, failed)};
}

}  // namespace retrial::oracles
