#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netdb.h>
#include <nss.h>
#include <signal.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <system_error>
#include <vector>

#include "base/private_files.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/export.h"
#include "cli/version.h"

namespace {

// Those of a command, and of the commands within it.
void add_options(const CLI::App& command, std::vector<std::string>& known) {
  for (auto* option : command.get_options())
    for (auto& name : option->get_lnames()) known.push_back("--" + name);
  for (auto* inner : command.get_subcommands([](const CLI::App*) { return true; })) add_options(*inner, known);
}

#ifdef RETRIAL_STATIC
constexpr bool kStatic = true;
#else
constexpr bool kStatic = false;
#endif

// A static glibc would load what nsswitch.conf names for hosts, from whatever glibc is installed there. What it has
// itself is enough for us.
void names_without_modules() { __nss_configure_lookup("hosts", "files dns"); }

// The first word before `--` that looks like an option and is none of this command's: named with the nearest one that
// is. (The parser itself would name whichever word it could not place afterwards.)
std::string unknown_option(const CLI::App& command, int argc, char** argv) {
  std::vector<std::string> known{"--help", "-h"};
  add_options(command, known);
  for (int i = 2; i < argc && std::string_view(argv[i]) != "--"; i++) {
    std::string word(std::string_view(argv[i]).substr(0, std::string_view(argv[i]).find('=')));
    if (!word.starts_with("--") || std::find(known.begin(), known.end(), word) != known.end()) continue;
    std::vector<std::string_view> words(known.begin(), known.end());
    auto near = retrial::nearest(word, words);
    return fmt::format("{}: unknown option{}; options of Retrial stand before --, the test command after it", word,
                       near ? fmt::format(", did you mean {}?", *near) : "");
  }
  return {};
}

// A first word that is no command of ours: the nearest one, or that it stands behind `run --`.
std::string unknown_command(const CLI::App& app, const std::string& word) {
  if (word.starts_with('-')) return {};
  std::vector<std::string_view> known;
  for (auto* command : app.get_subcommands([](const CLI::App*) { return true; })) known.push_back(command->get_name());
  if (std::ranges::count(known, word)) return {};
  known.emplace_back("help");
  auto near = retrial::nearest(word, known);
  if (near)
    return fmt::format("{}: unknown command, did you mean {}? There are {}", word, *near, fmt::join(known, ", "));
  return fmt::format("{}: unknown command; there are {}. A test command stands behind one: retrial run -- {} …", word,
                     fmt::join(known, ", "), word);
}

}  // namespace

int main(int argc, char** argv) {
  retrial::keep_files_private();
  signal(SIGPIPE, [](int) {});  // a handler, not SIG_IGN: what we start gets the default back
  using namespace retrial::cli;
  if (kStatic) names_without_modules();
  CLI::App app{
      "Retrial puts your retries on trial: it runs your tests with the faults that a network really produces, and says "
      "which\n"
      "retry is a bug, where in the code, and how to see it again.",
      "retrial"};
  app.set_version_flag("--version", version_line(kStatic));
  app.require_subcommand(1);
  int status = 0;
  for (auto add :
       {add_init,       add_learn,  add_predict, add_run,      add_plan,    add_merge,  add_replay,  add_observe,
        add_judge,      add_report, add_export,  add_explain,  add_check,   add_ca,     add_doctor,  add_serve,
        add_envoy,      add_health, add_ctl,     add_redirect, add_compose, add_inject, add_webhook, add_demo,
        add_completion, add_man,    add_look,    add_each,     add_scan,    add_stress})
    add(app, status);
  std::vector<char*> words(argv, argv + argc);
  static char help[] = "--help";
  if (argc > 1 && std::string_view(argv[1]) == "help") {
    words.erase(words.begin() + 1);
    words.push_back(help);
  }
  if (argc == 1) words.push_back(help);
  argv = words.data();
  argc = static_cast<int>(words.size());
  if (auto wrong = unknown_command(app, argv[1]); !wrong.empty()) return complain(wrong, kUsage);
  for (auto* command : app.get_subcommands([](CLI::App*) { return true; }))
    if (argc > 1 && command->get_name() == argv[1])
      if (auto wrong = unknown_option(*command, argc, argv); !wrong.empty()) return complain(wrong, kUsage);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError& error) {
    auto chosen = app.get_subcommands();
    bool runs = !chosen.empty() && chosen.front()->get_option_no_throw("command");
    auto hint = runs ? "; the test command stands after --: retrial run [options] -- pytest -q" : "";
    return complain(error.what() + std::string(hint), kUsage);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::broken_pipe) throw;
    return 128 + SIGPIPE;  // whoever reads our output has seen enough: `retrial plan … | head`
  }
  return status;
}
