#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "predict/touch.h"

// Waffle (Stoica, chapter 3 of the dissertation; EuroSys 2023): two operations on one thing that come close together,
// of which one creates or ends it and which nothing orders, may come the other way round. A delay of the first tells.
namespace retrial::predict {

inline constexpr Nanos kNear = 100 * kMillisecond;

// One of the two.
struct Side {
  std::uint64_t exchange = 0;  // its id
  std::optional<trace::CallSite> site;
  std::string operation;
  std::string target;
  Kind kind = Kind::read;
  int status = 0;
  Nanos begun = 0, answered = 0;  // run's clock
};

Side side_of(const Touch& touch);

struct NearMiss {
  std::string service;
  std::string resource;  // its path
  Side first, second;
  Nanos gap = 0;    // from when the first was sent to when the second had been carried out
  std::string why;  // nothing is known to order them
};

// Those of one test's run (or a command's) without faults, in order. Of equal ones (call sites and operations) the
// first. Only requests of the test itself, not of its set-up and teardown.
std::vector<NearMiss> near_misses(const trace::Run& run);

// How many more pairs of places there are that are near misses but for being further apart, and so are not delayed: on a
// busy machine, or with longer work between. Of each path what came to it last is looked at.
std::size_t further_apart(const trace::Run& run);

// How long the first has to be held so that the second comes before it: Waffle's (gap + 1 ms) x 1.15, at least 5 ms and
// at most 100.
Nanos delay_for(Nanos gap);

}  // namespace retrial::predict
