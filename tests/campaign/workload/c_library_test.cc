#include "campaign/workload/agents/c_library.h"

#include <gtest/gtest.h>

#include "tests/support/folder.h"

namespace retrial::campaign {
namespace {

TEST(CLibrary, without_its_parts_nothing_is_preloaded) {
  test::Folder root;
  EXPECT_TRUE(preloads_here(root.path())) << "none in the usual folders: nothing is known";
  root.write("usr/lib/x86_64-linux-gnu/libc.so.6", "");
  EXPECT_FALSE(preloads_here(root.path()));
  root.write("usr/lib/x86_64-linux-gnu/libdl.so.2", "");
  EXPECT_FALSE(preloads_here(root.path()));
  root.write("usr/lib/x86_64-linux-gnu/libpthread.so.0", "");
  EXPECT_TRUE(preloads_here(root.path()));
  EXPECT_TRUE(preloads_here()) << "this machine's";
}

}  // namespace
}  // namespace retrial::campaign
