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

struct Parts {
  std::uint32_t segment = 0;
  std::size_t window = 0;  // where it begins; 0: finished, or no segment at all
};
Parts parts_of(std::string_view bytes) {
  record::SegmentHead head;
  if (bytes.size() < sizeof head) return {};
  std::memcpy(&head, bytes.data(), sizeof head);
  bool ours = std::memcmp(head.magic, record::kMagic, sizeof head.magic) == 0 && head.version >= record::kOldest &&
              head.version <= record::kVersion;
  return ours ? Parts{head.number, head.window} : Parts{};
}
std::string_view window_of(std::string_view bytes, const Parts& parts) {
  return bytes.substr(std::min(bytes.size(), parts.window));
}

SegmentImage joined(std::string bytes, const Parts& parts, std::string_view window) {
  if (bytes.size() <= parts.window) return {std::move(bytes), kUnknown};  // its window was cut off
  bytes.resize(parts.window);
  record::RecordHead first{};
  std::memcpy(&first, window.data(), std::min(window.size(), sizeof first));
  if (first.length == 0) return {std::move(bytes), 0};
  auto at = record::offset_of(parts.segment, first.place);
  if (at < sizeof(record::SegmentHead) || at > bytes.size()) return {std::move(bytes), kUnknown};
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
  auto parts = parts_of(bytes);
  if (parts.window == 0) return {std::move(bytes), 0};
  std::string window(window_of(bytes, parts));
  return joined(std::move(bytes), parts, window);
}

// The window is read before what it is written to: records that leave it meanwhile are read twice, and none is missed.
Result<std::optional<SegmentImage>> read_segment(const std::filesystem::path& file) {
  auto error = [&] { return fail_errno("cannot read the trace", errno, file, Blame::user); };
  auto bytes = bytes_of(file);
  if (!bytes) return errno == ENOENT ? Result<std::optional<SegmentImage>>() : error();
  auto parts = parts_of(*bytes);
  if (parts.window == 0) return SegmentImage{std::move(*bytes), 0};
  auto window = std::move(*bytes);
  bytes = bytes_of(file);
  if (!bytes) return errno == ENOENT ? Result<std::optional<SegmentImage>>() : error();
  auto now = parts_of(*bytes);
  if (now.window == 0) return SegmentImage{std::move(*bytes), 0};
  if (now.segment != parts.segment) return segment_image(std::move(*bytes));
  return joined(std::move(*bytes), parts, window_of(window, parts));
}

}  // namespace retrial::trace
