// What is written from the parser's own words: the manual page and the shells' completions.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "tests/support/folder.h"
#include "tests/support/said.h"

namespace retrial {
namespace {

using test::run;
using test::Said;

Said retrial(const std::string& arguments) { return run("'" RETRIAL_BINARY "' " + arguments); }

// The words of `text` that begin an entry of --help: "run" of "  run   put a test suite's …", "--budget" of an option.
std::set<std::string> entries(const std::string& text, const std::string& heading) {
  std::set<std::string> found;
  std::istringstream lines(text);
  bool within = false;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(' ')) within = line == heading;
    if (!within || !line.starts_with("  ") || line.starts_with("   ")) continue;
    auto word = line.substr(2, line.find_first_of(" ,", 2) - 2);
    if (auto at = line.find("--"); heading == "Options:" && at != line.npos && at < 12)
      word = line.substr(at, line.find_first_of(" ,", at) - at);
    found.insert(word);
  }
  return found;
}

std::string without_backslashes(std::string text) {
  std::erase(text, '\\');
  return text;
}

TEST(WrittenDown, every_command_and_its_options_stand_in_the_manual_and_in_each_completion) {
  auto manual = without_backslashes(retrial("man").text);
  auto commands = entries(retrial("--help").text, "Subcommands:");
  ASSERT_GT(commands.size(), 20u);
  ASSERT_TRUE(commands.count("demo")) << "one that is known to be there";
  auto bash = retrial("completion bash").text, zsh = retrial("completion zsh").text,
       fish = retrial("completion fish").text;
  for (auto& command : commands) {
    EXPECT_NE(manual.find(".SS retrial " + command + "\n"), manual.npos) << command;
    EXPECT_NE(bash.find("    ' " + command + "') words="), bash.npos) << command;
    EXPECT_NE(zsh.find("'" + command + ":"), zsh.npos) << command;
    EXPECT_NE(fish.find("-a '" + command + "'"), fish.npos) << command;
  }
  auto options = entries(retrial("run --help").text, "Options:");
  ASSERT_TRUE(options.count("--budget"));
  for (auto& option : options) {
    if (!option.starts_with("--")) continue;
    EXPECT_NE(manual.find(option), manual.npos) << option;
    EXPECT_NE(bash.find(" " + option), bash.npos) << option;
    EXPECT_NE(zsh.find("'" + option + ":"), zsh.npos) << option;
    EXPECT_NE(fish.find(" -l " + option.substr(2)), fish.npos) << option;
  }
}

TEST(WrittenDown, bash_completes_commands_options_and_the_values_of_an_option) {
  test::Folder folder;
  auto script = (folder.path() / "complete").string();
  ASSERT_EQ(retrial("completion bash > '" + script + "'").status, 0);
  auto completed = [&](const std::string& words, int at) {
    return run("bash -c 'source " + script + "; COMP_WORDS=(" + words + "); COMP_CWORD=" + std::to_string(at) +
               "; _retrial; echo ${COMPREPLY[@]}'")
        .text;
  };
  EXPECT_EQ(completed("retrial comple", 1), "completion\n");
  EXPECT_EQ(completed("retrial run --cov", 2), "--coverage\n");
  EXPECT_EQ(completed("retrial run --coverage \"\"", 3), "c0 c1 c2 c3 c4\n");
  EXPECT_EQ(completed("retrial run --budget \"\"", 3), "\n") << "a value of one's own";
  EXPECT_EQ(completed("retrial completion \"\"", 2), "bash zsh fish\n");
  EXPECT_EQ(completed("retrial run -- --cov", 3), "\n") << "behind -- stands the user's own command";
}

TEST(WrittenDown, json_says_what_the_text_says) {
  test::Folder folder;
  auto file = folder.write("retrial.toml", "[run]\nbudgt = \"1m\"\nhold = 3\n").string();
  auto checked = retrial("check --json '" + file + "'");
  auto said = nlohmann::json::parse(checked.text);
  EXPECT_EQ(checked.status, 2);
  EXPECT_FALSE(said["fine"]);
  std::string lines;
  for (auto& error : said["errors"])
    lines += "retrial: " + error["where"].get<std::string>() + ": " + error["what"].get<std::string>() + "\n";
  EXPECT_EQ(lines, retrial("check '" + file + "'").text);
  folder.write("retrial.toml", "");
  EXPECT_TRUE(nlohmann::json::parse(retrial("check --json '" + file + "'").text)["fine"]);

  auto all = retrial("explain").text;
  for (auto& verdict : nlohmann::json::parse(retrial("explain --json").text)["verdicts"]) {
    auto name = verdict["verdict"].get<std::string>();
    EXPECT_NE(all.find(name), all.npos) << name;
  }
  EXPECT_EQ(nlohmann::json::parse(retrial("explain --json faults").text)["markdown"], retrial("explain faults").text);
  auto of_caps = nlohmann::json::parse(retrial("explain --json missing-cap").text);
  EXPECT_TRUE(retrial("explain missing-cap").text.starts_with(of_caps["markdown"].get<std::string>()));
  EXPECT_FALSE(of_caps["right_code"].empty());
  EXPECT_NE(retrial("explain faults").text.find("lost-response"), std::string::npos);
  EXPECT_NE(all.find("Policies: P3, P1, "), std::string::npos) << all;
}

TEST(WrittenDown, a_verdict_is_explained_by_what_it_means_what_is_right_and_code_that_is) {
  auto said = retrial("explain kept-failure").text;
  auto meaning = said.find("**Who asks again gets a failure that was kept"), right = said.find("\n*Right.* "),
       rule = said.find("\n*Rule.* ");
  EXPECT_NE(meaning, said.npos) << said;
  EXPECT_LT(meaning, right) << said;
  EXPECT_LT(right, rule) << said;
  EXPECT_NE(rule, said.npos) << said;
  EXPECT_TRUE(said.ends_with("retrial explain kept-failure --code python|node|java|go\n")) << said;

  auto code = retrial("explain kept-failure --code go").text;
  EXPECT_TRUE(code.starts_with("// ask.go\n")) << code;  // which the other uses
  EXPECT_NE(code.find("\n// tickets.go\n"), code.npos) << code;
  EXPECT_EQ(code.find("```"), code.npos) << code;
  auto alone = retrial("explain missing-cap --code node").text;
  EXPECT_TRUE(alone.starts_with("// ask.mjs\n")) << alone;
  EXPECT_EQ(alone.find("tickets"), alone.npos) << alone;

  EXPECT_EQ(retrial("explain missing-cap --code cobol").text,
            "retrial: --code cobol: there is code in python, node, java, go\n");
  EXPECT_EQ(retrial("explain crash --code go").status, 2);
  EXPECT_EQ(retrial("explain hedging").text.find("Right code"), std::string::npos);
}

TEST(WrittenDown, an_unknown_shell_is_refused_with_those_that_are_known) {
  auto said = retrial("completion tcsh");
  EXPECT_EQ(said.status, 2);
  EXPECT_NE(said.text.find("{bash,zsh,fish}"), std::string::npos) << said.text;
}

}  // namespace
}  // namespace retrial
