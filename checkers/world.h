#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "checkers/checker.h"
#include "checkers/deed.h"

namespace retrial::checkers {

// When which resources were last written to, by numbers of events (the beginnings and ends of exchanges in their order,
// from 1). Costs a path's depth.
class World {
 public:
  using Event = std::uint64_t;

  void begins(const Deed& d, Event now);  // anything: another test may have changed what no request did
  void write_begins(const Deed& d);
  void write_closes(const Deed& d);                    // unless it may come late: then it stays under way
  void write_marks(const Deed& d, Event now);          // a refused one has written nothing
  void forget(const std::string& service, Event now);  // whatever was known of it may have changed

  // The last write that ended and may have changed what is at this spot: it, what lies in it, what it lies in.
  Event last(const std::string& spot, const std::string& service, Within within) const;
  bool open(const std::string& spot, const std::string& service, Within within) const;  // one is under way
  // The last that deleted what is at this spot or what it lies in, or that all of its service was forgotten.
  Event ended(const std::string& spot, const std::string& service) const;

  static constexpr std::size_t kMostSpots = 200'000;
  std::size_t spots() const { return spots_.size(); }

 private:
  struct Spot {
    Event own = 0, below = 0, ended = 0;
    int open = 0, open_below = 0;
  };
  struct Whole {
    Event last = 0, forgotten = 0, test_began = 0;
    int open = 0;
    std::string test;  // whose request was the last
  };

  std::unordered_map<std::string, Spot> spots_;
  std::unordered_map<std::string, Whole> services_;
};

// f(spot) for all that it lies in, the nearest first: "s/a/b" -> "s/a", "s".
template <class F>
void each_outer(std::string_view spot, std::size_t service, F f) {
  for (auto slash = spot.rfind('/'); slash != spot.npos && slash >= service; slash = spot.rfind('/', slash - 1)) {
    f(std::string(spot.substr(0, slash)));
    if (slash == 0) break;
  }
}

}  // namespace retrial::checkers
