#include "campaign/stress/sizes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <utility>

namespace retrial::campaign {
namespace {

using Seen = Sizes::Seen;

// A client whose work at a size is this part of what a run may take: what stands out is 0.02 of it or more.
std::string sizes(std::int64_t most, std::function<double(double)> work) {
  Sizes all(most);
  std::string out;
  while (auto size = all.next()) {
    auto part = work(static_cast<double>(*size));
    auto seen = part > 1 ? Seen::too_long : part < 0.02 ? Seen::quiet : Seen::stands_out;
    out += fmt::format("{}{}{}", out.empty() ? "" : ", ", *size,
                       seen == Seen::too_long ? " long"
                       : seen == Seen::quiet  ? " quiet"
                                              : "");
    all.saw(seen, *size, part);
  }
  return out;
}
auto square(double most) {
  return [=](double size) { return std::pow(size / most, 2); };
}

TEST(Sizes, are_one_where_the_largest_costs_little) {
  EXPECT_EQ(sizes(4096, [](double) { return 0; }), "4096 quiet");
}
TEST(Sizes, are_halves_of_the_largest_until_four_stand_out) {
  EXPECT_EQ(sizes(4096, [](double size) { return size / 5000; }), "4096, 2048, 1024, 512");
  EXPECT_EQ(sizes(4096, square(5000)), "4096, 2048, 1024, 512 quiet, 2896");
  EXPECT_EQ(sizes(4096, square(28'000)), "4096, 2048 quiet");
}
TEST(Sizes, go_up_from_what_was_quick_and_never_beyond_what_a_run_may_take) {
  EXPECT_EQ(sizes(65536, square(30'000)), "65536 long, 8192, 25100, 14339, 18971");
  EXPECT_EQ(sizes(65536, square(2000)), "65536 long, 8192 long, 1024, 1673, 1309, 512");
  EXPECT_EQ(sizes(65536, square(1100)), "65536 long, 8192 long, 1024, 512, 724, 256");
  EXPECT_EQ(sizes(65536, square(60'000)), "65536 long, 8192 quiet, 48465, 19925, 31075, 38808");
}
TEST(Sizes, follow_a_client_that_is_steeper_than_a_square) {
  auto cube = [](double size) { return std::pow(size / 1000, 3); };
  EXPECT_EQ(sizes(4096, cube), "4096 long, 512, 1169 long, 774, 630, 256 quiet, 362");
}
TEST(Sizes, between_which_nothing_lies_are_left) {
  EXPECT_EQ(sizes(4096, [](double size) { return size > 400 ? 2 : 0; }), "4096 long, 512 long, 64 quiet, 379 quiet");
  EXPECT_EQ(sizes(5, [](double size) { return size / 10; }), "5, 2, 1, 3") << "the errors of a client that gives up";
  EXPECT_EQ(sizes(3, [](double size) { return size / 10; }), "3, 1, 2");
}
TEST(Sizes, come_to_an_end) {
  EXPECT_EQ(sizes(1 << 20, [](double) { return 2; }),
            "1048576 long, 131072 long, 16384 long, 2048 long, 256 long, 32 long, 4 long, 1 long");
  bool quiet = false;
  Sizes by_turns(1 << 20);
  int runs = 0;
  for (; auto size = by_turns.next(); runs++)
    by_turns.saw(std::exchange(quiet, !quiet) ? Seen::quiet : Seen::too_long, *size);
  EXPECT_LE(runs, 10);
}
TEST(Sizes, go_beyond_what_was_measured_where_a_run_may_take_longer) {
  Sizes lists(65536);
  lists.saw(Seen::too_long, 65536);
  lists.saw(Seen::stands_out, 1000, 0.7);
  EXPECT_EQ(lists.beyond(4), 2000);
  lists.saw(Seen::too_long, 1100);
  EXPECT_FALSE(lists.beyond(4)) << "it is as good as measured";
}
TEST(Sizes, are_none_below_the_least) {
  Sizes lists(65536, 2);
  lists.saw(Seen::too_long, 12);
  EXPECT_EQ(lists.next(), 2);
  Sizes none(65536, 2);
  none.saw(Seen::too_long, 2);
  EXPECT_FALSE(none.next());
  lists.saw(Seen::stands_out, 3, 0.1);
  EXPECT_NE(lists.next(), 1);
}
TEST(Sizes, go_on_from_what_a_client_came_to_that_gave_up) {
  Sizes errors(1024);
  errors.saw(Seen::stands_out, 20, 0);
  EXPECT_EQ(errors.next(), 10);
  Sizes lists(65536);
  lists.saw(Seen::too_long, 65536, 0, 165);
  EXPECT_EQ(lists.next(), 20);
  lists.saw(Seen::stands_out, 20, 0.01);
  EXPECT_GT(lists.next().value(), 100) << "what took long was another size, that had come so far";
}

}  // namespace
}  // namespace retrial::campaign
