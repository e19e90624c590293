#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <thread>

#include "base/glob.h"
#include "proxy/server/listener.h"
#include "proxy/server/mailbox.h"
#include "proxy/server/repeats.h"
#include "proxy/server/trace_recorder.h"
#include "tests/support/folder.h"

namespace retrial::proxy {
namespace {

TEST(Listeners, let_4096_clients_wait_each_or_as_many_as_the_kernel_does) {
  unsigned most = 0;
  std::ifstream("/proc/sys/net/core/somaxconn") >> most;
  auto fds = open_listeners(Address::v4(INADDR_LOOPBACK, 0), false, 2);
  ASSERT_TRUE(fds) << fds.error().line();
  for (int fd : *fds) {
    tcp_info info{};
    socklen_t size = sizeof info;
    ASSERT_EQ(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size), 0);
    EXPECT_EQ(info.tcpi_sacked, std::min(4096u, most));  // of a socket that listens: its backlog
    ::close(fd);
  }
}

TEST(Glob, one_star_stays_within_a_segment_and_two_do_not) {
  EXPECT_TRUE(glob_matches("/*/messages", "/q1/messages"));
  EXPECT_TRUE(glob_matches("/*/messages", "//messages"));
  EXPECT_FALSE(glob_matches("/*/messages", "/a/b/messages"));
  EXPECT_TRUE(glob_matches("/**/messages", "/a/b/messages"));
  EXPECT_TRUE(glob_matches("src/**", "src/jobs/retry.py"));
  EXPECT_FALSE(glob_matches("src/**", "lib/src/x"));
  EXPECT_TRUE(glob_matches("**", ""));
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_FALSE(glob_matches("", "a"));
  EXPECT_TRUE(glob_matches("*.example.com", "queue.example.com"));
  EXPECT_TRUE(glob_matches("a*b*c", "aXbYbZc"));
  EXPECT_FALSE(glob_matches("a*b*c", "aXbYbZ"));
  EXPECT_TRUE(glob_matches("/a**/b*d", "/a/x/y/bcd/bd")) << "the wide star has to go on after the narrow one failed";
  EXPECT_TRUE(glob_matches("***", "a/b"));
}

// Against the plain definition, on every pattern and text of a small alphabet.
bool by_definition(std::string_view p, std::string_view t) {
  if (p.empty()) return t.empty();
  if (p[0] != '*') return !t.empty() && p[0] == t[0] && by_definition(p.substr(1), t.substr(1));
  bool wide = p.size() > 1 && p[1] == '*';
  auto rest = p.substr(1);
  if (wide)
    while (!rest.empty() && rest[0] == '*') rest.remove_prefix(1);
  for (std::size_t i = 0; i <= t.size(); i++) {
    if (by_definition(rest, t.substr(i))) return true;
    if (i < t.size() && t[i] == '/' && !wide) return false;
  }
  return false;
}

TEST(Glob, is_what_its_definition_says) {
  constexpr std::string_view kLetters = "a/*";
  auto word = [&](int n, int size, std::string_view letters) {
    std::string out;
    for (int i = 0; i < size; i++, n /= static_cast<int>(letters.size())) out += letters[n % letters.size()];
    return out;
  };
  for (int size = 0; size <= 5; size++)
    for (int n = 0; n < std::pow(3, size); n++)
      for (int length = 0; length <= 5; length++)
        for (int m = 0; m < (1 << length); m++) {
          auto pattern = word(n, size, kLetters), text = word(m, length, "a/");
          ASSERT_EQ(glob_matches(pattern, text), by_definition(pattern, text)) << pattern << " on " << text;
        }
}

TEST(Mailbox, runs_what_other_threads_post_on_the_loops_own_in_order) {
  Loop loop;
  Mailbox mailbox(loop);
  std::vector<int> order;
  auto here = std::this_thread::get_id();
  std::thread other([&] {
    for (int i = 0; i < 100; i++)
      mailbox.post([&, i] {
        EXPECT_EQ(std::this_thread::get_id(), here);
        order.push_back(i);
      });
    mailbox.post([&] { loop.stop(); });
  });
  loop.run();
  other.join();
  ASSERT_EQ(order.size(), 100u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(Repeats, tell_a_line_once_in_ten_seconds_and_how_often_it_was_left_out) {
  Repeats repeats;
  EXPECT_EQ(repeats.tell("a", kSecond), "a");
  EXPECT_EQ(repeats.tell("a", 2 * kSecond), "");
  EXPECT_EQ(repeats.tell("b", 2 * kSecond), "b");
  EXPECT_EQ(repeats.tell("a", 10 * kSecond), "");
  EXPECT_EQ(repeats.tell("a", 11 * kSecond), "a (and 2 times before)");
  EXPECT_EQ(repeats.tell("b", 60 * kSecond), "b");
  EXPECT_EQ(repeats.tell("connection 1: c", 61 * kSecond), "connection 1: c");
  EXPECT_EQ(repeats.tell("connection 2: c", 62 * kSecond), "");
}

using Lines = std::vector<std::string>;

TEST(Repeats, tell_how_often_a_line_was_left_out_where_it_does_not_come_again) {
  Repeats repeats;
  EXPECT_EQ(repeats.due(), std::nullopt);
  EXPECT_EQ(repeats.tell("a", kSecond), "a");
  EXPECT_EQ(repeats.due(), std::nullopt) << "nothing is owed";
  for (int i = 0; i < 5; i++) EXPECT_EQ(repeats.tell("a", 2 * kSecond), "");
  EXPECT_EQ(repeats.due(), 11 * kSecond);
  EXPECT_EQ(repeats.over(10 * kSecond), Lines{});
  EXPECT_EQ(repeats.over(11 * kSecond), Lines{"a (and 4 times before)"});
  EXPECT_EQ(repeats.due(), std::nullopt);
  EXPECT_EQ(repeats.tell("a", 12 * kSecond), "") << "it was told a second ago";
  EXPECT_EQ(repeats.rest(), Lines{"a"}) << "at the end";
}

// "service NN could not be reached", each of its own, is a kind.
std::string unreachable(int n) {
  return "10.0.0." + std::to_string(n) + ":80 could not be reached: Connection refused";
}

TEST(Repeats, tell_a_hundred_different_lines_in_that_time_and_how_many_were_left_out) {
  Repeats repeats;
  for (int i = 0; i < 100; i++) EXPECT_EQ(repeats.tell(unreachable(i), kSecond), unreachable(i));
  for (int i = 100; i < 157; i++) EXPECT_EQ(repeats.tell(unreachable(i), 2 * kSecond), "");
  EXPECT_EQ(repeats.due(), 11 * kSecond);
  EXPECT_EQ(repeats.over(11 * kSecond), Lines{unreachable(156) + " (and 56 more like it)"});
  EXPECT_EQ(repeats.tell(unreachable(200), 20 * kSecond), unreachable(200)) << "the old ones are forgotten";
}

TEST(Repeats, tell_the_first_line_of_a_kind_however_many_others_there_were) {
  Repeats repeats;
  for (int i = 0; i < 5000; i++) repeats.tell(unreachable(i), kSecond);
  auto timed_out = "10.0.0.1:80 could not be reached: Connection timed out";
  EXPECT_EQ(repeats.tell(timed_out, 2 * kSecond), timed_out);
  EXPECT_EQ(repeats.tell("connection 7: a field name twice: answered 400", 2 * kSecond),
            "connection 7: a field name twice: answered 400");
  EXPECT_EQ(repeats.tell("connection 8: a field name twice: answered 400", 3 * kSecond), "");
  EXPECT_EQ(repeats.tell("10.0.0.2:80 could not be reached: Connection timed out", 3 * kSecond), "");
  EXPECT_EQ(repeats.over(12 * kSecond).size(), 3u) << "one for each kind of which something was left out";
}

TEST(Repeats, are_counted_exactly) {
  Repeats repeats;
  std::size_t said = 0, told = 0;
  auto count = [&](const std::string& line) {
    told += !line.empty();
    if (auto more = line.rfind(" (and "); more != line.npos)
      told += line.ends_with("once before)") ? 1 : std::stoul(line.substr(more + 6));
  };
  for (Nanos now = 0; now < 60 * kSecond; now += kSecond / 50) {
    auto n = static_cast<int>(now * 7919 / kSecond % 300);
    said++;
    count(repeats.tell(n % 3 ? unreachable(n) : "connection " + std::to_string(n) + ": it was reset", now));
    for (auto& line : repeats.over(now)) count(line);
  }
  for (auto& line : repeats.rest()) count(line);
  EXPECT_EQ(told, said);
}

TEST(Repeats, need_no_more_memory_for_what_clients_make_up) {
  Repeats repeats;
  std::size_t told = 0;
  for (int i = 0; i < 100'000; i++) {
    std::string word;  // of letters alone, and another each time
    for (int n = i + 1; n; n /= 26) word += static_cast<char>('a' + n % 26);
    told += !repeats.tell("connection 1: " + word + std::string(10'000, 'x') + " is unknown", kSecond).empty();
  }
  EXPECT_LE(told, 1100u);
  EXPECT_LE(repeats.bytes(), 1u << 20);
}

TEST(TraceRecorder, says_when_it_cannot_write_and_when_it_can_again) {
  test::Folder folder;
  auto writer = trace::SegmentWriter::open(folder.path(), 4096);
  ASSERT_TRUE(writer);
  ASSERT_TRUE((*writer)->begin({.id = 1}));
  std::vector<std::pair<TraceRecorder::Trouble, std::string>> told;
  TraceRecorder recorder(**writer, 1, [&](auto trouble, auto& line) { told.emplace_back(trouble, line); });
  trace::Exchange e;
  e.id = 1;
  rlimit before{}, none{};
  getrlimit(RLIMIT_NOFILE, &before);
  none.rlim_max = before.rlim_max;
  setrlimit(RLIMIT_NOFILE, &none);
  while (recorder.lost() < 3 && e.id < 10'000) {
    recorder.head(e);
    e.id++;
  }
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(told.size(), 1u);
  recorder.head(e);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].first, TraceRecorder::Trouble::begins);
  EXPECT_NE(told[0].second.find("Too many open files"), std::string::npos) << told[0].second;
  EXPECT_EQ(told[0].second, recorder.failed());
  EXPECT_EQ(told[1].first, TraceRecorder::Trouble::over);
  EXPECT_EQ(told[1].second, "the trace is written again; records lost so far: 3");
}

}  // namespace
}  // namespace retrial::proxy
