#include "trace/recording/segment.h"

#include <fmt/format.h>

#include <atomic>
#include <optional>
#include <utility>

#include "base/text.h"
#include "trace/recording/record.h"
#include "trace/recording/segment_folder.h"

namespace retrial::trace {
namespace {
using record::RecordHead;

template <class T>
using Encode = record::Encoder (*)(record::Encoder, const T&);

// Length and crc come last, when the place behind it says that nothing is there yet: a reader that finds a length finds
// all of the record, and no other after it that stood there once.
[[gnu::always_inline]] inline void commit(char* at, RecordKind kind, std::uint32_t place, std::uint64_t run,
                                          std::size_t size, std::size_t whole) {
  auto length_at = [](char* record) { return std::atomic_ref(*reinterpret_cast<std::uint32_t*>(record)); };
  length_at(at + whole).store(0, std::memory_order_relaxed);
  RecordHead head{.length = 0, .crc = 0, .kind = static_cast<std::uint32_t>(kind), .place = place, .run = run};
  std::memcpy(at + record::kChecked, reinterpret_cast<char*>(&head) + record::kChecked, sizeof head - record::kChecked);
  auto checked = std::string_view(at, sizeof head + size).substr(record::kChecked);
  head.crc = crc32c(checked);
  std::memcpy(at + offsetof(RecordHead, crc), &head.crc, sizeof head.crc);
  length_at(at).store(static_cast<std::uint32_t>(size), std::memory_order_release);
}

}  // namespace

struct SegmentWriter::Impl {
  std::shared_ptr<SegmentFolder> folder;
  SegmentFile segment;
  std::uint32_t last = 0;  // its number, or that of the one before
  std::optional<Run> of;   // what was begun last: says what is lost of it
  std::uint64_t lost = 0;  // of its records
  std::string why;         // the first of them was

  // The next record begins another segment, if it can, and that one says what is missing.
  void lose(const Error& error) {
    folder->leave(segment);
    if (lost++ == 0) why = error.line();
    if (of) of->incomplete = fmt::format("{} of its records could not be written: {}", lost, why);
  }

  template <class T>
  Result<void> append(RecordKind kind, std::uint64_t run, const T& what, Encode<T> encode) {
    if (into_window(kind, run, what, encode)) [[likely]]
      return {};
    return append_elsewhere(kind, run, what, encode);
  }
  template <class T>
  [[gnu::noinline]] Result<void> append_elsewhere(RecordKind kind, std::uint64_t run, const T& what, Encode<T> encode) {
    auto ok = put_elsewhere(kind, run, what, encode);
    if (!ok) lose(ok.error());
    return ok;
  }
  template <class T>
  Result<void> put(RecordKind kind, std::uint64_t run, const T& what, Encode<T> encode) {
    return into_window(kind, run, what, encode) ? Result<void>() : put_elsewhere(kind, run, what, encode);
  }

  // False: it has no room there, or was lost with its page.
  template <class T>
  [[gnu::always_inline]] bool into_window(RecordKind kind, std::uint64_t run, const T& what, Encode<T> encode) {
    char* at = segment.free();
    auto room = segment.room();
    if (room < sizeof(RecordHead)) return false;
    auto out = encode({at + sizeof(RecordHead), room - sizeof(RecordHead)}, what);
    if (!out.fits()) return false;
    auto whole = record::padded(sizeof(RecordHead) + out.size());  // fits too: the room is a multiple of 8
    commit(at, kind, segment.place(), run, out.size(), whole);
    return segment.took(whole);
  }

  // The window is emptied, another segment is begun, or the record goes past it. What was lost shows here.
  template <class T>
  Result<void> put_elsewhere(RecordKind kind, std::uint64_t run, const T& what, Encode<T> encode) {
    auto size = encode({nullptr, 0}, what).size();
    auto whole = record::padded(sizeof(RecordHead) + size);
    if (size > UINT32_MAX) return fail("a record of the trace is larger than 4 GiB", folder->path());
    if (auto ok = segment.flush(); !ok) return ok;
    if (segment.is_open() && whole > segment.left())
      if (auto ok = folder->finish(segment); !ok) return ok;
    std::unique_lock<std::mutex> alone;
    if (!segment.is_open()) {
      auto least = SegmentFile::kBeside + size_of_run() + whole;
      if (least > folder->usual()) alone = folder->one_large();
      if (auto ok = next(least); !ok) return ok;
    }
    auto ok = whole <= segment.room() ? put(kind, run, what, encode) : write(kind, run, what, encode, size);
    return ok && alone ? folder->finish(segment) : ok;
  }

  template <class T>
  Result<void> write(RecordKind kind, std::uint64_t run, const T& what, Encode<T> encode, std::size_t size) {
    if (auto ok = segment.flush(); !ok) return ok;
    auto whole = record::padded(sizeof(RecordHead) + size);
    std::string bytes(whole + sizeof(std::uint32_t), '\0');
    encode({bytes.data() + sizeof(RecordHead), size}, what);
    commit(bytes.data(), kind, segment.place(), run, size, whole);
    return segment.write(std::string_view(bytes).substr(0, whole));
  }

  // A segment begins with its run where those before it may not be there.
  bool says_run() const { return of && (folder->limited() || lost); }
  std::size_t size_of_run() const {
    return says_run() ? record::padded(sizeof(RecordHead) + record::encode_run({nullptr, 0}, *of).size()) : 0;
  }
  Result<void> next(std::size_t least) {
    auto file = folder->next(least, last);
    if (!file) return std::unexpected(file.error());
    segment = std::move(*file);
    last = segment.number();
    return says_run() ? put(RecordKind::run, of->id, *of, record::encode_run) : Result<void>();
  }

  Result<void> end(const Run& run) {
    if (!lost || !run.incomplete.empty()) return append(RecordKind::end, run.id, run, record::encode_run);
    auto marked = run;
    marked.incomplete = of->incomplete;
    return append(RecordKind::end, run.id, marked, record::encode_run);
  }
};

Result<std::unique_ptr<SegmentWriter>> SegmentWriter::open(const std::filesystem::path& folder, std::size_t bytes,
                                                           std::uint64_t keep) {
  auto opened = SegmentFolder::open(folder, {.segment = bytes, .keep = keep});
  if (!opened) return std::unexpected(opened.error());
  return open(std::move(*opened));
}
Result<std::unique_ptr<SegmentWriter>> SegmentWriter::open(std::shared_ptr<SegmentFolder> folder) {
  auto impl = std::make_unique<Impl>();
  impl->folder = std::move(folder);
  if (auto ok = impl->next(0); !ok) return std::unexpected(ok.error());
  return std::unique_ptr<SegmentWriter>(new SegmentWriter(std::move(impl)));
}
SegmentWriter::SegmentWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SegmentWriter::~SegmentWriter() {
  if (auto ok = impl_->segment.finish(true); !ok) return;  // what it holds can be read as it is
}

Result<void> SegmentWriter::begin(const Run& run) {
  impl_->of = run;
  impl_->of->exchanges.clear();
  impl_->lost = 0;
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
  auto ok = impl_->end(run);
  if (!ok || !impl_->segment.is_open() || impl_->segment.whole()) return ok;  // one that is closed was whole
  ok = std::unexpected(impl_->segment.cut());
  impl_->lose(ok.error());
  if (impl_->end(run)) return ok;
  return ok;  // without its end the run is incomplete all the same
}

}  // namespace retrial::trace
