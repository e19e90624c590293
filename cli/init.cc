// A first retrial.toml, of what one run of the project's own tests shows.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/descriptor_limit.h"
#include "base/private_files.h"
#include "campaign/first_config.h"
#include "campaign/report/words.h"
#include "campaign/sight.h"
#include "campaign/workload/command.h"
#include "campaign/workload/project/test_commands.h"
#include "cli/campaign_options.h"
#include "cli/commands.h"

namespace retrial::cli {
namespace {

constexpr auto kFile = "retrial.toml";

// There is to be none yet, and a new one is to be possible: said before minutes of tests.
Result<void> check_place() {
  if (std::error_code error;
      std::filesystem::symlink_status(kFile, error).type() != std::filesystem::file_type::not_found)
    return fail("is there already, and is left as it is: `retrial doctor -- COMMAND` shows what a run says of it",
                kFile, Blame::user);
  if (access(".", W_OK) != 0) return fail_errno("no file can be made in this folder", errno, kFile);
  return {};
}

// The likeliest that this machine can start, with the others named beside it.
Result<std::vector<std::string>> found_command() {
  auto found = campaign::test_commands(".");
  if (found.empty())
    return fail("no file here says how this project is tested; name its command: retrial init -- COMMAND", ".",
                Blame::user);
  auto starts = [](auto& one) { return campaign::find_command(one.argv.front()).has_value(); };
  auto chosen = std::ranges::find_if(found, starts);
  if (chosen == found.end())
    return fail(fmt::format("{} (by {}); name another: retrial init -- COMMAND",
                            campaign::find_command(found.front().argv.front()).error().line(), found.front().because),
                campaign::report::command_line(found.front().argv), Blame::user);
  fmt::print("{}, by {}\n", campaign::report::command_line(chosen->argv), chosen->because);
  for (auto& other : found)
    if (&other != &*chosen)
      fmt::print("  also found: retrial init -- {}, by {}\n", campaign::report::command_line(other.argv),
                 other.because);
  std::fflush(stdout);
  return chosen->argv;
}

// Of the mode that the user's other files have, and only where there is still none.
Result<void> write_new(const std::string& text) {
  restore_umask();
  int file = open(kFile, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  keep_files_private();
  if (file < 0) return fail_errno("cannot be made", errno, kFile);
  auto left = std::string_view(text);
  while (!left.empty()) {
    auto wrote = write(file, left.data(), left.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) {
      auto failed = fail_errno("cannot be written", errno, kFile);
      close(file);
      unlink(kFile);
      return failed;
    }
    left.remove_prefix(static_cast<std::size_t>(wrote));
  }
  close(file);
  return {};
}

void say_written(const campaign::report::Sight& sight, const std::string& command) {
  using campaign::report::counted;
  auto moving = static_cast<std::size_t>(
      std::ranges::count_if(sight.services, [](auto& s) { return s.address.ends_with(":*"); }));
  auto tables = sight.services.size() - moving;
  fmt::print("{} was written: {}{}.\n", kFile,
             sight.services.empty() ? "no service was seen"
             : tables               ? counted(tables, "service") + " with a table"
                                    : "no service needs a table",
             moving ? ", as those need none whose port changes from run to run" : "");
  for (auto& address : sight.refused)
    fmt::print("  nobody was at {}: if the tests need it, say in {} how it is started\n", address, kFile);
  for (auto& address : sight.unread)
    fmt::print("  no HTTP was spoken at {}: what cases leave there can be reset, as {} says\n", address, kFile);
  if (sight.trouble.empty())
    fmt::print("{} of {} can be put on trial: retrial run -- {}\n", sight.on_trial, counted(sight.tests, "test"),
               command);
}

int init(CampaignOptions options) {
  raise_descriptor_limit();
  if (auto ok = check_place(); !ok) return complain(ok.error().line(), kUsage);
  if (options.command.empty()) {
    auto command = found_command();
    if (!command) return complain(command.error().line(), kUsage);
    options.command = std::move(*command);
  }
  auto setting = setting_of(options);
  if (!setting) return complain(setting.error().line(), kUsage);
  auto folder = make_folder({}, false);
  if (!folder) return complain(folder.error().line(), kUsage);
  setting->folder = *folder;
  setting->look_only = true;
  SystemClock clock;
  auto outcome = campaign::run_campaign(*setting, clock);
  if (!outcome) return complain(outcome.error().line(), outcome.error().blame == Blame::user ? kUsage : kIncomplete);
  if (outcome->interrupted) return complain(fmt::format("interrupted: no {} was written", kFile), kInterrupted);
  auto sight = campaign::sight_of(*outcome, setting->config);
  auto command = campaign::report::command_line(outcome->record.command);
  if (sight.services.empty() && sight.refused.empty())
    return complain(fmt::format("{}; no {} was written: there is nothing that it could say", sight.trouble, kFile),
                    kNothing);
  auto text = campaign::first_config(sight, command, ".");
  if (auto ours = campaign::parse_config(text, kFile); !ours)
    return complain(fmt::format("a fault of Retrial's own, nothing was written: {}", ours.error().line()), kIncomplete);
  if (auto ok = write_new(text); !ok) return complain(ok.error().line(), kUsage);
  say_written(sight, command);
  if (sight.trouble.empty()) return kFine;
  return complain(sight.trouble, kNothing);
}

}  // namespace

void add_init(CLI::App& app, int& status) {
  auto options = std::make_shared<CampaignOptions>();
  auto* command = app.add_subcommand(
      "init",
      "write a first retrial.toml, with comments: runs the tests once without faults, and names the services that they "
      "speak to; a file that is there is never overwritten");
  command->add_option("--capture", options->capture,
                      "how connections are seen: seccomp, forward, reverse (default: the first that works)");
  command->add_option("command", options->command, "-- the test command (default: what the project's files say)");
  command->callback([options, &status] { status = init(*options); });
}

}  // namespace retrial::cli
