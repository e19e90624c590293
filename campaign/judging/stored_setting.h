#pragma once
#include <filesystem>
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
};

}  // namespace retrial::campaign
