#include "campaign/workload/adapters/executable.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/text.h"
#include "campaign/workload/adapters/adapter.h"

namespace retrial::campaign {
namespace {

std::string found(const std::string& program) {
  if (program.contains('/')) return program;
  auto* path = getenv("PATH");
  for (auto folder : split(path ? path : "", ':'))
    if (auto file = std::string(folder) + "/" + program; access(file.c_str(), X_OK) == 0) return file;
  return program;
}

bool holds(int fd, std::size_t size, std::initializer_list<std::string_view> texts) {
  auto* at = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (at == MAP_FAILED) return false;
  bool held =
      memcmp(at,
             "\x7f"
             "ELF",
             4) == 0 &&
      std::ranges::any_of(texts, [&](auto text) { return memmem(at, size, text.data(), text.size()) != nullptr; });
  munmap(at, size);
  return held;
}

}  // namespace

std::size_t program_at(const std::vector<std::string>& argv) {
  std::size_t at = 0;
  while (at < argv.size() && (program_name(argv[at]) == "env" || argv[at].contains('='))) at++;
  return at;
}

bool is_program_with(const std::vector<std::string>& argv, std::initializer_list<std::string_view> texts) {
  auto at = program_at(argv);
  if (at >= argv.size()) return false;
  int fd = open(found(argv[at]).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  struct stat status{};
  bool held = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 4 &&
              holds(fd, static_cast<std::size_t>(status.st_size), texts);
  close(fd);
  return held;
}

}  // namespace retrial::campaign
