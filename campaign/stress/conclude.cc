// What the runs of one series come to.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>

#include "campaign/report/words.h"
#include "campaign/stress/stress.h"
#include "oracles/oracle.h"
#include "trace/comparing/comparison.h"
#include "trace/comparing/growth.h"

namespace retrial::campaign {
namespace {

using Of = trace::Load::Of;

double work_of(const trace::Load& load, const trace::Run& alone) {
  return static_cast<double>(std::max<Nanos>(0, load.cpu - alone.cpu)) / kSecond;
}
std::string mebibytes(std::int64_t bytes) { return fmt::format("{:.3g} MiB", static_cast<double>(bytes) / (1 << 20)); }

std::string size_in_words(const trace::Load& load) {
  auto size = static_cast<std::size_t>(load.size);
  switch (load.of) {
    case Of::entries:
      return fmt::format("lists {} times as long", load.size);
    case Of::pages:
      return fmt::format("{} more", report::counted(size, "page"));
    case Of::errors:
      return report::counted(size, "error");
    case Of::bytes:
      return "a body of " + mebibytes(load.size);
    case Of::drip:
    case Of::silence:
      break;
  }
  return "an answer that dripped";
}

std::string what_it_cost(const trace::Load& load, const trace::Run& alone) {
  auto requests = load.requests - std::min<std::uint64_t>(load.requests, alone.exchanges.size());
  if (load.of == Of::bytes)
    return mebibytes(std::max<std::int64_t>(0, static_cast<std::int64_t>(load.memory - alone.memory))) +
           " of memory more";
  if (load.of == Of::drip) return fmt::format("it was over after {:.1f} s", static_cast<double>(load.waited) / kSecond);
  return fmt::format("{} and {:.2f} s of work more than without", report::counted(requests, "request"),
                     work_of(load, alone));
}

// Of pages it is what a right client does of one that it had; whether it did so for that, nobody knows.
std::string own_error(const trace::Load& load) {
  if (load.of != Of::pages) return std::string(kOwnError);
  return fmt::format(
      "after {} the client ended with an error of its own, as is right of a page that it had already: it "
      "does not go on for ever, and what pages cost it is not known",
      size_in_words(load));
}

// Of a series that is not whole: what is known of it.
std::string half_known(const std::vector<const trace::Run*>& runs, const trace::Run& alone, std::string_view why) {
  std::vector<std::pair<std::int64_t, std::string>> all;
  for (auto* run : runs)
    if (auto load = trace::load_of(*run))
      all.emplace_back(load->size, fmt::format("{}: {}{}", size_in_words(*load), what_it_cost(*load, alone),
                                               run->stop == trace::Stop::exited ? "" : ", and then it was ended"));
  std::ranges::sort(all);
  std::vector<std::string> words;
  for (auto& [size, said] : all) words.push_back(std::move(said));
  return fmt::format("measured in part{}: {}", why, fmt::join(words, "; "));
}

}  // namespace

void Stress::not_judged(trace::CaseRecord& row, std::string why) {
  row.outcome = "run";
  record_.not_judged.push_back(trace::judged(row, std::move(why)));
}

void Stress::conclude(trace::CaseRecord& row, const Series& series, const trace::Run& alone, const Measured& measured) {
  auto why = row.outcome == "left" ? fmt::format(" ({})", row.why) : "";
  row.outcome = "run";
  row.why.clear();
  std::deque<trace::Comparison> comparisons;
  oracles::ComparedCase compared{&row, {}, context_.config.run.hold};
  const trace::Run* largest = nullptr;
  for (auto* run : measured.runs) {
    compared.comparisons.push_back(&comparisons.emplace_back(trace::compare(alone, *run)));
    bool ended = run->stop == trace::Stop::deadline && !series.without_end();
    if (auto load = trace::load_of(*run);
        load->of == series.of && !ended && (!largest || load->size >= trace::load_of(*largest)->size))
      largest = run;
  }
  if (!largest) largest = measured.runs.back();
  if (series.without_end()) row.plan = plan_of(series, series.most);
  for (auto& e : largest->exchanges)
    if (e.fired && !series.without_end()) row.plan = trace::show(e.fault);
  auto judgement = oracles::compare_sizes(compared);
  if (series.of == Of::errors) {
    auto of_layers = oracles::judge({&row, {compared.comparisons.front()}, compared.hold});
    for (auto& f : of_layers.findings)
      if (f.verdict == "retry-amplification") judgement.findings.push_back(std::move(f));
  }
  for (auto& f : judgement.findings) {
    f.confirmed = true;  // it was seen at several sizes, and not without the fault
    record_.findings.push_back(std::move(f));
  }
  std::ranges::move(judgement.notes, std::back_inserter(record_.notes));
  std::ranges::move(judgement.not_judged, std::back_inserter(record_.not_judged));
  if (!judgement.findings.empty() || !judgement.not_judged.empty()) return;
  if (!measured.whole) return not_judged(row, half_known(measured.runs, alone, why));
  bool as_it_is = series.of == Of::errors || series.of == Of::drip;
  auto load = *trace::load_of(*largest);
  if (!as_it_is && !took_it_in(*largest, row.test)) return not_judged(row, own_error(load));
  record_.clean.push_back(trace::judged(row, fmt::format("{}: {}", size_in_words(load), what_it_cost(load, alone))));
}

}  // namespace retrial::campaign
