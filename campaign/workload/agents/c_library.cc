#include "campaign/workload/agents/c_library.h"

#include <algorithm>
#include <array>

namespace retrial::campaign {

bool preloads_here(const std::filesystem::path& root) {
  static constexpr std::array kFolders = {"lib",
                                          "lib64",
                                          "usr/lib",
                                          "usr/lib64",
                                          "lib/x86_64-linux-gnu",
                                          "usr/lib/x86_64-linux-gnu",
                                          "lib/aarch64-linux-gnu",
                                          "usr/lib/aarch64-linux-gnu"};
  auto has = [&](const char* library) {
    std::error_code none;
    return std::ranges::any_of(kFolders,
                               [&](auto* folder) { return std::filesystem::exists(root / folder / library, none); });
  };
  return !has("libc.so.6") || (has("libdl.so.2") && has("libpthread.so.0"));
}

}  // namespace retrial::campaign
