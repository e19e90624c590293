#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "trace/exchange.h"
#include "trace/recording/segment.h"

namespace retrial::trace {

// Reads the segments of one run while they are written, by another thread or process, from its own files alone: whoever
// writes does not know of it, and does not wait. Where it is slower than `keep` allows, segments are gone before they
// were read: their records are lost to it, and that is counted. One thread.
class SegmentFollower {
 public:
  struct Options {
    std::uint64_t run = 0;
    bool from_the_first = true;         // else from the segments that are being written when it first looks
    std::size_t most_open = 20'000;     // exchanges that have begun and not ended; beyond it the oldest are let go
    std::size_t most_bytes = 4u << 20;  // of records, taken by one look() from each writer
  };
  SegmentFollower(std::filesystem::path folder, Options options);
  ~SegmentFollower();
  SegmentFollower(const SegmentFollower&) = delete;

  struct Told {
    std::function<void(Exchange& e)> head;  // it has begun; what is changed here stays
    // It has ended. Its room is used again for another: whoever keeps it leaves another's room there, or null.
    std::function<void(std::unique_ptr<Exchange>& e)> over;
  };
  // What has come since the last look, over all writers in the order of time. True: there is more.
  Result<bool> look(const Told& told);
  std::uint64_t lost() const { return lost_; }  // segments that went before they were read, exchanges let go
  std::size_t open() const { return open_.size(); }
  // While it tells: how many more end in this look, at most.
  std::size_t still_to_end() const { return still_to_end_; }

 private:
  using Open = std::map<std::uint64_t, std::unique_ptr<Exchange>>;
  struct Tail;
  struct Taken;
  Result<void> find_segments();
  bool read(Tail& tail, std::vector<Taken>& taken);
  void tell(const Taken& taken, const Told& told);
  Open::node_type fresh();
  void keep(Open::node_type node);

  std::filesystem::path folder_;
  Options options_;
  std::vector<std::unique_ptr<Tail>> tails_;
  std::vector<char> buffer_;  // of one look
  std::size_t used_ = 0;      // of it
  std::vector<Taken> taken_;  // of one look
  std::uint32_t newest_ = 0;  // number of the last segment that was found
  bool looked_ = false;
  Open open_;
  std::vector<Open::node_type> spare_;
  std::vector<std::vector<Header>> spare_headers_;  // of responses
  std::uint64_t lost_ = 0;
  std::size_t still_to_end_ = 0;
};

}  // namespace retrial::trace
