#pragma once
#include <optional>
#include <string>
#include <vector>

#include "oracles/members.h"
#include "trace/run.h"

// What a call was made of: an answer that its client had read before. Everything here points into the run.
namespace retrial::oracles {

inline constexpr std::size_t kTellingValue = 4;  // characters, or digits: shorter ones are many things'

// The values that its body and its path hold, each once, sorted.
std::vector<std::string> values_of(const trace::Exchange& e);
// The place of a member in the outermost list that it stands in.
std::optional<std::size_t> place_of(const Member& member);

struct Source {
  const trace::Exchange* read = nullptr;
  std::vector<Member> told;  // all of its members, also of messages that stand in it as texts
  std::vector<Member>
      handed_on;           // those that the call holds; of several entries of a list, of the one that most are of
  bool whole = false;      // its body is that answer's own: of a file, which has no members
  bool is_copied() const;  // so many are handed on that it is no chance
};
// The answer that holds the most of it, of several the latest. None: none holds what is no other's by chance.
std::optional<Source> source_of(const trace::Run& run, const trace::Exchange& work);

}  // namespace retrial::oracles
