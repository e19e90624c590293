// A hand-written parser: the language is small, and its errors must point at the very column.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "policies/fault_plan.h"

namespace retrial::policies {
namespace {
using trace::FaultName;
using trace::FaultSpec;
using trace::Telling;

constexpr std::size_t kLongest = 4096;  // characters of a plan
constexpr int kMostTimes = 1'000'000;
constexpr Nanos kLongestDelay = 3600 * kSecond;

// A fault takes one argument or none; `name` is what it is called when it is given by name.
struct FaultWord {
  std::string_view word;
  FaultName fault;
  std::string_view argument;  // empty: none
  std::string_view expected;
};
constexpr std::array kFaults = {
    FaultWord{"pass", FaultName::none, "", ""},
    FaultWord{"error", FaultName::error, "status", "a status from 400 to 599, or transient"},
    FaultWord{"lost-response", FaultName::lost_response, "telling", "reset, close, stall or error(STATUS)"},
    FaultWord{"reset", FaultName::reset, "when", "after-request"},
    FaultWord{"close", FaultName::close, "when", "after-request"},
    FaultWord{"delay", FaultName::delay, "ms", "a time in whole milliseconds, such as 200ms"},
    FaultWord{"stall", FaultName::stall, "", ""},
};
constexpr std::array<std::string_view, kFaults.size()> kFaultNames = [] {
  std::array<std::string_view, kFaults.size()> names;
  for (std::size_t i = 0; i < names.size(); i++) names[i] = kFaults[i].word;
  return names;
}();
constexpr std::array<std::string_view, 4> kTellings = {"reset", "close", "stall", "error"};  // as Telling has them
constexpr std::array<std::string_view, 1> kTransient = {"transient"};
constexpr std::array<std::string_view, 1> kWhen = {"after-request"};
constexpr std::array<std::string_view, 1> kThen = {"then"};

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

// An error is one line, and no longer than can be read.
std::string printable(std::string_view text) {
  constexpr std::size_t kShown = 120;
  std::string out(text.substr(0, kShown));
  for (auto& c : out)
    if (static_cast<unsigned char>(c) < ' ' || c == 127) c = ' ';
  if (text.size() > kShown) out += "...";
  return out;
}

struct Token {
  std::string_view text;  // a word, one other character, or empty at the end
  std::size_t at = 0;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) { next(); }

  Result<FaultPlan> plan() {
    if (text_.size() > kLongest) return fail(fmt::format("longer than {} characters", kLongest), {}, Blame::user);
    FaultPlan plan;
    for (;;) {
      auto one = step();
      if (!one) return std::unexpected(one.error());
      plan.steps.push_back(*one);
      if (token_.text.empty()) break;
      if (token_.text != ",") return expected(one->times ? "`, then` or the end" : "`x N`, `, then` or the end");
      next();
      if (token_.text != "then") return expected("`then` and a fault", kThen);
      next();
    }
    // Only the last step may go on for ever; one that is counted out is followed by pass.
    for (std::size_t i = 0; i + 1 < plan.steps.size(); i++)
      if (!plan.steps[i].times) plan.steps[i].times = 1;
    if (plan.steps.back().times) plan.steps.push_back({});
    return plan;
  }

 private:
  using Failure = std::unexpected<Error>;

  void next() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      at_++;
    auto from = at_;
    while (at_ < text_.size() && is_word(text_[at_])) at_++;
    if (at_ == from && at_ < text_.size()) at_++;
    token_ = {text_.substr(from, at_ - from), from};
  }
  // Moves on if the token is that one.
  bool take(std::string_view text) {
    if (token_.text != text) return false;
    next();
    return true;
  }
  Failure expected(std::string_view what, std::span<const std::string_view> known = {}) const {
    auto found = token_.text.empty() ? std::string("the end") : fmt::format("`{}`", printable(token_.text));
    auto line = fmt::format("column {}: expected {}, found {}", token_.at + 1, what, found);
    if (auto meant = nearest(token_.text, known); meant && !token_.text.empty() && *meant != token_.text)
      line += fmt::format("; did you mean `{}`?", *meant);
    return fail(std::move(line), fmt::format("fault \"{}\"", printable(text_)), Blame::user);
  }

