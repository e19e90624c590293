#include <fmt/format.h>
#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <set>

#include "base/descriptor_limit.h"
#include "base/text.h"
#include "campaign/campaign.h"
#include "campaign/judging/client_trial.h"
#include "campaign/judging/known_findings.h"
#include "campaign/planning/services_seen.h"
#include "campaign/report/looks.h"
#include "campaign/report/reports.h"
#include "campaign/report/terminal.h"
#include "campaign/report/words.h"
#include "campaign/workload/execution.h"
#include "campaign/workload/look.h"
#include "campaign/workload/slot.h"
#include "campaign/workload/time_saved.h"
#include "cli/campaign_options.h"
#include "cli/commands.h"
#include "oracles/evidence.h"
#include "policies/fault_plan.h"
#include "trace/recording/redact.h"
#include "trace/store/store.h"

namespace retrial::cli {
namespace {

constexpr int kRepeats = 8;               // runs at most, where --repeat does not say
constexpr std::size_t kMostLines = 20;    // calls that are told of
constexpr Nanos kBeyond = 300 * kSecond;  // so long after no call is looked at any more a faulted run is ended
constexpr auto kCase = "c1";
// How long a client is looked at without faults, if it goes on and on: a call is looked at no longer.
constexpr Nanos kSampledTime = 1800 * kSecond;
constexpr std::uint64_t kSampledExchanges = 10'000;

struct ObserveOptions {
  std::optional<std::string> inject, at;
  std::optional<std::uint64_t> seed;
  std::optional<int> repeat;
  std::string config, profile, reset, hold, out, capture;
  bool real_time = false, no_reference = false;
  std::vector<std::string> look, command;
};

Result<campaign::RunSpec> spec_of(const ObserveOptions& options) {
  campaign::RunSpec spec;
  spec.attached = true;
  spec.only_test = campaign::kWholeCommand;
  auto command = campaign::command_to_run(options.command);
  spec.launch = campaign::adapter_for(command).whole(command);
  campaign::RunSettings usual;
  spec.hold = usual.hold;
  spec.client_hold = usual.client_hold;
  if (!options.hold.empty()) {
    auto hold = parse_duration(options.hold);
    if (!hold) return fail(fmt::format("expected a time such as 30s, got \"{}\"", options.hold), "--hold", Blame::user);
    spec.hold = spec.client_hold = *hold;
  }
  if (options.at && !options.inject)
    return fail("expected --inject with it: it says where a fault is injected", "--at", Blame::user);
  if (!options.inject) return spec;
  auto plan = policies::parse_fault_plan(*options.inject);
  if (!plan) return fail(plan.error().line(), "--inject", Blame::user);
  auto seed = options.seed.value_or(std::random_device{}());
  if (policies::rolls(*plan)) fmt::print(stderr, "retrial: chance is drawn with --seed {}\n", seed);
  spec.aims = {campaign::Aim{{}, *plan, seed}};
  if (options.at) {
    auto at = campaign::parse_at(*options.at);
    if (!at) return std::unexpected(at.error());
    spec.aims.front().at = std::move(*at);
  }
  spec.kind = trace::RunKind::with_fault;
  spec.case_id = kCase;
  auto [near, far] = oracles::horizons();
  spec.attempts_limit = far.attempts;
  spec.client_time_limit = far.client_time;
  spec.deadline = near.client_time + kBeyond;
  return spec;
}

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

void bound(campaign::RunSpec& spec, std::uint64_t exchanges) {
  spec.sampled_time = kSampledTime;
  spec.sampled_exchanges = exchanges;
}

// The same command as it is without faults.
campaign::RunSpec reference_of(campaign::RunSpec spec) {
  spec.aims.clear();
  spec.case_id.clear();
  spec.kind = trace::RunKind::reference;
  spec.attached = false;
  bound(spec, kSampledExchanges);
  spec.attempts_limit = 0;
  spec.client_time_limit = 0;
  return spec;
}

// Of a client that was cut short nothing is known to have come once.
trace::Lessons lessons_of(trace::Run& reference, const campaign::Config& config) {
  auto lessons = trace::lessons_of(reference, config.trees());
  if (reference.stop != trace::Stop::exited) lessons.once.clear(), lessons.turns = {};
  lessons.learn_answers(reference, config.bare());
  lessons.apply(reference);
  return lessons;
}

Result<void> check_profile(const std::string& name) {
  if (name.empty() || trace::profile_named(name)) return {};
  std::vector<std::string_view> known;
  for (auto* profile : trace::profiles()) known.push_back(profile->name());
  auto near = nearest(name, known);
  return fail(fmt::format("unknown profile \"{}\"; there are {}{}", name, fmt::join(known, ", "),
                          near ? fmt::format("; did you mean {}?", *near) : ""),
              "--profile", Blame::user);
}

// What calls came to, a line each, as they are seen.
class Teller {
 public:
  void tell(const trace::Run& run) {
    for (auto& c : run.connection_faults)
      line(fmt::format("{} of process {} {}: {}{}{}", c.service, c.pid, trace::show(c.fault),
                       c.fired ? "" : "not fired: ", c.evidence,
                       c.times > 1 ? fmt::format(", {} times", c.times) : ""));
    for (auto& call : trace::calls_of(run)) line(text(call));
  }
  void end() {
    if (more_) fmt::print(stderr, "retrial: and {} more calls\n", std::exchange(more_, 0));
  }

