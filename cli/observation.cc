#include "cli/observation.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "campaign/judging/known_findings.h"
#include "campaign/planning/services_seen.h"
#include "campaign/report/reports.h"
#include "campaign/report/words.h"
#include "campaign/workload/time_saved.h"
#include "oracles/other_state.h"
#include "policies/fault_plan.h"
#include "trace/look.h"
#include "trace/recording/redact.h"

namespace retrial::cli {
namespace {

constexpr int kRepeats = 8;  // runs at most, where --repeat does not say

// Those without which what was found may not be seen again.
std::vector<std::string> repeated(const ObserveOptions& options) {
  std::vector<std::string> words;
  auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {std::string(name), value});
  };
  add("--at", options.at.value_or(""));
  add("--hold", options.hold);
  add("--profile", options.profile);
  add("--config", options.config);
  add("--reset", options.reset);
  for (auto& url : options.look) add("--look", url);
  if (options.no_reference) words.emplace_back("--no-reference");
  if (options.real_time) words.emplace_back("--real-time");
  return trace::redacted_command(words);
}

// Why we ended the command of this run; empty: it ended by itself.
std::string_view why_ended(const trace::Run& run) {
  switch (run.stop) {
    case trace::Stop::capped:
      return "a call was sent again and again, for longer than one is looked at";
    case trace::Stop::held:
      return "a request was held for as long as --hold says, and its client waited on";
    case trace::Stop::hung:
      return "nothing of it was running, sent or awaited any more";
    case trace::Stop::deadline:
      return "it went on for longer than it is looked at";
    default:
      return {};
  }
}

}  // namespace

int shell_status(const trace::Run& run) {
  return run.stop == trace::Stop::exited ? run.exit_code : 128 + run.exit_code;
}

Observation::Observation(const ObserveOptions& options, const campaign::RunSpec& spec, std::string capture,
                         std::unique_ptr<trace::StoreWriter> store)
    : options_(options), hold_(spec.hold), store_(std::move(store)) {
  base_.capture = std::move(capture);
  base_.command = trace::redacted_command(options.command);
  base_.runner = "command";
  base_.directory = std::filesystem::current_path().string();
  base_.hold = spec.hold;
  base_.options = repeated(options);
  runs_.reserve(static_cast<std::size_t>(most()));
}

int Observation::most() const { return options_.repeat.value_or(options_.inject ? kRepeats : 1); }

void Observation::refer_to(trace::Run run) {
  gather(run);
  if (run.stop != trace::Stop::exited)
    base_.remarks.push_back("without faults the command did not end by itself: it was looked at for " +
                            show_duration(run.ended - run.began) + " of its time");
  else if (run.exit_code != 0)
    base_.remarks.push_back(fmt::format("without faults the command ended with status {}", run.exit_code));
  if (!run.incomplete.empty()) base_.remarks.push_back("the run without faults is no reference: " + run.incomplete);
  reference_ = std::move(run);
}

void Observation::control_with(trace::Run run) {
  run.kind = trace::RunKind::without_fault;
  gather(run);
  control_ = std::move(run);
}

void Observation::remark(std::vector<std::string> remarks) {
  std::ranges::move(remarks, std::back_inserter(base_.remarks));
}

void Observation::add(trace::Run run) {
  if (auto why = why_ended(run); !why.empty()) {
    auto line = fmt::format("Retrial ended the command, hence status {}: {}", shell_status(run), why);
    if (std::ranges::count(base_.remarks, line) == 0) base_.remarks.push_back(line);
  }
  keep(std::move(run));
}

void Observation::add_cut_short(trace::Run run) {
  run.stop = trace::Stop::deadline;
  base_.remarks.push_back("interrupted after " + show_duration(trace::lasted(run)) +
                          " of the client's time: what it did until then is judged");
  keep(std::move(run));
}

void Observation::leave(const std::set<std::string>& distrusting) {
  for (auto& who : distrusting) {
    base_.left_alone.push_back(campaign::report::left_as_it_is(who));
    fmt::print(stderr, "retrial: {}; the command is run again\n", base_.left_alone.back());
  }
}

