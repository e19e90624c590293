#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/run.h"

namespace retrial::trace {

// Calls alike: of one service, operation and call site, that met the same fault (or none).
struct Kind {
  std::string service, operation, site, fault;
  auto operator<=>(const Kind&) const = default;
};

// Keeps of runs what oracles need, in memory that does not grow with the trace. Of a short run that is all; of one with
// more than kWhole exchanges (and of those that come when kHeld are kept) the first kAlike calls of each kind, kCalls
// at most; those that went wrong (a fault fired, the client was told of a failure, a second attempt) apart from those
// that did not, which have half of the room. Calls are kept whole, but for attempts beyond kAttempts. Of those that are
// left out at most kKnown are remembered; an attempt that comes later than that counts as a call.
class Sift {
 public:
  static constexpr std::size_t kWhole = 5000, kHeld = 100'000, kAlike = 300, kCalls = 10'000, kAttempts = 1000,
                               kKinds = 5000, kKnown = 50'000;

  // An exchange that has ended; those of one call in any order. It is moved, or copied, where it is kept.
  void take(std::uint64_t run, Exchange&& e) { add(run, std::move(e)); }
  void take(std::uint64_t run, const Exchange& e) { add(run, e); }
  // Gives the run what was kept of it, by id. Once a run, when it has ended.
  void give(Run& run);

  struct Count {
    Kind kind;
    std::uint64_t seen = 0, kept = 0;  // calls
  };
  // The kinds of a run of which not every call was kept. After kKinds of them, all others are one ("", "", "", "").
  std::vector<Count> left_out(std::uint64_t run) const;
  std::uint64_t exchanges(std::uint64_t run) const;  // taken
  std::size_t remembered(std::uint64_t run) const;   // calls, kept or left out

 private:
  struct Tally {
    std::uint64_t seen = 0, kept = 0;
  };
  // A kind, and whether its calls went wrong, as it is looked for: without a copy of its names.
  using View = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view, bool>;
  static View view(const View& key) { return key; }
  static View view(const std::pair<Kind, bool>& key) {
    return {key.first.service, key.first.operation, key.first.site, key.first.fault, key.second};
  }
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const View& key) const;
    std::size_t operator()(const std::pair<Kind, bool>& key) const { return (*this)(view(key)); }
  };
  struct Same {
    using is_transparent = void;
    bool operator()(const auto& a, const auto& b) const { return view(a) == view(b); }
  };
  struct Part {
    std::uint64_t taken = 0;
    bool thin = false;
    std::size_t chosen = 0;  // calls
    std::vector<Exchange> kept;
    std::unordered_map<std::uint64_t, std::uint32_t> calls;                // attempts kept; 0: the call is left out
    std::unordered_map<std::pair<Kind, bool>, Tally, Hash, Same> tallies;  // and whether they went wrong
  };
  template <class E>
  void add(std::uint64_t run, E&& e);
  static Tally& tally_of(Part& part, const Exchange& e, bool wrong);
  static bool choose(Part& part, const Exchange& e);  // is it kept?

  std::map<std::uint64_t, Part> parts_;
  std::size_t held_ = 0;  // in runs that are kept whole
};

}  // namespace retrial::trace
