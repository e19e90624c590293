#pragma once
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace retrial::campaign {

// addr2line, of binutils or LLVM, with a file's debug information at hand: it reads that once, which of a program of
// 120 MB takes a quarter of a second, and then answers as it is asked. It ends with this.
class Addr2line {
 public:
  // None where neither is on PATH.
  static std::unique_ptr<Addr2line> start(const std::string& file);
  ~Addr2line();
  Addr2line(const Addr2line&) = delete;

  // What it prints of these places (options -a -f -i -C). Waits for it; nothing once it has ended.
  std::optional<std::string> ask(const std::vector<std::uint64_t>& places);

 private:
  Addr2line(pid_t process, int channel) : process_(process), channel_(channel) {}
  pid_t process_;
  int channel_;
};

}  // namespace retrial::campaign
