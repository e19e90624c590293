// integration/agents/go/toolexec.sh, as `go` calls it by -toolexec.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "campaign/workload/agents/files.h"
#include "tests/support/folder.h"

namespace retrial::campaign {
namespace {
namespace fs = std::filesystem;

// A linker that writes "linked" and counts its runs, and any other tool, which gives its arguments.
class GoToolexec : public testing::Test {
 protected:
  GoToolexec() {
    EXPECT_TRUE(unpack_agents(folder_.path()));
    tool("link", "echo x >>'" + runs_ + "'\nshift; echo linked >\"$1\"\n");
    tool("fails", "exit 3\n");
    tool("vet", "echo \"$@\"\n");
  }
  void tool(const std::string& name, const std::string& script) {
    auto file = folder_.path() / name;
    std::ofstream(file) << "#!/bin/sh\n" << script;
    fs::permissions(file, fs::perms::owner_all);
  }
  int run(const std::string& tool, const std::string& arguments) {
    auto line = "'" + (folder_.path() / "go/toolexec.sh").string() + "' '" + (folder_.path() / tool).string() + "' " +
                arguments + " >'" + said_ + "'";
    return WEXITSTATUS(std::system(line.c_str()));
  }
  std::string link(const std::string& out, const std::string& id) {
    auto file = (folder_.path() / out).string();
    EXPECT_EQ(run("link", "-o '" + file + "' -importcfg i -buildid=" + id + " -extldflags=-buildid=a/b main.a"), 0);
    return test::contents(file);
  }
  auto linked() const { return fs::exists(runs_) ? test::contents(runs_).size() / 2 : 0; }

  test::Folder folder_;
  std::string runs_ = (folder_.path() / "runs").string(), said_ = (folder_.path() / "said").string();
};

TEST_F(GoToolexec, what_was_linked_once_is_copied_from_then_on) {
  EXPECT_EQ(link("1", "act/main/content/act"), "linked\n");
  std::ofstream(folder_.path() / "1") << "go has written its id here";
  EXPECT_EQ(link("2", "act/main/content/act"), "linked\n");
  EXPECT_EQ(linked(), 1u);
  EXPECT_EQ(link("3", "other/main/content/other"), "linked\n");
  EXPECT_EQ(linked(), 2u);
}

TEST_F(GoToolexec, a_link_that_fails_or_has_no_name_is_not_kept) {
  fs::rename(folder_.path() / "fails", folder_.path() / "link");
  EXPECT_EQ(run("link", "-o x -buildid=act/main/content/act main.a"), 3);
  EXPECT_EQ(run("link", "-V=full"), 3);
  EXPECT_FALSE(fs::exists(folder_.path() / "go/cache"));
}

TEST_F(GoToolexec, other_tools_are_run_as_they_are) {
  EXPECT_EQ(run("vet", "-V=full 'a  b'"), 0);
  EXPECT_EQ(test::contents(said_), "-V=full a  b\n");
}

}  // namespace
}  // namespace retrial::campaign
