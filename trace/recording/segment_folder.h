#pragma once
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include "trace/recording/segment_file.h"

namespace retrial::trace {

// The folder of one recording: hands its writers a segment file each, and keeps all of them together within a limit by
// removing the oldest that are finished. From any thread. What earlier starts left counts too, and goes first; what
// another process is writing does neither.
class SegmentFolder {
 public:
  struct Limits {
    std::size_t segment = 2u << 20;                   // bytes of a file; fewer where `keep` asks for it
    std::uint64_t keep = 0;                           // bytes that all files may have together at any time; 0: any
    int writers = 1;                                  // how many have a file at a time
    std::vector<std::filesystem::path> earlier = {};  // folders whose segments count too; the oldest first
  };
  // The least `keep`: four segments for each writer.
  static std::uint64_t least_keep(int writers);

  // Creates the folder if need be.
  static Result<std::shared_ptr<SegmentFolder>> open(const std::filesystem::path& folder, Limits limits);

  // A file whose records may have `bytes` together, or as many as usual where these are more. An error where `keep` has
  // no room for it: a quarter is for the files of all writers. `previous`: the number of the writer's last one; 0:
  // none.
  Result<SegmentFile> next(std::size_t bytes, std::uint32_t previous);
  // Finishes a file of next(), or leaves it as it is where it cannot be written any more. Either may be removed from
  // then on.
  Result<void> finish(SegmentFile& file);
  void leave(SegmentFile& file);
  // Bytes for records in a usual file.
  std::size_t usual() const { return shape_.records; }
  // To be held from the next() of a larger file to its finish(): a limit has room for one at a time.
  std::unique_lock<std::mutex> one_large() { return std::unique_lock(large_); }

  const std::filesystem::path& path() const { return folder_; }
  bool limited() const { return limits_.keep; }

 private:
  SegmentFolder(std::filesystem::path folder, Limits limits, SegmentFile::Shape shape)
      : folder_(std::move(folder)), limits_(limits), shape_(shape) {}
  struct Finished {
    std::filesystem::path path;
    std::uint64_t bytes;
  };
  void find_earlier(const std::filesystem::path& folder);
  Result<void> make_room(std::uint64_t bytes);

  std::filesystem::path folder_;
  Limits limits_;
  SegmentFile::Shape shape_;
  std::mutex large_, mutex_;       // large_ first
  std::uint32_t number_ = 0;       // of the last segment
  std::uint64_t bytes_ = 0;        // of all files
  std::deque<Finished> finished_;  // oldest first
};

}  // namespace retrial::trace
