#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace retrial::oracles {

// How a client was told of a fault, as bits: what it says depends on it.
enum Told : unsigned {
  kStatus = 1,   // an error status
  kBroken = 2,   // a connection that was reset or closed
  kSilent = 4,   // nothing, until somebody's patience ended
  kGarbled = 8,  // an answer that is cut, or changed
  // A client that retries may run into its caller's time limit, or out of attempts, whatever the fault.
  kAny = kStatus | kBroken | kSilent | kGarbled,
};

// A word by which the clients of a runtime speak of a fault in their exceptions.
struct ClientWord {
  std::string_view runtime;  // python, node, java, go; empty: any, or the words of a human
  std::string_view word;
  unsigned told;
};
std::span<const ClientWord> client_words();

// Does `text` hold `word`, case folded, with its ends at the ends of words? "TimeoutError" is in "ReadTimeoutError",
// "EOF" is not in "geofence".
bool holds_word(std::string_view text, std::string_view word);

// The first word in `text` by which a client speaks of a fault told in one of the ways of `told`; empty if there is
// none. `agents`: languages seen in the run; empty: any.
std::string_view client_word_in(std::string_view text, unsigned told, const std::vector<std::string>& agents);

// Is this text a test runner's own time limit?
bool is_time_limit(std::string_view text);
// Did the test's promise never settle (node:test, when nothing was left to wait for)?
bool is_never_settled(std::string_view text);

}  // namespace retrial::oracles
