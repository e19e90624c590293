#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/config/config.h"
#include "campaign/judging/known_findings.h"
#include "trace/store/store.h"

namespace retrial::campaign {

struct MergeSetting {
  std::vector<std::filesystem::path> folders;  // of `run --shard`, in any order
  Config config;
  std::optional<Ids> since;
};

struct Merged {
  trace::Stored whole;            // one campaign; its runs are numbered anew
  std::vector<std::string> left;  // folders that are not part of it, a line each
};

// One campaign of the shards of one plan: the plan and number of shards that most folders have. What is missing of it,
// or incomplete, makes it incomplete; a shard that is there twice counts once. An error where no folder holds a shard.
Result<Merged> merge(const MergeSetting& setting);

}  // namespace retrial::campaign
