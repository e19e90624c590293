#pragma once
#include <string>
#include <string_view>

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

// Leaves of `plan` what is this shard's. All shards of it are disjoint, and it together; each is as long as another,
// in cases, by a target at most. The cases of a target are in one shard, where they answer each other, and so are most
// paths of a call site.
void keep(Plan& plan, const Shard& shard);

}  // namespace retrial::campaign
