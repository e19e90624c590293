#include "base/private_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/folder.h"

namespace retrial {
namespace {
unsigned mode_of(const std::filesystem::path& path) {
  struct stat is{};
  stat(path.c_str(), &is);
  return is.st_mode & 07777u;
}

TEST(PrivateFiles, a_folder_is_its_owners_alone_also_where_it_was_there) {
  test::Folder folder;
  umask(0);
  auto inner = folder.path() / "a" / "b";
  ASSERT_TRUE(private_folder(inner));
  EXPECT_EQ(mode_of(inner), 0700u);
  chmod(inner.c_str(), 0755);
  ASSERT_TRUE(private_folder(inner));
  EXPECT_EQ(mode_of(inner), 0700u);
}
TEST(PrivateFiles, a_folder_that_everybody_writes_to_keeps_its_mode) {
  test::Folder folder;
  chmod(folder.path().c_str(), 01777);
  ASSERT_TRUE(private_folder(folder.path()));
  EXPECT_EQ(mode_of(folder.path()), 01777u);
}
TEST(PrivateFiles, what_is_written_is_its_owners_alone_until_the_umask_is_back) {
  test::Folder folder;
  umask(022);
  keep_files_private();
  EXPECT_EQ(mode_of(folder.write("a/b", "")), 0600u);
  EXPECT_EQ(mode_of(folder.path() / "a"), 0700u);
  restore_umask();
  EXPECT_EQ(mode_of(folder.write("c", "")), 0644u);
}
}  // namespace
}  // namespace retrial
