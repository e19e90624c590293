#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "campaign/config/config.h"
#include "campaign/judging/known_findings.h"

namespace retrial::campaign {

// What is made of earlier runs is made of these folders, and held to this.
struct StoredSetting {
  std::vector<std::filesystem::path> folders;
  Config config;
  std::optional<Ids> since;  // findings of an earlier report, which do not fail this one
  bool store = true;         // a recording of `serve` gets its campaign.db
  // Told of each exchange of such a recording, as it is read; may be empty.
  std::function<void(std::uint64_t run, const trace::Exchange& e)> seen = {};
};

}  // namespace retrial::campaign
