#include "campaign/workload/open_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <vector>

#include "proxy/capture/processes.h"

namespace retrial::campaign {
namespace {

namespace fs = std::filesystem;

// O_ACCMODE and what else open(2) was told, as proc(5) has it: "flags:\t0100002", octal.
bool is_writable(pid_t process, const std::string& fd) {
  std::ifstream info(fmt::format("/proc/{}/fdinfo/{}", process, fd));
  for (std::string line; std::getline(info, line);) {
    unsigned flags = 0;
    if (sscanf(line.c_str(), "flags: %o", &flags) == 1) return (flags & O_ACCMODE) != O_RDONLY;
  }
  return false;
}

// One that was unlinked has no name that another could open.
bool is_named_file(const fs::path& fd) {
  struct stat about{};
  return stat(fd.c_str(), &about) == 0 && S_ISREG(about.st_mode) && about.st_nlink > 0;
}

void add_files(pid_t process, std::set<std::string>& files) {
  std::error_code error;
  std::set<std::string> opened, output;
  for (auto& fd : fs::directory_iterator(fmt::format("/proc/{}/fd", process), error)) {
    auto name = fd.path().filename().string();
    if (!is_named_file(fd.path()) || !is_writable(process, name)) continue;
    (name == "1" || name == "2" ? output : opened).insert(fs::read_symlink(fd, error).string());
  }
  // A log is added to by several, or has a name of its own for each start (npm's).
  for (auto& file : opened)
    if (!output.contains(file) && fs::path(file).extension() != ".log") files.insert(file);
}

}  // namespace

std::set<std::string> files_written_by(pid_t group) {
  std::vector<pid_t> all;
  auto note = [](const proxy::capture::Stat& stat, void* into) {
    static_cast<std::vector<pid_t>*>(into)->push_back(stat.pid);
    return true;
  };
  proxy::capture::for_each_process(note, &all);
  std::set<std::string> files;
  for (auto process : all)
    if (getpgid(process) == group) add_files(process, files);
  return files;
}

}  // namespace retrial::campaign