bool Observation::judge() {
  record_ = base_;
  record_.services = gathering_.services();
  campaign::TimeSaved saved;
  for (auto& run : runs_) {
    if (!run.incomplete.empty()) record_.incomplete = run.incomplete;
    saved.add(run);
    for (auto& name : run.capture.not_seen)
      if (auto line = campaign::report::left_as_it_is(name);
          !campaign::listened_later(run, name) && std::ranges::count(record_.left_alone, line) == 0)
        record_.left_alone.push_back(line);
  }
  if (auto line = saved.line(); !line.empty()) record_.remarks.push_back(line);
  if (!options_.inject) return false;
  campaign::ClientCase client_case{
      .row = {.id = kCase, .policy = std::string(trace::kObserved), .plan = *options_.inject}, .hold = hold_};
  if (referred()) {
    client_case.reference = &*reference_;
    client_case.row.reference = reference_->id;
    if (control_ && control_->incomplete.empty()) client_case.control = &*control_;
  }
  if (!reference_ && !options_.look.empty())
    record_.remarks.push_back("--look is laid beside a run without faults, and --no-reference leaves that out");
  for (auto& run : runs_) {
    client_case.runs.push_back(&run);
    client_case.row.runs.push_back(run.id);
  }
  if (auto line = fired_often(); !line.empty()) record_.remarks.push_back(std::move(line));
  bool again = campaign::judge_client({&client_case, 1}, gathering_.sift(), record_);
  campaign::mark_known(record_, {}, {});
  return again;
}

// "x 1" holds for each call, and what a user takes for a call may be several to whoever reads the wire: a halved batch,
// a part asked for by Range, a process of its own each time.
std::string Observation::fired_often() const {
  auto plan = policies::parse_fault_plan(*options_.inject);
  auto limited =
      plan ? std::ranges::find_if(plan->steps, [](auto& s) { return s.times > 0; }) : decltype(plan->steps.begin()){};
  if (!plan || limited == plan->steps.end() ||
      (plan->steps.back().times == 0 && !trace::is_pass(plan->steps.back().fault)))
    return {};
  std::size_t calls = 0;
  for (auto& call : trace::calls_of(runs_.front()))
    calls += std::ranges::any_of(call.attempts, &trace::Exchange::fired);
  if (calls < 2) return {};
  return fmt::format("{} was done to each of {} calls, counted for each by itself (--at '… #1' is the first alone)",
                     *options_.inject, calls);
}

bool Observation::wants_control() const {
  if (!options_.inject || !referred() || reference_->stop != trace::Stop::exited) return false;
  return std::ranges::any_of(runs_, [&](auto& run) {
    return std::ranges::any_of(run.exchanges, [&](auto& e) {
      auto* was = trace::is_look(e) ? oracles::same_look(*reference_, e) : nullptr;
      return was && was->response_sample != e.response_sample;
    });
  });
}

Result<void> Observation::write(const std::filesystem::path& folder) {
  teller_.end();
  if (reference_) runs_.insert(runs_.begin(), std::move(*reference_));
  if (control_) runs_.push_back(std::move(*control_));
  auto reported = campaign::report::write_reports(folder, record_, runs_, trace::Confidence::likely);
  for (auto& run : runs_) run.exchanges.clear();
  auto stored = store_ ? store_->end(record_, runs_) : Result<void>();
  return stored ? reported : stored;
}

void Observation::keep(trace::Run run) {
  gather(run);
  teller_.tell(run);
  runs_.push_back(std::move(run));
}

void Observation::gather(trace::Run& run) {
  if (base_.wall_began == 0) base_.wall_began = run.wall_began;
  base_.took += trace::lasted(run);
  for (auto& e : std::exchange(run.exchanges, {})) {
    if (store_) store_->add(run.id, e);
    gathering_.take(run.id, std::move(e));
  }
  gathering_.give(run);
  gathering_.part_turns(run);
}

}  // namespace retrial::cli
