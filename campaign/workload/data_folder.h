#pragma once
#include <filesystem>

#include "base/result.h"

namespace retrial::campaign {

// The folder in which a service keeps its data, and copies of it. Errors are one line, and blamed on the user.

// Is it a folder that may be emptied and filled again: one that holds neither the working directory, nor the user's
// home, nor `ours`?
Result<void> check_data_folder(const std::filesystem::path& folder, const std::filesystem::path& ours);

// Does it, or is it the folder? By their names.
bool lies_in(const std::filesystem::path& inner, const std::filesystem::path& folder);

// Copies all of it, with owners, modes and times; by reflink (ioctl_ficlone(2)) where the file system can. `to` is made
// anew.
Result<void> copy_folder(const std::filesystem::path& from, const std::filesystem::path& to);

// Empties the folder, and fills it from the copy. The folder itself stays: something may be mounted there. Nobody may
// be at work in it.
Result<void> put_back(const std::filesystem::path& folder, const std::filesystem::path& copy);

// In the mount namespace of this process (namespaces.h) the copy now stands at the folder's place.
Result<void> mount_over(const std::filesystem::path& folder, const std::filesystem::path& copy);

}  // namespace retrial::campaign
