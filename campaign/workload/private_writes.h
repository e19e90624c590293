#pragma once
#include <filesystem>

#include "base/result.h"

namespace retrial::campaign {

// From now on what is written to the working directory, or below, stays with those who share the mount namespace of
// this process (namespaces.h): it goes to `layer`, an empty folder that lies elsewhere, and nobody else sees it
// (overlayfs). `shared`, where it lies below, is the same for all as before. Processes that are there already have to
// enter the working directory anew. An error says why it cannot be: something is mounted below, or the machine refuses
// it.
Result<void> keep_writes(const std::filesystem::path& layer, const std::filesystem::path& shared);

}  // namespace retrial::campaign