 private:
  // The first of them, each after a space, and how many more there are.
  static std::string few(const auto& list, auto show) {
    constexpr std::size_t kMost = 10;
    std::string out;
    for (std::size_t i = 0; i < std::min(list.size(), kMost); i++) out += " " + show(list[i]);
    return list.size() > kMost ? out + fmt::format(" and {} more", list.size() - kMost) : out;
  }
  static std::string text(const trace::Call& call) {
    auto& e = call.first();
    auto answers = few(call.attempts, [](auto* a) {
      // What a fault cut in its body had begun well, and its client was told of no good end.
      bool cut = a->fired && a->ending != trace::Ending::answered;
      return a->client_status && !cut ? trace::status_of(*a, a->client_status) : std::string(trace::show(a->ending));
    });
    auto waits =
        few(trace::gaps(call), [](auto gap) { return fmt::format("{:.0f}", static_cast<double>(gap) / kMillisecond); });
    if (oracles::is_look(e)) return fmt::format("--look: {} {}:{}", e.service, e.operation, answers);
    return fmt::format("{} {} at {}: {} attempt(s):{}{}{}", e.service, e.operation,
                       e.tag.site ? trace::show(*e.tag.site) : "-", call.attempts.size(), answers,
                       waits.empty() ? "" : "; gaps in ms:", waits);
  }
  void line(const std::string& text) {
    if (++said_ <= kMostLines)
      fmt::print(stderr, "retrial: {}\n", text);
    else
      more_++;
  }
  std::size_t said_ = 0, more_ = 0;
};

int status_of(const trace::Run& run) { return run.stop == trace::Stop::exited ? run.exit_code : 128 + run.exit_code; }

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

// The runs of one command, as they are made, and what is to be said of them.
class Observation {
 public:
  Observation(const ObserveOptions& options, const campaign::RunSpec& spec, std::string capture,
              std::unique_ptr<trace::StoreWriter> store)
      : options_(options), spec_(spec), store_(std::move(store)) {
    base_.capture = std::move(capture);
    base_.command = trace::redacted_command(options.command);
    base_.runner = "command";
    base_.directory = std::filesystem::current_path().string();
    base_.hold = spec.hold;
    base_.options = repeated(options);
    runs_.reserve(static_cast<std::size_t>(most()));
  }
  int most() const { return options_.repeat.value_or(options_.inject ? kRepeats : 1); }

