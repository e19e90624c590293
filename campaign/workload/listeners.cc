#include "campaign/workload/listeners.h"

#include <fmt/format.h>
#include <netinet/tcp.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "proxy/capture/processes.h"

namespace retrial::campaign {
namespace {

// As /proc/PID/fd names them: "socket:[1234]".
std::set<std::string> listening_at(std::uint16_t port) {
  std::set<std::string> sockets;
  for (const char* file : {"/proc/self/net/tcp", "/proc/self/net/tcp6"}) {
    std::ifstream table(file);
    for (std::string line; std::getline(table, line);) {
      unsigned at = 0, state = 0;
      unsigned long inode = 0;
      if (sscanf(line.c_str(), "%*s %*[0-9A-F]:%4X %*s %2X %*s %*s %*s %*s %*s %lu", &at, &state, &inode) == 3 &&
          state == TCP_LISTEN && at == port)
        sockets.insert(fmt::format("socket:[{}]", inode));
    }
  }
  return sockets;
}

bool holds_one_of(pid_t process, const std::set<std::string>& sockets) {
  std::error_code error;
  for (auto& fd : std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", process), error))
    if (sockets.contains(std::filesystem::read_symlink(fd, error).string())) return true;
  return false;
}

}  // namespace

bool listens_below(pid_t root, std::uint16_t port) {
  auto sockets = listening_at(port);
  if (sockets.empty()) return false;
  std::map<pid_t, pid_t> parents;
  auto note = [](const proxy::capture::Stat& stat, void* all) {
    (*static_cast<std::map<pid_t, pid_t>*>(all))[stat.pid] = stat.parent;
    return true;
  };
  proxy::capture::for_each_process(note, &parents);
  for (auto& [process, parent] : parents)
    for (auto above = process; above > 0; above = parents.contains(above) ? parents[above] : 0)
      if (above == root) {
        if (holds_one_of(process, sockets)) return true;
        break;
      }
  return false;
}

}  // namespace retrial::campaign
