#include "base/regular_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/support/folder.h"

namespace retrial {
namespace {

TEST(RegularFile, is_read_and_nothing_else_is_waited_for) {
  test::Folder folder;
  auto file = folder.path() / "a", pipe = folder.path() / "pipe";
  std::ofstream(file) << "text";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(read_regular_file(file, 100), "text");
  EXPECT_EQ(read_regular_file(file, 2), "te");
  for (auto& none : {pipe, folder.path(), folder.path() / "missing", std::filesystem::path("/proc/self/mem")})
    EXPECT_EQ(read_regular_file(none, 100), std::nullopt) << none;
}

}  // namespace
}  // namespace retrial
