#include "base/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace retrial {

std::optional<std::string> read_regular_file(const std::filesystem::path& file, std::size_t most) {
  int fd = open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  struct stat is{};
  std::optional<std::string> text;
  if (fstat(fd, &is) == 0 && S_ISREG(is.st_mode)) text.emplace();
  constexpr std::size_t kAtOnce = 64 << 10;
  for (ssize_t n = 1; text && n != 0 && text->size() < most;) {
    auto had = text->size();
    text->resize(std::min(most, had + kAtOnce));
    do n = ::read(fd, text->data() + had, text->size() - had);
    while (n < 0 && errno == EINTR);
    text->resize(had + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (n < 0) text.reset();
  }
  close(fd);
  return text;
}

}  // namespace retrial
