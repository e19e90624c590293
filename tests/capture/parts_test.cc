#include <event2/event.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "proxy/capture/connect.h"
#include "proxy/capture/names.h"
#include "proxy/capture/places.h"
#include "proxy/capture/processes.h"

namespace retrial::proxy::capture {
namespace {
Address at(const char* text) { return *Address::parse(text); }

TEST(Addresses, are_read_and_shown) {
  for (const char* text : {"127.0.0.1:80", "0.0.0.0:0", "255.255.255.255:65535", "[::1]:80", "[fe80::1]:1"})
    EXPECT_EQ(at(text).show(), text);
  EXPECT_EQ(at("[::ffff:10.0.0.1]:80").show(), "10.0.0.1:80") << "a mapped address is shown as what it is";
  for (const char* text : {"", "127.0.0.1", ":80", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "::1:80", "[::1]80",
                           "localhost:80", "127.0.0.1:+8", "[127.0.0.1]:80", "127.0.0.1:8x"})
    EXPECT_FALSE(Address::parse(text)) << text;
}

TEST(Addresses, know_what_is_near_and_what_is_not) {
  for (const char* text : {"127.0.0.1:1", "127.255.0.9:1", "[::1]:1", "[::ffff:127.0.0.1]:1"})
    EXPECT_TRUE(at(text).loopback()) << text;
  for (const char* text :
       {"10.1.2.3:1", "172.16.0.1:1", "172.31.255.255:1", "192.168.7.7:1", "[fd00::1]:1", "[::ffff:10.0.0.1]:1"}) {
    EXPECT_TRUE(at(text).is_private()) << text;
    EXPECT_FALSE(at(text).loopback()) << text;
  }
  for (const char* text : {"172.32.0.1:1", "172.15.0.1:1", "11.0.0.1:1", "192.169.0.1:1", "169.254.169.254:1",
                           "[fe80::1]:1", "8.8.8.8:1", "[2001:db8::1]:1", "0.0.0.0:1"}) {
    EXPECT_FALSE(at(text).is_private()) << text;
    EXPECT_FALSE(at(text).loopback()) << text;
  }
}

TEST(Addresses, are_equal_by_what_they_say) {
  EXPECT_EQ(at("127.0.0.1:80"), at("127.0.0.1:80"));
  EXPECT_FALSE(at("127.0.0.1:80") == at("127.0.0.1:81"));
  EXPECT_FALSE(at("127.0.0.1:80") == at("127.0.0.2:80"));
  EXPECT_FALSE(at("127.0.0.1:80") == at("[::ffff:127.0.0.1]:80")) << "another family";
  EXPECT_FALSE(at("[::1]:80") == at("[::2]:80"));
}

TEST(Addresses, the_wildcard_reaches_this_host) {
  EXPECT_EQ(reached(at("0.0.0.0:80")), at("127.0.0.1:80"));
  EXPECT_EQ(reached(at("[::]:80")), at("[::1]:80"));
  EXPECT_EQ(reached(at("[::ffff:0.0.0.0]:80")), at("[::ffff:127.0.0.1]:80"));
  EXPECT_EQ(reached(at("10.0.0.1:80")), at("10.0.0.1:80"));
}

struct NamesTest : testing::Test {
  NamesTest() {
    const auto well = names.open();
    EXPECT_TRUE(well) << well.error().line();
  }
  // Both ends of a pair: what Names holds, and what tells us that it was closed.
  Claim claim(const char* written, ino_t inode) {
    int pair[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    ours = pair[1];
    return {pair[0], at(written), inode, 1};
  }
  bool service_closed() const {
    pollfd other{ours, POLLIN, 0};
    return poll(&other, 1, 0) == 1 && (other.revents & POLLHUP);
  }
  int connect_to(const Address& name) {
    const int fd = socket(name.family(), SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(connect(fd, name.get(), name.size()), 0);
    return fd;
  }
  void take(int client, const Claim& claim_of) {
    close(client);
    close(claim_of.service);
    arrived.push_back(claim_of.inode);
  }
  Loop loop;
  const SystemClock clock;
  std::vector<ino_t> arrived;
  int ours = -1;
  Names names{loop, clock, [this](int client, const Claim& c) { take(client, c); }};
};

TEST_F(NamesTest, each_connection_has_a_name_of_its_own_that_finds_it) {
  const auto one = names.give(claim("127.0.0.1:80", 1)), two = names.give(claim("127.0.0.1:80", 2));
  const auto mapped = names.give(claim("[::ffff:127.0.0.1]:80", 3)), six = names.give(claim("[::1]:80", 4));
  ASSERT_TRUE(one && two && mapped && six);
  EXPECT_FALSE(*one == *two);
  EXPECT_TRUE(mapped->mapped());
  EXPECT_TRUE(six->loopback());
  for (const auto& name : {*six, *two, *mapped, *one}) {
    close(connect_to(name));
    names.accept_waiting();
  }
  EXPECT_EQ(arrived, (std::vector<ino_t>{4, 2, 3, 1}));
}

TEST_F(NamesTest, a_used_name_still_translates_back_and_takes_nobody_in) {
  for (const char* written : {"127.0.0.1:80", "[::1]:80"}) {
    const auto name = names.give(claim(written, 1));
    ASSERT_TRUE(name);
    EXPECT_TRUE(names.on_its_way(*name));
    close(connect_to(*name));
    names.accept_waiting();
    EXPECT_FALSE(names.on_its_way(*name));
    EXPECT_EQ(names.written(*name)->show(), written);
    const auto before = arrived.size();
    const int stray = connect_to(*name);
    const Watch told(loop, stray, EV_READ, [this](short) { loop.stop(); });
    loop.run();
    EXPECT_EQ(arrived.size(), before);
    char byte;
    EXPECT_EQ(recv(stray, &byte, 1, 0), -1) << "it is reset";
    close(stray);
  }
  EXPECT_FALSE(names.written(at("127.0.0.1:80")));
  EXPECT_FALSE(names.written(at("[::1]:80")));
}

TEST_F(NamesTest, a_port_of_ipv6_is_given_again_but_only_for_the_same_address) {
  const auto first = names.give(claim("[::1]:80", 1));
  close(connect_to(*first));
  names.accept_waiting();
  const auto other = names.give(claim("[::1]:81", 2)), same = names.give(claim("[::1]:80", 3));
  EXPECT_FALSE(*other == *first);
  EXPECT_EQ(*same, *first);
}

TEST_F(NamesTest, a_name_that_is_withdrawn_closes_its_service_connection) {
  for (const char* written : {"127.0.0.1:80", "[::1]:80"}) {
    const auto name = names.give(claim(written, 1));
    EXPECT_FALSE(service_closed());
    names.withdraw(*name);
    EXPECT_TRUE(service_closed());
    EXPECT_FALSE(names.on_its_way(*name));
    names.withdraw(*name);
  }
}

TEST_F(NamesTest, a_client_that_never_comes_is_not_waited_for) {
  Names brief(loop, clock, [](int, const Claim&) { ADD_FAILURE(); }, kMillisecond);
  ASSERT_TRUE(brief.open());
  const auto name = brief.give(claim("127.0.0.1:80", 1));
  Watch gone(loop, ours, EV_READ, [this](short) { loop.stop(); });
  loop.run();
  EXPECT_TRUE(service_closed());
  EXPECT_FALSE(brief.on_its_way(*name));
}

// A thread that is on its way to read: it runs, and makes no call.
class Runner {
 public:
  Runner()
      : thread_([this] {
          id_ = static_cast<pid_t>(syscall(SYS_gettid));
          while (!stop_) {
          }
        }) {
    while (id_ == 0) std::this_thread::yield();
  }
  ~Runner() {
    stop_ = true;
    thread_.join();
  }
  pid_t id() const { return id_; }

 private:
  std::atomic<pid_t> id_ = 0;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

struct PlacesTest : testing::Test {
  std::function<bool()> note(int what, bool reads = true) {
    return [this, what, reads] {
      answered.push_back(what);
      return reads;
    };
  }
  Loop loop;
  const SystemClock clock;
  std::vector<int> answered;
  Places places{loop, clock, [] {}};
  const Places::Place place{1, 4096}, elsewhere{1, 8192};
};

TEST_F(PlacesTest, a_place_belongs_to_one_thread_until_its_connection_has_arrived) {
  const Runner first, second;
  places.enter(place, {first.id(), 1}, note(1));
  places.enter(place, {second.id(), 2}, note(2));
  places.enter(elsewhere, {getpid(), 3}, note(3));
  EXPECT_EQ(answered, (std::vector{1, 3}));
  places.arrived(1);
  EXPECT_EQ(answered, (std::vector{1, 3, 2}));
}

TEST_F(PlacesTest, a_thread_that_makes_another_call_has_done_with_its_place) {
  const Runner first, second;
  places.enter(place, {first.id(), 1}, note(1));
  places.enter(place, {second.id(), 2}, note(2));
  places.heard(first.id());
  EXPECT_EQ(answered, (std::vector{1, 2}));
}

TEST_F(PlacesTest, a_thread_that_sleeps_or_is_gone_has_read) {
  const int event = eventfd(0, EFD_CLOEXEC);
  std::atomic<pid_t> id = 0;
  std::thread sleeper([&] {
    id = static_cast<pid_t>(syscall(SYS_gettid));
    std::uint64_t rung;
    if (read(event, &rung, sizeof rung) < 0) ADD_FAILURE();
  });
  while (id == 0) std::this_thread::yield();
  places.enter(place, {id, 1}, note(1));
  places.enter(place, {getpid(), 2}, [&] {
    answered.push_back(2);
    loop.stop();
    return true;
  });
  if (answered.size() < 2) loop.run();  // it may not have come to its read yet
  EXPECT_EQ(answered, (std::vector{1, 2}));
  const std::uint64_t ring = 1;
  ASSERT_EQ(write(event, &ring, sizeof ring), static_cast<ssize_t>(sizeof ring));
  sleeper.join();
  close(event);
  const Runner waiting;
  places.enter(elsewhere, {id, 4}, note(4));
  places.enter(elsewhere, {waiting.id(), 5}, note(5));
  EXPECT_EQ(answered.back(), 5) << "the holder is gone";
}

TEST_F(PlacesTest, who_never_reads_does_not_hold) {
  const Runner first, second, third;
  places.enter(place, {first.id(), 1}, note(1, false));
  places.enter(place, {second.id(), 2}, note(2));
  places.enter(place, {third.id(), 3}, note(3, false));
  places.enter(place, {first.id(), 4}, note(4));
  EXPECT_EQ(answered, (std::vector{1, 2}));
  places.arrived(2);
  EXPECT_EQ(answered, (std::vector{1, 2, 3, 4}));
}

TEST(Processes, a_thread_belongs_to_its_process) {
  const Runner thread;
  EXPECT_NE(thread.id(), getpid());
  EXPECT_EQ(process_of(thread.id()), getpid());
  EXPECT_EQ(process_of(getpid()), getpid());
}
}  // namespace
}  // namespace retrial::proxy::capture
