#include "cli/campaign_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/descriptor_limit.h"
#include "base/text.h"
#include "campaign/report/headline.h"
#include "campaign/report/terminal.h"
#include "campaign/report/words.h"
#include "campaign/workload/command.h"
#include "campaign/workload/look.h"
#include "campaign/workload/service_names.h"
#include "checkers/file.h"
#include "cli/commands.h"

namespace retrial::cli {
namespace {

constexpr auto kConfigFile = "retrial.toml";

Result<Nanos> duration(const std::string& text, const char* option) {
  if (text.empty()) return 0;
  if (auto d = parse_duration(text)) return *d;
  return fail(fmt::format("expected a time such as 250ms, 30s, 10m, got \"{}\"", text), option, Blame::user);
}

Result<void> apply(const CampaignOptions& o, campaign::RunSettings& run) {
  if (!o.budget.empty()) {
    auto d = duration(o.budget, "--budget");
    if (!d) return std::unexpected(d.error());
    run.budget = *d;
  }
  if (!o.hold.empty()) {
    auto d = duration(o.hold, "--hold");
    if (!d) return std::unexpected(d.error());
    run.hold = run.client_hold = *d;
  }
  if (!o.coverage.empty()) run.coverage = o.coverage;
  if (o.once) run.once = true;
  if (!o.fail_on.empty()) {
    auto level = confidence_of(o.fail_on);
    if (!level) return std::unexpected(level.error());
    run.fail_on = *level;
  }
  if (o.workers) run.workers = o.workers;
  if (o.real_time) run.real_time = true;
  if (o.alone) run.alone = true;
  for (auto& url : o.look)
    if (auto ok = campaign::check_look(url); !ok) return fail(ok.error().line(), "--look", Blame::user);
  run.look = o.look;
  if (o.verbose) run.verbose = true;
  if (!o.policies.empty()) {
    run.policies.clear();
    for (auto name : split(o.policies, ',')) run.policies.emplace_back(trim(name));
  }
  return {};
}

Result<std::vector<const policies::Policy*>> policies_of(const std::vector<std::string>& names) {
  std::vector<const policies::Policy*> chosen;
  std::vector<std::string_view> known;
  for (auto& p : policies::policies()) known.push_back(p.name);
  for (auto& name : names) {
    auto* p = policies::policy_named(name);
    if (!p) {
      auto near = nearest(name, known);
      return fail(fmt::format("unknown policy \"{}\"; there are {}{}", name, fmt::join(known, ", "),
                              near ? fmt::format("; did you mean {}?", *near) : ""),
                  "--policies", Blame::user);
    }
    chosen.push_back(p);
  }
  if (chosen.empty())
    for (auto& p : policies::policies())
      if (p.by_default) chosen.push_back(&p);
  return chosen;
}

// "comma-separated: p3,p1 (these where nothing is said, …); also n1 (is that taken for an answer?)"
std::string policies_help() {
  std::vector<std::string> by_default, others;
  for (auto& p : policies::policies()) {
    auto name = lower(p.name);
    p.by_default ? by_default.push_back(name) : others.push_back(fmt::format("{} ({})", name, p.question));
  }
  return fmt::format(
      "comma-separated: {} (these where nothing is said, and n2, r1 and b1 of them only where the project gives a "
      "reason: docs/faults.md){}{}",
      fmt::join(by_default, ","), others.empty() ? "" : "; also ", fmt::join(others, ", "));
}

// Which of a suite's cases.
Result<void> choose(const CampaignOptions& o, campaign::CampaignSetting& setting) {
  auto& [planned, changed, retries, shard] = setting.selection;
  if (!o.shard.empty()) {
    auto parsed = campaign::parse_shard(o.shard);
    if (!parsed) return std::unexpected(parsed.error());
    shard = *parsed;
  }
  if (!o.changed_since.empty()) {
    auto files = campaign::ChangedFiles::since(o.changed_since);
    if (!files) return std::unexpected(files.error());
    changed = std::move(*files);
  }
  if (o.plan.empty()) return {};
  auto cases = campaign::load_plan_file(o.plan);
  if (!cases) return std::unexpected(cases.error());
  planned = std::move(*cases);
  setting.policies.clear();
  for (auto& c : *planned)
    if (std::ranges::count(setting.policies, c.policy) == 0) setting.policies.push_back(c.policy);
  return {};
}

}  // namespace

Result<campaign::Config> config_in(const std::string& file) {
  if (file.empty() && !std::filesystem::exists(kConfigFile)) return campaign::Config{};
  return campaign::load_config(file.empty() ? kConfigFile : file);
}

Result<trace::Confidence> confidence_of(const std::string& word) {
  std::array known{trace::Confidence::possible, trace::Confidence::likely, trace::Confidence::certain};
  auto it = std::find_if(known.begin(), known.end(), [&](auto c) { return trace::show(c) == word; });
  if (it != known.end()) return *it;
  return fail(fmt::format("expected certain, likely or possible, got \"{}\"", word), "--fail-on", Blame::user);
}

Result<void> use_checkers(const std::string& file, const campaign::Config& config) {
  if (file.empty()) {
    checkers::use(config.checkers);
    return {};
  }
  auto checkers = checkers::load(file);
  if (!checkers) return std::unexpected(checkers.error());
  checkers::use(std::move(*checkers));
  return {};
}

void CampaignOptions::add_common(CLI::App& app) {
  app.add_option("-c,--config", config, "retrial.toml (default: ./retrial.toml, if there is one)");
  app.add_option("--capture", capture,
                 "how connections are seen: seccomp, forward, reverse (default: the first that works)");
}

void CampaignOptions::add_to(CLI::App& app, bool with_command) {
  add_common(app);
  app.add_flag("-v,--verbose", verbose, "a line for each case as it is decided");
  app.add_option("--hold", hold,
                 "how long a stalled exchange is held (30s, or two hours where the client's clock is moved there)");
  app.add_option("--out", out, "folder for the campaign (default: .retrial/<time>)");
  app.add_flag("--real-time", real_time, "wait as long as the client does: its clock is never moved");
  app.add_option("--look", look,
                 "a URL (http://…) that is read when a test alone has ended, to see what the service holds; "
                 "may be given again")
      ->allow_extra_args(false);
  app.add_option("--checkers", checkers, "what `retrial learn` has written: each answer is held against it, too");
  if (!with_command) return;
  app.add_option("--budget", budget, "stop adding cases after this time, e.g. 10m");
  auto* which = app.add_option("--policies", policies, policies_help());
  app.add_flag("--alone", alone, "try every case in runs of its own: slower, and the same findings");
  auto* covered = app.add_option(
      "--coverage", coverage,
      "c0 (default): each call site x operation once; c1: the first call of each test; c2: each call site once; "
      "c3: every test and every call site, the fewest seconds; c4: each call site of each test");
  covered->check(CLI::IsMember({"c0", "c1", "c2", "c3", "c4"}));
  auto* single = app.add_flag("--once", once, "of what the coverage says, each call site once");
  app.add_option("--plan", plan, "the cases of this file, which `retrial plan -o` has written")
      ->excludes(which)
      ->excludes(covered)
      ->excludes(single);
  app.add_option("--changed-since", changed_since,
                 "only call sites in files that git says have changed since this commit, e.g. origin/main");
  app.add_option("--shard", shard, "a part of the cases, e.g. 2/5 for the second of five machines; then retrial merge");
  app.add_option("--fail-on", fail_on,
                 "least confidence of a finding that makes exit status 1: certain, likely, possible");
  app.add_option("--since", since, "findings.json of before: exit status 1 for new findings only");
  app.add_option("--workers", workers, "runs side by side (default: one a core)")->check(CLI::Range(1, 1024));
  app.add_option("command", command, "-- the test command, as you always run it")->required();
}

Result<campaign::CampaignSetting> setting_of(const CampaignOptions& o) {
  campaign::CampaignSetting setting;
  setting.command = o.command;
  if (auto found = campaign::find_command(campaign::command_to_run(o.command).front()); !found)
    return std::unexpected(found.error());
  auto config = config_in(o.config);
  if (!config) return std::unexpected(config.error());
  setting.config = std::move(*config);
  campaign::redact_as(setting.config.redact);
  trace::add_profiles(setting.config.profiles);
  if (auto ok = use_checkers(o.checkers, setting.config); !ok) return std::unexpected(ok.error());
  if (!o.since.empty()) {
    auto since = campaign::read_finding_ids(o.since);
    if (!since) return std::unexpected(since.error());
    setting.since = std::move(*since);
  }
  if (auto ok = apply(o, setting.config.run); !ok) return std::unexpected(ok.error());
  auto chosen = policies_of(setting.config.run.policies);
  if (!chosen) return std::unexpected(chosen.error());
  setting.policies = std::move(*chosen);
  if (auto ok = choose(o, setting); !ok) return std::unexpected(ok.error());
  auto capture = campaign::choose_capture(o.capture, setting.config);
  if (!capture) return std::unexpected(capture.error());
  if (!capture->remark.empty()) fmt::print(stderr, "retrial: {}\n", capture->remark);
  setting.capture = std::move(*capture);
  if (setting.capture.kind == campaign::Capture::Kind::seccomp)
    for (auto& line : campaign::resolve_names(setting.config.services)) fmt::print(stderr, "retrial: {}\n", line);
  return setting;
}

Result<campaign::CampaignSetting> setting_in_folder(const CampaignOptions& options, bool latest) {
  raise_descriptor_limit();
  auto setting = setting_of(options);
  if (!setting) return setting;
  auto folder = make_folder(options.out, latest);
  if (!folder) return std::unexpected(folder.error());
  setting->folder = *folder;
  return setting;
}

int conclude(const campaign::CampaignSetting& setting, const Result<campaign::CampaignOutcome>& outcome) {
  if (!outcome) return complain(outcome.error().line(), outcome.error().blame == Blame::user ? kUsage : kIncomplete);
  auto& record = outcome->record;
  if (outcome->nothing_to_try)
    return complain(
        fmt::format("{}\n  `retrial doctor -- {}` shows what is seen of it, and what would mend what is not",
                    record.incomplete, campaign::report::command_line(record.command)),
        kNothing);
  auto style = campaign::report::style_of(stdout);
  std::fputs(campaign::report::summary(record, setting.folder, setting.config.run.fail_on, style).c_str(), stdout);
  if (outcome->interrupted) return kInterrupted;
  if (!record.incomplete.empty()) fmt::print("This campaign is incomplete: {}\n", record.incomplete);
  return status_of(record, setting.config.run.fail_on);
}

int status_of(const trace::CampaignRecord& record, std::optional<trace::Confidence> fail_on) {
  auto fails = [&](auto& f) { return fail_on && campaign::report::fails_run(f, *fail_on); };
  if (std::ranges::any_of(record.findings, fails)) return kFindings;
  if (!record.incomplete.empty()) return kIncomplete;
  using campaign::report::Outcome;
  auto outcome = campaign::report::outcome_of(record);
  return outcome == Outcome::not_judged || outcome == Outcome::planned ? kNothing : kFine;
}

}  // namespace retrial::cli
