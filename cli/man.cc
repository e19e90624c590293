// The manual page, written from what --help is written from.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "cli/command_tree.h"
#include "cli/commands.h"
#include "cli/version.h"

namespace retrial::cli {
namespace {

// For roff: a hyphen that is one, no line that looks like a request, and three dots for their one character.
std::string roff(std::string_view text) {
  std::string out, plain(text);
  for (std::size_t at; (at = plain.find("…")) != plain.npos;) plain.replace(at, std::string_view("…").size(), "...");
  for (char c : plain) {
    if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '\'')
      out += "\\(aq";
    else if (c == '^')
      out += "\\(ha";
    else if (c == '~')
      out += "\\(ti";
    else
      out += c;
  }
  return out;
}

std::string item(const Option& option) {
  std::vector<std::string> names;
  for (auto& name : option.names) names.push_back("\\fB" + roff(name) + "\\fR");
  auto value = option.values.empty() ? option.value : fmt::format("{}", fmt::join(option.values, "|"));
  return fmt::format(".TP\n{}{}\n{}\n", fmt::join(names, ", "),
                     value.empty() || !option.names[0].starts_with('-') ? "" : " \\fI" + roff(value) + "\\fR",
                     option.what.empty() ? "\\&" : roff(option.what));
}

std::string synopsis(const Command& command) {
  auto line = fmt::format("\\fB{}\\fR", roff(command.path));
  if (!command.options.empty()) line += " [\\fIoptions\\fR]";
  if (!command.commands.empty()) line += " \\fIcommand\\fR";
  for (auto& one : command.positionals)
    line += (one.required ? " \\fI" : " [\\fI") + roff(one.names[0]) + (one.required ? "\\fR" : "\\fR]");
  return line;
}

void describe(const Command& command, std::string& out) {
  out += fmt::format(".SS {}\n{}\n.PP\n{}\n", roff(command.path), synopsis(command), roff(command.what));
  for (auto& one : command.positionals) out += item(one);
  for (auto& option : command.options)
    if (option.names.back() != "--help") out += item(option);
  for (auto& inner : command.commands) describe(inner, out);
}

std::string page(const Command& root) {
  auto out = fmt::format(
      ".TH RETRIAL 1 \"\" \"retrial {}\" \"User Commands\"\n"
      ".SH NAME\nretrial \\- put the retries of a test suite on trial\n"
      ".SH SYNOPSIS\n\\fBretrial run\\fR [\\fIoptions\\fR] \\-\\- \\fItest command\\fR\n.br\n"
      "\\fBretrial\\fR \\fIcommand\\fR [\\fIoptions\\fR]\n"
      ".SH DESCRIPTION\n{}\n.SH OPTIONS\n",
      version(), roff(root.what));
  for (auto& option : root.options) out += item(option);
  out += ".SH COMMANDS\n";
  for (auto& command : root.commands) describe(command, out);
  return out +
         fmt::format(
             ".SH EXIT STATUS\nOf \\fBrun\\fR, \\fBjudge\\fR and \\fBmerge\\fR:\n"
             ".TP\n{}\nNothing was found that counts.\n.TP\n{}\nA confirmed finding.\n.TP\n{}\nWrong usage or "
             "configuration.\n"
             ".TP\n{}\nNothing to try, or nothing that could be judged.\n.TP\n{}\nIncomplete.\n.TP\n{}\nInterrupted.\n",
             int{kFine}, int{kFindings}, int{kUsage}, int{kNothing}, int{kIncomplete}, int{kInterrupted}) +
         ".SH FILES\n.TP\n\\fIretrial.toml\\fR\nThe configuration, if there is one.\n"
         ".TP\n\\fI.retrial/latest\\fR\nThe newest campaign: report.html, findings.json, findings.sarif, junit.xml, "
         "campaign.db.\n"
         ".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR, \\fBCLICOLOR_FORCE\\fR\nNo colours; colours also where the output is "
         "no terminal.\n"
         ".TP\n\\fBBROWSER\\fR\nWhat shows a page for \\fB\\-\\-open\\fR.\n";
}

}  // namespace

void add_man(CLI::App& app, int& status) {
  app.add_subcommand("man", "print the manual page, for man -l -")->callback([&app, &status] {
    fmt::print("{}", page(tree_of(app)));
    status = kFine;
  });
}

}  // namespace retrial::cli
