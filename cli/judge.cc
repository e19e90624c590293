#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "campaign/judging/stored_traces.h"
#include "campaign/report/reports.h"
#include "campaign/report/terminal.h"
#include "campaign/report/words.h"
#include "cli/campaign_options.h"
#include "cli/commands.h"
#include "cli/stored_options.h"

namespace retrial::cli {
namespace {

namespace fs = std::filesystem;

int judge(const StoredOptions& options) {
  auto setting = setting_of(options);
  if (!setting) return complain(setting.error().line(), kUsage);
  for (auto& folder : setting->folders)
    if (auto ok = check_folder(folder); !ok) return complain(ok.error().line(), kUsage);
  fs::path out;
  if (!options.out.empty()) {
    auto made = make_folder(options.out, false);
    if (!made) return complain(made.error().line(), kUsage);
    out = *made;
  }
  auto outcome = campaign::judge(*setting);
  auto& record = outcome.record;
  auto fail_on = setting->config.run.fail_on;
  bool alone = setting->folders.size() == 1 && outcome.read == 1;
  if (out.empty() && alone && outcome.served) out = setting->folders.front();
  if (out.empty() && !alone && outcome.read) {
    auto made = make_side_folder({}, "judge");
    if (!made) return complain(made.error().line(), kUsage);
    out = *made;
  }
  Result<void> written;
  if (!out.empty())
    written = campaign::report::write_reports(out, record, outcome.runs, fail_on);
  else if (alone)
    written = campaign::report::renew_findings(setting->folders.front(), record);
  std::fputs(campaign::report::summary(record, out, fail_on, campaign::report::style_of(stdout)).c_str(), stdout);
  if (!written && outcome.failed.empty()) outcome.failed = written.error().line();
  auto status = status_of(record, fail_on);
  if (outcome.failed.empty() || status == kFindings) return status;
  return complain(outcome.failed, kIncomplete);
}

}  // namespace

void add_judge(CLI::App& app, int& status) {
  auto options = std::make_shared<StoredOptions>();
  auto* command = app.add_subcommand("judge", "the oracles again over stored traces, judged together as one client");
  options->add_to(*command, "of observe, run or serve");
  command->add_option("--checkers", options->checkers,
                      "what `retrial learn` has written: each answer is held against it, too");
  command->add_option(
      "--out", options->out,
      "folder for the reports (default: .retrial/judge-<time>; of one FOLDER its findings.json is renewed)");
  command->callback([options, &status] { status = judge(*options); });
}

}  // namespace retrial::cli
