#pragma once
#include <filesystem>
#include <span>
#include <string_view>

#include "base/result.h"

namespace retrial::campaign {

// The agents' files, built into the binary (files.cmake).
struct AgentFile {
  std::string_view path;  // "python/sitecustomize.py"
  std::string_view bytes;
};
std::span<const AgentFile> agent_files();

// Writes them below `folder` (created if need be); a script may be run.
Result<void> unpack_agents(const std::filesystem::path& folder);

}  // namespace retrial::campaign
