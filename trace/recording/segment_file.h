#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "trace/recording/lost_pages.h"
#include "trace/recording/record.h"

namespace retrial::trace {

// One segment while it is written (record.h has its format). Records are put into its window, a few pages of the file
// that stay mapped and shared: what stands there survives kill -9 of this process. A full window is written to its
// place in one call, as touching a new page of a file costs several times what the kernel takes to fill one. One thread
// at a time. Moves only; what is not finished stays as it is, and can be read.
class SegmentFile {
 public:
  // Bytes for records (its head with them) and for the window behind them; both whole pages.
  struct Shape {
    std::size_t records = 0;
    std::size_t window = 0;
    std::size_t bytes() const { return records + window; }
  };
  static constexpr std::size_t kPage = 4096;
  static constexpr std::size_t kBeside = sizeof(record::SegmentHead) + 8;  // bytes of `records` that are none

  // A new file, allocated as a whole, under the next free number after `number`, which becomes its own. `previous`: as
  // in its head.
  static Result<SegmentFile> create(const std::filesystem::path& folder, std::uint32_t& number, std::uint32_t previous,
                                    Shape shape);
  // The same from a finished file of this shape that is not wanted any more: its pages, likely still in memory, are
  // written anew. After an error `old` is there or not.
  static Result<SegmentFile> reuse(const std::filesystem::path& old, std::uint32_t& number, std::uint32_t previous,
                                   Shape shape);
  // Whether a SegmentFile, of any process, is writing it.
  static bool in_use(const std::filesystem::path& file);
  static std::filesystem::path named(const std::filesystem::path& folder, std::uint32_t number);

  SegmentFile() = default;  // no file, no room
  SegmentFile(SegmentFile&& other) noexcept;
  SegmentFile& operator=(SegmentFile&& other) noexcept;
  ~SegmentFile();

  // Where the next record goes while it fits into room(), a multiple of 8; behind that there are 8 bytes more.
  char* free() const { return free_; }
  std::size_t room() const { return static_cast<std::size_t>(end_ - free_); }
  std::uint32_t place() const { return first_place_ + static_cast<std::uint32_t>(used() / 8); }
  // A record of `size` bytes (padded) stands there. False where it was lost with its page: the segment is to be left.
  bool took(std::size_t size) {
    free_ += size;
    return !guard_.any();
  }

  bool is_open() const { return window_; }
  std::size_t left() const;  // for records, without those that are in the window
  // Writes the window to its place, and empties it.
  Result<void> flush();
  // Writes a record of at most left() bytes to its place(), past the window, which must be empty.
  Result<void> write(std::string_view record);
  // Flushes. `give_back`: the file becomes as long as its records are. There is no room any more.
  Result<void> finish(bool give_back);
  // Leaves the file as it is. There is no room any more.
  void leave();

  bool whole() const;  // nothing of it has been cut off so far
  Error cut() const;   // what is said of that
  std::uint32_t number() const { return number_; }
  const std::filesystem::path& path() const { return path_; }
  const Shape& shape() const { return shape_; }

 private:
  Result<void> begin(std::uint32_t number, std::uint32_t previous, Shape shape);
  Result<void> put(std::string_view records);
  void empty_window();
  std::size_t used() const { return static_cast<std::size_t>(free_ - window_); }

  int fd_ = -1;
  char* window_ = nullptr;
  char* free_ = nullptr;
  char* end_ = nullptr;            // of the room
  std::uint32_t first_place_ = 0;  // of the window's first byte
  std::size_t offset_ = 0;         // where that belongs
  std::uint32_t number_ = 0;
  Shape shape_;
  LostPages guard_;
  std::filesystem::path path_;
};

}  // namespace retrial::trace
