#include "trace/recording/segment.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <deque>
#include <optional>
#include <utility>

#include "base/text.h"
#include "trace/recording/record.h"

namespace retrial::trace {
namespace {
using record::RecordHead;

// A segment file, mapped and allocated. Moves only.
class Mapping {
 public:
  static Result<Mapping> create(const std::filesystem::path& folder, int& number, std::size_t bytes) {
    Mapping m;
    auto& path = m.path;
    do {
      path = folder / fmt::format("{:04}.seg", ++number);
      m.fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    } while (m.fd_ < 0 && errno == EEXIST);
    if (m.fd_ < 0) return fail_errno("cannot create a trace segment", errno, path);
    int error = ::fallocate(m.fd_, 0, 0, static_cast<off_t>(bytes)) == 0 ? 0 : errno;
    if (error == EOPNOTSUPP) error = ::posix_fallocate(m.fd_, 0, static_cast<off_t>(bytes));
    if (error) {
      ::unlink(path.c_str());
      return fail_errno("cannot allocate a trace segment", error, path);
    }
    void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, m.fd_, 0);
    if (at == MAP_FAILED) return fail_errno("cannot map a trace segment", errno, path);
    m.begin_ = static_cast<char*>(at);
    m.size_ = bytes;
    return m;
  }
  Mapping() = default;
  Mapping(Mapping&& o) noexcept
      : fd_(std::exchange(o.fd_, -1)),
        begin_(std::exchange(o.begin_, nullptr)),
        size_(o.size_),
        used(o.used),
        path(std::move(o.path)) {}
  Mapping& operator=(Mapping&& o) noexcept {
    Mapping gone(std::move(*this));
    fd_ = std::exchange(o.fd_, -1);
    begin_ = std::exchange(o.begin_, nullptr);
    size_ = o.size_;
    used = o.used;
    path = std::move(o.path);
    return *this;
  }
  ~Mapping() {
    if (begin_) ::munmap(begin_, size_);
    if (fd_ < 0) return;
    if (begin_ && ::ftruncate(fd_, static_cast<off_t>(used)) != 0) errno = 0;  // it stays as long as it is: no harm
    ::close(fd_);
  }
  char* free() const { return begin_ + used; }
  std::size_t room() const { return size_ - used; }

 private:
  int fd_ = -1;
  char* begin_ = nullptr;
  std::size_t size_ = 0;

 public:
  std::size_t used = 0;
  std::filesystem::path path;
};

}  // namespace

struct SegmentWriter::Impl {
  std::filesystem::path folder;
  std::size_t bytes = 0;
  int number = 0;
  Mapping segment;
  std::optional<Error> failed;
  std::uint64_t keep = 0;
  std::deque<std::pair<std::filesystem::path, std::uint64_t>> written;  // whole segments and their bytes, oldest first
  std::uint64_t written_bytes = 0;
  std::optional<Run> of;  // that each segment begins with, where old ones are removed

  void remove_oldest() {
    written.emplace_back(segment.path, segment.used);
    written_bytes += segment.used;
    while (written_bytes + bytes > keep && !written.empty()) {
      std::error_code gone;
      std::filesystem::remove(written.front().first, gone);
      written_bytes -= written.front().second;
      written.pop_front();
    }
  }

  Result<void> next(std::size_t at_least) {
    if (keep && segment.used) remove_oldest();
    if (of) at_least += record::padded(sizeof(RecordHead) + record::encode_run({nullptr, 0}, *of).size());
    auto mapped = Mapping::create(folder, number, std::max(bytes, sizeof(record::SegmentHead) + at_least));
    if (!mapped) {
      failed = mapped.error();
      return std::unexpected(*failed);
    }
    segment = std::move(*mapped);
    record::SegmentHead head{};
    std::memcpy(head.magic, record::kMagic, sizeof head.magic);
    head.version = record::kVersion;
    std::memcpy(segment.free(), &head, sizeof head);
    segment.used = sizeof head;
    return of ? append(RecordKind::run, of->id, *of, record::encode_run) : Result<void>();
  }

  template <class T>
  Result<void> append(RecordKind kind, std::uint64_t run, const T& what,
                      record::Encoder (*encode)(record::Encoder, const T&)) {
    if (failed) return std::unexpected(*failed);
    for (;;) {
      char* at = segment.free();
      auto room = segment.room();
      auto out = encode({at + sizeof(RecordHead), room < sizeof(RecordHead) ? 0 : room - sizeof(RecordHead)}, what);
      auto whole = record::padded(sizeof(RecordHead) + out.size());
      if (out.size() > UINT32_MAX) {
        failed = Error{"a record of the trace is larger than 4 GiB", folder};
        return std::unexpected(*failed);
      }
      if (out.fits() && whole <= room) {
        commit(at, kind, run, out.size());
        segment.used += whole;
        return {};
      }
      // What did not fit is taken back, so that the segment ends in zeroes; the file is cut there anyway.
      std::memset(at, 0, room);
      if (auto ok = next(whole); !ok) return ok;
    }
  }

  // Length and crc come last: a reader that finds a length finds all of the record.
  static void commit(char* at, RecordKind kind, std::uint64_t run, std::size_t size) {
    RecordHead head{.length = 0, .crc = 0, .kind = static_cast<std::uint32_t>(kind), .zero = 0, .run = run};
    std::memcpy(at, &head, sizeof head);
    auto checked = std::string_view(at, sizeof head + size).substr(record::kChecked);
    head.crc = crc32c(checked);
    std::memcpy(at + offsetof(RecordHead, crc), &head.crc, sizeof head.crc);
    auto* length = reinterpret_cast<std::uint32_t*>(at);
    std::atomic_ref(*length).store(static_cast<std::uint32_t>(size), std::memory_order_release);
  }
};

Result<std::unique_ptr<SegmentWriter>> SegmentWriter::open(const std::filesystem::path& folder, std::size_t bytes,
                                                           std::uint64_t keep) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return fail_errno("cannot create the trace's folder", error.value(), folder, Blame::user);
  auto impl = std::make_unique<Impl>();
  impl->folder = folder;
  impl->bytes = bytes;
  impl->keep = keep;
  if (auto ok = impl->next(0); !ok) return std::unexpected(ok.error());
  return std::unique_ptr<SegmentWriter>(new SegmentWriter(std::move(impl)));
}
SegmentWriter::SegmentWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SegmentWriter::~SegmentWriter() = default;

Result<void> SegmentWriter::begin(const Run& run) {
  if (impl_->keep) {
    impl_->of = run;
    impl_->of->exchanges.clear();
  }
  return impl_->append(RecordKind::run, run.id, run, record::encode_run);
}
Result<void> SegmentWriter::head(std::uint64_t run, const Exchange& e) {
  return impl_->append(RecordKind::head, run, e, record::encode_head);
}
Result<void> SegmentWriter::answer(std::uint64_t run, const Exchange& e) {
  return impl_->append(RecordKind::answer, run, e, record::encode_answer);
}
Result<void> SegmentWriter::fired(std::uint64_t run, const Exchange& e) {
  return impl_->append(RecordKind::fired, run, e, record::encode_fired);
}
Result<void> SegmentWriter::over(std::uint64_t run, const Exchange& e) {
  return impl_->append(RecordKind::over, run, e, record::encode_over);
}
Result<void> SegmentWriter::end(const Run& run) {
  return impl_->append(RecordKind::end, run.id, run, record::encode_run);
}

}  // namespace retrial::trace
