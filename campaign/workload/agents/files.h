#pragma once
#include <filesystem>
#include <span>

#include "base/embedded.h"
#include "base/result.h"

namespace retrial::campaign {

// The agents' files, built into the binary (files.cmake): "python/sitecustomize.py".
std::span<const EmbeddedFile> agent_files();

// Writes them below `folder` (created if need be); a script may be run.
Result<void> unpack_agents(const std::filesystem::path& folder);

}  // namespace retrial::campaign
