#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/campaign_record.h"
#include "trace/comparing/growth.h"
#include "trace/run.h"

namespace retrial::campaign {

// One thing that grows in the answers to one call, from `most` downwards.
struct Series {
  trace::Load::Of of{};
  std::int64_t most = 0;   // the largest size; of errors and pages: without end
  std::string member{};    // of pages: the one that tells of the next, where the reference shows it
  std::int64_t bytes = 0;  // of bytes: of one body; of drip: of the answer
  Nanos every = 0;         // of drip: the pause
  Nanos own = 0;           // of drip: what the call's own time-outs add up to
  bool without_end() const { return of == trace::Load::Of::pages || of == trace::Load::Of::errors; }
};

// Pages, or errors, at most: a little more than oracles/growth.cc asks for.
inline constexpr std::int64_t kMostAdded = 1024;

// "stress lists": CaseRecord::policy.
std::string policy_of(const Series& series);
std::string plan_of(const Series& series, std::int64_t size);

// What can be made to grow in the answers to this call, as its test's run without faults shows it. What drips is known
// only once it has been seen how long the call waits for silence: drip_after().
std::vector<Series> series_of(const trace::CaseRecord& row, const trace::Run& reference);
// Of a run in which every attempt met silence: none where the client does not end by time-outs of its own.
std::optional<Series> drip_after(const trace::CaseRecord& row, const trace::Run& silent, const trace::Run& reference);

bool is_of(const trace::Exchange& e, const trace::CaseRecord& row);

// The member of a JSON answer whose value a later request of the same operation sends back: "nextPageToken". Empty:
// none is seen.
std::string page_member(const trace::Run& run, const trace::CaseRecord& row);

// Which size comes next: the largest first, then halves of it, until four stand out or one does not. Where three have
// stood out below one that took too long, one between them is the fourth.
class Sizes {
 public:
  enum class Seen { too_long, quiet, stands_out };
  explicit Sizes(std::int64_t most) : next_(most) {}
  std::optional<std::int64_t> next() const;
  void saw(Seen seen, std::int64_t met);  // `met`: the size that it came to, where the client gave up before

 private:
  static constexpr std::size_t kEnough = 4;  // as oracles/growth.cc wants
  static constexpr int kMostRuns = 10;
  std::int64_t next_;
  std::int64_t largest_ = 0;  // that stood out
  std::size_t stood_out_ = 0;
  int runs_ = 0;
  bool too_long_ = false, filled_ = false, over_ = false;
};

}  // namespace retrial::campaign
