#include <signal.h>

#include <CLI/CLI.hpp>

#include "cli/commands.h"

int main(int argc, char** argv) {
  signal(SIGPIPE, [](int) {});  // a handler, not SIG_IGN: what we start gets the default back
  CLI::App app{
      "Retrial puts your retries on trial: it runs your tests with the faults that a network really produces, and says "
      "which\n"
      "retry is a bug, where in the code, and how to see it again.",
      "retrial"};
  app.set_version_flag("--version", std::string("retrial 0.1.0"));
  app.require_subcommand(1);
  int status = 0;
  using namespace retrial::cli;
  for (auto add : {add_run, add_plan, add_replay, add_observe, add_report, add_check, add_doctor}) add(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    auto code = app.exit(error);
    if (error.get_name() == "ExtrasError")
      complain("options of Retrial stand before --, the test command after it: retrial run [options] -- pytest tests/",
               kUsage);
    return code == 0 ? 0 : kUsage;
  }
  return status;
}
