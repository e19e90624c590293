#include "campaign/workload/agents/go_overlay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "tests/support/folder.h"

namespace retrial::campaign {
namespace {
namespace fs = std::filesystem;

std::string text_of_all(const GoPart& part, std::string_view file, bool now) {
  std::string text = "// before\n";
  for (auto& edit : part.edits)
    if (edit.file == file) text += std::string(now ? edit.now : edit.old) + "// after\n";
  return text;
}

// A toolchain that has what the edits look for, and nothing else.
fs::path toolchain(const fs::path& folder, const std::vector<GoPart>& parts) {
  for (auto& part : parts)
    for (auto& edit : part.edits) {
      auto file = folder / "go" / "src" / edit.file;
      fs::create_directories(file.parent_path());
      std::ofstream(file) << text_of_all(part, edit.file, false);
    }
  return folder / "go";
}

std::string dotted(std::string_view file) {
  std::string name(file);
  std::ranges::replace(name, '/', '.');
  return name + ".txt";
}

TEST(GoOverlay, each_edited_file_takes_the_place_of_the_toolchains_own_and_ours_are_added) {
  test::Folder folder;
  for (auto architecture : {"amd64", "arm64"}) {
    std::vector<GoPart> parts{go_tests_and_calls(), go_clock(architecture)};
    auto root = toolchain(folder.path() / architecture, parts);
    auto own = folder.path() / architecture / "overlay";
    auto overlay = write_go_overlay(root, parts, own);
    ASSERT_TRUE(overlay) << overlay.error().line();
    EXPECT_TRUE(overlay->lost.empty());
    auto json = test::contents(overlay->file);
    for (auto& part : parts) {
      for (auto& edit : part.edits) {
        auto name = dotted(edit.file);
        EXPECT_TRUE(json.contains("\"" + (root / "src" / edit.file).string() + "\": \"" + (own / name).string() + "\""))
            << json;
        EXPECT_EQ(test::contents(own / name), text_of_all(part, edit.file, true));
      }
      for (auto& added : part.added)
        EXPECT_TRUE(json.contains("\"" + (root / "src" / added.target).string() + "\": \"" +
                                  (own / added.file).string() + "\""))
            << json;
    }
  }
}

TEST(GoOverlay, a_part_that_the_toolchain_does_not_fit_is_left_out_alone_and_its_place_is_named) {
  test::Folder folder;
  std::vector<GoPart> parts{go_tests_and_calls(), go_clock("amd64")};
  auto root = toolchain(folder.path(), parts);
  std::ofstream(root / "src/runtime/os_linux.go") << "package runtime\n";
  auto overlay = write_go_overlay(root, parts, folder.path() / "overlay");
  ASSERT_TRUE(overlay) << overlay.error().line();
  ASSERT_EQ(overlay->lost.size(), 1u);
  EXPECT_TRUE(overlay->lost[0].starts_with(parts[1].lost)) << overlay->lost[0];
  EXPECT_TRUE(overlay->lost[0].contains("os_linux.go")) << overlay->lost[0];
  EXPECT_TRUE(overlay->lost[0].contains("this Go is not known")) << overlay->lost[0];
  auto json = test::contents(overlay->file);
  EXPECT_TRUE(json.contains("retrial_stage.go") && !json.contains("retrial_time.go")) << json;
  std::ofstream(root / "src/testing/testing.go") << "package testing\n";
  overlay = write_go_overlay(root, parts, folder.path() / "overlay");
  EXPECT_TRUE(overlay && overlay->file.empty() && overlay->lost.size() == 2u);
}

// So that what is edited stays known: where another Go has come, this says which place is gone.
TEST(GoOverlay, fits_the_go_on_PATH) {
  if (std::system("command -v go >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no go here";
  test::Folder folder;
  auto overlay = overlay_go_on_path(true, folder.path());
  ASSERT_TRUE(overlay) << overlay.error().line();
  EXPECT_EQ(overlay->lost, std::vector<std::string>{});
}

TEST(GoOverlay, a_place_that_stands_there_twice_is_not_edited) {
  EXPECT_TRUE(edited("a\nb\n", {"x.go", "a\n", "c\n"}));
  EXPECT_FALSE(edited("a\na\n", {"x.go", "a\n", "c\n"}));
}

}  // namespace
}  // namespace retrial::campaign
