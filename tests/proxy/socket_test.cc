#include "proxy/net/socket.h"

#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "proxy/net/dial.h"
#include "proxy/net/pace.h"
#include "tests/proxy/wires.h"

namespace retrial::proxy {
namespace {

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
  auto fd = begin_connect(port.address);
  ASSERT_TRUE(fd);
  Socket socket(loop, *fd, reader, true);
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
  auto fd = begin_connect(port.address);
  ASSERT_TRUE(fd);
  Socket socket(loop, *fd, reader, true);
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
  auto fd = begin_connect(port.address);
  ASSERT_TRUE(fd);
  test::abort_connection(port.accept());
  Socket socket(loop, *fd, reader, true);
  ASSERT_TRUE(run_until(loop, [&] { return !reader.ends.empty(); }));
  EXPECT_EQ(reader.ends, std::vector{Got::rst});
}

TEST(Socket, finish_while_it_connects_sends_what_was_written_and_then_FIN) {
  Loop loop;
  Reader reader;
  test::Port port;
  auto fd = begin_connect(port.address);
  ASSERT_TRUE(fd);
  Socket socket(loop, *fd, reader, true);
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

struct Found {
  std::optional<Result<Address>> answer;
  auto keep() {
    return [this](Result<Address> a) { answer = std::move(a); };
  }
};

TEST(Resolver, literals_and_localhost_are_answered_after_the_call_has_returned) {
  Loop loop;
  Resolver resolver(loop);
  for (auto [host, shown] : {std::pair{"127.0.0.1", "127.0.0.1:80"},
                             {"::1", "[::1]:80"},
                             {"[::1]", "[::1]:80"},
                             {"localhost", "127.0.0.1:80"},
                             {"a.localhost", "127.0.0.1:80"}}) {
    Found found;
    auto query = resolver.resolve(host, 80, found.keep());
    EXPECT_FALSE(found.answer);
    ASSERT_TRUE(run_until(loop, [&] { return found.answer.has_value(); })) << host;
    ASSERT_TRUE(*found.answer) << host;
    EXPECT_EQ((*found.answer)->show(), shown);
  }
}

TEST(Resolver, a_name_of_etc_hosts_is_found_and_its_IPv4_address_before_its_IPv6_address) {
  std::map<std::string, std::string> hosts;  // the first IPv4 address of each name
  std::ifstream file("/etc/hosts");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string address, name;
    for (words >> address; words >> name;)
      if (address.find('.') != std::string::npos) hosts.emplace(name, address);
  }
  hosts.erase("localhost");
  if (hosts.empty()) GTEST_SKIP() << "/etc/hosts names nothing but localhost";
  Loop loop;
  Resolver resolver(loop);
  auto& [name, address] = *hosts.begin();
  Found found;
  auto query = resolver.resolve(name, 8080, found.keep());
  EXPECT_FALSE(found.answer);
  ASSERT_TRUE(run_until(loop, [&] { return found.answer.has_value(); }));
  ASSERT_TRUE(*found.answer) << found.answer->error().line();
  EXPECT_EQ((*found.answer)->show(), address + ":8080");
}

TEST(Resolver, a_query_that_is_given_up_calls_nobody) {
  Loop loop;
  Found found;
  {
    Resolver resolver(loop);
    resolver.resolve("127.0.0.1", 80, found.keep()).reset();
    resolver.resolve("no-such-name.invalid", 80, found.keep()).reset();
    for (int i = 0; i < 10; i++) loop.round(false);
  }
  for (int i = 0; i < 10; i++) loop.round(false);
  EXPECT_FALSE(found.answer);
}

TEST(Resolver, a_query_may_be_destroyed_by_its_own_answer) {
  Loop loop;
  Resolver resolver(loop);
  std::unique_ptr<Resolver::Query> query;
  bool told = false;
  query = resolver.resolve("127.0.0.1", 80, [&](Result<Address>) {
    query.reset();
    told = true;
  });
  EXPECT_TRUE(run_until(loop, [&] { return told; }));
}

TEST(BeginConnect, an_address_that_cannot_be_connected_to_is_said_in_words) {
  auto fd = begin_connect(Address::v4(0xffffffff, 80));  // broadcast
  ASSERT_FALSE(fd);
  EXPECT_NE(fd.error().line().find("255.255.255.255:80: connect: "), std::string::npos) << fd.error().line();
}

}  // namespace
}  // namespace retrial::proxy
