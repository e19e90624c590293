#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/judging/stored_setting.h"
#include "trace/store/store.h"

namespace retrial::campaign {

struct Merged {
  trace::Stored whole;            // one campaign; its runs are numbered anew
  std::vector<std::string> left;  // folders that are not part of it, a line each
};

// One campaign of the shards (folders of `run --shard`, in any order) of one plan: the plan and number of shards that
// most folders have. What is missing of it, or incomplete, makes it incomplete; a shard that is there twice counts
// once. An error where no folder holds a shard.
Result<Merged> merge(const StoredSetting& setting);

}  // namespace retrial::campaign
