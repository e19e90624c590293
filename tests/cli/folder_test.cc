// A folder is emptied by nobody while another campaign is at work in it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "tests/support/folder.h"

namespace retrial {
namespace {

using test::contents;

struct OutFolder : testing::Test {
  test::Folder folder;
  std::string marker = (folder.path() / ".retrial-campaign").string();
  std::string said;

  int observe() {
    auto command = "'" RETRIAL_BINARY "' observe --out '" + folder.path().string() + "' -- true 2>&1";
    auto* pipe = popen(command.c_str(), "r");
    said.clear();
    char buffer[4096];
    for (std::size_t got; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;) said.append(buffer, got);
    return WEXITSTATUS(pclose(pipe));
  }
};

TEST_F(OutFolder, is_left_alone_while_another_is_at_work_in_it) {
  std::ofstream(folder.path() / "campaign.db") << "theirs";
  int descriptor = open(marker.c_str(), O_RDWR | O_CREAT, 0600);
  struct flock all{};
  all.l_type = F_WRLCK;
  ASSERT_EQ(fcntl(descriptor, F_SETLK, &all), 0);
  EXPECT_EQ(observe(), 2);
  EXPECT_NE(said.find("another retrial is at work in it"), std::string::npos) << said;
  EXPECT_EQ(contents(folder.path() / "campaign.db"), "theirs");
  close(descriptor);
  EXPECT_NE(observe(), 2) << said;
  EXPECT_NE(contents(folder.path() / "campaign.db"), "theirs") << "it is an earlier campaign's, and emptied";
}

}  // namespace
}  // namespace retrial
