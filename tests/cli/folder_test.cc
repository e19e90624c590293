// A folder is emptied by nobody while another campaign is at work in it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/folder.h"
#include "tests/support/said.h"

namespace retrial {
namespace {

using test::contents;

struct OutFolder : testing::Test {
  test::Folder folder;
  std::string marker = (folder.path() / ".retrial-campaign").string();
  std::string said;

  int observe() {
    auto [status, text] = test::run("'" RETRIAL_BINARY "' observe --out '" + folder.path().string() + "' -- true");
    said = text;
    return status;
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
