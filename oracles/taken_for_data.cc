#include "oracles/taken_for_data.h"

#include <algorithm>
#include <utility>

#include "base/characters.h"
#include "oracles/evidence.h"
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

// "/items/" of "/items/0/id": the outermost list that it stands in.
std::string_view list_of(std::string_view path) {
  for (auto at = path.find('/'); at != path.npos && at + 1 < path.size(); at = path.find('/', at + 1))
    if (is_digit(path[at + 1])) return path.substr(0, at + 1);
  return path;
}

// Is a list empty, a member gone, or a number 0, that was none of it?
bool lacks(std::string_view before, std::string_view now) {
  if (!is_json(before) || !is_json(now)) return false;
  auto is = members_of(now);
  return std::ranges::any_of(members_of(before), [&](auto& was) {
    auto kept = [&](auto& m) {
      return was.listed ? m.path.starts_with(list_of(was.path)) : m.path == was.path && m.value != "0";
    };
    return was.value != "0" && std::ranges::none_of(is, kept);
  });
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

const trace::Exchange* error_read_as_data(const Comparison& c, const Failure& failure) {
  if (failure.told.size() != 1 || told_over_http(c)) return nullptr;
  for (auto* call : c.faulted)
    for (auto* e : call->attempts)
      if (finds_body_as_data(*e, text_of(failure))) return e;
  return nullptr;
}

const Call* written_with_less(const Comparison& c, const Call& call) {
  if (call.last().told == 0) return nullptr;
  for (auto& pair : c.pairs) {
    if (!pair.reference || !pair.in_case || pair.in_case->first().begun < call.last().told) continue;
    auto &was = pair.reference->last(), &is = pair.in_case->last();
    if (!trace::carried_out(was) || !trace::carried_out(is) || trace::message::safe_method(is.method)) continue;
    if (trace::profile_of(is).repeat(is) == trace::Repeat::safe || !lacks(was.request_sample, is.request_sample))
      continue;
    auto words = words_in(is.request_sample);
    if (std::ranges::none_of(kTellsFailure, [&](auto word) { return words.contains(std::string(word)); }))
      return pair.in_case;
  }
  return nullptr;
}

}  // namespace retrial::oracles
