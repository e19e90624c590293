#include "scan/ids.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>

#include "base/git.h"
#include "base/text.h"

namespace retrial::scan {
namespace {

namespace fs = std::filesystem;

// What lies in no repository is relative to the current directory.
std::string name_in_project(const std::string& file) {
  std::error_code error;
  auto whole = fs::weakly_canonical(fs::absolute(file, error), error);
  auto root = repository_around(whole.parent_path());
  if (!root) root = fs::weakly_canonical(fs::current_path(error), error);
  return whole.lexically_relative(*root).string();
}

}  // namespace

void give_ids(std::vector<Location>& all) {
  std::set<std::string> given;
  for (auto& at : all)
    for (auto& verdict : at.verdicts) given.insert(verdict.id);
  std::map<std::string, std::string> names;
  for (auto& at : all) {
    auto [name, fresh] = names.try_emplace(at.file);
    if (fresh) name->second = name_in_project(at.file);
    for (auto& verdict : at.verdicts)
      for (std::uint64_t hash = fnv1a(fmt::format("{}\n{}\n{}\n{}", verdict.name, name->second, at.function, at.calls));
           verdict.id.empty(); hash = fnv1a("again", hash))
        if (auto id = hex(hash & 0xffffffff, 8); given.insert(id).second) verdict.id = id;
  }
}

}  // namespace retrial::scan
