// A first campaign, on an application that travels inside the binary (integration/apps/corner-shop), in a folder of its
// own.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/descriptor_limit.h"
#include "base/embedded.h"
#include "base/text.h"
#include "cli/campaign_options.h"
#include "cli/commands.h"
#include "cli/open_page.h"

namespace retrial::cli {

std::span<const EmbeddedFile> demo_files();

namespace {

namespace fs = std::filesystem;

struct DemoOptions {
  std::string into;
  bool opened = false;
};

// The interpreter itself: python3 may be a script that looks for it anew each time.
Result<std::string> python() {
  auto missing = [](std::string_view what) { return fail(std::string(what), "python3", Blame::user); };
  auto* pipe = popen(
      "python3 -c 'import sys; print(sys.executable if sys.version_info >= (3, 8) else \"old\")' 2>/dev/null", "r");
  if (!pipe) return fail_errno("cannot be started", errno, "python3");
  char text[4096];
  std::string said;
  if (std::fgets(text, sizeof text, pipe)) said = trim(text);
  if (pclose(pipe) != 0 || said.empty())
    return missing("was not found: the demo's application is written in it (3.8 or later, nothing else is needed)");
  if (said == "old") return missing("is older than 3.8, which the demo's application needs");
  return said;
}

Result<fs::path> folder_for(const std::string& into) {
  std::error_code error;
  if (into.empty()) {
    auto name = (fs::temp_directory_path(error) / "retrial-demo-XXXXXX").string();
    if (error || !mkdtemp(name.data()))
      return fail_errno("no folder can be made in it; --into names another", errno,
                        fs::path(name).parent_path().string());
    return fs::path(name);
  }
  if (fs::exists(into, error) && !fs::is_empty(into, error))
    return fail("expected a folder that is new or empty", into, Blame::user);
  fs::create_directories(into, error);
  if (error) return fail("cannot be made: " + error.message(), into, Blame::user);
  return fs::absolute(into);
}

Result<void> unpack(const fs::path& folder) {
  for (auto& file : demo_files()) {
    auto path = folder / file.path;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    std::ofstream out(path, std::ios::binary);
    out.write(file.bytes.data(), static_cast<std::streamsize>(file.bytes.size()));
    if (!out.flush()) return fail_errno("cannot be written", errno, path.string());
  }
  return {};
}

// Where programs of the machine that a campaign asks for something (a `go` on PATH) keep what they like to keep.
class OwnHome {
 public:
  explicit OwnHome(const fs::path& folder) {
    for (auto name : kNames) {
      auto* was = std::getenv(name);
      before_.push_back(was ? std::optional<std::string>(was) : std::nullopt);
      setenv(name, (folder / ".home" / name).c_str(), 1);
    }
  }
  ~OwnHome() {
    for (std::size_t i = 0; i < before_.size(); i++)
      before_[i] ? setenv(kNames[i], before_[i]->c_str(), 1) : unsetenv(kNames[i]);
  }
  OwnHome(const OwnHome&) = delete;

 private:
  static constexpr const char* kNames[] = {"XDG_CONFIG_HOME", "XDG_CACHE_HOME"};
  std::vector<std::optional<std::string>> before_;
};

int put_on_trial(const CampaignOptions& options) {
  auto setting = setting_of(options);
  if (!setting) return complain(setting.error().line(), kUsage);
  auto made = make_folder({});
  if (!made) return complain(made.error().line(), kUsage);
  setting->folder = *made;
  SystemClock clock;
  return conclude(*setting, campaign::run_campaign(*setting, clock));
}

int demo(const DemoOptions& demo) {
  raise_descriptor_limit();
  auto interpreter = python();
  if (!interpreter) return complain(interpreter.error().line(), kUsage);
  auto folder = folder_for(demo.into);
  if (!folder) return complain(folder.error().line(), kUsage);
  if (auto ok = unpack(*folder); !ok) return complain(ok.error().line(), kUsage);
  std::error_code error;
  fs::current_path(*folder, error);
  if (error) return complain(folder->string() + ": " + error.message(), kUsage);
  CampaignOptions options;
  options.policies = "p3,p1,p2,n1";
  options.command = {*interpreter, "-m", "unittest"};
  fmt::print(
      "A corner shop in {}, eight functions and their tests, is put on trial by:\n  retrial run --policies {} -- "
      "python3 -m unittest\n\n",
      folder->string(), options.policies);
  std::fflush(stdout);
  auto status = [&] {
    OwnHome home(*folder);
    return put_on_trial(options);
  }();
  if (status != kFindings) return status == kFine ? static_cast<int>(kNothing) : status;
  fmt::print(
      "\nThese bugs are what the demo is there to show: in your own suite they would end with status 1.\n"
      "  The code        {0}/shop/client.py\n"
      "  The report      {0}/.retrial/latest/report.html\n"
      "  A finding again cd {0} && retrial replay ID\n"
      "  Your own tests  retrial run -- YOUR TEST COMMAND\n"
      "Nothing else was written: rm -r {0}\n",
      folder->string());
  if (demo.opened)
    if (auto ok = open_page(*folder / ".retrial/latest/report.html"); !ok) return complain(ok.error().line(), kUsage);
  return kFine;
}

}  // namespace

void add_demo(CLI::App& app, int& status) {
  auto options = std::make_shared<DemoOptions>();
  auto* command = app.add_subcommand(
      "demo", "put a small application in Python on trial, which shows a bug of each kind: a first campaign, in 20 s");
  command->add_option("--into", options->into, "a new or empty folder for it (default: one in the temporary folder)");
  command->add_flag("--open", options->opened, "show the report in a browser afterwards");
  command->callback([options, &status] { status = demo(*options); });
}

}  // namespace retrial::cli