  void refer_to(trace::Run run) {
    gather(run);
    if (run.stop != trace::Stop::exited)
      base_.remarks.push_back("without faults the command did not end by itself: it was looked at for " +
                              show_duration(run.ended - run.began) + " of its time");
    else if (run.exit_code != 0)
      base_.remarks.push_back(fmt::format("without faults the command ended with status {}", run.exit_code));
    if (!run.incomplete.empty()) base_.remarks.push_back("the run without faults is no reference: " + run.incomplete);
    reference_ = std::move(run);
  }
  void remark(std::vector<std::string> remarks) { std::ranges::move(remarks, std::back_inserter(base_.remarks)); }
  void add(trace::Run run) {
    if (auto why = why_ended(run); !why.empty()) {
      auto line = fmt::format("Retrial ended the command, hence status {}: {}", status_of(run), why);
      if (std::ranges::count(base_.remarks, line) == 0) base_.remarks.push_back(line);
    }
    keep(std::move(run));
  }
  // Whoever ends us before the first run's end wants to know what it has shown: it is judged as one that a time limit
  // has ended.
  void add_cut_short(trace::Run run) {
    run.stop = trace::Stop::deadline;
    base_.remarks.push_back("interrupted after " + show_duration(trace::lasted(run)) +
                            " of the client's time: what it did until then is judged");
    keep(std::move(run));
  }
  // Their first connections failed, and the command is run again, as if that had not been.
  void leave(const std::set<std::string>& distrusting) {
    for (auto& who : distrusting) {
      base_.left_alone.push_back(campaign::report::left_as_it_is(who));
      fmt::print(stderr, "retrial: {}; the command is run again\n", base_.left_alone.back());
    }
  }
  // Would one more run help?
  bool judge() {
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
        .row = {.id = kCase, .policy = std::string(trace::kObserved), .plan = *options_.inject}, .hold = spec_.hold};
    if (reference_ && reference_->incomplete.empty()) {
      client_case.reference = &*reference_;
      client_case.row.reference = reference_->id;
      for (auto& run : runs_)
        for (auto& line : campaign::report::what_looks_show(*reference_, run))
          if (std::ranges::count(record_.remarks, line) == 0) record_.remarks.push_back(line);
    }
    for (auto& run : runs_) {
      client_case.runs.push_back(&run);
      client_case.row.runs.push_back(run.id);
    }
    bool again = campaign::judge_client({&client_case, 1}, gathering_.sift(), record_);
    campaign::mark_known(record_, {}, {});
    return again;
  }
  // What is kept of the runs goes into the reports, all of it into the store.
  Result<void> write(const std::filesystem::path& folder) {
    teller_.end();
    if (reference_) runs_.insert(runs_.begin(), std::move(*reference_));
    auto reported = campaign::report::write_reports(folder, record_, runs_, trace::Confidence::likely);
    for (auto& run : runs_) run.exchanges.clear();
    auto stored = store_ ? store_->end(record_, runs_) : Result<void>();
    return stored ? reported : stored;
  }
  const std::vector<trace::Run>& runs() const { return runs_; }
  const trace::CampaignRecord& record() const { return record_; }

 private:
  void keep(trace::Run run) {
    gather(run);
    teller_.tell(run);
    runs_.push_back(std::move(run));
  }
  void gather(trace::Run& run) {
    if (base_.wall_began == 0) base_.wall_began = run.wall_began;
    base_.took += trace::lasted(run);
    for (auto& e : std::exchange(run.exchanges, {})) {
      if (store_) store_->add(run.id, e);
      gathering_.take(run.id, std::move(e));
    }
    gathering_.give(run);
    gathering_.part_turns(run);
  }

  const ObserveOptions& options_;
  const campaign::RunSpec& spec_;
  std::unique_ptr<trace::StoreWriter> store_;
  trace::CampaignRecord base_, record_;
  campaign::GatheredTrace gathering_;
  std::optional<trace::Run> reference_;
  std::vector<trace::Run> runs_;
  Teller teller_;
};

std::string lines_of(const std::vector<std::string>& remarks) {
  std::string lines;
  for (auto& remark : remarks) lines += fmt::format("retrial: {}\n", remark);
  return lines;
}

int status_of(const Error& error) { return error.blame == Blame::user ? proxy::shell_status(error) : kIncomplete; }

// The services of retrial.toml, and what --reset says, before each run of the command.
class Prepared {
 public:
  Prepared(campaign::Executor& executor, campaign::Slot* slot) : executor_(executor), slot_(slot) {}
  Result<trace::Run> execute(const campaign::RunSpec& spec) {
    if (auto ready = slot_ ? slot_->prepare() : Result<void>(); !ready) return std::unexpected(ready.error());
    auto run = executor_.execute(spec);
    if (!run || !slot_ || !run->incomplete.empty()) return run;
    auto lost = slot_->lost();
    if (!lost) return std::unexpected(lost.error());
    run->incomplete = std::move(*lost);
    return run;
  }

