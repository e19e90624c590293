// A hand-written parser: the language is small, and its errors must point at the very column.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/text.h"
#include "policies/fault_argument.h"
#include "policies/fault_plan.h"
#include "trace/fault_name.h"
#include "trace/status.h"

namespace retrial::policies {
namespace {
using trace::FaultName;
using trace::FaultSpec;
using Kind = trace::ArgumentKind;
using trace::FaultRow;
using trace::Parameter;

constexpr std::size_t kLongest = 4096;  // characters of a plan
constexpr int kMostTimes = 1'000'000;
constexpr std::string_view kWindow = "a time in whole milliseconds, such as 30s or 5m";
constexpr std::string_view kStatus = "a status from ";  // what a fault's answer may tell begins so
constexpr std::string_view kThen[] = {"then"};

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

// The nearest known word, in any case and with either line between its parts: REFUSED_STREAM is refused-stream. Of a
// number of gRPC's its name.
std::optional<std::string_view> meant(std::string_view text, std::span<const std::string_view> known) {
  if (known.data() == words_of(Kind::grpc_status).data())
    if (auto code = to_int(text); code && *code >= 1 && *code <= static_cast<std::int64_t>(known.size()))
      return known[static_cast<std::size_t>(*code) - 1];
  if (auto as_it_is = nearest(text, known)) return as_it_is;
  auto folded = [](std::string_view word) {
    auto out = lower(word);
    std::replace(out.begin(), out.end(), '_', '-');
    return out;
  };
  std::vector<std::string> all;
  for (auto word : known) all.push_back(folded(word));
  std::vector<std::string_view> views(all.begin(), all.end());
  auto wanted = folded(text);
  auto found = nearest(wanted, views);
  if (!found) return {};
  return known[static_cast<std::size_t>(std::find(views.begin(), views.end(), *found) - views.begin())];
}

struct Token {
  std::string_view text;  // a word, a text in its quotes, one other character, or empty at the end
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
      if (token_.text != ",")
        return expected(one->lasts   ? "`, then` or the end"
                        : one->times ? "`for TIME`, `, then` or the end"
                                     : "`x N`, `for TIME`, `, then` or the end");
      next();
      if (token_.text != "then") return expected("`then` and a fault", kThen);
      next();
    }
    // Only a step with a window, and the last one, may go on; one that is counted out is followed by pass.
    for (std::size_t i = 0; i + 1 < plan.steps.size(); i++)
      if (auto& step = plan.steps[i]; !step.times && !step.windowed()) step.times = 1;
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
    if (at_ == from && at_ < text_.size()) at_ = text_[at_] == '"' ? end_of_quote(at_) : at_ + 1;
    token_ = {text_.substr(from, at_ - from), from};
  }
  // Behind the quote that ends what begins at `from`; a quote without an end is one character.
  std::size_t end_of_quote(std::size_t from) const {
    for (auto at = from + 1; at < text_.size(); at++) {
      if (text_[at] == '\\')
        at++;
      else if (text_[at] == '"')
        return at + 1;
    }
    return from + 1;
  }
  // Moves on if the token is that one.
  bool take(std::string_view text) {
    if (token_.text != text) return false;
    next();
    return true;
  }
  bool followed_by(char c) const {
    auto rest = text_.find_first_not_of(" \t\r\n", at_);
    return rest != text_.npos && text_[rest] == c;
  }
  Failure expected(std::string_view what, std::span<const std::string_view> known = {}) const {
    auto found = token_.text.empty() ? std::string("the end") : fmt::format("`{}`", printable(token_.text));
    auto line = fmt::format("column {}: expected {}, found {}", token_.at + 1, what, found);
    if (auto word = meant(token_.text, known); word && !token_.text.empty() && *word != token_.text)
      line += fmt::format("; did you mean `{}`?", *word);
    else if (what.contains(kStatus) && trace::grpc_status_named(token_.text))
      line += fmt::format("; did you mean `grpc-status({})`?", token_.text);
    return fail(std::move(line), fmt::format("fault \"{}\"", printable(text_)), Blame::user);
  }

