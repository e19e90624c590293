#include "campaign/workload/shell_script.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/folder.h"
#include "tests/support/variables.h"

namespace retrial::campaign {
namespace {

using ScriptWords = std::vector<std::string>;

class Scripts : public testing::Test {
 protected:
  std::string write(std::string_view text, std::filesystem::perms mode = std::filesystem::perms::owner_all) {
    auto file = folder_.path() / "smoke.sh";
    std::ofstream(file) << text;
    std::filesystem::permissions(file, mode);
    return file.string();
  }
  // "2 test curl" each.
  static ScriptWords said(const ShellScript& script) {
    ScriptWords all;
    for (auto& command : script.commands) {
      auto kind = command.kind == ShellScript::Command::Kind::test      ? "test"
                  : command.kind == ShellScript::Command::Kind::follows ? "follows"
                                                                        : "other";
      all.push_back(std::to_string(command.line + 1) + " " + kind + " " + command.name);
    }
    return all;
  }
  // What a command writes, and its status.
  static std::string ran(const ScriptWords& argv) {
    std::string line;
    for (auto& word : argv) {
      line += " '";
      for (char c : word) line += c == '\'' ? "'\\''" : std::string(1, c);
      line += "'";
    }
    auto* pipe = popen((line + " 2>&1").c_str(), "r");
    std::string out;
    for (int c; (c = fgetc(pipe)) != EOF;) out += static_cast<char>(c);
    return out + "status " + std::to_string(WEXITSTATUS(pclose(pipe)));
  }
  test::Folder folder_;
};

TEST_F(Scripts, are_parted_as_their_shell_parts_them) {
  auto script = shell_script({"bash", write(R"SH(#!/bin/bash
set -eu
# a comment
name="a b" OTHER='c'
check() {
  curl -f "$1"
}
here=$(cd "$(dirname "$0")" && pwd)
token=$(curl -s "$1/token" | jq -r .token)
python3 -m http.server 8000 &
cat <<EOF >body
curl is no command here
EOF
A=1 curl -d @body \
  "$1" | tee log
[ ${PIPESTATUS[0]} = 0 ]
grep -q ok log
check http://localhost || exit 3
for i in 1 2; do
  curl "$i"
done
echo "$?"
)SH")});
  ASSERT_TRUE(script);
  EXPECT_EQ(said(*script), (ScriptWords{"2 other set", "4 other (", "5 other check", "8 other cd", "9 test curl",
                                        "10 other python3", "11 follows cat", "14 test curl", "16 follows [",
                                        "17 follows grep", "18 test check", "19 test for", "22 follows echo"}));
  EXPECT_EQ(id_of(*script, script->commands[4]), script->file + ":9 curl");
}

TEST_F(Scripts, are_those_of_a_shell_that_takes_them_and_no_other_command) {
  auto file = write("#!/usr/bin/env bash\ncurl a\ncurl b\n");
  for (auto& argv : {ScriptWords{"bash", file}, ScriptWords{"env", "A=1", "sh", "-eu", file},
                     ScriptWords{"bash", "-o", "pipefail", file, "x"}, ScriptWords{file, "x"}})
    EXPECT_TRUE(shell_script(argv)) << argv[0];
  for (auto& argv : {ScriptWords{"bash", "-c", file}, ScriptWords{"bash"}, ScriptWords{"sh", "-s", file},
                     ScriptWords{"python3", file}, ScriptWords{"bash", file + ".no"}, ScriptWords{"make", file}})
    EXPECT_FALSE(shell_script(argv)) << argv[0];
  EXPECT_FALSE(shell_script({"sh", write("if curl a; then\n")}));
  EXPECT_FALSE(shell_script({write("#!/usr/bin/python3\ncurl\n")}));
}

TEST_F(Scripts, that_tell_write_and_end_as_they_would_without_it) {
  test::Variables events{{"RETRIAL_EVENTS", "/dev/null"}};
  for (auto shell : {"bash", "sh", "dash"})
    for (auto text : {"echo \"$0 $1 $#\"\nls /no/such\necho $?\nls / >/dev/null\n",
                      "set -e\nls / >/dev/null\nls /no/such\necho not here\n",
                      "set -eu\nfalse || true\nls /no && ls /\nls /no || echo went on\n", "ls /\nexit 7\n",
                      "trap 'echo over' EXIT\nls /no\nls /no\n", "f() {\n  return 3\n}\nf\necho \"$?\"\nf\n",
                      "cat <<'E'\nls \\\nE\nls /no \\\n  /none\n"}) {
      ScriptWords argv{shell, write(text), "a b"};
      auto script = shell_script(argv);
      ASSERT_TRUE(script) << text;
      EXPECT_EQ(ran(telling(*script)), ran(argv)) << shell << "\n" << text;
    }
  ScriptWords argv{"bash", write("cd \"$(dirname \"${BASH_SOURCE[0]}\")\"\npwd\nls /no | cat\n[ ${PIPESTATUS[0]} = 0 "
                                 "] || echo piped\nls /\necho $LINENO\n")};
  EXPECT_EQ(ran(telling(*shell_script(argv))), ran(argv));
}

TEST_F(Scripts, tell_of_each_test_and_how_it_ended) {
  auto file = (folder_.path() / "events").string();
  test::Variables events{{"RETRIAL_EVENTS", file.c_str()}};
  auto script = shell_script({"sh", write("date >/dev/null\nls /no\n[ a = b ]\nx=1\nexpr 1 >/dev/null\n")});
  ran(telling(*script));
  ScriptWords said;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    auto at = line.find(":", line.find("smoke.sh"));
    said.push_back(line.substr(7, line.find('"', 7) - 7) + " " + line.substr(at + 1, line.find('"', at) - at - 1) +
                   " " + line.substr(line.find("\"status\":") + 9, 1));
  }
  EXPECT_EQ(said, (ScriptWords{"start 1 date 0", "end 1 date 0", "start 5 expr 0", "end 5 expr 0"}));
}

}  // namespace
}  // namespace retrial::campaign
