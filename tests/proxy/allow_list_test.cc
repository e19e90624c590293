#include "proxy/net/allow_list.h"

#include <gtest/gtest.h>

namespace retrial::proxy {
namespace {

AllowList list(const std::vector<std::string>& entries) {
  auto read = AllowList::read(entries);
  EXPECT_TRUE(read) << read.error();
  return *read;
}
// Is this host let through, where it leads to that address ("ip:port")?
bool allows(const std::vector<std::string>& entries, std::string_view host, std::string_view address) {
  return list(entries).allows(host, *Address::parse(address));
}

TEST(AllowList, lets_names_through_by_what_was_asked_for) {
  EXPECT_TRUE(allows({"api.example"}, "API.example.", "192.0.2.1:80"));
  EXPECT_FALSE(allows({"api.example"}, "evil-api.example", "192.0.2.1:80"));
  EXPECT_FALSE(allows({"api.example"}, "api.example.evil.test", "192.0.2.1:80"));
  EXPECT_TRUE(allows({"*.example"}, "a.b.example", "10.0.0.1:80"));
  EXPECT_FALSE(allows({"*.example"}, "example", "10.0.0.1:80"));
  EXPECT_FALSE(allows({"10.0.0.*x"}, "10.0.0.1", "10.0.0.1:80"));
  EXPECT_FALSE(allows({"*.1"}, "192.0.2.1", "192.0.2.1:80")) << "an address is no name";
  EXPECT_TRUE(allows({"*"}, "192.0.2.1", "192.0.2.1:80"));
}

TEST(AllowList, lets_addresses_through_whatever_their_name_and_spelling) {
  for (auto* host : {"localhost", "rebound.example", "127.0.0.1"}) {
    EXPECT_TRUE(AllowList::loopback().allows(host, *Address::parse("127.0.0.1:80")));
    EXPECT_TRUE(AllowList::loopback().allows(host, *Address::parse("[::1]:80")));
    EXPECT_TRUE(AllowList::loopback().allows(host, *Address::parse("[::ffff:127.0.0.1]:80")));
    for (auto* elsewhere : {"10.0.0.1:80", "192.0.2.1:80", "0.0.0.0:80", "[::]:80", "[::ffff:10.0.0.1]:80",
                            "[::ffff:0.0.0.0]:80", "169.254.169.254:80", "[fe80::1]:80", "[64:ff9b::a00:1]:80"})
      EXPECT_FALSE(AllowList::loopback().allows(host, *Address::parse(elsewhere))) << elsewhere;
  }
  EXPECT_TRUE(allows({"10.0.0.0/9"}, "x", "10.127.255.255:80"));
  EXPECT_FALSE(allows({"10.0.0.0/9"}, "x", "10.128.0.0:80"));
  EXPECT_TRUE(allows({"10.0.0.0/8"}, "x", "[64:ff9b::a01:203]:80"));
  EXPECT_TRUE(allows({"2001:db8::/33"}, "x", "[2001:db8:7fff::1]:80"));
  EXPECT_FALSE(allows({"2001:db8::/33"}, "x", "[2001:db8:8000::1]:80"));
  EXPECT_FALSE(allows({"2001:db8::/32"}, "x", "192.0.2.1:80"));
}

TEST(AllowList, may_say_a_port) {
  EXPECT_TRUE(allows({"api.example:443"}, "api.example", "192.0.2.1:443"));
  EXPECT_FALSE(allows({"api.example:443"}, "api.example", "192.0.2.1:80"));
  EXPECT_TRUE(allows({"127.0.0.1:8080"}, "x", "127.0.0.1:8080"));
  EXPECT_FALSE(allows({"127.0.0.1:8080"}, "x", "127.0.0.1:22"));
  EXPECT_TRUE(allows({"[::1]:8080"}, "x", "[::1]:8080"));
  EXPECT_FALSE(allows({"[::1]:8080"}, "x", "[::1]:22"));
  EXPECT_TRUE(allows({"[::1]"}, "x", "[::1]:22"));
}

TEST(AllowList, a_name_leads_to_no_link_local_and_no_unspecified_address) {
  for (auto* address : {"169.254.7.7:80", "[fe80::1]:80", "0.0.0.0:80", "[::]:80", "[::ffff:169.254.7.7]:80"}) {
    for (auto* entry : {"*", "*.example", "a.example"}) EXPECT_FALSE(allows({entry}, "a.example", address)) << address;
    EXPECT_TRUE(allows({"0.0.0.0/0", "::/0"}, "a.example", address)) << address;
  }
}

TEST(AllowList, services_of_metadata_stand_for_themselves_alone) {
  for (std::string address : {"169.254.169.254", "fd00:ec2::254", "100.100.100.200", "168.63.129.16"}) {
    auto at = address.find(':') == address.npos ? address + ":80" : "[" + address + "]:80";
    EXPECT_FALSE(allows({"*", "*.internal", "metadata.internal", "0.0.0.0/0", "::/0", "169.254.0.0/16", "fd00::/8"},
                        "metadata.internal", at));
    EXPECT_TRUE(allows({address}, "metadata.internal", at));
  }
  EXPECT_FALSE(allows({"*", "0.0.0.0/0", "::/0"}, "x", "[::ffff:169.254.169.254]:80"));
  EXPECT_FALSE(allows({"*", "0.0.0.0/0", "::/0"}, "x", "[64:ff9b::a9fe:a9fe]:80"));
}

TEST(AllowList, knows_when_it_is_open_to_all) {
  for (auto* all : {"*", "**", "0.0.0.0/0", "::/0"}) EXPECT_TRUE(list({all}).allows_all()) << all;
  for (auto* some : {"*.example", "10.0.0.0/8", "::1", "2000::/3"}) EXPECT_FALSE(list({some}).allows_all()) << some;
  EXPECT_FALSE(AllowList::loopback().allows_all());
}

TEST(AllowList, says_what_is_wrong_with_an_entry) {
  for (auto* wrong : {"", "http://x", "a b", "10.0.0.0/33", "10.0.0.0/-1", "::/129", "a.example/8", "a.example:0",
                      "a.example:http", "300.1.1.1", "fe80::1%eth0", "[::1]:70000"}) {
    auto read = AllowList::read({"fine.example", wrong});
    ASSERT_FALSE(read) << wrong;
    EXPECT_TRUE(read.error().starts_with(std::string("\"") + wrong + "\": expected ")) << read.error();
  }
}

}  // namespace
}  // namespace retrial::proxy
