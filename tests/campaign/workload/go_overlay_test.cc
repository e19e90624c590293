#include "campaign/workload/agents/go_overlay.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/folder.h"

namespace retrial::campaign {
namespace {
namespace fs = std::filesystem;

// A toolchain whose runtime has what the edits look for, and nothing else.
fs::path toolchain(const fs::path& folder, std::string_view architecture) {
  auto runtime = folder / "go" / "src" / "runtime";
  fs::create_directories(runtime);
  for (auto& edit : go_edits(architecture))
    std::ofstream(runtime / edit.file) << "// before\n" << edit.old << "// after\n";
  return folder / "go";
}
TEST(GoOverlay, each_edited_file_takes_the_place_of_the_toolchains_own_and_one_is_added) {
  test::Folder folder;
  for (auto architecture : {"amd64", "arm64"}) {
    auto root = toolchain(folder.path() / architecture, architecture);
    auto own = folder.path() / architecture / "overlay";
    auto file = write_go_overlay(root, architecture, "/agents/go/retrial_time.go.txt", own);
    ASSERT_TRUE(file) << file.error().line();
    auto json = test::contents(*file);
    for (auto& edit : go_edits(architecture)) {
      auto name = std::string(edit.file);
      EXPECT_NE(json.find("\"" + (root / "src/runtime" / name).string() + "\": \"" + (own / name).string() + ".txt\""),
                json.npos)
          << json;
      EXPECT_EQ(test::contents(own / (name + ".txt")), "// before\n" + std::string(edit.now) + "// after\n");
    }
    EXPECT_NE(json.find("src/runtime/retrial_time.go\": \"/agents/go/retrial_time.go.txt\""), json.npos) << json;
  }
}

TEST(GoOverlay, a_runtime_that_is_not_known_gets_none_and_the_place_is_named) {
  test::Folder folder;
  auto root = toolchain(folder.path(), "amd64");
  std::ofstream(root / "src/runtime/os_linux.go") << "package runtime\n";
  auto file = write_go_overlay(root, "amd64", "/added", folder.path() / "overlay");
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().line().find("os_linux.go"), std::string::npos) << file.error().line();
  EXPECT_NE(file.error().line().find("this Go is not known"), std::string::npos);
}

TEST(GoOverlay, a_place_that_stands_there_twice_is_not_edited) {
  EXPECT_TRUE(edited("a\nb\n", {"x.go", "a\n", "c\n"}));
  EXPECT_FALSE(edited("a\na\n", {"x.go", "a\n", "c\n"}));
}

}  // namespace
}  // namespace retrial::campaign
