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

// "/items/" of "/items/0/id": the outermost list that it stands in.
std::string_view list_of(std::string_view path) {
  for (auto at = path.find('/'); at != path.npos && at + 1 < path.size(); at = path.find('/', at + 1))
    if (is_digit(path[at + 1])) return path.substr(0, at + 1);
  return path;
}

// Of the lists and other members that hold something: how many are empty, gone or 0 by now, and how many are not.
struct Lacking {
  std::set<std::string_view> gone, left;
};
Lacking lacking(std::string_view body, const std::vector<Member>& was, const std::vector<Member>& is) {
  Lacking found;
  if (!is_json(body)) return found;
  for (auto& m : was) {
    auto name = m.listed ? list_of(m.path) : std::string_view(m.path);
    auto kept = [&](auto& now) { return m.listed ? now.path.starts_with(name) : now.path == name && now.value != "0"; };
    if (m.value != "0") (std::ranges::any_of(is, kept) ? found.left : found.gone).insert(name);
  }
  return found;
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

bool tells_failure(std::string_view text) {
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

Less written_with_less(const Comparison& c, const Call& call) {
  Less less;
  if (call.last().told == 0) return less;
  for (auto& pair : c.pairs) {
    if (!pair.reference || !pair.in_case || pair.in_case->first().begun < call.last().told) continue;
    auto &before = pair.reference->last(), &now = pair.in_case->last();
    if (!trace::carried_out(before) || !trace::carried_out(now) || trace::message::safe_method(now.method)) continue;
    if (trace::profile_of(now).repeat(now) == trace::Repeat::safe || !is_json(before.request_sample)) continue;
    auto was = members_of(before.request_sample), is = members_of(now.request_sample);
    auto [gone, left] = lacking(now.request_sample, was, is);
    auto words = words_in(now.request_sample);
    bool tells = std::ranges::any_of(kTellsFailure, [&](auto word) { return words.contains(std::string(word)); });
    if (gone.empty() || tells) continue;
    if (!less.first) less.first = pair.in_case;
    less.writes++;
    less.mostly |= gone.size() > left.size();
  }
  return less;
}

const Call* written_instead(const ComparedCase& compared, const Comparison& c, const Call& call) {
  auto& last = call.last();
  if (!trace::message::safe_method(last.method) || last.told == 0) return nullptr;
  auto usual = [&](const trace::Exchange& e) {
    return std::ranges::any_of(c.reference->exchanges,
                               [&](auto& r) { return r.operation == e.operation && r.tag.site == e.tag.site; });
  };
  for (auto& pair : c.pairs) {
    if (pair.reference || !pair.in_case) continue;
    auto& write = pair.in_case->last();
    if (pair.in_case->first().begun < last.told || write.pid != last.pid || write.service != last.service) continue;
    if (!write.tag.site || in_tests(write.tag.site->file, compared.row->test)) continue;
    if (!had_effect(write) || usual(write) || tells_failure(write.request_sample) || tells_failure(write.target))
      continue;
    return pair.in_case;
  }
  return nullptr;
}

}  // namespace retrial::oracles
