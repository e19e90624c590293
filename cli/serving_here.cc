#include "cli/serving_here.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/text.h"

namespace retrial::cli {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kListening = "0A";  // TCP_LISTEN, in /proc/net/tcp

// Of the sockets that this process has open: their inodes.
std::set<std::string> sockets_of(const fs::path& process) {
  std::set<std::string> out;
  std::error_code error;
  for (auto& entry : fs::directory_iterator(process / "fd", error)) {
    auto target = fs::read_symlink(entry.path(), error).string();
    if (target.starts_with("socket:[")) out.insert(target.substr(8, target.size() - 9));
  }
  return out;
}

bool listens(const fs::path& process) {
  auto own = sockets_of(process);
  for (auto* table : {"net/tcp", "net/tcp6"}) {
    std::ifstream lines(process / table);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::vector<std::string> word;
      for (std::string w; words >> w && word.size() < 10;) word.push_back(w);
      if (word.size() == 10 && word[3] == kListening && own.contains(word[9])) return true;
    }
  }
  return false;
}

bool is_serve(const fs::path& process) {
  std::ifstream file(process / "cmdline");
  std::string program, command;
  std::getline(file, program, '\0');
  std::getline(file, command, '\0');
  return command == "serve" || command == "webhook";
}

}  // namespace

bool serving_here(std::string& line) {
  struct stat own{}, other{};
  line = "/proc cannot be read";
  if (stat("/proc/self/exe", &own) != 0) return false;
  bool found = false;
  std::error_code error;
  for (auto& entry : fs::directory_iterator("/proc", error)) {
    if (!to_int(entry.path().filename().string())) continue;
    if (stat((entry.path() / "exe").c_str(), &other) != 0 || other.st_ino != own.st_ino || other.st_dev != own.st_dev)
      continue;
    if (!is_serve(entry.path())) continue;
    found = true;
    line = "it listens";
    if (listens(entry.path())) return true;
  }
  line = found ? "it listens no more, or not yet" : "no `retrial serve` runs here";
  return false;
}

}  // namespace retrial::cli