 private:
  campaign::Executor& executor_;
  campaign::Slot* slot_;
};

Result<std::unique_ptr<campaign::Slot>> slot_of(const campaign::Config& config, const std::filesystem::path& folder) {
  bool any = std::ranges::any_of(config.services, [](auto& service) {
    return service.start || service.reset.kind != campaign::Reset::Kind::none;
  });
  if (!any) return nullptr;
  return campaign::Slot::open(config.services, {.logs = folder / "logs"});
}

int observe(const ObserveOptions& options) {
  raise_descriptor_limit();
  auto spec = spec_of(options);
  if (!spec) return complain(spec.error().line(), kUsage);
  auto config = config_in(options.config);
  if (!config) return complain(config.error().line(), kUsage);
  config->run.look = options.look;
  if (!options.reset.empty())
    config->services.push_back({.name = "reset", .reset = {campaign::Reset::Kind::command, options.reset}});
  for (auto& url : options.look)
    if (auto ok = campaign::check_look(url); !ok) return complain("--look: " + ok.error().line(), kUsage);
  spec->look = config->looks();
  campaign::redact_as(config->redact);
  trace::add_profiles(config->profiles);
  if (auto ok = check_profile(options.profile); !ok) return complain(ok.error().line(), kUsage);
  auto capture = campaign::choose_capture(options.capture, {});
  if (!capture) return complain(capture.error().line(), kUsage);
  if (!capture->remark.empty()) fmt::print(stderr, "retrial: {}\n", capture->remark);
  auto folder = make_folder(options.out);
  if (!folder) return complain(folder.error().line(), kUsage);
  SystemClock clock;
  campaign::Executor::Setting setting{*folder, *capture, false, {}};
  for (auto& service : config->services) {
    if (!service.address.empty() && !service.profile.empty()) setting.profiles[service.address] = service.profile;
    if (service.openapi) setting.descriptions[service.address] = service.openapi;
  }
  if (!options.profile.empty()) setting.profiles[""] = options.profile;
  setting.real_time = options.real_time;
  setting.application = config->run.application;
  auto executor = campaign::Executor::open(std::move(setting), clock);
  if (!executor) return complain(executor.error().line(), kUsage);
  auto slot = slot_of(*config, *folder);
  if (!slot) return complain(slot.error().line(), kIncomplete);
  Prepared prepared(**executor, slot->get());
  auto store = trace::StoreWriter::open(*folder / "campaign.db");
  if (!store) complain(store.error().line(), kIncomplete);

  Observation seen(options, *spec, campaign::show(*capture), store ? std::move(*store) : nullptr);
  bool spared = false;
  for (bool again = options.inject && !options.no_reference; again;) {
    fmt::print(stderr, "retrial: once without faults first\n");
    auto run = prepared.execute(reference_of(*spec));
    if (!run) return complain(run.error().line(), status_of(run.error()));
    if ((*executor)->interrupted()) return kInterrupted;
    again = (*executor)->failed_distrusting() && !std::exchange(spared, true);
    if (again) {
      seen.leave((*executor)->distrusting());
      continue;
    }
    if (run->incomplete.empty()) spec->lessons = lessons_of(*run, *config);
    bool tells_errors =
        std::ranges::any_of(spec->aims.front().plan.steps, [](auto& step) { return trace::is_status(step.fault); });
    if (options.profile.empty() && tells_errors) seen.remark(spec->lessons.errors.remarks());
    // Who goes on without faults goes on under them: a call that is retried has room to show that it has no end.
    if (run->stop != trace::Stop::exited) bound(*spec, 2 * kSampledExchanges);
    seen.refer_to(std::move(*run));
  }
  for (bool again = true; again && static_cast<int>(seen.runs().size()) < seen.most();) {
    auto run = prepared.execute(*spec);
    if (!run) {
      auto status = status_of(run.error());
      complain(run.error().line(), status);
      if (seen.runs().empty()) return status;
      break;
    }
    if ((*executor)->failed_distrusting() && !(*executor)->interrupted() && !std::exchange(spared, true)) {
      seen.leave((*executor)->distrusting());
      continue;
    }
    if ((*executor)->interrupted() && seen.runs().empty()) {
      seen.add_cut_short(std::move(*run));
      break;
    }
    seen.add(std::move(*run));
    if ((*executor)->interrupted()) break;
    again = (options.repeat && static_cast<int>(seen.runs().size()) < *options.repeat) || seen.judge();
  }
  if (*slot) seen.remark((*slot)->remarks());
  seen.judge();
  if (auto ok = seen.write(*folder); !ok) complain(ok.error().line(), kIncomplete);
  if (options.inject)
    std::fputs(
        campaign::report::summary(seen.record(), *folder, trace::Confidence::likely, campaign::report::style_of(stderr))
            .c_str(),
        stderr);
  else
    fmt::print(stderr, "{}retrial: recorded in {}; no fault was injected, so nothing was judged\n",
               lines_of(seen.record().left_alone), folder->string());
  if (auto& why = seen.record().incomplete; !why.empty() && !options.inject)
    complain("this run is incomplete: " + why, kIncomplete);
  return (*executor)->interrupted() ? kInterrupted : status_of(seen.runs().back());
}

}  // namespace

