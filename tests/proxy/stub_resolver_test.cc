#include "proxy/net/stub_resolver.h"

#include "tests/proxy/dns_server.h"
#include "tests/support/folder.h"

namespace retrial::proxy {
namespace {

using test::DnsServer;
using test::run_until;
using Question = DnsServer::Question;

std::string show(const std::vector<Address>& addresses) {
  std::string all;
  for (auto& address : addresses) all += address.show() + " ";
  return all;
}

class StubResolverTest : public ::testing::Test {
 protected:
  StubResolverTest() {
    settings.servers = dns.address;
    settings.resolv_conf = folder.write("resolv.conf", "search .\n");
    settings.hosts = folder.write("hosts", "");
  }
  // IPv4, IPv6 and the failure, once no more is to come.
  std::string found(const std::string& host) {
    if (!resolver) resolver = std::make_unique<StubResolver>(loop, settings);
    auto query = resolver->resolve(host, 80, [] {});
    auto& f = query->found();
    EXPECT_TRUE(run_until(loop, [&] { return !f.ipv4_pending && !f.ipv6_pending; }));
    return show(f.ipv4) + show(f.ipv6) + (f.failure ? f.failure->line() : "");
  }

  Loop loop;
  DnsServer dns{loop};
  test::Folder folder;
  ResolverSettings settings;
  std::unique_ptr<StubResolver> resolver;
};

TEST_F(StubResolverTest, all_addresses_of_both_families_are_found_in_the_order_of_the_answer) {
  dns.name("api.test", {"127.0.0.3", "127.0.0.1", "127.0.0.2"}, {"::1"});
  EXPECT_EQ(found("api.test"), "127.0.0.3:80 127.0.0.1:80 127.0.0.2:80 [::1]:80 ");
}

TEST_F(StubResolverTest, A_and_AAAA_are_asked_for_at_the_same_time) {
  dns.name("api.test", {"127.0.0.1"});
  dns.hold(DnsServer::A);
  dns.hold(DnsServer::AAAA);
  StubResolver own(loop, settings);
  auto query = own.resolve("api.test", 80, [] {});
  EXPECT_TRUE(query->found().ipv4_pending && query->found().ipv6_pending);
  ASSERT_TRUE(run_until(loop, [&] { return dns.asked.size() >= 2; }));
  EXPECT_TRUE(dns.was_asked({"api.test", DnsServer::A}));
  EXPECT_TRUE(dns.was_asked({"api.test", DnsServer::AAAA}));
}

TEST_F(StubResolverTest, the_next_name_of_the_search_list_is_asked_for_where_the_last_has_neither_family) {
  folder.write("resolv.conf", "search a.test b.test\n");
  dns.name("queue.b.test", {}, {"::1"});
  dns.name("queue", {"127.0.0.1"});
  EXPECT_EQ(found("queue"), "[::1]:80 ") << "and not the A record of another name";
  EXPECT_TRUE(dns.was_asked({"queue.a.test", DnsServer::A}));
  EXPECT_FALSE(dns.was_asked({"queue", DnsServer::A}));
}

TEST_F(StubResolverTest, a_name_with_enough_dots_or_one_at_its_end_is_asked_for_as_it_is_first) {
  folder.write("resolv.conf", "search a.test\noptions ndots:2\n");
  dns.name("queue.x.y", {"127.0.0.1"});
  dns.name("queue.x", {"127.0.0.2"});
  dns.name("queue.x.a.test", {"127.0.0.3"});
  EXPECT_EQ(found("queue.x.y"), "127.0.0.1:80 ");
  EXPECT_EQ(found("queue.x."), "127.0.0.2:80 ");
  EXPECT_EQ(found("queue.x"), "127.0.0.3:80 ");
  EXPECT_EQ(found("nowhere.x."), "nowhere.x.: name resolution: Domain name not found");
  EXPECT_FALSE(dns.was_asked({"nowhere.x.a.test", DnsServer::A}));
}

TEST_F(StubResolverTest, where_no_name_of_the_search_list_is_found_a_servers_failure_counts_more_than_that) {
  folder.write("resolv.conf", "search a.test b.test\n");
  dns.fails("queue.a.test", ns_r_servfail);
  EXPECT_EQ(found("queue"), "queue: name resolution: DNS server returned general failure");
  EXPECT_TRUE(dns.was_asked({"queue", DnsServer::A})) << "all of the list";
}

TEST_F(StubResolverTest, a_resolv_conf_that_has_changed_is_read_again_and_what_is_being_asked_goes_on) {
  dns.name("queue", {"127.0.0.1"});
  dns.name("queue.a.test", {"127.0.0.2"});
  dns.hold(DnsServer::A);
  resolver = std::make_unique<StubResolver>(loop, settings);
  auto before = resolver->resolve("queue", 80, [] {});
  folder.write("resolv.conf", "search a.test\n");
  auto after = resolver->resolve("queue", 80, [] {});
  ASSERT_TRUE(run_until(loop, [&] { return dns.asked.size() >= 4; }));
  dns.release(DnsServer::A);
  ASSERT_TRUE(run_until(loop, [&] { return !before->found().ipv4_pending && !after->found().ipv4_pending; }));
  EXPECT_EQ(show(before->found().ipv4), "127.0.0.1:80 ");
  EXPECT_EQ(show(after->found().ipv4), "127.0.0.2:80 ");
}

TEST_F(StubResolverTest, the_servers_of_resolv_conf_are_asked) {
  DnsServer listed(loop, Address::v4(INADDR_LOOPBACK + 0x050505, 53));
  if (!listed.bound) GTEST_SKIP() << "port 53 of 127.5.5.6 is not for us";
  folder.write("resolv.conf", "search .\nnameserver 127.5.5.6\n");
  settings.servers.clear();
  listed.name("api.test", {"127.0.0.1"});
  EXPECT_EQ(found("api.test"), "127.0.0.1:80 ");
}

TEST_F(StubResolverTest, where_one_server_is_not_there_or_fails_the_next_is_asked) {
  test::Port closed;
  closed.close();
  DnsServer broken(loop);
  broken.fails("api.test", ns_r_servfail);
  settings.servers = closed.address.show() + "," + broken.address + "," + dns.address;
  dns.name("api.test", {"127.0.0.1"});
  EXPECT_EQ(found("api.test"), "127.0.0.1:80 ");
  EXPECT_TRUE(broken.was_asked({"api.test", DnsServer::A}));
}

TEST_F(StubResolverTest, servers_that_all_fail_are_not_taken_for_servers_that_are_not_there) {
  DnsServer other(loop);
  for (auto* server : {&other, &dns}) {
    server->fails("broken.test", ns_r_servfail);
    server->fails("refused.test", ns_r_refused);
  }
  settings.servers = other.address + "," + dns.address;
  EXPECT_EQ(found("broken.test"), "broken.test: name resolution: DNS server returned general failure");
  EXPECT_EQ(found("refused.test"), "refused.test: name resolution: DNS server refused query");
}

TEST_F(StubResolverTest, an_answer_that_was_truncated_is_asked_for_again_by_TCP) {
  test::Port tcp;
  DnsServer both(loop, tcp.address);
  settings.servers = both.address;
  both.truncates = true;
  both.name("many.test", {"127.0.0.1", "127.0.0.2"}, {"::1"});
  resolver = std::make_unique<StubResolver>(loop, settings);
  auto query = resolver->resolve("many.test", 80, [] {});
  ::fcntl(tcp.fd, F_SETFL, O_NONBLOCK);
  int peer = -1;
  std::string heard;
  ASSERT_TRUE(run_until(loop, [&] {  // RFC 1035 4.2.2: each message after its length in two bytes
    if (peer < 0) peer = tcp.accept();
    char room[1024];
    if (auto n = peer < 0 ? -1 : ::recv(peer, room, sizeof room, 0); n > 0)
      heard.append(room, static_cast<std::size_t>(n));
    while (heard.size() >= 2 && heard.size() >= 2u + static_cast<unsigned char>(heard[1])) {
      auto size = 2u + static_cast<unsigned char>(heard[1]);
      auto answer = both.answer_to(heard.substr(2, size - 2));
      answer = std::string("\0", 1) + static_cast<char>(answer.size()) + answer;
      EXPECT_EQ(::send(peer, answer.data(), answer.size(), 0), static_cast<ssize_t>(answer.size()));
      heard.erase(0, size);
    }
    return !query->found().ipv4_pending && !query->found().ipv6_pending;
  }));
  EXPECT_EQ(show(query->found().ipv4) + show(query->found().ipv6), "127.0.0.1:80 127.0.0.2:80 [::1]:80 ");
  ::close(peer);
}

TEST_F(StubResolverTest, a_query_tells_of_each_change_once_and_what_was_known_at_once_is_no_change) {
  folder.write("hosts", "127.0.0.1 listed\n::1 listed\n");
  dns.name("api.test", {"127.0.0.1"}, {"::1"});
  dns.hold(DnsServer::AAAA);
  resolver = std::make_unique<StubResolver>(loop, settings);
  int changes = 0;
  auto known = resolver->resolve("listed", 80, [&] { changes++; });
  EXPECT_EQ(show(known->found().ipv4) + show(known->found().ipv6), "127.0.0.1:80 [::1]:80 ");
  auto query = resolver->resolve("api.test", 80, [&] { changes++; });
  ASSERT_TRUE(run_until(loop, [&] { return changes == 1; }));
  EXPECT_TRUE(query->found().ipv6_pending);
  ASSERT_TRUE(run_until(loop, [&] { return dns.was_asked({"api.test", DnsServer::AAAA}); }));
  dns.release(DnsServer::AAAA);
  ASSERT_TRUE(run_until(loop, [&] { return changes == 2; }));
  EXPECT_FALSE(query->found().ipv6_pending);
  for (int i = 0; i < 20; i++) loop.round(false);
  EXPECT_EQ(changes, 2);
}

}  // namespace
}  // namespace retrial::proxy
