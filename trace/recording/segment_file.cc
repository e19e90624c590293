#include "trace/recording/segment_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <utility>

namespace retrial::trace {
namespace {

constexpr std::size_t kEnd = 8;  // bytes of zero behind the last record

// All of it, or errno says why not.
bool put_at(int fd, std::string_view bytes, std::string_view more, std::size_t at) {
  std::array parts{iovec{const_cast<char*>(bytes.data()), bytes.size()},
                   iovec{const_cast<char*>(more.data()), more.size()}};
  for (std::size_t left = bytes.size() + more.size(); left;) {
    auto put = ::pwritev(fd, parts.data(), parts.size(), static_cast<off_t>(at));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    left -= static_cast<std::size_t>(put);
    at += static_cast<std::size_t>(put);
    for (auto& part : parts) {
      auto done = std::min(part.iov_len, static_cast<std::size_t>(put));
      part = {static_cast<char*>(part.iov_base) + done, part.iov_len - done};
      put -= static_cast<ssize_t>(done);
    }
  }
  return true;
}

}  // namespace

std::filesystem::path SegmentFile::named(const std::filesystem::path& folder, std::uint32_t number) {
  return folder / fmt::format("{:04}.seg", number);
}

bool SegmentFile::in_use(const std::filesystem::path& file) {
  int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return false;
  bool locked = ::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(fd);
  return locked;
}

Result<SegmentFile> SegmentFile::create(const std::filesystem::path& folder, std::uint32_t& number,
                                        std::uint32_t previous, Shape shape) {
  SegmentFile file;
  do {
    file.path_ = named(folder, ++number);
    file.fd_ = ::open(file.path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  } while (file.fd_ < 0 && errno == EEXIST);
  if (file.fd_ < 0) return --number, fail_errno("cannot create a trace segment", errno, file.path_);
  auto bytes = static_cast<off_t>(shape.bytes());
  int error = ::fallocate(file.fd_, 0, 0, bytes) == 0 ? 0 : errno;
  if (error == EOPNOTSUPP) error = ::posix_fallocate(file.fd_, 0, bytes);
  if (error) {
    ::unlink(file.path_.c_str());
    return --number, fail_errno("cannot allocate a trace segment", error, file.path_);
  }
  if (auto ok = file.begin(number, previous, shape); !ok) {
    ::unlink(file.path_.c_str());
    return std::unexpected(ok.error());
  }
  return file;
}

Result<SegmentFile> SegmentFile::reuse(const std::filesystem::path& old, std::uint32_t& number, std::uint32_t previous,
                                       Shape shape) {
  SegmentFile file;
  file.fd_ = ::open(old.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  struct stat facts{};
  if (file.fd_ < 0 || ::fstat(file.fd_, &facts) != 0) return fail_errno("cannot be used again", errno, old);
  if (!S_ISREG(facts.st_mode) || facts.st_nlink != 1 || facts.st_size != static_cast<off_t>(shape.bytes()))
    return fail("is not as it was left", old);
  int renamed = -1;
  do {
    file.path_ = named(old.parent_path(), ++number);
    renamed = ::renameat2(AT_FDCWD, old.c_str(), AT_FDCWD, file.path_.c_str(), RENAME_NOREPLACE);
  } while (renamed != 0 && errno == EEXIST);
  if (renamed != 0) return fail_errno("cannot be used again", errno, old);
  if (auto ok = file.begin(number, previous, shape); !ok) {
    ::unlink(file.path_.c_str());
    return std::unexpected(ok.error());
  }
  return file;
}

// Killed on the way, a reader finds what was there before, or an empty segment.
Result<void> SegmentFile::begin(std::uint32_t number, std::uint32_t previous, Shape shape) {
  ::flock(fd_, LOCK_EX | LOCK_NB);  // for in_use(): until it is closed, however this process ends
  void* at = ::mmap(nullptr, shape.window, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, static_cast<off_t>(shape.records));
  if (at == MAP_FAILED) return fail_errno("cannot map a trace segment", errno, path_);
  guard_ = LostPages(at, shape.window);
  window_ = static_cast<char*>(at);
  number_ = number;
  shape_ = shape;
  offset_ = sizeof(record::SegmentHead);
  empty_window();
  record::SegmentHead head{.magic = {},
                           .version = record::kVersion,
                           .number = number,
                           .window = shape.records,
                           .previous = previous,
                           .reserved = 0};
  std::memcpy(head.magic, record::kMagic, sizeof head.magic);
  std::array<char, kEnd> end{};
  if (!put_at(fd_, {reinterpret_cast<char*>(&head), sizeof head}, {end.data(), end.size()}, 0))
    return fail_errno("cannot begin a trace segment", errno, path_);
  return {};
}

SegmentFile::SegmentFile(SegmentFile&& o) noexcept { *this = std::move(o); }
SegmentFile& SegmentFile::operator=(SegmentFile&& o) noexcept {
  std::swap(fd_, o.fd_);
  std::swap(window_, o.window_);
  std::swap(free_, o.free_);
  std::swap(end_, o.end_);
  std::swap(first_place_, o.first_place_);
  std::swap(offset_, o.offset_);
  std::swap(number_, o.number_);
  std::swap(shape_, o.shape_);
  std::swap(guard_, o.guard_);
  std::swap(path_, o.path_);
  return *this;
}
SegmentFile::~SegmentFile() { leave(); }

void SegmentFile::leave() {
  guard_ = {};  // before what it guards
  if (window_) ::munmap(window_, shape_.window);
  window_ = free_ = end_ = nullptr;
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

// No record stands there, before any other is put behind its first bytes.
void SegmentFile::empty_window() {
  std::atomic_ref(*reinterpret_cast<std::uint32_t*>(window_)).store(0, std::memory_order_release);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  free_ = window_;
  end_ = window_ + std::min(shape_.window - kEnd, left());
  first_place_ = record::place_of(number_, offset_);
}

std::size_t SegmentFile::left() const { return window_ ? shape_.records - kEnd - offset_ - used() : 0; }

// Whole pages are written, from the second on: where a page of a file that is reused is not in memory any more, it need
// not be read for its rest.
Result<void> SegmentFile::put(std::string_view records) {
  static constexpr std::array<char, kPage + kEnd> kZeroes{};
  if (!whole()) return std::unexpected(cut());
  auto end = offset_ + records.size();
  auto padding = (end + kEnd + kPage - 1) / kPage * kPage - end;
  if (!put_at(fd_, records, {kZeroes.data(), padding}, offset_))
    return fail_errno("cannot write this segment of the trace", errno, path_);
  offset_ = end;
  return {};
}

// Killed before the window is empty, what stands in it is the same as what stands in its place.
Result<void> SegmentFile::flush() {
  if (used() == 0) return {};
  if (auto ok = put({window_, used()}); !ok) return ok;
  empty_window();
  return {};
}

Result<void> SegmentFile::write(std::string_view record) {
  if (auto ok = put(record); !ok) return ok;
  empty_window();
  return {};
}

Result<void> SegmentFile::finish(bool give_back) {
  if (!window_) return {};
  if (auto ok = flush(); !ok) return ok;
  if (!whole()) return std::unexpected(cut());
  constexpr std::uint64_t kNone = 0;
  if (!put_at(fd_, {reinterpret_cast<const char*>(&kNone), sizeof kNone}, {}, offsetof(record::SegmentHead, window)))
    return fail_errno("cannot finish this segment of the trace", errno, path_);
  if (give_back && ::ftruncate(fd_, static_cast<off_t>(offset_)) != 0) errno = 0;  // it stays as long as it is: no harm
  leave();
  return {};
}

// A cut within the page that is written to is not missed by the writing itself, so the file is asked.
bool SegmentFile::whole() const {
  struct stat facts{};
  return !guard_.any() && ::fstat(fd_, &facts) == 0 && facts.st_size >= static_cast<off_t>(shape_.bytes());
}
Error SegmentFile::cut() const {
  return {"this segment of the trace was cut short by another process, or its disk fails", path_};
}

}  // namespace retrial::trace
