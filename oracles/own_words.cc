#include "oracles/own_words.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/text.h"
#include "oracles/client_words.h"
#include "oracles/evidence.h"
#include "oracles/members.h"
#include "trace/profiles/message.h"

namespace retrial::oracles {
namespace {

using trace::Thrown;

constexpr std::size_t kWord = 4;      // bytes of a word
constexpr std::size_t kPathName = 2;  // of what a path names: "t3"

// "register" of Runners.register, of the functions that made the call: not what each is called that sends something.
std::vector<std::string> done_by(const trace::Call& call) {
  static constexpr std::array<std::string_view, 9> kAny = {"request", "send", "call", "fetch",   "post",
                                                           "client",  "http", "main", "response"};
  std::vector<std::string> words;
  if (auto& site = call.first().tag.site)
    for (auto& frame : trace::frames_of(*site))
      for (auto& word : words_of_name(frame.function))
        if (!among(kAny, word)) words.push_back(word);
  return words;
}

bool says(const Thrown& thrown, std::span<const std::string_view> words) {
  return std::ranges::any_of(words_of_name(thrown.message),
                             [&](auto& word) { return std::ranges::find(words, word) != words.end(); });
}
// "order not found": it says something, and means another error. Who has tried several times and gives up in its own
// words says no such thing.
bool says_another(const Thrown& thrown) {
  static constexpr std::array<std::string_view, 17> kOther = {
      "found",     "gone",    "exist",   "exists",  "missing", "invalid", "conflict", "permission", "denied",
      "forbidden", "unknown", "nothing", "already", "expired", "empty",   "no",       "none"};
  return says(thrown, kOther);
}

// "export monthly-j1 not started", of a PUT of an export: it says what was not done, if not why.
bool says_what_failed(const trace::Call& call, const Thrown& thrown) {
  static constexpr std::array<std::string_view, 9> kFailed = {"not",   "failed", "fails", "failure", "cannot",
                                                              "could", "unable", "error", "without"};
  auto said = words_of_name(thrown.message);
  if (!says(thrown, kFailed)) return false;
  auto path = trace::message::segments(trace::message::path_of(call.first().target));
  auto name = path.empty() ? std::string() : percent_decode(path.back());
  if (name.size() >= kPathName && holds_word(thrown.message, name)) return true;
  auto asked = words_of_name(trace::message::path_of(call.first().target));
  std::ranges::move(done_by(call), std::back_inserter(asked));
  auto stem = [](std::string_view word) { return word.substr(0, word.size() - word.ends_with('s')); };
  return std::ranges::any_of(asked, [&](auto& word) {
    return word.size() >= kWord && std::ranges::any_of(said, [&](auto& one) { return stem(one) == stem(word); });
  });
}

}  // namespace

std::size_t times_asked(const trace::Comparison& c, const trace::Call& call) {
  bool in_vain =
      std::ranges::all_of(c.faulted, [&](auto* f) { return f->operation == call.operation && !trace::recovered(*f); });
  return in_vain ? c.faulted.size() : 1;
}

bool says_so_itself(const trace::Comparison& c, const trace::Call& call, const Failure& failure) {
  return std::ranges::none_of(failure.told, [](auto* t) { return says_another(*t); }) &&
         (says_what_failed(call, *failure.outermost()) || call.attempts.size() > 1 || times_asked(c, call) > 1);
}

}  // namespace retrial::oracles
