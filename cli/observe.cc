#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <set>

#include "base/descriptor_limit.h"
#include "base/text.h"
#include "campaign/campaign.h"
#include "campaign/report/terminal.h"
#include "campaign/workload/command.h"
#include "campaign/workload/execution.h"
#include "campaign/workload/look.h"
#include "campaign/workload/slot.h"
#include "cli/campaign_options.h"
#include "cli/commands.h"
#include "cli/observation.h"
#include "oracles/oracle.h"
#include "policies/fault_plan.h"
#include "trace/store/store.h"

namespace retrial::cli {
namespace {

constexpr Nanos kBeyond = 300 * kSecond;  // so long after no call is looked at any more a faulted run is ended
// How long a client is looked at without faults, if it goes on and on: a call is looked at no longer.
constexpr Nanos kSampledTime = 1800 * kSecond;
constexpr std::uint64_t kSampledExchanges = 10'000;

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
  if (options.at && policies::strikes_connections(*plan))
    return fail("a connection is met before anything is asked on it: without --at", "--at", Blame::user);
  auto seed = options.seed.value_or(std::random_device{}());
  if (policies::rolls(*plan)) fmt::print(stderr, "retrial: chance is drawn with --seed {}\n", seed);
  spec.aims = {campaign::Aim{{}, *plan, seed}};
  if (options.at) {
    auto at = campaign::parse_at(*options.at);
    if (!at) return std::unexpected(at.error());
    spec.aims.front().at = std::move(*at);
  }
  spec.kind = trace::RunKind::with_fault;
  spec.case_id = Observation::kCase;
  auto [near, far] = oracles::horizons();
  spec.attempts_limit = far.attempts;
  spec.client_time_limit = far.client_time;
  spec.deadline = near.client_time + kBeyond;
  return spec;
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

std::string lines_of(const std::vector<std::string>& remarks) {
  std::string lines;
  for (auto& remark : remarks) lines += fmt::format("retrial: {}\n", remark);
  return lines;
}

int status_of_not_run(const Error& error) {
  if (error.what == campaign::Slot::kInterrupted) return kInterrupted;
  return error.blame == Blame::user ? proxy::shell_status(error) : kIncomplete;
}

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
    if (!run) return complain(run.error().line(), status_of_not_run(run.error()));
    if ((*executor)->interrupted())
      return complain("interrupted while the command ran without faults: no fault was injected, nothing was judged",
                      kInterrupted);
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
      auto status = status_of_not_run(run.error());
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
  if (!(*executor)->interrupted() && seen.wants_control()) {
    fmt::print(stderr, "retrial: once more without faults, for --look shows another state\n");
    auto run = prepared.execute(reference_of(*spec));
    if (run && !(*executor)->interrupted()) seen.control_with(std::move(*run));
    if (!run)
      seen.remark(
          {"once more without faults, to know whether the fault made what --look shows: " + run.error().line()});
  }
  if (*slot) seen.remark((*slot)->remarks());
  seen.judge();
  int status = shell_status(seen.runs().back());
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
  return (*executor)->interrupted() ? kInterrupted : status;
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