  Result<FaultStep> step() {
    FaultStep step;
    if (take("after")) {
      if (auto ok = window(step.after, true); !ok) return std::unexpected(ok.error());
      if (!take(":")) return expected("`:` and a fault");
    }
    if (take("every")) {
      if (auto ok = count(step.every); !ok) return std::unexpected(ok.error());
      if (!take(":")) return expected("`:` and a fault");
    }
    if (!token_.text.empty() && token_.text[0] >= '0' && token_.text[0] <= '9') {
      auto share = read_share(token_.text);
      if (!share) return expected("a percentage from 0.000001 to 100");
      next();
      if (!take("%")) return expected("`%`");
      if (!take("of")) return expected("`of` and a fault");
      step.share = *share;
    }
    auto one = fault();
    if (!one) return std::unexpected(one.error());
    step.fault = std::move(*one);
    if (auto ok = times(step.times); !ok) return std::unexpected(ok.error());
    if (take("for"))
      if (auto ok = window(step.lasts, false); !ok) return std::unexpected(ok.error());
    return step;
  }
  Result<void> window(Nanos& to, bool may_be_none) {
    auto time = read_time(token_.text, kLongestWindow);
    if (!time || (*time == 0 && !may_be_none)) return expected(kWindow);
    to = *time;
    next();
    return {};
  }
  Result<void> times(int& to) {
    auto word = token_.text;
    if (word.size() > 1 && word.front() == 'x' && word.find_first_not_of("0123456789", 1) == word.npos) {
      token_ = {word.substr(1), token_.at + 1};  // "x2"
    } else if (!take("x")) {
      return {};
    }
    return count(to);
  }
  Result<void> count(int& to) {
    auto number = to_int(token_.text);
    if (!number || *number < 1 || *number > kMostTimes)
      return expected(fmt::format("a number from 1 to {}", kMostTimes));
    to = static_cast<int>(*number);
    next();
    return {};
  }

  Result<FaultSpec> fault() {
    auto* row = trace::fault_row(token_.text);
    if (!row) return expected(fmt::format("a fault ({})", fmt::join(trace::fault_names(), ", ")), trace::fault_names());
    FaultSpec spec = empty_fault(*row);
    if (auto ok = call(*row, spec); !ok) return std::unexpected(ok.error());
    return spec;
  }

  // A fault's name with its arguments.
  Result<void> call(const FaultRow& row, FaultSpec& spec) {
    auto name = token_.text;
    next();
    if (!take("(")) {
      if (!row.parameters.empty() && row.parameters[0].required)
        return expected(fmt::format("`(` and {}", row.parameters[0].expected));
      return {};
    }
    if (auto ok = arguments(name, row.parameters, spec); !ok) return ok;
    next();
    return {};
  }

  // Up to the closing parenthesis, which is left to be taken.
  Result<void> arguments(std::string_view fault, std::span<const Parameter> parameters, FaultSpec& spec) {
    unsigned given = 0;
    for (bool first = true; token_.text != ")"; first = false) {
      if (!first && !take(",")) return expected("`,` or `)`");
      auto at = parameter(parameters, given);
      if (!at) return expected(which(fault, parameters, given), names(parameters, given));
      if (followed_by('=')) {
        next();
        next();
      }
      given |= 1u << *at;
      if (parameters[*at].kind == Kind::spread)
        if (auto spread = read_spread(token_.text)) {
          spec.spread = *spread;
          next();
          if (!take(",")) return expected(fmt::format("`,` and {}", trace::parameters_of(*spread)[0].expected));
          return arguments(fault, trace::parameters_of(*spread), spec);
        }
      if (auto ok = argument(parameters[*at], spec); !ok) return ok;
    }
    for (std::size_t i = 0; i < parameters.size(); i++)
      if (parameters[i].required && !(given & 1u << i)) return expected(parameters[i].expected);
    if (auto wrong = contradiction(spec); !wrong.empty()) return expected(wrong);
    return {};
  }
  // Which one comes next: the one that is named, or the first that was not given yet.
  std::optional<std::size_t> parameter(std::span<const Parameter> parameters, unsigned given) const {
    bool named = followed_by('=');
    for (std::size_t i = 0; i < parameters.size(); i++)
      if (!(given & 1u << i) && (!named || parameters[i].name == token_.text)) return i;
    return {};
  }
  static std::vector<std::string_view> names(std::span<const Parameter> parameters, unsigned given) {
    std::vector<std::string_view> out;
    for (std::size_t i = 0; i < parameters.size(); i++)
      if (!(given & 1u << i)) out.push_back(parameters[i].name);
    return out;
  }
  static std::string which(std::string_view fault, std::span<const Parameter> parameters, unsigned given) {
    auto left = names(parameters, given);
    if (left.empty()) return too_many(fault, parameters);
    if (given) return fmt::format("`{}`", fmt::join(left, "` or `"));
    return fmt::format("`{}` or {}", fmt::join(left, "` or `"), parameters[0].expected);
  }
  static std::string too_many(std::string_view fault, std::span<const Parameter> parameters) {
    if (parameters.empty()) return fmt::format("`)`: {} takes no argument", fault);
    std::vector<std::string_view> all = names(parameters, 0);
    return fmt::format("`)`: {} takes {}", fault, fmt::join(all, " and "));
  }

  Result<void> argument(const Parameter& parameter, FaultSpec& spec) {
    if (parameter.kind == Kind::telling)
      if (auto* other = trace::fault_row(token_.text); other && other->fault == FaultName::error) {
        spec.telling = trace::Telling::error;
        return call(*other, spec);
      }
    if (parameter.kind == Kind::retry_after && take("date")) {
      if (!take("+")) return expected("`+` and seconds");
      spec.retry = trace::RetryAfter::date;
    }
    if (parameter.kind == Kind::by) take("+");
    if (!read_argument(parameter.kind, token_.text, spec))
      return expected(parameter.expected, words_of(parameter.kind));
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