void add_observe(CLI::App& app, int& status) {
  auto options = std::make_shared<ObserveOptions>();
  auto* command = app.add_subcommand("observe",
                                     "the trial of one client: run a command, recorded, with faults or "
                                     "without; exits as the command does");
  command->add_option(
      "--inject", options->inject,
      "faults for every call, each counted by itself, e.g. 'error(503) x 2, then pass': error(STATUS), "
      "grpc-status(CODE), lost-response(reset, close, stall or error(504)), stall, delay(TIME), reset(in-body), and "
      "those of retrial explain faults");
  command->add_option(
      "--at", options->at,
      "where alone they are injected: 'POST /orders', '/orders/*', or of the second such call 'POST /orders #2'");
  command
      ->add_option("--repeat", options->repeat,
                   "run it that often into one trace (default: as often as the verdicts need, 8 at most)")
      ->check(CLI::Range(1, 1000));
  command->add_flag("--no-reference", options->no_reference,
                    "do not run the command once without faults first, to know what it does without them");
  command->add_option("--profile", options->profile,
                      "injected errors have the shape of that profile (generic: they are bare)");
  command->add_option(
      "-c,--config", options->config,
      "retrial.toml, for its profiles, services and what is redacted (default: ./retrial.toml, if there is one)");
  command
      ->add_option(
          "--look", options->look,
          "a URL (http://…) that is read when the command has ended, to see what the service holds; may be given again")
      ->allow_extra_args(false);
  command->add_option("--reset", options->reset,
                      "a shell command that brings services back to their first state, before each run of the command "
                      "(as [service.NAME] reset in retrial.toml)");
  command->add_option("--hold", options->hold, "how long a stalled exchange is held (30s)");
  command->add_flag("--real-time", options->real_time, "wait as long as the client does: its clock is never moved");
  command->add_option("--seed", options->seed, "for faults that come by chance (default: another one each time)");
  command->add_option("--capture", options->capture, "seccomp or forward (default: the first that works)");
  command->add_option("--out", options->out, "folder for the trace (default: .retrial/<time>)");
  command->add_option("command", options->command, "-- the command")->required();
  command->callback([options, &status] { status = observe(*options); });
}

}  // namespace retrial::cli
