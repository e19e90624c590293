#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proxy/net/loop.h"
#include "proxy/time/page.h"
#include "tests/support/folder.h"

namespace retrial::proxy {
namespace {

TEST(ClientTime, is_real_time_until_it_is_moved_and_then_as_much_ahead_on_both_clocks) {
  test::Folder folder;
  auto page = TimePage::make(folder.path() / "page");
  ASSERT_TRUE(page) << page.error().line();
  ManualClock real;
  ClientClock clock(real, page->get());
  EXPECT_EQ(clock.now(), real.now());
  (*page)->move(30 * kSecond);
  (*page)->move(5);
  real.advance(kSecond);
  EXPECT_EQ(clock.now(), real.now() + 30 * kSecond + 5);
  EXPECT_EQ(clock.wall(), real.wall() + 30 * kSecond + 5);
}

TEST(ClientTime, slots_of_processes_that_ended_are_free_again) {
  test::Folder folder;
  auto file = folder.path() / "page";
  auto page = TimePage::make(file);
  ASSERT_TRUE(page);
  int fd = open(file.c_str(), O_RDWR | O_CLOEXEC);
  auto* raw = static_cast<retrial_time_page*>(
      mmap(nullptr, sizeof(retrial_time_page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  close(fd);
  ASSERT_NE(raw, MAP_FAILED);
  auto child = fork();
  if (child == 0) _exit(0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  for (int i = 0; i < 100; i++)
    raw->slot[i] = {.thread = child, .process = child, .until = 0, .waits = 0, .kind = 1, .zero = {}};
  raw->slot[100] = {.thread = getpid(), .process = getpid(), .until = 0, .waits = 0, .kind = 1, .zero = {}};
  raw->used = 101;
  std::vector<TimePage::Slot> slots;
  (*page)->read(slots);
  (*page)->read(slots);
  ASSERT_EQ(slots.size(), 1u);
  EXPECT_EQ(slots[0].process, getpid());
  munmap(raw, sizeof *raw);
}

TEST(ClientTime, a_page_that_cannot_be_made_is_told_with_its_path) {
  auto page = TimePage::make("/nowhere/page");
  ASSERT_FALSE(page);
  EXPECT_NE(page.error().line().find("/nowhere/page"), std::string::npos);
}

TEST(ClientTime, a_timer_in_it_is_due_as_soon_as_the_clock_was_moved_there_and_no_other_timer_is) {
  Loop loop;
  std::string order;
  Timer real(loop, [&] { order += "real "; });
  Timer client(loop, [&] {
    order += "client ";
    loop.stop();
  });
  real.set(3600 * kSecond);
  client.set(3600 * kSecond, Time::client);
  ASSERT_TRUE(loop.client_timer());
  EXPECT_GT(*loop.client_timer(), 3599 * kSecond);
  loop.clock_moved(3600 * kSecond);
  EXPECT_EQ(loop.client_timer(), 0);
  loop.run();
  EXPECT_EQ(order, "client ");
  EXPECT_FALSE(loop.client_timer());
}

TEST(ClientTime, the_first_of_its_timers_is_told_and_what_was_cancelled_or_set_anew_is_not) {
  Loop loop;
  Timer one(loop, [] {}), two(loop, [] {});
  one.set(10 * kSecond, Time::client);
  two.set(100 * kSecond, Time::client);
  EXPECT_LE(*loop.client_timer(), 10 * kSecond);
  one.set(10 * kSecond);
  EXPECT_GT(*loop.client_timer(), 90 * kSecond);
  two.cancel();
  EXPECT_FALSE(loop.client_timer());
}

TEST(ClientTime, callbacks_are_counted_so_that_a_looker_knows_whether_anything_else_has_happened) {
  Loop loop;
  Timer one(loop, [&] { loop.stop(); });
  auto before = loop.callbacks();
  one.set(0);
  loop.run();
  EXPECT_EQ(loop.callbacks(), before + 1);
}

}  // namespace
}  // namespace retrial::proxy
