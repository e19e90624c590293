// The runs of one series: how long each may take, and what becomes of it.
#include <algorithm>
#include <map>
#include <span>

#include "campaign/planning/plan.h"
#include "campaign/stress/sizes.h"
#include "campaign/stress/stress.h"
#include "campaign/trial.h"
#include "oracles/oracle.h"
#include "trace/comparing/growth.h"
#include "trace/comparing/slices.h"

namespace retrial::campaign {
namespace {

using Of = trace::Load::Of;

// Of a run: whatever goes beyond it is ended. Real time and work are those of a busy machine.
struct Limits {
  Nanos work = 0, time = 0;
  std::uint64_t requests = 0;
};
constexpr Nanos kMostWork = 3 * kSecond, kMostTime = 30 * kSecond;
constexpr Nanos kMostWorkOnBytes = 10 * kSecond;  // which is not looked at, but memory
// A thousand pages, one after another: 10 ms of work for each, and 100 ms of a service that takes its time.
constexpr Nanos kMostWorkOnPages = 10 * kSecond, kMostTimeOnPages = 110 * kSecond;
constexpr int kTimesTheWork = 6, kTimesTheTime = 5;  // what the test takes without
constexpr std::uint64_t kMostRequests = 30'000;      // as many are kept in memory, about 50 MiB
constexpr Nanos kGrace = 10 * kSecond;               // beyond the budget
// Below these it is not worth to look at smaller sizes: as oracles/growth.cc has them.
constexpr double kStandsOut = 0.25;
constexpr Nanos kLeastWork = 40 * kMillisecond;
constexpr std::size_t kPoints = 4, kMany = 16;
constexpr double kMoreThanALine = 1.1, kSquareAtLeast = 1.5;  // the latter as oracles/growth.cc has it
constexpr int kIfUndecided = 3;                               // times the work
constexpr std::int64_t kPages = 1000;
constexpr std::uint64_t kRequestsOfOne = 2;

Limits limits_of(const Series& series, const trace::Run& alone, int times = 1) {
  auto usual = trace::time_of(alone);
  bool pages = series.of == Of::pages;
  auto work = series.of == Of::bytes ? kMostWorkOnBytes : pages ? kMostWorkOnPages : kMostWork;
  auto time = pages ? kMostTimeOnPages : kMostTime;
  return {.work = times * std::max(work, kTimesTheWork * alone.cpu),
          .time = series.takes_real_time() ? CampaignContext::deadline_of(usual)
                                           : times * std::max(time, kTimesTheTime * usual),
          .requests = alone.exchanges.size() + kMostRequests};
}

std::uint64_t more_requests(const trace::Load& load, const trace::Run& alone) {
  return load.requests - std::min<std::uint64_t>(load.requests, alone.exchanges.size());
}

bool stands_out(const trace::Load& load, const Series& series, const trace::Run& alone, Nanos usual) {
  auto work = load.cpu - usual, least = static_cast<Nanos>(kStandsOut * static_cast<double>(usual));
  auto size = static_cast<std::uint64_t>(load.size);
  switch (load.of) {
    case Of::pages:
      if (load.size >= kPages) return true;
      [[fallthrough]];
    case Of::entries:
      return work >= std::max(kLeastWork, least) || more_requests(load, alone) > size + 1;
    case Of::errors:
      return more_requests(load, alone) > kRequestsOfOne * size;
    case Of::bytes:
      return 2 * (static_cast<std::int64_t>(load.memory) - static_cast<std::int64_t>(alone.memory)) >= load.size;
    case Of::drip:
      return load.waited > series.own + series.own / 4;
    case Of::silence:
      break;
  }
  return false;
}

// The part of its limits that a run took, beyond what its test takes without.
double part_of(const trace::Run& run, const trace::Run& alone, const Limits& limits) {
  auto part = [](auto took, auto usual, auto most) {
    return (static_cast<double>(took) - static_cast<double>(usual)) / std::max(1.0, static_cast<double>(most - usual));
  };
  return std::max({0.0, part(run.cpu, alone.cpu, limits.work),
                   part(trace::lasted(run), trace::lasted(alone), limits.time),
                   part(run.exchanges.size(), alone.exchanges.size(), limits.requests)});
}

// Of a run that was ended: the size that it was equal to. Who sends many requests has sent as many times those of the
// test as the lists are long, at least.
std::int64_t came_to(std::int64_t size, const trace::Run& run, const trace::Run& alone) {
  auto times = run.exchanges.size() / std::max<std::size_t>(1, alone.exchanges.size());
  return times < kMany ? size : std::min(size, static_cast<std::int64_t>(times));
}

bool was_ended(const trace::Run& run) { return run.stop == trace::Stop::deadline || run.stop == trace::Stop::hung; }

// Does what four sizes cost lie between a line and a square? What each entry takes hides for long what each pair does.
bool is_undecided(const std::vector<const trace::Run*>& runs, Nanos usual) {
  std::map<std::int64_t, Nanos> costs;
  for (auto* run : runs)
    if (auto load = trace::load_of(*run); !was_ended(*run) && load->cpu > usual) costs[load->size] = load->cpu - usual;
  std::vector<trace::Measured> points;
  for (auto& [size, cost] : costs) points.push_back({static_cast<double>(size), static_cast<double>(cost)});
  if (points.size() < kPoints) return false;
  auto law = trace::fit(std::span(points).last(kPoints));
  return law.exponent >= kMoreThanALine && law.exponent < kSquareAtLeast;
}

std::string why_spared(const trace::Run& run, const trace::CaseRecord& row) {
  for (auto& e : run.exchanges)
    if (is_of(e, row) && !e.evidence.empty()) return e.evidence;
  return oracles::why_not_fired(run);
}

}  // namespace

bool took_it_in(const trace::Run& run, const std::string& test) {
  auto* result = trace::result_of(run, test);
  if (!result || run.stop != trace::Stop::exited) return true;
  return !trace::bad(*result) || (!result->chain.empty() && result->chain.front().in_test);
}

Result<const trace::Run*> Stress::run_with(trace::CaseRecord& row, const Series& series, const trace::Run& alone,
                                           int times) {
  auto spec = context_.spec_for({row.test}, trace::RunKind::with_fault);
  auto faults = policies::parse_fault_plan(row.plan);
  if (!faults) return std::unexpected(faults.error());
  std::optional<Target> target;
  if (!series.together) target = {row.test, row.site, row.service, row.operation, 0};
  aim(spec, {{target, *faults}}, context_.config.run);
  auto limits = limits_of(series, alone, times);
  spec.case_id = row.id;
  spec.attempts_limit = static_cast<int>(alone.exchanges.size()) + static_cast<int>(kMostAdded);
  spec.deadline = std::min(limits.time, time_left_() == kNoLimit ? kNoLimit : time_left_() + kGrace);
  spec.work = limits.work;
  spec.sampled_exchanges = limits.requests;
  auto run = context_.execute(spec);
  if (run) row.runs.push_back((*run)->id);
  return run;
}

Result<Stress::Measured> Stress::measure(trace::CaseRecord& row, const Series& series, const trace::Run& alone) {
  Measured measured;
  auto without = [&](std::string outcome, std::string why) {
    row.outcome = std::move(outcome);
    row.why = std::move(why);
    return measured;
  };
  auto usual = alone.cpu;
  bool ended_by_itself = false;
  auto limits = limits_of(series, alone);
  Sizes sizes(series.most, series.least());
  int times = 1;
  auto next = [&]() -> std::optional<std::int64_t> {
    if (auto size = sizes.next(); size || times > 1) return size;
    if (series.of != Of::entries || !measured.cut || !is_undecided(measured.runs, usual)) return {};
    times = kIfUndecided;
    return sizes.beyond(times);
  };
  while (auto size = next()) {
    if (context_.executor.interrupted()) return without("left", "interrupted");
    if (time_left_() == 0) return without("left", "budget");
    row.plan = plan_of(series, *size);
    auto ran = run_with(row, series, alone, times);
    if (!ran) return std::unexpected(ran.error());
    auto& run = **ran;
    if (!run.incomplete.empty()) return without("incomplete", run.incomplete);
    if (context_.executor.interrupted()) return without("left", "interrupted");
    if (was_ended(run) && time_left_() == 0) return without("left", "budget");
    auto load = trace::load_of(run);
    if (!load) return without("not_fired", why_spared(run, row));
    bool refused = series.of == Of::entries && !took_it_in(run, row.test), cut = was_ended(run);
    ended_by_itself |= refused;
    measured.cut |= cut;
    if (refused || (cut && !series.without_end())) {
      sizes.saw(Sizes::Seen::too_long, *size, 0, cut ? came_to(*size, run, alone) : 0);
      if (cut && series.of == Of::entries) measured.runs.push_back(&run);
      continue;
    }
    measured.runs.push_back(&run);
    usual = std::min(usual, load->cpu);
    sizes.saw(stands_out(*load, series, alone, usual) ? Sizes::Seen::stands_out : Sizes::Seen::quiet,
              series.without_end() ? load->size : *size, part_of(run, alone, limits));
  }
  measured.whole = !measured.cut || (!series.without_end() && sizes.enough());
  if (!measured.runs.empty()) return measured;
  if (!ended_by_itself) return without("not_fired", "no run of it ended in time, at whatever size");
  not_judged(row, std::string(kOwnError));
  return measured;
}

}  // namespace retrial::campaign
