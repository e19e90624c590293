#include "trace/recording/segment_image.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "trace/recording/record.h"

namespace retrial::trace {
namespace {
constexpr std::size_t kUnknown = SIZE_MAX;

// Without a window where it is no segment that we can read.
record::SegmentHead head_of(std::string_view bytes) {
  auto head = record::head_of(bytes);
  if (!head.can_be_read() || bytes.size() < head.size()) head.window = 0;
  return head;
}
std::string_view window_of(std::string_view bytes, const record::SegmentHead& head) {
  return bytes.substr(std::min<std::size_t>(bytes.size(), head.window));
}

SegmentImage joined(std::string bytes, const record::SegmentHead& head, std::string_view window) {
  if (bytes.size() <= head.window) return {std::move(bytes), kUnknown};  // its window was cut off
  bytes.resize(head.window);
  record::RecordHead first{};
  std::memcpy(&first, window.data(), std::min(window.size(), sizeof first));
  if (first.length == 0) return {std::move(bytes), 0};
  auto at = record::offset_of(head.number, first.place);
  if (at < head.size() || at > bytes.size()) return {std::move(bytes), kUnknown};
  bytes.resize(at);
  return {bytes.append(window), at};
}

// Nothing, and errno, where it cannot be read.
std::optional<std::string> bytes_of(const std::filesystem::path& file) {
  int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  struct stat facts{};
  std::string bytes(::fstat(fd, &facts) == 0 ? static_cast<std::size_t>(facts.st_size) : 0, '\0');
  std::size_t size = 0;
  ssize_t got = 1;
  while (size < bytes.size() && (got = ::read(fd, bytes.data() + size, bytes.size() - size)) > 0)
    size += static_cast<std::size_t>(got);
  auto error = errno;
  ::close(fd);
  errno = error;
  if (got < 0) return {};
  bytes.resize(size);
  return bytes;
}

}  // namespace

SegmentImage segment_image(std::string bytes) {
  auto head = head_of(bytes);
  if (head.window == 0) return {std::move(bytes), 0};
  std::string window(window_of(bytes, head));
  return joined(std::move(bytes), head, window);
}

// The window is read before what it is written to: records that leave it meanwhile are read twice, and none is missed.
Result<std::optional<SegmentImage>> read_segment(const std::filesystem::path& file) {
  auto error = [&] { return fail_errno("cannot read the trace", errno, file, Blame::user); };
  auto bytes = bytes_of(file);
  if (!bytes) return errno == ENOENT ? Result<std::optional<SegmentImage>>() : error();
  auto head = head_of(*bytes);
  if (head.window == 0) return SegmentImage{std::move(*bytes), 0};
  auto window = std::move(*bytes);
  bytes = bytes_of(file);
  if (!bytes) return errno == ENOENT ? Result<std::optional<SegmentImage>>() : error();
  auto now = head_of(*bytes);
  if (now.window == 0) return SegmentImage{std::move(*bytes), 0};
  if (now.number != head.number) return segment_image(std::move(*bytes));
  return joined(std::move(*bytes), head, window_of(window, head));
}

}  // namespace retrial::trace
