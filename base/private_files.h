#pragma once
#include <filesystem>

#include "base/result.h"

namespace retrial {

// What this process writes is its owner's alone: files of mode 0600, folders of 0700, whatever the umask was. Before
// there are threads.
void keep_files_private();

// Puts the umask back to what it was: for a forked process that is about to execute a program of the user's, and for
// files that others are meant to read. Nothing where it was never changed. Async-signal-safe.
void restore_umask();

// A folder of ours, made if need be with those above it, of mode 0700 also where it was there: but for folders of
// others and those that everybody may write to, whose mode is not ours to change.
Result<void> private_folder(const std::filesystem::path& folder);

}  // namespace retrial
