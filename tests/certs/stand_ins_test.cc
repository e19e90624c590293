#include "certs/stand_ins.h"

#include <gtest/gtest.h>

#include "tests/support/folder.h"

namespace retrial::certs {
namespace {

struct StandIn : testing::Test {
  test::Folder folder;
  ManualClock clock;
  Authority ours = *Authority::make(clock), theirs = *Authority::make(clock), others = *Authority::make(clock);
  std::unique_ptr<StandIns> all = std::move(*StandIns::make(ours, clock, folder.path()));
  const x509_st& root(const Authority& authority) { return *authority.credential().certificate; }
};

TEST_F(StandIn, stands_for_the_root_that_was_put_in_its_place_and_for_no_other) {
  EXPECT_TRUE(all->roots().empty());
  folder.write("00.pem", theirs.pem());
  ASSERT_EQ(all->roots().size(), 1u);
  auto* by = all->standing_for(root(theirs));
  ASSERT_NE(by, nullptr);
  EXPECT_EQ(by->authority().name(), ours.name() + ", stand-in 0");
  EXPECT_EQ(all->standing_for(root(others)), nullptr);
  EXPECT_NE(test::contents(folder.path() / "all.pem").find(by->authority().pem()), std::string::npos);
}

TEST_F(StandIn, what_is_no_root_holds_its_place_and_stands_for_nothing) {
  folder.write("00.pem", "no certificate");
  folder.write("01.pem", others.pem());
  ASSERT_EQ(all->roots().size(), 2u);
  EXPECT_EQ(all->standing_for(root(theirs)), nullptr);
  EXPECT_EQ(all->standing_for(root(others))->authority().name(), ours.name() + ", stand-in 1");
}

TEST_F(StandIn, a_process_puts_them_beside_its_roots_once_it_has_said_so) {
  EXPECT_FALSE(all->adds(42));
  folder.write("process-42", "");
  EXPECT_TRUE(all->adds(42));
}

}  // namespace
}  // namespace retrial::certs
