#include "campaign/workload/private_writes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <string>

#include "campaign/workload/data_folder.h"

namespace retrial::campaign {
namespace {

namespace fs = std::filesystem;

// Its fifth field is where it is mounted, with blanks as \040 (proc(5)).
bool mounted_below(const fs::path& folder) {
  std::ifstream table("/proc/self/mountinfo");
  for (std::string line; std::getline(table, line);) {
    std::istringstream fields(line);
    std::string at;
    for (int n = 0; n < 5; n++) fields >> at;
    if (at.starts_with(folder.string() + "/")) return true;
  }
  return false;
}

// Without the rights of the machine's root its marks are attributes of the user's (overlayfs, `userxattr`).
bool lay_over(const fs::path& folder, const fs::path& layer) {
  auto where = fmt::format("lowerdir={},upperdir={},workdir={}", folder.string(), (layer / "upper").string(),
                           (layer / "work").string());
  for (auto* marks : {",redirect_dir=on", ",userxattr"})
    if (mount("retrial", folder.c_str(), "overlay", 0, (where + marks).c_str()) == 0) return true;
  return false;
}

}  // namespace

Result<void> keep_writes(const fs::path& layer, const fs::path& shared) {
  std::error_code error;
  auto folder = fs::current_path(error);
  auto name = folder.string();
  std::error_code none;
  auto ours = fs::canonical(shared, none);
  auto no = [&](std::string_view why) { return fail(fmt::format("cannot be written to apart: {}", why), name); };
  if (error || folder == folder.root_path() || lies_in(layer, folder)) return no("what is written would lie in it");
  if (name.find_first_of(",:\\") != name.npos) return no("a comma, colon or backslash is in its name");
  if (mounted_below(folder)) return no("something is mounted below it");
  fs::create_directory(layer / "upper", error);
  fs::create_directory(layer / "work", error);
  int kept = lies_in(ours, folder) ? open(ours.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
  bool apart = lay_over(folder, layer) && chdir(folder.c_str()) == 0;
  if (apart && kept >= 0)
    apart = mount(fmt::format("/proc/self/fd/{}", kept).c_str(), ours.c_str(), nullptr, MS_BIND, nullptr) == 0;
  auto why = errno;
  if (kept >= 0) close(kept);
  if (!apart) return fail_errno("cannot be written to apart", why, name);
  return {};
}

}  // namespace retrial::campaign
