#include "campaign/workload/shell_script.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "base/text.h"
#include "campaign/workload/adapters/adapter.h"
#include "campaign/workload/adapters/executable.h"

namespace retrial::campaign {
namespace {

using Kind = ShellScript::Command::Kind;
constexpr std::size_t kLongestScript = 64 << 10;  // bytes: it goes to the shell as one argument
constexpr std::string_view kShells[] = {"sh", "bash", "dash"};
// They look at what was done, and say so.
constexpr std::string_view kFollow[] = {"[",   "[[", "test", "grep", "egrep", "diff",
                                        "cmp", "jq", "cat",  "echo", "printf"};
// They send nothing, or are no client's to be tried.
constexpr std::string_view kOther[] = {
    ":",      ".",     "alias", "cd",       "chmod",  "chown",   "command", "cp",    "declare", "exec",   "exit",
    "export", "false", "hash",  "kill",     "let",    "ln",      "local",   "ls",    "mkdir",   "mktemp", "mv",
    "popd",   "pushd", "read",  "readonly", "return", "rm",      "set",     "shift", "shopt",   "sleep",  "source",
    "tar",    "touch", "trap",  "true",     "type",   "typeset", "ulimit",  "umask", "unalias", "unset",  "wait"};
// Within $( ): they say where something is.
constexpr std::string_view kPlaces[] = {"basename", "cat",    "cd",  "date",     "dirname",  "echo", "git",
                                        "mktemp",   "printf", "pwd", "readlink", "realpath", "seq",  "uname"};

bool is_one_of(std::span<const std::string_view> all, std::string_view word) {
  return std::ranges::count(all, word) > 0;
}

// Told of each command as the shell comes to it: the one before it ends, unless "+" goes on with it.
constexpr std::string_view kStep =
    "retrial_tell() { read -r retrial_up retrial_idle </proc/uptime; "
    "printf '{\"ev\":\"%s\",\"id\":\"%s\",\"phase\":\"test\",\"at\":%s0,\"status\":%s,\"pid\":%s}\\n' \"$1\" "
    "\"$retrial_open\" "
    "\"${retrial_up%.*}${retrial_up#*.}\" \"$retrial_failed\" \"$$\" >>\"$RETRIAL_EVENTS\"; }; "
    "retrial_step() { retrial_status=$?; if [ \"${retrial_open-}\" ]; then "
    "if [ \"$retrial_status\" != 0 ]; then retrial_failed=$retrial_status; fi; "
    "if [ \"${1-}\" != + ]; then retrial_tell end; retrial_open=; fi; fi; "
    "if [ \"${1-}\" ] && [ \"${1-}\" != + ]; then retrial_open=$1 retrial_failed=0; retrial_tell start; fi; "
    "case $-${2-} in *e*) return 0 ;; esac; return \"$retrial_status\"; }; ";

// Does the shell take this as whole commands?
bool is_whole(const std::string& shell, const std::string& text) {
  auto pid = fork();
  if (pid == 0) {
    int null = open("/dev/null", O_RDWR);
    for (int fd : {0, 1, 2}) dup2(null, fd);
    execlp(shell.c_str(), shell.c_str(), "-n", "-c", text.c_str(), nullptr);
    _exit(127);
  }
  int status = 1;
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// What the shell takes for whole though more belongs to it: a line that goes on, a text that has not come to its end.
bool goes_on(const std::string& text) {
  if (text.ends_with('\\')) return true;
  static const std::regex kHere(R"((^|[^<])<<-?[ \t]*(['"\\]?)([A-Za-z_]\w*))");
  for (std::sregex_iterator it(text.begin(), text.end(), kHere), end; it != end; ++it) {
    std::regex over("\\n\\t*" + (*it)[3].str() + "(\\n|$)");
    if (!std::regex_search(it->suffix().first, text.end(), over)) return true;
  }
  return false;
}

std::string first_word(std::string_view text) {
  auto words = trim(text);
  return std::string(words.substr(0, words.find_first_of(" \t\n;|&<>()")));
}

// What stands behind `A=1 b="x y" c=$(d "$(e)")`.
std::string_view after_assignments(std::string_view text) {
  for (;;) {
    auto from = trim(text);
    auto name =
        from.substr(0, from.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"));
    auto rest = from.substr(name.size());
    if (name.empty() || !(rest.starts_with('=') || rest.starts_with("+="))) return from;
    std::string open;  // what closes that which is open, innermost last
    std::size_t at = 0;
    for (; at < rest.size(); at++) {
      char c = rest[at], within = open.empty() ? '\0' : open.back();
      if (within == '\'') {
        if (c == within) open.pop_back();
      } else if (c == '\\') {
        at++;
      } else if (c == within) {
        open.pop_back();
      } else if (c == '"' || c == '`' || (c == '\'' && within != '"')) {
        open += c;
      } else if (c == '(') {
        open += ')';
      } else if (open.empty() && std::string_view(" \t\n;&|").contains(c)) {
        break;
      }
    }
    text = rest.substr(std::min(at, rest.size()));
  }
}

// Whether one of the commands whose output it takes may be a client.
bool asks_within(const std::string& text) {
  static const std::regex kTakes(R"((\$\(|`)[ \t]*([^\s()`;|&]+))");
  for (std::sregex_iterator it(text.begin(), text.end(), kTakes), end; it != end; ++it)
    if ((*it)[2].str().front() != '(' && !is_one_of(kPlaces, program_name((*it)[2].str()))) return true;
  return false;
}

ShellScript::Command command_of(const std::string& text, std::size_t line) {
  static const std::regex kDefines(R"(^\s*(function\s+\S+|[\w:.-]+\s*\(\s*\)))");
  static const std::regex kBackground(R"([^&]&\s*(#.*)?$)");
  ShellScript::Command command{line, Kind::other, {}};
  std::string rest(after_assignments(text));
  auto word = first_word(rest);
  command.name = program_name(word);
  if (std::regex_search(text, kDefines) || std::regex_search(text, kBackground)) return command;
  if (text.contains("$?") || text.contains("PIPESTATUS"))
    command.kind = Kind::follows;
  else if (asks_within(text))
    command.kind = Kind::test;
  else if (word.empty() && !rest.starts_with('('))
    command.kind = Kind::other;
  else if (is_one_of(kFollow, command.name))
    command.kind = rest.contains('|') || rest.contains("&&") || rest.contains("||") ? Kind::test : Kind::follows;
  else if (!is_one_of(kOther, command.name) || rest.contains("&&"))
    command.kind = Kind::test;
  if (command.name.empty()) {
    std::smatch taken;
    std::regex_search(text, taken, std::regex(R"((\$\(|`)[ \t]*([^\s()`;|&]+))"));
    command.name = taken.empty() ? "(" : std::string(program_name(taken[2].str()));
  }
  return command;
}

bool read_commands(ShellScript& script) {
  std::string open;
  std::size_t begun = 0, line = 0;
  for (auto one : split(script.text, '\n')) {
    if (open.empty()) begun = line;
    line++;
    auto plain = trim(one);
    if (open.empty() && (plain.empty() || plain.starts_with('#'))) continue;
    open += (open.empty() ? "" : "\n") + std::string(one);
    if (goes_on(open) || !is_whole(script.shell.front(), open)) continue;
    script.commands.push_back(command_of(open, begun));
    open.clear();
  }
  return open.empty();
}

std::string for_shell(std::string_view text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

// "#!/usr/bin/env bash -e" as words; empty where it is none of our shells.
std::vector<std::string> shell_of(std::string_view text) {
  std::vector<std::string> words;
  if (!text.starts_with("#!")) return words;
  for (auto word : split(text.substr(2, text.find('\n') - 2), ' '))
    if (auto plain = trim(word); !plain.empty()) words.emplace_back(plain);
  while (!words.empty() && (program_name(words[0]) == "env" || words[0] == "-S")) words.erase(words.begin());
  if (words.empty() || !is_one_of(kShells, program_name(words[0]))) words.clear();
  return words;
}

std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  if (in) text << in.rdbuf();
  return text.str();
}

}  // namespace

std::size_t ShellScript::tests() const {
  return static_cast<std::size_t>(std::ranges::count(commands, Kind::test, &Command::kind));
}

std::optional<ShellScript> shell_script(const std::vector<std::string>& argv) {
  ShellScript script;
  auto at = program_at(argv);
  if (at >= argv.size()) return {};
  if (is_one_of(kShells, program_name(argv[at]))) {
    script.shell = {argv[at++]};
    for (; at < argv.size() && argv[at].starts_with('-') && argv[at] != "--"; at++) {
      if (argv[at].starts_with("--") || argv[at].find_first_of("cs") != argv[at].npos) return {};
      script.shell.push_back(argv[at]);
      if (argv[at].ends_with('o') && at + 1 < argv.size()) script.shell.push_back(argv[++at]);
    }
    if (at < argv.size() && argv[at] == "--") at++;
    if (at >= argv.size()) return {};
    script.text = text_of(argv[at]);
  } else if (argv[at].contains('/')) {
    if (access(argv[at].c_str(), X_OK) != 0) return {};
    script.text = text_of(argv[at]);
    script.shell = shell_of(script.text);
  }
  if (script.shell.empty() || script.text.empty() || script.text.size() > kLongestScript || script.text.contains('\0'))
    return {};
  script.file = argv[at];
  script.arguments.assign(argv.begin() + static_cast<std::ptrdiff_t>(at) + 1, argv.end());
  if (!is_whole(script.shell.front(), script.text) || !read_commands(script)) return {};
  return script;
}

std::string id_of(const ShellScript& script, const ShellScript::Command& command) {
  auto name = command.name;
  for (auto& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && !std::string_view("._-+({[").contains(c)) c = '_';
  return fmt::format("{}:{} {}", script.file.starts_with("./") ? script.file.substr(2) : script.file, command.line + 1,
                     name);
}

bool is_id_of(const ShellScript& script, std::string_view id) {
  return std::ranges::any_of(script.commands,
                             [&](auto& command) { return command.kind == Kind::test && id_of(script, command) == id; });
}

std::vector<std::string> telling(const ShellScript& script) {
  std::vector<std::string> lines;
  for (auto line : split(script.text, '\n')) lines.emplace_back(line);
  bool open = false;
  for (auto& command : script.commands) {
    if (command.kind == Kind::follows && lines[command.line].contains("PIPESTATUS")) continue;
    auto escaped = nlohmann::json(id_of(script, command)).dump();
    auto step = command.kind == Kind::test      ? for_shell(escaped.substr(1, escaped.size() - 2)) + "; "
                : !open                         ? ""
                : command.kind == Kind::follows ? "+; "
                                                : "''; ";
    if (!step.empty()) lines[command.line].insert(0, "retrial_step " + step);
    open = command.kind != Kind::other && (open || command.kind == Kind::test);
  }
  std::string text(kStep);
  // At the outermost level of a script that is no argument, these two are the same.
  static const std::regex kSource(R"(\$\{BASH_SOURCE(\[0\])?\}|\$BASH_SOURCE\b)");
  for (auto& line : lines) text += std::regex_replace(line, kSource, "$$0") + "\n";
  text += "retrial_step '' last\n";
  auto argv = script.shell;
  argv.insert(argv.end(), {"-c", text, script.file});
  argv.insert(argv.end(), script.arguments.begin(), script.arguments.end());
  return argv;
}

}  // namespace retrial::campaign
