#include "proxy/net/dialer.h"

#include <sys/resource.h>

#include <filesystem>
#include <optional>

#include "tests/proxy/dns_server.h"
#include "tests/support/folder.h"

namespace retrial::proxy {
namespace {

using test::DnsServer;
using test::Port;
using test::run_until;
constexpr Nanos kNever = 3600 * kSecond;

Address at(const std::string& literal, std::uint16_t port) {
  return *Address::parse((literal.find(':') == literal.npos ? literal : "[" + literal + "]") + ":" +
                         std::to_string(port));
}

std::size_t open_descriptors() {
  std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

// What a dial came to. The socket is closed with it.
struct Dialled {
  Dialled() = default;
  Dialled(const Dialled&) = delete;
  ~Dialled() {
    if (result && *result) ::close(**result);
  }
  Dialer::Done keep() {
    return [this](std::expected<int, DialError> r) {
      EXPECT_FALSE(result) << "told twice";
      if (!r) kind = r.error().kind;
      result = std::move(r);
    };
  }
  std::string peer() const {
    Address to;
    socklen_t size = sizeof to.storage_;
    if (!result || !*result || ::getpeername(**result, to.get(), &size) != 0) return "none";
    return to.show();
  }
  std::string error() const { return result && !*result ? result->error().line() : "none"; }
  std::optional<Result<int>> result;
  DialError::Kind kind = DialError::Kind::failed;
};

// An address that answers no SYN: its queue is full, and nobody accepts.
struct Silent {
  explicit Silent(const Address& address) : port(address, 0), filler(::socket(address.family(), SOCK_STREAM, 0)) {
    EXPECT_EQ(::connect(filler, address.get(), address.size()), 0);
  }
  ~Silent() { ::close(filler); }
  Port port;
  int filler;
};

class DialerTest : public ::testing::Test {
 protected:
  DialerTest() {
    settings.names.servers = dns.address;
    settings.names.resolv_conf = folder.write("resolv.conf", "search .\n");
    settings.names.hosts = folder.write("hosts", "");
  }
  std::unique_ptr<Dialer::Dial> dial(const std::string& host, std::uint16_t port, Dialled& into) {
    if (!dialer) dialer = std::make_unique<Dialer>(loop, settings);
    auto dial = dialer->dial(host, port, limits, into.keep());
    EXPECT_FALSE(into.result) << "told before dial() returned";
    return dial;
  }
  // Dials, and waits for what comes of it.
  const Dialled& dialled(const std::string& host, std::uint16_t port, Dialled& into) {
    auto handle = dial(host, port, into);
    EXPECT_TRUE(run_until(loop, [&] { return into.result.has_value(); })) << host;
    return into;
  }
  std::string peer_of(const std::string& host, std::uint16_t port) {
    Dialled into;
    return dialled(host, port, into).peer();
  }
  std::string error_of(const std::string& host, std::uint16_t port) {
    Dialled into;
    return dialled(host, port, into).error();
  }
  // All that can happen on loopback without a timer happens.
  void rest() {
    for (int i = 0; i < 50; i++) loop.round(false);
  }
  void both_asked(const std::string& name) {
    ASSERT_TRUE(
        run_until(loop, [&] { return dns.was_asked({name, DnsServer::A}) && dns.was_asked({name, DnsServer::AAAA}); }));
  }

  Loop loop;
  DnsServer dns{loop};
  test::Folder folder;
  DialerSettings settings;
  DialLimits limits;
  std::unique_ptr<Dialer> dialer;
  Port v4;
  std::uint16_t port = v4.address.port();
};

class DialerTestWithIPv6 : public DialerTest {
 protected:
  void SetUp() override {
    int fd = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    auto six = at("::1", 0);
    bool there = ::bind(fd, six.get(), six.size()) == 0;
    ::close(fd);
    if (!there) GTEST_SKIP() << "this machine has no ::1";
    v6.emplace(at("::1", port));
  }
  std::optional<Port> v6;
};

TEST_F(DialerTestWithIPv6, an_address_literal_is_dialled_and_nobody_is_asked) {
  EXPECT_EQ(peer_of("127.0.0.1", port), v4.address.show());
  EXPECT_EQ(peer_of("::1", port), v6->address.show());
  EXPECT_EQ(peer_of("[::1]", port), v6->address.show());
  EXPECT_TRUE(dns.asked.empty());
}

TEST_F(DialerTest, the_socket_is_non_blocking_and_close_on_exec) {
  Dialled into;
  dialled("127.0.0.1", port, into);
  ASSERT_TRUE(*into.result);
  EXPECT_TRUE(::fcntl(**into.result, F_GETFD) & FD_CLOEXEC);
  EXPECT_TRUE(::fcntl(**into.result, F_GETFL) & O_NONBLOCK);
}

TEST_F(DialerTest, what_is_neither_a_name_nor_an_address_is_an_error_that_shows_it) {
  EXPECT_EQ(error_of("", port), ":" + std::to_string(port) + ": neither a name nor an address");
  EXPECT_EQ(error_of("::g", port), "::g:" + std::to_string(port) + ": neither a name nor an address");
  EXPECT_TRUE(dns.asked.empty());
}

TEST_F(DialerTestWithIPv6, localhost_is_IPv4_loopback_and_where_that_refuses_IPv6_loopback_and_nobody_is_asked) {
  for (auto host : {"localhost", "LocalHost.", "queue.localhost"}) EXPECT_EQ(peer_of(host, port), v4.address.show());
  v4.close();
  for (auto host : {"localhost", "LocalHost.", "queue.localhost"}) EXPECT_EQ(peer_of(host, port), v6->address.show());
  EXPECT_TRUE(dns.asked.empty());
}

TEST_F(DialerTest, a_name_of_the_hosts_file_is_dialled_and_nobody_is_asked) {
  folder.write("hosts", "# services\n127.0.0.1 Queue.test queue # ours\nbroken queue\n");
  EXPECT_EQ(peer_of("queue.TEST", port), v4.address.show());
  EXPECT_EQ(peer_of("queue.", port), v4.address.show());
  EXPECT_TRUE(dns.asked.empty()) << "the other family neither";
}

TEST_F(DialerTest, a_hosts_file_that_has_changed_is_read_again) {
  dns.name("queue", {"127.0.0.1"});
  folder.write("hosts", "127.0.0.2 queue\n");
  EXPECT_EQ(error_of("queue", port), "queue:" + std::to_string(port) + ": connect: Connection refused");
  folder.write("hosts", "127.0.0.1  queue\n");
  EXPECT_EQ(peer_of("queue", port), v4.address.show());
  EXPECT_TRUE(dns.asked.empty());
  std::filesystem::remove(folder.path() / "hosts");
  EXPECT_EQ(peer_of("queue", port), v4.address.show());
  EXPECT_FALSE(dns.asked.empty());
}

TEST_F(DialerTestWithIPv6, a_name_is_dialled_at_the_only_address_that_it_has) {
  dns.name("four.test", {"127.0.0.1"});
  dns.name("six.test", {}, {"::1"});
  settings.resolution_delay = kNever;
  EXPECT_EQ(peer_of("four.test", port), v4.address.show());
  EXPECT_EQ(peer_of("six.test", port), v6->address.show());
}

TEST_F(DialerTestWithIPv6, a_name_with_both_families_is_dialled_at_IPv4_alone) {
  dns.name("both.test", {"127.0.0.1"}, {"::1"});
  EXPECT_EQ(peer_of("both.test", port), v4.address.show());
  ::fcntl(v6->fd, F_SETFL, O_NONBLOCK);
  EXPECT_LT(v6->accept(), 0);
}

TEST_F(DialerTest, with_an_A_record_at_hand_no_AAAA_record_is_waited_for) {
  dns.name("both.test", {"127.0.0.1"}, {"::1"});
  dns.hold(DnsServer::AAAA);
  settings.resolution_delay = settings.attempt_delay = kNever;
  EXPECT_EQ(peer_of("both.test", port), v4.address.show());
}

TEST_F(DialerTestWithIPv6, an_A_record_that_comes_within_the_resolution_delay_is_dialled_before_the_AAAA_record) {
  dns.name("both.test", {"127.0.0.1"}, {"::1"});
  dns.hold(DnsServer::A);
  settings.resolution_delay = settings.attempt_delay = kNever;
  Dialled into;
  auto handle = dial("both.test", port, into);
  both_asked("both.test");
  rest();
  EXPECT_FALSE(into.result);
  dns.release(DnsServer::A);
  ASSERT_TRUE(run_until(loop, [&] { return into.result.has_value(); }));
  EXPECT_EQ(into.peer(), v4.address.show());
}

TEST_F(DialerTestWithIPv6, without_an_A_record_after_the_resolution_delay_the_AAAA_record_is_dialled) {
  dns.name("both.test", {"127.0.0.1"}, {"::1"});
  dns.hold(DnsServer::A);
  settings.attempt_delay = kNever;
  EXPECT_EQ(peer_of("both.test", port), v6->address.show());
}

TEST_F(DialerTestWithIPv6, that_there_is_no_A_record_ends_the_resolution_delay) {
  dns.name("six.test", {}, {"::1"});
  dns.hold(DnsServer::A);
  settings.resolution_delay = kNever;
  Dialled into;
  auto handle = dial("six.test", port, into);
  both_asked("six.test");
  rest();
  EXPECT_FALSE(into.result);
  dns.release(DnsServer::A);
  ASSERT_TRUE(run_until(loop, [&] { return into.result.has_value(); }));
  EXPECT_EQ(into.peer(), v6->address.show());
}

TEST_F(DialerTest, an_A_record_that_comes_after_the_AAAA_record_was_refused_is_dialled_at_once) {
  dns.name("both.test", {"127.0.0.1"}, {"::1"});
  dns.hold(DnsServer::A);
  settings.resolution_delay = 0;
  settings.attempt_delay = kNever;
  Dialled into;
  auto handle = dial("both.test", port, into);
  both_asked("both.test");
  rest();
  EXPECT_FALSE(into.result) << "an address may still come: " << into.error();
  dns.release(DnsServer::A);
  ASSERT_TRUE(run_until(loop, [&] { return into.result.has_value(); }));
  EXPECT_EQ(into.peer(), v4.address.show());
}

TEST_F(DialerTestWithIPv6, a_AAAA_record_that_comes_after_the_A_record_was_refused_is_dialled_at_once) {
  v4.close();
  dns.name("both.test", {"127.0.0.1"}, {"::1"});
  dns.hold(DnsServer::AAAA);
  settings.attempt_delay = kNever;
  Dialled into;
  auto handle = dial("both.test", port, into);
  both_asked("both.test");
  rest();
  EXPECT_FALSE(into.result);
  dns.release(DnsServer::AAAA);
  ASSERT_TRUE(run_until(loop, [&] { return into.result.has_value(); }));
  EXPECT_EQ(into.peer(), v6->address.show());
}

TEST_F(DialerTest, a_name_with_two_addresses_is_dialled_at_the_second_when_the_first_is_refused) {
  dns.name("two.test", {"127.0.0.2", "127.0.0.1"});
  settings.attempt_delay = kNever;
  EXPECT_EQ(peer_of("two.test", port), v4.address.show());
}

TEST_F(DialerTest, an_attempt_that_is_not_answered_is_overtaken_after_the_attempt_delay_and_closed) {
  Silent silent(at("127.0.0.2", port));
  dns.name("two.test", {"127.0.0.2", "127.0.0.1"});
  settings.attempt_delay = kMillisecond;
  EXPECT_EQ(peer_of("two.test", port), v4.address.show());
  rest();
  auto before = open_descriptors();
  Dialled into;
  auto handle = dial("two.test", port, into);
  ASSERT_TRUE(run_until(loop, [&] { return into.result.has_value(); }));
  EXPECT_EQ(into.peer(), v4.address.show());
  rest();
  EXPECT_EQ(open_descriptors(), before + 1);
}

TEST_F(DialerTest, the_next_attempt_waits_for_the_attempt_delay_and_for_nothing_else) {
  Silent silent(at("127.0.0.2", port));
  dns.name("two.test", {"127.0.0.2", "127.0.0.1"});
  settings.attempt_delay = kNever;
  Dialled into;
  auto handle = dial("two.test", port, into);
  both_asked("two.test");
  rest();
  EXPECT_FALSE(into.result);
  ::fcntl(v4.fd, F_SETFL, O_NONBLOCK);
  EXPECT_LT(v4.accept(), 0) << "not dialled yet";
}

TEST_F(DialerTest, a_refused_attempt_starts_the_next_at_once_beside_one_that_is_not_answered_yet) {
  Silent silent(at("127.0.0.2", port));
  dns.name("three.test", {"127.0.0.2", "127.0.0.3", "127.0.0.1"});
  settings.attempt_delay = kMillisecond;
  EXPECT_EQ(peer_of("three.test", port), v4.address.show());
}

TEST_F(DialerTest, a_peer_that_accepts_and_resets_at_once_was_connected_to_and_its_reset_is_still_to_be_read) {
  Dialled into;
  auto handle = dial("127.0.0.1", port, into);
  test::abort_connection(v4.accept());
  ASSERT_TRUE(run_until(loop, [&] { return into.result.has_value(); }));
  ASSERT_TRUE(*into.result) << into.error();
  char one;
  EXPECT_LT(::recv(**into.result, &one, 1, 0), 0);
  EXPECT_EQ(errno, ECONNRESET);
}

TEST_F(DialerTest, where_all_attempts_fail_the_error_names_the_host_and_the_most_telling_of_them) {
  v4.close();
  settings.attempt_delay = kNever;
  dns.name("api.test", {"127.0.0.1", "255.255.255.255"}, {"::1"});  // nothing is sent to a broadcast address by TCP
  Dialled into;
  dialled("api.test", port, into);
  EXPECT_EQ(into.error(), "api.test:" + std::to_string(port) + ": connect: Connection refused (3 addresses tried)");
  EXPECT_EQ(into.result->error().blame, Blame::network);
  EXPECT_EQ(error_of("255.255.255.255", 80), "255.255.255.255:80: connect: Network is unreachable");
}

TEST_F(DialerTest, no_more_addresses_are_tried_than_the_settings_say) {
  dns.name("many.test", {"127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"});
  settings.most_attempts = 3;
  EXPECT_EQ(error_of("many.test", port),
            "many.test:" + std::to_string(port) + ": connect: Connection refused (3 addresses tried)");
}

TEST_F(DialerTest, a_name_without_an_address_is_an_error_that_says_why) {
  auto on = [&](const std::string& name) { return name + ":" + std::to_string(port) + ": name resolution: "; };
  dns.name("empty.test", {});
  dns.fails("broken.test", ns_r_servfail);
  EXPECT_EQ(error_of("nowhere.test", port), on("nowhere.test") + "Domain name not found");
  EXPECT_EQ(error_of("empty.test", port), on("empty.test") + "DNS server returned answer with no data");
  EXPECT_EQ(error_of("broken.test", port), on("broken.test") + "DNS server returned general failure");
  EXPECT_EQ(error_of("a..test", port), on("a..test") + "Misformatted domain name");
}

TEST_F(DialerTest, an_A_record_is_enough_where_the_server_fails_on_the_AAAA_record) {
  Dialled into;
  dns.hold(DnsServer::AAAA);
  dns.name("four.test", {"127.0.0.2"});
  auto handle = dial("four.test", port, into);
  both_asked("four.test");
  rest();
  EXPECT_FALSE(into.result);
  dns.fails("four.test", ns_r_servfail);
  dns.release(DnsServer::AAAA);
  ASSERT_TRUE(run_until(loop, [&] { return into.result.has_value(); }));
  EXPECT_EQ(into.error(), "four.test:" + std::to_string(port) + ": connect: Connection refused");
}

TEST_F(DialerTest, a_name_server_that_does_not_answer_is_an_error_that_says_so) {
  dns.hold(DnsServer::A);
  dns.hold(DnsServer::AAAA);
  settings.names.timeout = kMillisecond;
  settings.names.tries = 2;
  EXPECT_EQ(error_of("api.test", port),
            "api.test:" + std::to_string(port) + ": name resolution: Timeout while contacting DNS servers");
}

TEST_F(DialerTest, a_name_server_that_is_not_there_is_an_error_that_says_so) {
  settings.names.servers = at("127.0.0.2", port).show();
  settings.names.timeout = kNever;
  EXPECT_EQ(error_of("api.test", port),
            "api.test:" + std::to_string(port) + ": name resolution: Could not contact DNS servers");
}

// Nothing can be opened while it lives.
class NoDescriptors {
 public:
  NoDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    int next = ::dup(0);
    ::close(next);
    rlimit few{static_cast<rlim_t>(next), before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
  }
  ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(DialerTest, where_descriptors_have_run_out_the_error_names_that_and_it_is_our_fault) {
  dns.name("four.test", {"127.0.0.1"});
  folder.write("hosts", "127.0.0.1 listed\n");
  EXPECT_EQ(peer_of("four.test", port), v4.address.show());  // both files were read
  for (auto host : {"127.0.0.1", "localhost", "listed", "four.test"}) {
    Dialled into;
    {
      NoDescriptors none;
      dialled(host, port, into);
    }
    EXPECT_NE(into.error().find(": Too many open files"), std::string::npos) << into.error();
    ASSERT_FALSE(*into.result);
    EXPECT_EQ(into.result->error().blame, Blame::us) << host;
    EXPECT_TRUE(into.error().starts_with(host)) << into.error();
  }
  EXPECT_EQ(peer_of("four.test", port), v4.address.show()) << "and it goes on when there are some again";
}

TEST_F(DialerTest, files_that_cannot_be_read_for_want_of_descriptors_are_read_later) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP()
      << "UBSan looks at an object of a type that it has not seen yet through a pipe, and there is none to be had";
#endif
  folder.write("hosts", "127.0.0.1 listed\n");
  dns.name("four.test", {"127.0.0.1"});
  for (auto host : {"listed", "four.test"}) {
    Dialled into;
    {
      NoDescriptors none;
      dialled(host, port, into);
    }
    EXPECT_NE(into.error().find("Too many open files"), std::string::npos) << into.error();
    EXPECT_EQ(peer_of(host, port), v4.address.show());
  }
}

TEST_F(DialerTest, a_dial_that_is_destroyed_calls_nobody_and_leaves_nothing_open_whatever_it_was_about) {
  Silent silent(at("127.0.0.3", port));
  dns.name("late.test", {"127.0.0.1"}, {"::1"});
  dns.name("silent.test", {"127.0.0.3"});
  settings.resolution_delay = settings.attempt_delay = kNever;
  peer_of("127.0.0.1", port);
  rest();
  auto before = open_descriptors();
  Dialled into;
  auto cancelled = [&](const char* what, const std::string& host, const std::function<void()>& meanwhile) {
    auto handle = dial(host, port, into);
    meanwhile();
    EXPECT_FALSE(into.result) << what;
    handle.reset();
    EXPECT_EQ(open_descriptors(), before) << what;
    rest();
    EXPECT_FALSE(into.result) << what;
  };
  cancelled("an attempt has just begun", "127.0.0.1", [] {});
  cancelled("an attempt is refused already", "127.0.0.2", [] {});
  cancelled("an error is to be told", "255.255.255.255", [] {});
  cancelled("name servers were asked", "late.test", [] {});
  dns.hold(DnsServer::A);
  cancelled("the resolution delay runs", "late.test", [&] {
    dns.asked.clear();
    both_asked("late.test");
    rest();
  });
  dns.hold(DnsServer::AAAA);
  cancelled("no server has answered", "late.test", [&] { rest(); });
  dns.release(DnsServer::A);
  dns.release(DnsServer::AAAA);
  cancelled("an attempt is not answered", "silent.test", [&] {
    both_asked("silent.test");
    rest();
  });
  EXPECT_EQ(peer_of("late.test", port), v4.address.show());
}

TEST_F(DialerTest, one_of_two_dials_to_a_name_can_be_destroyed_and_the_other_goes_on) {
  dns.name("four.test", {"127.0.0.1"});
  Dialled first, second;
  auto one = dial("four.test", port, first);
  auto two = dial("four.test", port, second);
  one.reset();
  ASSERT_TRUE(run_until(loop, [&] { return second.result.has_value(); }));
  EXPECT_EQ(second.peer(), v4.address.show());
  EXPECT_FALSE(first.result);
}

TEST_F(DialerTest, several_dials_at_once_come_each_to_its_own_end) {
  Port other(at("127.0.0.2", port), 64);
  std::array<Dialled, 30> all;
  std::vector<std::unique_ptr<Dialer::Dial>> handles;
  for (int i = 0; i < 10; i++) {
    auto n = std::to_string(i);
    dns.name("one" + n + ".test", {"127.0.0.1"});
    dns.name("other" + n + ".test", {"127.0.0.3", "127.0.0.2"});
    auto* into = &all[static_cast<std::size_t>(3 * i)];
    handles.push_back(dial("one" + n + ".test", port, into[0]));
    handles.push_back(dial("other" + n + ".test", port, into[1]));
    handles.push_back(dial("nowhere" + n + ".test", port, into[2]));
  }
  ASSERT_TRUE(run_until(loop, [&] { return std::ranges::all_of(all, [](auto& d) { return d.result.has_value(); }); }));
  for (std::size_t i = 0; i < all.size(); i += 3) {
    EXPECT_EQ(all[i].peer(), v4.address.show());
    EXPECT_EQ(all[i + 1].peer(), other.address.show());
    EXPECT_NE(all[i + 2].error().find("Domain name not found"), std::string::npos);
  }
}

TEST_F(DialerTest, an_address_that_does_not_answer_in_time_is_given_up) {
  Port full(Address::v4(INADDR_LOOPBACK, 0), 0);  // its queue holds one: no other SYN is answered
  Dialled first;
  EXPECT_EQ(dialled("127.0.0.1", full.address.port(), first).peer(), full.address.show());
  limits.connect = kMillisecond;
  limits.resolve = kNever;
  Dialled into;
  EXPECT_EQ(dialled("127.0.0.1", full.address.port(), into).error(),
            full.address.show() + ": connect: no answer within 1 ms");
  EXPECT_EQ(into.kind, DialError::Kind::late);
}

TEST_F(DialerTest, name_servers_that_do_not_answer_in_time_are_given_up) {
  dns.name("four.test", {"127.0.0.1"});
  dns.hold(DnsServer::A);
  dns.hold(DnsServer::AAAA);
  limits.resolve = kMillisecond;
  limits.connect = kNever;
  Dialled into;
  EXPECT_EQ(dialled("four.test", 80, into).error(), "four.test:80: name resolution: no answer within 1 ms");
  EXPECT_EQ(into.kind, DialError::Kind::late);
  std::string said;
  auto look = dialer->look("four.test", 80, kMillisecond, [&](auto found) { said = found.error().line(); });
  ASSERT_TRUE(run_until(loop, [&] { return !said.empty(); }));
  EXPECT_EQ(said, "four.test:80: name resolution: no answer within 1 ms");
}

TEST_F(DialerTest, an_address_that_is_not_allowed_is_never_dialled_whoever_names_it) {
  dns.name("both.test", {"127.0.0.2", "127.0.0.1"});
  dns.name("rebound.test", {"127.0.0.1"});
  auto only = *AllowList::read({"127.0.0.2"});
  limits.only = &only;
  Dialled first, second;
  EXPECT_EQ(dialled("rebound.test", port, first).kind, DialError::Kind::barred);
  EXPECT_NE(first.error().find("127.0.0.1 is none of the places that are forwarded to"), std::string::npos);
  only = *AllowList::read({"127.0.0.1"});
  EXPECT_EQ(dialled("both.test", port, second).peer(), v4.address.show());
}

TEST_F(DialerTest, all_addresses_of_a_name_may_be_asked_for_without_a_connection) {
  dns.name("both.test", {"127.0.0.2", "127.0.0.1"}, {"::1"});
  dialer = std::make_unique<Dialer>(loop, settings);
  std::vector<Address> all;
  std::unique_ptr<Dialer::Look> look;
  look = dialer->look("both.test", 80, kNever, [&](auto found) {
    all = *found;
    look.reset();
  });
  ASSERT_TRUE(run_until(loop, [&] { return !all.empty(); }));
  EXPECT_EQ(all, (std::vector{at("127.0.0.2", 80), at("127.0.0.1", 80), at("::1", 80)}));
}

TEST_F(DialerTest, a_dial_may_be_destroyed_by_its_own_done_and_its_dialer_with_it) {
  dns.name("four.test", {"127.0.0.1"});
  for (auto host : {"127.0.0.1", "127.0.0.2", "four.test", "nowhere.test", ""}) {
    dialer = std::make_unique<Dialer>(loop, settings);
    std::unique_ptr<Dialer::Dial> handle;
    bool told = false;
    handle = dialer->dial(host, port, {}, [&](Result<int> result) {
      handle.reset();
      dialer.reset();
      if (result) ::close(*result);
      told = true;
    });
    EXPECT_TRUE(run_until(loop, [&] { return told; })) << host;
  }
}

TEST_F(DialerTest, a_dial_may_be_begun_from_within_the_done_of_another) {
  dns.name("four.test", {"127.0.0.1"});
  Dialled second;
  std::unique_ptr<Dialer::Dial> first, next;
  dialer = std::make_unique<Dialer>(loop, settings);
  first = dialer->dial("nowhere.test", port, {}, [&](Result<int>) { next = dial("four.test", port, second); });
  ASSERT_TRUE(run_until(loop, [&] { return second.result.has_value(); }));
  EXPECT_EQ(second.peer(), v4.address.show());
}

TEST(NextDestination, families_take_turns_and_no_address_is_tried_twice) {
  Resolution known;
  known.ipv4 = {at("127.0.0.1", 80), at("127.0.0.2", 80), at("127.0.0.1", 80), at("127.0.0.3", 80)};
  known.ipv6 = {at("::1", 80), at("::2", 80)};
  std::vector<Address> tried;
  std::string order;
  while (auto next = next_destination(known, tried)) {
    order += next->show() + " ";
    tried.push_back(*next);
  }
  EXPECT_EQ(order, "127.0.0.1:80 [::1]:80 127.0.0.2:80 [::2]:80 127.0.0.3:80 ");
}

}  // namespace
}  // namespace retrial::proxy
