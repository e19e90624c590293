#include "campaign/planning/changed_files.h"

#include <fmt/format.h>

#include <vector>

#include "base/git.h"
#include "base/text.h"

namespace retrial::campaign {
namespace {

namespace fs = std::filesystem;

constexpr auto kOption = "--changed-since";

Result<std::string> ask(std::vector<std::string> words) { return git(std::move(words), kOption); }

}  // namespace

Result<ChangedFiles> ChangedFiles::since(const std::string& revision) {
  auto top = ask({"rev-parse", "--show-toplevel"});
  if (!top) return std::unexpected(top.error());
  auto commit = ask({"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"});
  if (!commit && commit.error().what.starts_with("git says"))
    return fail(fmt::format("git knows no commit \"{}\" here; a shallow clone has to fetch it first", revision),
                kOption, Blame::user);
  if (!commit) return std::unexpected(commit.error());
  ChangedFiles changed;
  changed.revision_ = revision;
  fs::path root(trim(*top));
  auto differ = ask({"-C", root, "diff", "--name-only", "--no-renames", "--no-relative", "--no-ext-diff", "-z",
                     std::string(trim(*commit)), "--"});
  auto untracked = ask({"-C", root, "ls-files", "--others", "--exclude-standard", "-z"});
  for (auto* names : {&differ, &untracked}) {
    if (!*names) return std::unexpected(names->error());
    for (auto name : split(**names, '\0'))
      if (!name.empty()) changed.files_.insert((root / name / "").lexically_normal().parent_path());
  }
  return changed;
}

bool ChangedFiles::contains(const std::string& file) const {
  std::error_code error;
  for (auto at = fs::weakly_canonical(fs::absolute(file, error), error); at.has_relative_path(); at = at.parent_path())
    if (files_.contains(at)) return true;
  return false;
}

}  // namespace retrial::campaign
