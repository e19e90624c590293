#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "checkers/deed.h"

namespace retrial::checkers {

// Answers that are the whole of a list: without a query, and if their answer names a next page, all pages together.
// A page is one that is asked for by what the page before named as `next` (or cursor, marker, token ...).
class Lists {
 public:
  struct Whole {
    Body body;
    std::uint64_t begun = 0;  // the event at which its first page was asked for
    bool paged = false;
  };
  // What this good answer completes; nothing: it is a part, or which part it is cannot be told.
  std::optional<Whole> take(const Deed& d, std::uint64_t begun);

 private:
  struct Chain {
    Whole so_far;
    std::string next;
  };
  static constexpr std::size_t kMostChains = 1000, kMostLeaves = 20'000;
  std::unordered_map<std::string, Chain> chains_;  // by spot and process
};

}  // namespace retrial::checkers
