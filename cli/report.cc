#include <CLI/CLI.hpp>
#include <memory>

#include "campaign/report/reports.h"
#include "campaign/report/terminal.h"
#include "cli/commands.h"
#include "trace/store.h"

namespace retrial::cli {
namespace {

int report(const std::string& folder) {
  auto stored = trace::read_store(std::filesystem::path(folder) / "campaign.db");
  if (!stored) return complain(stored.error().line(), kUsage);
  if (auto ok = campaign::report::write_reports(folder, stored->campaign, stored->runs, trace::Confidence::likely); !ok)
    return complain(ok.error().line(), kUsage);
  auto style = campaign::report::style_of(stdout);
  std::fputs(campaign::report::summary(stored->campaign, folder, trace::Confidence::likely, style).c_str(), stdout);
  return kFine;
}

}  // namespace

void add_report(CLI::App& app, int& status) {
  auto folder = std::make_shared<std::string>(".retrial/latest");
  auto* command = app.add_subcommand("report", "write an earlier campaign's reports anew from its store, and print the summary");
  command->add_option("folder", *folder, "the campaign's folder")->capture_default_str();
  command->callback([folder, &status] { status = report(*folder); });
}

}  // namespace retrial::cli
