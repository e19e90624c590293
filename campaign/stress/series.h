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
  int one_of = 1;          // of errors: of so many requests one fails
  bool together = false;   // of entries: in the answers to every call of the test
  std::int64_t least() const { return of == trace::Load::Of::entries || of == trace::Load::Of::bytes ? 2 : 1; }
  bool without_end() const { return of == trace::Load::Of::pages || of == trace::Load::Of::errors; }
  bool takes_real_time() const { return of == trace::Load::Of::drip || of == trace::Load::Of::silence; }
};

// Pages, or errors, at most: a little more than oracles/growth.cc asks for.
inline constexpr std::int64_t kMostAdded = 1024;

// "stress lists", "stress lists together": CaseRecord::policy.
std::string policy_of(const Series& series);
std::string plan_of(const Series& series, std::int64_t size);

// What can be made to grow in the answers to this call, as its test's run without faults shows it. What drips is known
// only once it has been seen how long the call waits for silence: drip_after().
std::vector<Series> series_of(const trace::CaseRecord& row, const trace::Run& reference);
// Of a run in which every attempt met silence: none where the client does not end by time-outs of its own.
std::optional<Series> drip_after(const trace::CaseRecord& row, const trace::Run& silent, const trace::Run& reference);

// The lists of every call of one test, at a time: who joins two lists shows nothing where one of them grows. `row` is
// of the first call that is answered with a list; none where fewer than two are.
struct Together {
  trace::CaseRecord row;
  Series series;
  std::vector<std::string> calls;  // that are, each by its call site, service and operation
};
std::optional<Together> together_in(const std::string& test, const trace::Run& reference);

bool is_of(const trace::Exchange& e, const trace::CaseRecord& row);

// Why nothing in the answers to this call can be made to grow; empty: something can, or there is nothing in them.
std::string why_none_grows(const trace::CaseRecord& row, const trace::Run& reference);

// The member of a JSON answer whose value a later request of the same operation sends back: "nextPageToken". Empty:
// none is seen.
std::string page_member(const trace::Run& run, const trace::CaseRecord& row);

}  // namespace retrial::campaign
