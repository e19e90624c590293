#include "checkers/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace retrial::checkers {
namespace {

constexpr std::array<std::string_view, kRules> kWords = {"reads-back",  "gone",   "listed",  "unlisted",    "adds",
                                                         "keeps",       "agrees", "becomes", "never-falls", "rises",
                                                         "same-answer", "echoes", "counts",  "excludes"};
constexpr std::array<std::string_view, 3> kWithin = {"resource", "service", "test"};

std::string names_of(const Checker& c, bool left) {
  std::string out;
  for (auto& f : c.fields) out += fmt::format("{}`{}`", out.empty() ? "" : ", ", left ? f.left : f.right);
  return out;
}

}  // namespace

std::string_view show(Rule rule) { return kWords[static_cast<std::size_t>(rule)]; }

std::span<const std::string_view> rule_words() { return kWords; }
std::string_view show(Within within) { return kWithin[static_cast<std::size_t>(within)]; }
std::span<const std::string_view> within_words() { return kWithin; }

std::optional<Rule> rule_named(std::string_view word) {
  auto found = std::ranges::find(kWords, word);
  if (found == kWords.end()) return {};
  return static_cast<Rule>(found - kWords.begin());
}

bool may_be_chance(const Checker& c) {
  constexpr std::uint64_t kOften = 20;
  return c.rule == Rule::never_falls && c.held != 0 && c.held < kOften;
}

std::string key_of(const Outcome& o) {
  return o.checker->name + "\n" + (o.field ? o.field->left + "\n" + o.field->right : "");
}

std::string sentence(const Checker& c) {
  auto right = names_of(c, false), left = names_of(c, true);
  switch (c.rule) {
    case Rule::reads_back:
      return fmt::format("after {}, {} answers {} as it was sent", c.after, c.then, right);
    case Rule::gone:
      return fmt::format("after {}, {} does not find it", c.after, c.then);
    case Rule::listed:
      return fmt::format("after {}, {} holds it in {}", c.after, c.then, right);
    case Rule::unlisted:
      return fmt::format("after {}, {} does not hold it in {}", c.after, c.then, right);
    case Rule::adds:
      return fmt::format("each {} moves {} of {} by {}", c.after, right, c.then, left);
    case Rule::keeps:
      return fmt::format("{} leaves {} of {} as it was", c.after, right, c.then);
    case Rule::agrees:
      return fmt::format("after {}, {} answers {} as it answered", c.after, c.then, right);
    case Rule::becomes:
      return fmt::format("after {}, {} of {} is {}", c.after, right, c.then, left);
    case Rule::never_falls:
      return fmt::format("{} of {} never falls", right, c.then);
    case Rule::rises:
      return fmt::format("{} of {} rises each time", right, c.after);
    case Rule::same_answer:
      return fmt::format("{} answers the same while nothing is written", c.then);
    case Rule::echoes:
      return fmt::format("{} answers {} as its request says", c.then, right);
    case Rule::counts:
      return fmt::format("{} answers in {} how many {} it holds", c.then, right, left);
    case Rule::excludes:
      return fmt::format("{} is granted to one at a time", c.after);
  }
  return {};
}

}  // namespace retrial::checkers
