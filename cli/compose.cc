#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <memory>

#include "base/private_files.h"
#include "cli/commands.h"
#include "deploy/compose/override.h"

namespace retrial::cli {
namespace {

namespace fs = std::filesystem;

struct ComposeOptions {
  std::string file, out, image = "retrial:0.1.0";
};

Result<void> init(const ComposeOptions& options) {
  auto file = deploy::read_compose(options.file);
  if (!file) return std::unexpected(file.error());
  auto talks = deploy::talks_of(*file);
  for (auto& line : talks.left) fmt::print(stderr, "retrial: left as it is: {}\n", line);
  if (talks.all.empty())
    return fail(
        "names no service that another calls by HTTP: an address in `environment`, or `depends_on` with `expose`, "
        "would say so",
        options.file, Blame::user);
  auto out =
      options.out.empty() ? fs::path(options.file).replace_filename("compose.retrial.yaml") : fs::path(options.out);
  if (std::ifstream there(out); there) {
    std::string first;
    std::getline(there, first);
    if (first != deploy::kOverrideMark)
      return fail("is there already, and not ours: name another with --out", out.string(), Blame::user);
  }
  restore_umask();  // for others to read
  std::ofstream(out, std::ios::trunc) << deploy::compose_override(*file, talks, options.image);
  if (std::error_code error; !fs::exists(out, error) || fs::file_size(out, error) == 0)
    return fail("cannot be written", out.string(), Blame::user);
  for (auto& t : talks.all)
    fmt::print("{} calls {} at {}:{} ({}): by way of retrial-{}\n", t.caller, t.service, t.name, t.port, t.read_from,
               t.service);
  fmt::print(
      "\nWritten: {}. To use it:\n  docker compose -f {} -f {} up\n"
      "Faults: RETRIAL_INJECT='error(503) x 2, then pass' before it, and once it is up, for 15 minutes:\n"
      "  docker compose -f {} -f {} exec retrial-{} /retrial ctl resume\n",
      out.string(), options.file, out.string(), options.file, out.string(), talks.all.front().service);
  return {};
}

}  // namespace

void add_compose(CLI::App& app, int& status) {
  auto options = std::make_shared<ComposeOptions>();
  auto* command = app.add_subcommand("compose", "Docker Compose: proxies between the services of a file");
  auto* made =
      command->add_subcommand("init", "write an override file that puts a proxy before each service that is called");
  command->require_subcommand(1);
  made->add_option("file", options->file, "the Compose file")->required();
  made->add_option("--out", options->out, "the override (default: compose.retrial.yaml beside it)");
  made->add_option("--image", options->image, "Retrial's image")->capture_default_str();
  made->callback([options, &status] {
    if (auto ok = init(*options); !ok)
      status = complain(ok.error().line(), ok.error().blame == Blame::user ? kUsage : kIncomplete);
  });
}

}  // namespace retrial::cli
