#include "campaign/planning/changed_files.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "tests/support/folder.h"

namespace retrial::campaign {
namespace {

namespace fs = std::filesystem;

TEST(ChangedFiles, are_those_that_differ_or_were_renamed_or_are_new_in_the_whole_repository) {
  auto home = fs::current_path();
  test::Folder root;
  fs::create_directories(root.path() / "app/src");
  fs::current_path(root.path());
  auto write = [](const char* file, const char* text) { std::ofstream(file) << text; };
  auto git = [](const std::string& words) {
    EXPECT_EQ(std::system(("git -c user.name=a -c user.email=a@b " + words + " >git.log 2>&1").c_str()), 0) << words;
  };
  for (auto* file : {"app/src/same.py", "app/src/differs.py", "app/src/old.py", "app/in stage.py", "shared.py"})
    write(file, "a = 1\n");
  write(".gitignore", "git.log\nignored.py\n");
  EXPECT_TRUE(ChangedFiles::since("HEAD").error().line().starts_with("--changed-since: git")) << "no repository";
  git("init -q");
  git("add .");
  git("commit -qm a");
  git("mv app/src/old.py app/src/renamed.py");
  write("app/src/differs.py", "a = 2\n");
  write("shared.py", "a = 2\n");
  write("app/in stage.py", "a = 2\n");
  git("add 'app/in stage.py'");
  write("app/src/new.py", "");
  write("app/ignored.py", "");
  fs::current_path("app");
  auto changed = ChangedFiles::since("HEAD");
  ASSERT_TRUE(changed) << changed.error().line();
  for (auto* file : {"src/differs.py", "src/renamed.py", "src/new.py", "in stage.py", "../shared.py", "./src/new.py"})
    EXPECT_TRUE(changed->contains(file)) << file;
  EXPECT_TRUE(changed->contains(fs::absolute("src/new.py")));
  for (auto* file : {"src/same.py", "ignored.py", "differs.py", "src", "<string>", ""})
    EXPECT_FALSE(changed->contains(file)) << file;
  EXPECT_EQ(ChangedFiles::since("nope").error().line(),
            "--changed-since: git knows no commit \"nope\" here; a shallow clone has to fetch it first");
  EXPECT_FALSE(ChangedFiles::since("--output=x"));
  std::string path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  EXPECT_EQ(ChangedFiles::since("HEAD").error().line(),
            "--changed-since: asks git, and there is no git on PATH");
  setenv("PATH", path.c_str(), 1);
  fs::current_path(home);
}

}  // namespace
}  // namespace retrial::campaign
