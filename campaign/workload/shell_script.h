#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace retrial::campaign {

// A shell script as its own shell parts it: what stands at its outermost level, command by command.
struct ShellScript {
  struct Command {
    std::size_t line = 0;  // its first, from 0
    enum class Kind { test, follows, other } kind = Kind::other;
    std::string name;  // of the program or function: "curl"
  };
  std::vector<std::string> shell;  // and its options: "bash", "-e"
  std::string file;                // as the command names it
  std::vector<std::string> arguments;
  std::string text;
  std::vector<Command> commands;

  std::size_t tests() const;
};

// Reads what such a command runs: `bash -e smoke.sh x`, `./smoke.sh`, of sh, dash and bash. None where it is no such
// command, or a script that its shell does not take.
//  test     may send requests: a program, a function, a loop, `x=$(curl ...)`
//  follows  looks at what the one before it did (`grep`, `[`, whatever asks for $?): a part of it
//  other    assigns, defines, starts something in the background, or sees to files
std::optional<ShellScript> shell_script(const std::vector<std::string>& argv);

// "smoke.sh:12 curl": its file, line and program.
std::string id_of(const ShellScript& script, const ShellScript::Command& command);
// Is that the id of a command of this script?
bool is_id_of(const ShellScript& script, std::string_view id);

// The command that runs it with events around each test (docs/agents.md), every line where it was; an `end` bears the
// highest status as `status`.
std::vector<std::string> telling(const ShellScript& script);

}  // namespace retrial::campaign
