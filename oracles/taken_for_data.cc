#include "oracles/taken_for_data.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/characters.h"
#include "oracles/evidence.h"
#include "oracles/ledger.h"
#include "oracles/members.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"

namespace retrial::oracles {
using trace::Call;
using trace::Comparison;

namespace {

constexpr int kTellingBody = 4;  // words
constexpr std::string_view kTellsFailure[] = {"error",  "errors",  "err",    "exception", "fail",
                                              "failed", "failure", "status", "http",      "code",
                                              "ok",     "reason",  "raised", "unexpected"};

// An assertion compares an injected error's body with the data that it wanted, and says nothing else of a failure: what
// is left of its text without that body has neither its status nor a word for one.
bool finds_body_as_data(const trace::Exchange& e, std::string_view text) {
  auto body = words_in(e.injected_sample);
  if (!e.fired || !is_status(e.fault) || static_cast<int>(body.size()) < kTellingBody) return false;
  auto marker = "retrial-" + e.fault_id;
  int shown = 0;
  for (auto at = text.find(marker); at != text.npos; at = text.find(marker, at + 1)) shown++;
  if (shown == 0 || e.injected_sample.find(marker) == std::string::npos) return false;
  auto left = words_in(text);
  std::size_t found = 0;
  for (auto& [word, times] : body)
    if (auto it = left.find(word); it != left.end()) it->second -= times * shown, found++;
  if (found * 2 <= body.size()) return false;  // a sentence of it may be a message
  auto says = [&](std::string_view word) {
    auto it = left.find(std::string(word));
    return it != left.end() && it->second > 0;
  };
  return !says(std::to_string(e.client_status)) && std::ranges::none_of(kTellsFailure, says);
}

}  // namespace

Words words_in(std::string_view text) {
  Words words;
  std::string word;
  for (char c : text) {
    if (is_alnum(c)) {
      word += fold(c);
    } else if (!word.empty()) {
      words[std::exchange(word, {})]++;
    }
  }
  if (!word.empty()) words[word]++;
  return words;
}

bool may_tell_failure(std::string_view text) {
  auto words = words_in(text);
  return std::ranges::any_of(kTellsFailure, [&](auto word) { return words.contains(std::string(word)); });
}

bool may_tell_failure_beside(std::string_view usual, std::string_view now) {
  auto was = members_of(usual), is = members_of(now);
  if (is.empty()) return may_tell_failure(now);
  return std::ranges::any_of(is, [&](auto& m) {
    auto same = [&](auto& other) { return other.path == m.path && other.value == m.value; };
    return std::ranges::none_of(was, same) && may_tell_failure(m.name + " " + m.value);
  });
}

bool tells_failure(std::string_view text) {
  constexpr std::string_view kOfPhpUnit = "Failed asserting that ";  // of every assertion
  if (text.starts_with(kOfPhpUnit)) text.remove_prefix(kOfPhpUnit.size());
  static constexpr std::string_view kFailure[] = {"error", "errors", "err",     "exception",
                                                  "fail",  "failed", "failure", "failures"};
  auto words = words_in(text);
  return std::ranges::any_of(kFailure, [&](auto word) { return words.contains(std::string(word)); });
}

const trace::Exchange* error_read_as_data(const Comparison& c, const Failure& failure) {
  if (failure.told.size() != 1 || told_over_http(c) || is_about_exception(*failure.outermost())) return nullptr;
  for (auto* call : c.faulted)
    for (auto* e : call->attempts)
      if (finds_body_as_data(*e, text_of(failure))) return e;
  return nullptr;
}

const Call* error_written_as_data(const Comparison& c, const Call& read) {
  for (auto& pair : c.pairs) {
    if (!pair.in_case || !pair.reference || pair.in_case == &read) continue;
    auto& write = pair.in_case->first();
    if (write.begun >= read.last().told && had_effect(write) && finds_body_as_data(read.last(), write.request_sample))
      return pair.in_case;
  }
  return nullptr;
}

}  // namespace retrial::oracles
