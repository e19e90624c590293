#pragma once
#include <filesystem>
#include <set>
#include <string>

#include "base/result.h"

namespace retrial::campaign {

// What git says has changed in the working tree since a commit: files that differ from it, are new, or are not tracked
// (unless they are ignored).
class ChangedFiles {
 public:
  // In the repository of the current directory. An error is the user's: no git, no repository, no such commit.
  static Result<ChangedFiles> since(const std::string& revision);

  const std::string& revision() const { return revision_; }
  // `file` as a call site has it: relative to the current directory, or absolute.
  bool contains(const std::string& file) const;

 private:
  std::string revision_;
  std::set<std::filesystem::path> files_;  // absolute; a folder (a submodule) stands for all that is in it
};

}  // namespace retrial::campaign
