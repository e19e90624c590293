#pragma once
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "campaign/config/config.h"
#include "proxy/server/log.h"
#include "trace/comparing/sift.h"
#include "trace/finding.h"
#include "trace/run.h"

namespace retrial::campaign {

// Judges what is recorded while it is recorded, by the hands of `retrial judge`: the same calls are kept (trace::Sift,
// so that memory does not grow with the recording), correlated again, and shown to the same oracles. What is found is
// told as soon as it is seen, and again where it has become another. take() and look() on one thread.
class RunningJudge {
 public:
  using Found = std::function<void(const trace::Finding& finding)>;
  RunningJudge(const trace::Run& run, const Config& config, Found found, proxy::Log& log);

  void take(const trace::Exchange& e);  // it has ended; which call it is of is known
  // `now`: on the run's clock. Judges where there is something new to be judged, and judging has not just cost more
  // than kShare of the time.
  void look(Nanos now);
  void judge(bool ended);  // ended: nothing more comes, so that what goes on is taken for what it is

  std::vector<trace::Finding> findings() const;  // that stand now, the worst first. From any thread
  Nanos cost() const { return cost_; }           // of the last judging

 private:
  static constexpr Nanos kPause = 2 * kSecond;  // between two of them, at least
  static constexpr Nanos kShare = 100;          // of the time, one in so many goes into judging

  trace::Run run_;
  const Config config_;
  Found found_;
  proxy::Log& log_;
  trace::Sift sift_;
  bool fired_ = false;  // any fault so far
  bool news_ = false;   // since it was judged
  Nanos next_ = 0, cost_ = 0, latest_ = 0;
  std::map<std::string, std::string> told_;  // by id: what was told of it
  mutable std::mutex mutex_;
  std::vector<trace::Finding> findings_;
};

std::string as_json(const trace::Finding& finding);

}  // namespace retrial::campaign
