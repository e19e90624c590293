#include "campaign/workload/agents/files.h"

#include <cerrno>
#include <fstream>

namespace retrial::campaign {

Result<void> unpack_agents(const std::filesystem::path& folder) {
  for (auto& file : agent_files()) {
    auto path = folder / file.path;
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    std::ofstream out(path, std::ios::binary);
    out.write(file.bytes.data(), static_cast<std::streamsize>(file.bytes.size()));
    if (!out.flush()) return fail_errno("cannot write the agent's file", errno, path.string());
    if (file.bytes.starts_with("#!")) std::filesystem::permissions(path, std::filesystem::perms::owner_all, error);
  }
  return {};
}

}  // namespace retrial::campaign
