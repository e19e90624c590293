#include "campaign/workload/listeners.h"

#include <fmt/format.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "proxy/capture/processes.h"

namespace retrial::campaign {
namespace {

constexpr Nanos kFirstPause = 20 * kMillisecond;

// By socket, as /proc/PID/fd names it ("socket:[1234]"): the port that it listens at, in the process's namespace.
std::map<std::string, std::uint16_t> listening(pid_t process) {
  std::map<std::string, std::uint16_t> sockets;
  for (const char* name : {"tcp", "tcp6"}) {
    std::ifstream table(fmt::format("/proc/{}/net/{}", process, name));
    for (std::string line; std::getline(table, line);) {
      unsigned at = 0, state = 0;
      unsigned long inode = 0;
      if (sscanf(line.c_str(), "%*s %*[0-9A-F]:%4X %*s %2X %*s %*s %*s %*s %*s %lu", &at, &state, &inode) == 3 &&
          state == TCP_LISTEN)
        sockets[fmt::format("socket:[{}]", inode)] = static_cast<std::uint16_t>(at);
    }
  }
  return sockets;
}

}  // namespace

std::set<std::uint16_t> ports_of(pid_t process) {
  std::set<std::uint16_t> ports;
  auto sockets = listening(process);
  if (sockets.empty()) return ports;
  std::error_code error;
  for (auto& fd : std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", process), error))
    if (auto at = sockets.find(std::filesystem::read_symlink(fd, error).string()); at != sockets.end())
      ports.insert(at->second);
  return ports;
}

bool listens_below(pid_t root, std::uint16_t port) {
  std::map<pid_t, pid_t> parents;
  auto note = [](const proxy::capture::Stat& stat, void* all) {
    (*static_cast<std::map<pid_t, pid_t>*>(all))[stat.pid] = stat.parent;
    return true;
  };
  proxy::capture::for_each_process(note, &parents);
  for (auto& [process, parent] : parents)
    for (auto above = process; above > 0; above = parents.contains(above) ? parents[above] : 0)
      if (above == root) {
        if (ports_of(process).contains(port)) return true;
        break;
      }
  return false;
}

void Servers::connected(pid_t process, std::uint16_t port) {
  if (!connected_.contains(process)) {
    proxy::capture::Stat stat;
    for (auto at = process; proxy::capture::read_stat(at, stat) && stat.parent > 1; at = stat.parent)
      above_.insert(stat.parent);
  }
  if (connected_[process].insert(port).second) known_.erase(process);
}

bool Servers::only_serves(pid_t process) {
  auto now = real_.now();
  auto& known = known_[process];
  if (known.yes || now - known.asked < known.pause) return known.yes;
  auto ports = ports_of(process);
  known.yes = !ports.empty() && (!has_connected(process) || std::ranges::all_of(connected_[process], [&](auto port) {
    return ports.contains(port);
  }));
  known.asked = now;
  known.pause = std::max(kFirstPause, 2 * known.pause);
  return known.yes;
}

}  // namespace retrial::campaign
