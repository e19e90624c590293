// Completion of the command line, written from what --help is written from.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>

#include "base/text.h"
#include "cli/command_tree.h"
#include "cli/commands.h"

namespace retrial::cli {
namespace {

// In single quotes, for any of the three shells: an apostrophe becomes the typographical one, which needs no escape.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? "’" : c == '\n' ? " " : std::string(1, c);
  return out + "'";
}

// The first clause is what a list has room for.
std::string brief(const std::string& what) {
  auto text = what.substr(0, what.find_first_of(";\n"));
  if (text.size() > 90) text = text.substr(0, text.rfind(' ', 87)) + " …";
  return text;
}

using Visit = std::function<void(const Command&, const std::string& place)>;

// Each command with its place: "" is retrial itself, " ca make" one within one.
void each(const Command& command, const std::string& place, const Visit& visit) {
  visit(command, place);
  for (auto& inner : command.commands) each(inner, place + " " + inner.name, visit);
}

// Shell code (of bash and of zsh) by which $at becomes the place that the words before the cursor lead to.
std::string places(const Command& root) {
  std::string out = "    case \"$at $word\" in\n";
  each(root, "", [&](auto&, auto& place) {
    if (!place.empty()) out += fmt::format("      {}) at=\"$at $word\" ;;\n", in_quotes(place));
  });
  return out + "    esac\n";
}

std::string bash(const Command& root) {
  std::string words, values;
  each(root, "", [&](const Command& command, const std::string& place) {
    std::vector<std::string> all;
    for (auto& inner : command.commands) all.push_back(inner.name);
    for (auto& option : command.options) {
      for (auto& name : option.names) {
        all.push_back(name);
        if (!option.value.empty())
          values += fmt::format("    {}) words={}; given=1 ;;\n", in_quotes(place + " " + name),
                                in_quotes(fmt::format("{}", fmt::join(option.values, " "))));
      }
    }
    for (auto& one : command.positionals) all.insert(all.end(), one.values.begin(), one.values.end());
    words += fmt::format("    {}) words={} ;;\n", in_quotes(place), in_quotes(fmt::format("{}", fmt::join(all, " "))));
  });
  return fmt::format(R"(# bash: source <(retrial completion bash)
_retrial() {{
  local at= word words= given= i
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}}
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${{COMP_WORDS[i]}}
    if [ "$word" = -- ]; then
      if declare -F _command_offset >/dev/null; then _command_offset $((i + 1)); fi
      return
    fi
{}  done
  case "$at" in
{}  esac
  case "$at $prev" in
{}  esac
  if [ -z "$given" ] && [[ $cur != -* ]]; then
    case " $words " in *' -'*) words=$(for word in $words; do [[ $word == -* ]] || printf '%s ' "$word"; done) ;; esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}}
complete -o default -F _retrial retrial
)",
                     places(root), words, values);
}

std::string zsh(const Command& root) {
  std::string lists, values;
  auto item = [](std::string name, const std::string& what) { return in_quotes(name + ":" + brief(what)); };
  auto is_free = [](auto& positional) { return positional.values.empty(); };
  each(root, "", [&](const Command& command, const std::string& place) {
    lists += fmt::format("    {}) items=(", in_quotes(place));
    for (auto& inner : command.commands) lists += "\n      " + item(inner.name, inner.what);
    for (auto& one : command.positionals)
      for (auto& value : one.values) lists += "\n      " + in_quotes(value);
    bool files = !place.empty() && std::ranges::any_of(command.positionals, is_free);
    lists += fmt::format(")\n      files={}\n      options=(", files ? "1" : "");
    for (auto& option : command.options)
      for (auto& name : option.names) {
        lists += "\n      " + item(name, option.what);
        if (option.value.empty()) continue;
        values += fmt::format("    {}) ", in_quotes(place + " " + name));
        values += option.values.empty() ? "_files; return ;;\n"
                                        : fmt::format("compadd -- {}; return ;;\n", fmt::join(option.values, " "));
      }
    lists += ") ;;\n";
  });
  return fmt::format(R"(#compdef retrial
# zsh: retrial completion zsh > a folder of $fpath, as _retrial
_retrial() {{
  local at= word files i
  local -a items options
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    if [[ $word == -- ]]; then
      words=("${{(@)words[i+1,-1]}}")
      ((CURRENT -= i))
      _normal
      return
    fi
{}  done
  case "$at $words[CURRENT-1]" in
{}  esac
  case "$at" in
{}  esac
  if [[ $words[CURRENT] == -* ]]; then
    _describe option options
  else
    ((! $#items)) || _describe command items
    [[ -z $files ]] || _files
  fi
}}
if [ "$funcstack[1]" = _retrial ]; then _retrial "$@"; else compdef _retrial retrial; fi
)",
                     places(root), values, lists);
}

std::string fish(const Command& root) {
  std::string cases, lines;
  each(root, "", [&](const Command& command, const std::string& place) {
    if (!place.empty())
      cases += fmt::format("            case {}\n                set at \"$at $word\"\n", in_quotes(place));
    auto when = fmt::format("complete -c retrial -n \"__retrial_at '{}'\"", place);
    for (auto& inner : command.commands)
      lines += fmt::format("{} -f -a {} -d {}\n", when, in_quotes(inner.name), in_quotes(brief(inner.what)));
    for (auto& one : command.positionals)
      if (!one.values.empty())
        lines += fmt::format("{} -f -a {}\n", when, in_quotes(fmt::format("{}", fmt::join(one.values, " "))));
    for (auto& option : command.options) {
      lines += when;
      for (auto& name : option.names)
        lines += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.values.empty())
        lines += fmt::format(" -x -a {}", in_quotes(fmt::format("{}", fmt::join(option.values, " "))));
      else if (!option.value.empty())
        lines += " -r";
      lines += fmt::format(" -d {}\n", in_quotes(brief(option.what)));
    }
  });
  return fmt::format(R"(# fish: retrial completion fish > ~/.config/fish/completions/retrial.fish
function __retrial_behind
    set -l words (commandline -opc)
    set -l at (contains -i -- -- $words); or return
    complete -C (string join ' ' -- (string escape -- $words[$at..-1])[2..-1] (commandline -ct))
end
complete -c retrial -n 'contains -- -- (commandline -opc)' -f -a '(__retrial_behind)'
function __retrial_at
    set -l at ''
    for word in (commandline -opc)[2..-1]
        test "$word" = --; and return 1
        switch "$at $word"
{}        end
    end
    test "$at" = "$argv[1]"
end
{})",
                     cases, lines);
}

}  // namespace

void add_completion(CLI::App& app, int& status) {
  auto shell = std::make_shared<std::string>();
  auto* command = app.add_subcommand("completion", "print what completes this command line in a shell");
  command->add_option("shell", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([shell, &app, &status] {
    auto root = tree_of(app);
    fmt::print("{}", *shell == "bash" ? bash(root) : *shell == "zsh" ? zsh(root) : fish(root));
    status = kFine;
  });
}

}  // namespace retrial::cli
