#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "campaign/planning/plan.h"

namespace retrial::campaign {

// A part of a plan, for one of several machines.
struct Shard {
  int number = 1, of = 1;  // the second of five: 2, 5
  bool whole() const { return of == 1; }
};

// "2/5". An error is the user's.
Result<Shard> parse_shard(std::string_view text);
std::string show(const Shard& shard);

// Leaves what is this shard's. All shards are disjoint, and the whole together; each is as long as another, in cases,
// by a target at most. The cases of a target are in one shard, where they answer each other, and so are most paths of a
// call site. Of a plan file it is the same part wherever it is read, whatever fits the suite there.
void keep(std::vector<Case>& cases, const Shard& shard);
void keep(std::vector<PlannedCase>& cases, const Shard& shard);

}  // namespace retrial::campaign
