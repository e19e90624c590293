#include "cli/export.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "campaign/fleet/exchange_table.h"
#include "campaign/report/words.h"
#include "cli/commands.h"

namespace retrial::cli {
namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  std::vector<std::string> folders;
  std::string parquet;
};

int export_them(const ExportOptions& options) {
  std::vector<fs::path> folders(options.folders.begin(), options.folders.end());
  for (auto& folder : folders)
    if (auto ok = check_folder(folder); !ok) return complain(ok.error().line(), kUsage);
  auto done = campaign::export_parquet(folders, options.parquet);
  if (!done) return complain(done.error().line(), done.error().blame == Blame::user ? kUsage : kIncomplete);
  for (auto& line : done->left) complain(line + "; it is left out", kFine);
  fmt::print("{}: {} of {}\n", options.parquet, campaign::report::counted(done->rows, "exchange"),
             campaign::report::counted(done->members, "recording"));
  if (!done->clocks.empty()) fmt::print("{}\n", done->clocks);
  return done->left.empty() ? kFine : kIncomplete;
}

}  // namespace

void add_export(CLI::App& app, int& status) {
  auto options = std::make_shared<ExportOptions>();
  auto* command = app.add_subcommand("export", "the exchanges of recordings as a table, for DuckDB, Spark, pandas");
  command->add_option("folders", options->folders, "of serve, observe or run; several are brought to one clock")
      ->required();
  command->add_option("--parquet", options->parquet, "the file that is written")->required();
  command->callback([options, &status] { status = export_them(*options); });
}

}  // namespace retrial::cli
