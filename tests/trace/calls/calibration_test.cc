// Is the correlator as right as it says? Measured on made-up clients (tests/support/random_clients.h), of whom the
// truth is known: an assignment is right if the attempt that it names as the one before is the one that the client went
// on from, or if it is a call's first and is said to be.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "tests/support/random_clients.h"

namespace retrial::trace {
namespace {

struct Share {
  std::size_t right = 0, all = 0;
  void add(bool is_right) { right += is_right, all++; }
  double value() const { return all ? static_cast<double>(right) / static_cast<double>(all) : 1; }
};
struct Measured {
  std::array<Share, 3> all, going_on;  // by confidence; of those said to go on from another
  Share unsaid;                        // begins a call, or goes on from one that cannot be named
  void add(const Measured& m) {
    unsaid.right += m.unsaid.right, unsaid.all += m.unsaid.all;
    for (std::size_t c = 0; c < 3; c++) {
      all[c].right += m.all[c].right, all[c].all += m.all[c].all;
      going_on[c].right += m.going_on[c].right, going_on[c].all += m.going_on[c].all;
    }
  }
};

Measured measure(const std::vector<Exchange>& exchanges, const std::vector<Truth>& truth) {
  Measured m;
  std::map<std::uint64_t, std::size_t> first;
  for (std::size_t i = 0; i < exchanges.size(); i++) {
    auto& e = exchanges[i];
    bool begins = first.try_emplace(e.call, i).second;
    bool right = begins && e.attempt == 1;
    if (truth[i].before >= 0) {
      auto& before = exchanges[static_cast<std::size_t>(truth[i].before)];
      right = e.call == before.call && e.attempt == before.attempt + !truth[i].leg;
    }
    auto sure = static_cast<std::size_t>(e.confidence);
    if (begins && e.confidence == Confidence::possible) {
      m.unsaid.add(right);
      continue;
    }
    m.all[sure].add(right);
    if (!begins) m.going_on[sure].add(right);
  }
  return m;
}
void print(const std::string& what, const Measured& m) {
  fmt::print("{:24}", what);
  for (std::size_t c : {2, 1, 0})
    fmt::print("  {:8} {:7.3f} % of {:6} ({:7.3f} % of {:6})", show(static_cast<Confidence>(c)), 100 * m.all[c].value(),
               m.all[c].all, 100 * m.going_on[c].value(), m.going_on[c].all);
  fmt::print("  not said {:6} ({:5.1f} % begin)\n", m.unsaid.all, 100 * m.unsaid.value());
}

TEST(Calibration, the_correlator_is_as_right_as_it_says) {
  Measured online, confirmed;
  std::map<std::string, Measured> by_workload;
  std::size_t count = 0;
  for (std::uint64_t seed = 1; count < 200'000; seed++) {
    RandomRun r(seed);
    count += r.run.exchanges.size();
    online.add(measure(r.run.exchanges, r.truth));
    Correlator::correlate_again(r.run.exchanges, r.lessons);
    auto m = measure(r.run.exchanges, r.truth);
    confirmed.add(m);
    by_workload[r.workload].add(m);
  }
  fmt::print("share of right assignments by confidence (of those that go on from another)\n");
  for (auto& [workload, m] : by_workload) print(workload, m);
  print("all, online", online);
  print("all, afterwards", confirmed);
  EXPECT_GE(confirmed.all[2].value(), 0.999);
  EXPECT_GE(confirmed.all[1].value(), 0.98);
  EXPECT_GE(confirmed.all[0].value(), 0.90);
  EXPECT_GE(count, 100'000u);
}

}  // namespace
}  // namespace retrial::trace
