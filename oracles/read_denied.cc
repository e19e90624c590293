#include "oracles/read_denied.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"
#include "oracles/client_words.h"
#include "oracles/evidence.h"
#include "oracles/failure.h"
#include "oracles/members.h"
#include "oracles/repeat.h"
#include "oracles/taken_for_data.h"
#include "trace/profiles/message.h"

namespace retrial::oracles {
using trace::Exchange;

namespace {

// "false !== true", "expected: <true> but was: <false>", "assert False"; not {'ok': False}, which may tell of it.
bool finds_truth(std::string_view message) {
  if (message.find_first_of("{[") != message.npos || tells_failure(message)) return false;
  auto words = words_in(message);
  for (std::string_view none : {"none", "null", "nil", "undefined"})
    if (words.contains(std::string(none))) return false;
  return words.contains("true") || words.contains("false");
}

bool asks_how_it_is(const Exchange& e) {
  static constexpr std::array<std::string_view, 12> kWell = {"health", "healthz", "healthcheck", "ping",
                                                             "ready",  "readyz",  "readiness",   "live",
                                                             "livez",  "alive",   "status",      "heartbeat"};
  auto parts = trace::message::segments(trace::message::path_of(e.target));
  return parts.empty() || among(kWell, lower(parts.back()));
}

bool reads_alone(const trace::Run& run, std::uint64_t statement) {
  return std::ranges::all_of(run.exchanges, [&](auto& e) { return e.tag.statement != statement || only_reads(e); });
}

}  // namespace

bool read_denied(const trace::Comparison& c, const trace::Call& call, std::string_view test, std::string_view message) {
  auto& first = call.first();
  auto* beside = counterpart(c, call);
  auto statement = first.tag.statement;
  if (!beside || statement == 0 || !first.tag.site || in_tests(first.tag.site->file, test)) return false;
  if (asks_how_it_is(first) || !is_success(beside->last().client_status) || !finds_truth(message)) return false;
  return reads_alone(*c.in_case, statement) && reads_alone(*c.reference, beside->first().tag.statement);
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
