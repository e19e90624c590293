#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Semantic checkers: what a service's answers owe to what it was asked before. Learned from the traffic of passing
// tests, and held against any other traffic (Lou, Jing and Huang, "Deriving Semantic Checkers from Tests to Detect
// Silent Failures in Production Distributed Systems", OSDI 2025: T2C). They only watch.
namespace retrial::checkers {

// `W` is the operation `after`, `R` the operation `then`, P a resource (predict/touch.h): a service and a path. Each
// rule speaks of one P at a time, and of requests that were carried out.
//
//   rule               its state of P is set by       and it fails where
//   reads-back         W on P                         R of P answers another value than W sent
//   gone               W (a delete) of P              R of P finds it
//   listed             W on P                         R of the list that P stands in does not hold it, or twice
//   unlisted           W (a delete) of P              R of the list that P stood in holds it
//   adds               R of P                         a number of R's answer has not moved by what the calls of W
//                                                     since then stand for
//   keeps              R of P                         a value of R's answer is another, though W does not send it
//   agrees             W on P                         R of P answers another value than W answered
//   becomes            W on P                         R of P does not answer the value that W brings about
//   never-falls        R of P                         a number of R's answer is lower than it was
//   rises              W on P                         a number of W's answer is not higher than after the W before
//   same-answer        R with that very target        R answers otherwise
//   echoes             -                              R's answer does not hold what its own request says
//   counts             -                              a number of R's answer is not that of the items in it
//   excludes           W (a lease) of P               W is granted again
enum class Rule : std::uint8_t {
  reads_back,
  gone,
  listed,
  unlisted,
  adds,
  keeps,
  agrees,
  becomes,
  never_falls,
  rises,
  same_answer,
  echoes,
  counts,
  excludes,
};
inline constexpr std::size_t kRules = 14;
std::string_view show(Rule rule);  // "reads-back"
std::span<const std::string_view> rule_words();
std::optional<Rule> rule_named(std::string_view word);

// Of what nothing may have been written, by any other operation, between what set the state and what is judged: P with
// all that lies in it and all that it lies in, or the whole service; or by any other test, which may set what it
// needs without a request. A list is held to that of each item.
enum class Within : std::uint8_t { resource, service, test };
std::string_view show(Within within);
std::span<const std::string_view> within_words();

// "title = ticket.title": what is sent (or was answered before), and where it is answered. A name is that of a member
// of a JSON object, with dots into objects, `[]` into the items of an array; `body` is all of a body. Special ones:
//
//   {path}     the last segment of P                 (left; reads-back, listed, unlisted, echoes)
//   +N  -N     each call of W moves it by so much    (left; adds); +NAME -NAME: by the number that W sends as NAME
//   'TEXT'     that very value                       (left; becomes)
//   NAME[]     how many items there are              (right of adds and counts)
struct Field {
  std::string left, right;
  bool operator==(const Field&) const = default;
};

struct Checker {
  std::string name;  // unique in a file
  Rule rule = Rule::reads_back;
  std::string service;  // service_of (deed.h): "127.0.0.1:10001"; "127.0.0.1:*": any port; "*": any
  std::string after;    // "PUT /docs/{id}": a segment in braces is any one; empty where the rule has no W
  std::string then;     // empty where the rule has no R
  std::vector<Field> fields;
  Within within = Within::resource;
  std::string test;        // that showed it first
  std::uint64_t held = 0;  // how often, when it was learned
};

// What came of looking once. A checker that has no state of P (it has not seen W, something else was written since, the
// fate of a request is unknown, the answer is no JSON or longer than what is recorded) skips, and is silent.
enum class Verdict : std::uint8_t { pass, fail, skip };

struct Outcome {
  const Checker* checker = nullptr;
  const Field* field = nullptr;  // null: the rule has none
  Verdict verdict = Verdict::skip;
  std::uint64_t exchange = 0;           // id of what was judged
  std::vector<std::uint64_t> evidence;  // ids of what set the state, then the judged one
  std::string value;                    // what was compared
  std::string says;                     // of a fail: what was seen, half a sentence
};

// A number that fell for the first time may be one that may fall, where it had not been looked at often.
bool may_be_chance(const Checker& checker);

// Of a checker, and of its field: what two failures of one thing have in common.
std::string key_of(const Outcome& outcome);

// The rule's words for what a checker holds: "after PUT /docs/{id}, GET /docs/{id} answers `title` as it was sent".
std::string sentence(const Checker& checker);

}  // namespace retrial::checkers
