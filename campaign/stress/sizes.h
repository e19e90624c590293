#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>

namespace retrial::campaign {

// Which size comes next, until four stand out: the largest first; an eighth of what took too long; then up to what a
// run may take, as far as what was measured foretells it (by its square, or what is steeper between two of them), and
// in halves down to what shows nothing any more; then what lies between.
class Sizes {
 public:
  enum class Seen { too_long, quiet, stands_out };
  explicit Sizes(std::int64_t most, std::int64_t least = 1) : most_(most), least_(least) {}
  std::optional<std::int64_t> next() const;
  // `size`: that it came to, where the client gave up before. `part`: of what a run may take. `came_to`: of one that
  // took too long, the size that it was like when it was ended, from which the next is found; 0: its own.
  void saw(Seen seen, std::int64_t size, double part = 0, std::int64_t came_to = 0);
  // One more, above all that were measured, where a run may take so many times as long.
  std::optional<std::int64_t> beyond(double times) const;
  bool enough() const { return stand_out_.size() >= kEnough; }

 private:
  std::int64_t after_all() const;  // 0: none
  double foretold(double part) const;
  double highest() const;
  std::optional<std::int64_t> within_widest_gap(double below, double above) const;
  static constexpr std::size_t kEnough = 4;  // as oracles/growth.cc wants
  static constexpr int kMostRuns = 10;
  static constexpr std::int64_t kStep = 8;
  static constexpr double kMayTake = 0.7, kNoise = 0.02;  // parts: of what is foretold, and of what cannot be measured
  static constexpr double kOther = 1.2;                   // between two sizes: they differ,
  static constexpr double kRoom = kOther * kOther;        // and there is room for one
  static constexpr double kSquare = 2, kSteepest = 4;
  std::int64_t most_, least_;
  std::int64_t quiet_ = 0;     // the largest that is, below all that stand out; 0: none
  std::int64_t too_long_ = 0;  // the smallest that is; 0: none
  std::int64_t came_to_ = 0;   // the least that one of those did; 0: none
  std::map<std::int64_t, double> parts_;
  std::set<std::int64_t> stand_out_;
  int runs_ = 0;
};

}  // namespace retrial::campaign