  Result<FaultStep> step() {
    auto one = fault();
    if (!one) return std::unexpected(one.error());
    FaultStep step{*one};
    auto word = token_.text;
    if (word.size() > 1 && word.front() == 'x' && word.find_first_not_of("0123456789", 1) == word.npos) {
      token_ = {word.substr(1), token_.at + 1};  // "x2"
    } else if (!take("x")) {
      return step;
    }
    auto times = to_int(token_.text);
    if (!times || *times < 1 || *times > kMostTimes) return expected(fmt::format("a number from 1 to {}", kMostTimes));
    step.times = static_cast<int>(*times);
    next();
    return step;
  }

  Result<FaultSpec> fault() {
    const FaultWord* word = nullptr;
    for (auto& f : kFaults)
      if (f.word == token_.text) word = &f;
    if (!word) return expected(fmt::format("a fault ({})", fmt::join(kFaultNames, ", ")), kFaultNames);
    next();
    FaultSpec spec{.name = word->fault};
    if (word->argument.empty()) {
      if (take("(") && !take(")")) return expected(fmt::format("`)`: {} takes no argument", word->word));
      return spec;
    }
    if (!take("(")) return expected(fmt::format("`(` and {}", word->expected));
    if (auto ok = argument(*word, spec); !ok) return std::unexpected(ok.error());
    if (!take(")")) return expected(fmt::format("`)`: {} takes one argument, {}", word->word, word->argument));
    return spec;
  }

  Result<void> argument(const FaultWord& word, FaultSpec& spec) {
    auto rest = text_.find_first_not_of(" \t\r\n", at_);
    if (rest != text_.npos && text_[rest] == '=') {
      std::array<std::string_view, 1> known = {word.argument};
      if (token_.text != word.argument) return expected(fmt::format("`{}` or {}", word.argument, word.expected), known);
      next();
      next();
    }
    switch (word.fault) {
      case FaultName::error:
        return status(spec);
      case FaultName::lost_response:
        return telling(word, spec);
      case FaultName::delay:
        return delay(word, spec);
      default:
        return take("after-request") ? Result<void>{} : expected(word.expected, kWhen);
    }
  }
  Result<void> status(FaultSpec& spec) {
    if (take("transient")) return {};
    auto number = to_int(token_.text);
    if (!number || *number < 400 || *number > 599) return expected(kFaults[1].expected, kTransient);
    spec.status = static_cast<int>(*number);
    next();
    return {};
  }
  Result<void> telling(const FaultWord& word, FaultSpec& spec) {
    for (std::size_t i = 0; i < kTellings.size(); i++)
      if (token_.text == kTellings[i]) {
        spec.telling = static_cast<Telling>(i);
        next();
        if (spec.telling != Telling::error) return {};
        if (!take("(")) return expected(fmt::format("`(` and {}", kFaults[1].expected));
        if (auto ok = argument(kFaults[1], spec); !ok) return ok;
        return take(")") ? Result<void>{} : expected("`)`: error takes one argument, status");
      }
    return expected(word.expected, kTellings);
  }
  Result<void> delay(const FaultWord& word, FaultSpec& spec) {
    auto number = to_int(token_.text);
    std::optional<std::int64_t> nanos;
    if (number)
      nanos = *number >= 0 && *number <= kLongestDelay / kMillisecond ? *number * kMillisecond : -1;
    else
      nanos = parse_duration(token_.text);
    if (!nanos || *nanos < 0 || *nanos > kLongestDelay) return expected(word.expected);
    auto whole = (*nanos + kMillisecond / 2) / kMillisecond * kMillisecond;
    if (std::abs(whole - *nanos) > 1000) return expected(word.expected);
    spec.delay = whole;
    next();
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Token token_;
};

}  // namespace

Result<FaultPlan> parse_fault_plan(std::string_view text) { return Parser(text).plan(); }

}  // namespace retrial::policies
