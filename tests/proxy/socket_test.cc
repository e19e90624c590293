#include "proxy/net/socket.h"

#include "proxy/net/pace.h"
#include "tests/proxy/wires.h"

namespace retrial::proxy {
namespace {

using test::begin_connect;
using test::Reader;
using test::run_until;
using Got = Socket::Got;

std::string hear_raw(Loop& loop, int fd, std::size_t size) {
  std::string heard;
  run_until(loop, [&] {
    char room[65536];
    auto n = ::recv(fd, room, std::min(sizeof room, size - heard.size()), 0);
    if (n > 0) heard.append(room, static_cast<std::size_t>(n));
    return heard.size() >= size || n == 0;
  });
  return heard;
}

bool resets(int fd) {
  char one;
  return ::recv(fd, &one, 1, 0) < 0 && errno == ECONNRESET;
}

TEST(Socket, what_is_written_while_it_connects_goes_out_once_it_is_connected) {
  Loop loop;
  Reader reader;
  test::Port port;
  int fd = begin_connect(port.address);
  Socket socket(loop, fd, reader, true);
  socket.write("early");
  socket.flush();
  EXPECT_EQ(socket.queued(), 5u);
  EXPECT_FALSE(socket.ready_to_send());
  ASSERT_TRUE(run_until(loop, [&] { return socket.ready_to_send() && socket.queued() == 0; }));
  EXPECT_EQ(reader.told, 1);
  int peer = port.accept();
  EXPECT_EQ(hear_raw(loop, peer, 5), "early");
  ASSERT_EQ(::send(peer, "late", 4, 0), 4);
  EXPECT_TRUE(run_until(loop, [&] { return reader.heard == "late"; }));
  ::close(peer);
}

TEST(Socket, a_refused_connect_is_told_once_as_failed_and_why) {
  Loop loop;
  Reader reader;
  test::Port port;
  port.close();
  int fd = begin_connect(port.address);
  Socket socket(loop, fd, reader, true);
  socket.write("lost");
  ASSERT_TRUE(run_until(loop, [&] { return !reader.ends.empty(); }));
  EXPECT_EQ(reader.ends, std::vector{Got::failed});
  EXPECT_EQ(socket.failure(), "Connection refused");
  EXPECT_TRUE(socket.gone());
  EXPECT_EQ(socket.queued(), 0u);
  char room[16];
  EXPECT_EQ(socket.read(room, sizeof room).got, Got::nothing);
}

TEST(Socket, a_peer_that_accepts_and_resets_at_once_was_connected_to) {
  Loop loop;
  Reader reader;
  test::Port port;
  int fd = begin_connect(port.address);
  test::abort_connection(port.accept());
  Socket socket(loop, fd, reader, true);
  ASSERT_TRUE(run_until(loop, [&] { return !reader.ends.empty(); }));
  EXPECT_EQ(reader.ends, std::vector{Got::rst});
}

TEST(Socket, finish_while_it_connects_sends_what_was_written_and_then_FIN) {
  Loop loop;
  Reader reader;
  test::Port port;
  int fd = begin_connect(port.address);
  Socket socket(loop, fd, reader, true);
  socket.write("all");
  socket.finish();
  ASSERT_TRUE(run_until(loop, [&] { return socket.ready_to_send() && socket.queued() == 0; }));
  int peer = port.accept();
  EXPECT_EQ(hear_raw(loop, peer, 4), "all");
  char one;
  EXPECT_EQ(::recv(peer, &one, 1, 0), 0);
  ::close(peer);
}

TEST(Socket, what_is_put_back_is_read_before_what_came_and_in_pieces) {
  Loop loop;
  Reader reader;
  auto [ours, peer] = test::tcp_pair();
  Socket socket(loop, ours, reader);
  ASSERT_EQ(::send(peer, "world", 5, 0), 5);
  socket.put_back("lo ");
  socket.put_back("hel");
  char room[16];
  std::string heard;
  for (std::size_t size : {4, 4, 16}) heard.append(room, socket.read(room, size).bytes) += '|';
  EXPECT_EQ(heard, "hell|o |world|");
  ::close(peer);
}

TEST(Socket, put_back_bytes_are_read_before_the_FIN_behind_them) {
  Loop loop;
  Reader reader;
  auto [ours, peer] = test::tcp_pair();
  Socket socket(loop, ours, reader);
  ::close(peer);
  socket.put_back("last");
  char room[16];
  EXPECT_EQ(socket.read(room, sizeof room).bytes, 4u);
  EXPECT_EQ(socket.read(room, sizeof room).got, Got::fin);
}

TEST(Socket, events_go_to_whom_it_was_handed_to) {
  Loop loop;
  Reader first, second;
  auto [ours, peer] = test::tcp_pair();
  Socket socket(loop, ours, first);
  socket.hand_to(second);
  ASSERT_EQ(::send(peer, "x", 1, 0), 1);
  ASSERT_TRUE(run_until(loop, [&] { return second.heard == "x"; }));
  EXPECT_EQ(first.told, 0);
  ::close(peer);
}

TEST(Socket, what_is_written_under_a_pace_arrives_whole_and_not_in_one_burst) {
  Loop loop;
  Reader reader;
  auto [ours, peer] = test::tcp_pair();
  Socket socket(loop, ours, reader);
  socket.pace(2'000'000, 1000);
  std::string sent(40'000, 'p');
  for (std::size_t i = 0; i < sent.size(); i++) sent[i] = static_cast<char>('a' + i % 23);
  socket.write(sent);
  socket.flush();
  EXPECT_GE(socket.queued(), 38'000u);
  EXPECT_EQ(hear_raw(loop, peer, sent.size()), sent);
  EXPECT_EQ(socket.queued(), 0u);
  EXPECT_GE(reader.told, 30);  // each step is at most the burst
  ::close(peer);
}

TEST(Socket, a_pace_that_is_taken_away_lets_the_rest_out_at_once) {
  Loop loop;
  Reader reader;
  auto [ours, peer] = test::tcp_pair();
  Socket socket(loop, ours, reader);
  socket.pace(1, 1);
  socket.write("slow drip");
  socket.flush();
  EXPECT_EQ(socket.queued(), 8u);
  socket.pace(0, 0);
  EXPECT_EQ(socket.queued(), 0u);
  EXPECT_EQ(hear_raw(loop, peer, 9), "slow drip");
  ::close(peer);
}

TEST(Socket, FIN_follows_all_that_is_paced) {
  Loop loop;
  Reader reader;
  auto [ours, peer] = test::tcp_pair();
  Socket socket(loop, ours, reader);
  socket.pace(100'000, 100);
  socket.write(std::string(1000, 'x'));
  socket.flush();
  socket.finish();
  EXPECT_EQ(hear_raw(loop, peer, 1001), std::string(1000, 'x'));
  ::close(peer);
}

TEST(Socket, a_pace_goes_on_after_the_peers_FIN) {
  Loop loop;
  Reader reader;
  auto [ours, peer] = test::tcp_pair();
  Socket socket(loop, ours, reader);
  socket.pace(100'000, 100);
  ::shutdown(peer, SHUT_WR);
  ASSERT_TRUE(run_until(loop, [&] { return !reader.ends.empty(); }));
  socket.write(std::string(1000, 'x'));
  socket.flush();
  EXPECT_EQ(hear_raw(loop, peer, 1000), std::string(1000, 'x'));
  ::close(peer);
}

TEST(Socket, reset_sends_RST_though_bytes_wait_under_a_pace) {
  Loop loop;
  Reader reader;
  auto [ours, peer] = test::tcp_pair();
  Socket socket(loop, ours, reader);
  socket.pace(1, 1);
  socket.write("xy");
  socket.reset();
  EXPECT_TRUE(resets(peer));
  ::close(peer);
}

TEST(Pace, a_full_bucket_lets_the_burst_out_and_then_the_rate) {
  ManualClock clock;
  Pace pace(1000, 50, clock.now());
  EXPECT_EQ(pace.may(clock.now()), 50u);
  pace.spend(50);
  EXPECT_EQ(pace.may(clock.now()), 0u);
  clock.advance(10 * kMillisecond);
  EXPECT_EQ(pace.may(clock.now()), 10u);
  clock.advance(10 * kSecond);
  EXPECT_EQ(pace.may(clock.now()), 50u);
}

TEST(Pace, over_a_long_time_exactly_the_rate_leaves) {
  ManualClock clock;
  for (std::uint64_t rate : {1u, 7u, 333u, 1'000'000u}) {
    Pace pace(rate, rate, clock.now());
    pace.spend(pace.may(clock.now()));
    std::uint64_t sent = 0;
    for (auto end = clock.now() + 100 * kSecond; clock.now() < end;) {
      auto wait = pace.wait(1'000'000'000);
      ASSERT_GT(wait, 0);
      clock.advance(std::min(wait, end - clock.now()));
      auto may = pace.may(clock.now());
      pace.spend(may);
      sent += may;
    }
    EXPECT_NEAR(static_cast<double>(sent), 100.0 * static_cast<double>(rate), 1.0);
  }
}

TEST(Pace, a_slow_drip_waits_for_one_byte) {
  ManualClock clock;
  Pace pace(2, 0, clock.now());
  pace.spend(pace.may(clock.now()));
  EXPECT_EQ(pace.wait(100), kSecond / 2);
  clock.advance(kSecond / 2);
  EXPECT_EQ(pace.may(clock.now()), 1u);
}

// Two connections with one of our sockets each: what comes from one is moved to the other.
struct Moving {
  Moving()
      : from(test::tcp_pair()), to(test::tcp_pair()), source(loop, from.first, reader), sink(loop, to.first, reader) {
    reader.reads = false;
  }
  ~Moving() {
    ::close(from.second);
    ::close(to.second);
  }
  void comes(std::string_view bytes) {
    EXPECT_EQ(::send(from.second, bytes.data(), bytes.size(), 0), std::ssize(bytes));
  }
  Loop loop;
  Reader reader;
  std::pair<int, int> from, to;
  Socket source, sink;
};

TEST(Socket, what_is_moved_goes_out_behind_what_was_written_before_and_before_what_is_written_after) {
  Moving m;
  m.comes("moved");
  m.sink.write("first ");
  EXPECT_EQ(m.source.move_to(m.sink, 100).bytes, 5u);
  EXPECT_EQ(m.sink.queued(), 11u);
  m.sink.write(" last");
  EXPECT_EQ(m.sink.queued(), 16u);
  m.sink.flush();
  EXPECT_EQ(hear_raw(m.loop, m.to.second, 16), "first moved last");
}

TEST(Socket, no_more_is_moved_than_is_wanted_and_nothing_where_nothing_came) {
  Moving m;
  m.comes("moved");
  EXPECT_EQ(m.source.move_to(m.sink, 3).bytes, 3u);
  EXPECT_EQ(m.source.move_to(m.sink, 3).bytes, 2u);
  EXPECT_EQ(m.source.move_to(m.sink, 3).got, Got::nothing);
  m.sink.flush();
  EXPECT_EQ(m.sink.queued(), 0u);
  EXPECT_EQ(hear_raw(m.loop, m.to.second, 5), "moved");
}

TEST(Socket, moving_tells_of_a_FIN_and_of_a_reset_as_reading_does) {
  Moving fin, rst;
  fin.comes("last");
  ::shutdown(fin.from.second, SHUT_WR);
  EXPECT_EQ(fin.source.move_to(fin.sink, 100).bytes, 4u);
  EXPECT_EQ(fin.source.move_to(fin.sink, 100).got, Got::fin);
  test::abort_connection(std::exchange(rst.from.second, -1));
  EXPECT_EQ(rst.source.move_to(rst.sink, 100).got, Got::rst);
}

TEST(Socket, what_was_put_back_is_not_overtaken_by_what_is_moved) {
  Moving m;
  m.comes("moved");
  m.source.put_back("back");
  EXPECT_EQ(m.source.move_to(m.sink, 100).got, Got::nothing);
}

TEST(Socket, what_is_moved_to_a_peer_that_is_gone_is_lost_and_that_is_known) {
  Moving m;
  test::abort_connection(std::exchange(m.to.second, -1));
  m.comes("moved");
  EXPECT_EQ(m.source.move_to(m.sink, 100).bytes, 5u);
  m.sink.flush();
  EXPECT_TRUE(m.sink.broken());
  EXPECT_EQ(m.sink.queued(), 0u);
  EXPECT_FALSE(m.sink.takes_moved());
}

TEST(Socket, a_FIN_waits_for_what_was_moved) {
  Moving m;
  m.comes("moved");
  m.source.move_to(m.sink, 100);
  m.sink.finish();
  ASSERT_TRUE(run_until(m.loop, [&] {
    m.sink.flush();
    return m.sink.queued() == 0;
  }));
  EXPECT_EQ(hear_raw(m.loop, m.to.second, 6), "moved");
}

}  // namespace
}  // namespace retrial::proxy
