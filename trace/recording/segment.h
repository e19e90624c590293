#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trace/run.h"

namespace retrial::trace {

class SegmentFolder;

// The trace on disk while a run goes on: a folder of segment files "NNNN.seg" (design.md, "The log is the ring"). Each
// loop thread appends to its own; a record's length and crc32c are written last, so a reader sees whole records only,
// also after kill -9. A record of an exchange holds only what its earlier ones could not know. The encoding is this
// machine's own (little endian); record.h has it, and its version stands at the head of each file.
enum class RecordKind : std::uint8_t {
  run = 1,     // a run begins: Run without its exchanges
  head = 2,    // an exchange's request head was read, and its fault chosen
  answer = 3,  // the service's response head was read
  fired = 4,   // its fault is about to be put on the wire
  over = 5,    // it has ended for the client, or the run has
  end = 6,     // the run has ended: Run without its exchanges, whole
};

class SegmentWriter {
 public:
  // Creates `folder` if need be. Segments are allocated ahead (fallocate), `bytes` each, so that a full disk shows here
  // and when the next one is begun, never as a signal; what was not used is given back at the end. Several writers may
  // share a folder: each takes the next free number. With `keep`, the files of this writer have no more bytes than that
  // together at any time: the oldest are removed, and each segment begins with the run it belongs to; 0: all are kept.
  static Result<std::unique_ptr<SegmentWriter>> open(const std::filesystem::path& folder, std::size_t bytes = 4u << 20,
                                                     std::uint64_t keep = 0);
  // One of several that share the limit of a folder (segment_folder.h).
  static Result<std::unique_ptr<SegmentWriter>> open(std::shared_ptr<SegmentFolder> folder);
  ~SegmentWriter();
  SegmentWriter(const SegmentWriter&) = delete;

  // Each is committed (readable after kill -9) when it returns. What fails is lost; the next is tried again, in another
  // segment, which says that the run is incomplete and what was lost of it.
  Result<void> begin(const Run& run);
  Result<void> head(std::uint64_t run, const Exchange& e);
  Result<void> answer(std::uint64_t run, const Exchange& e);
  Result<void> fired(std::uint64_t run, const Exchange& e);
  Result<void> over(std::uint64_t run, const Exchange& e);
  // Fails also where an earlier one was lost unnoticed. Marks a run of which anything was lost. May be said again,
  // after other writers have ended too: a run is incomplete where any of its ends says so.
  Result<void> end(const Run& run);

 private:
  struct Impl;
  explicit SegmentWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// What is told while segments are read, in the order in which it happened, over all loops of a run.
struct Reading {
  std::function<void(std::uint64_t run, Exchange& e)> head;  // it has begun; what is changed here stays. May be empty
  // It has ended, or the trace has; then the runs hold no exchanges of their own, and a trace of any length fits.
  // Empty: they hold all of them
  std::function<void(std::uint64_t run, Exchange&& e)> over;
};

// Run::incomplete of a run without its `end` record, of which nothing else is wrong. It is Stop::cut_off, and ends with
// the last that was recorded of it.
inline constexpr std::string_view kNotEnded = "the trace stops before the run has ended";

// What Run::incomplete begins with where the first segments of a run are not there any more, and nothing else is wrong.
inline constexpr std::string_view kBeheaded = "the beginning of the trace was removed";

// All runs of a folder and the folders below it, by id, exchanges by id. A run without its `end` record comes back with
// `incomplete` set. A torn or damaged record ends its segment, and marks the run it belongs to; a segment of another
// version, or a file that is none, is an error that says so. An exchange whose beginning is not there any more is left
// out, and the run says so.
Result<std::vector<Run>> read_segments(const std::filesystem::path& folder, Reading reading = {});
// Only the run with that id.
Result<Run> read_run(const std::filesystem::path& folder, std::uint64_t run);
// The same from the bytes of one segment; `name` is for errors.
Result<std::vector<Run>> read_segment_bytes(std::string_view bytes, std::string_view name);

}  // namespace retrial::trace
