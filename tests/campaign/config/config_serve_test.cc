#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "campaign/config/config.h"
#include "campaign/config/config_values.h"
#include "campaign/config/server_settings.h"

namespace retrial::campaign {
namespace {

std::string complaint(std::string_view text) {
  auto config = parse_config(text, "retrial.toml");
  if (config) return "";
  EXPECT_EQ(config.error().line().find('\n'), std::string::npos);
  return config.error().line();
}

constexpr std::string_view kWhole = R"toml(
[serve]
loops = 3
pristine = true
head_size = "64KiB"
header_count = 100
body = "10MiB"
head_timeout = "10s"
idle_timeout = "5m"
seed = 42
record = "traces"
keep = "2GiB"
drain = "5s"

[service.queue]
address = "127.0.0.1:10001"
profile = "azure-storage"

[service.bank]
address = "https://bank.example"
verify = false
close_notify = false
pin = ["sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "sha256/BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB="]

[[listener]]
mode = "reverse"
listen = "127.0.0.1:8001"
service = "queue"

[[listener]]
mode = "reverse"
listen = ":8443"
service = "bank"
protocol = "auto"

[[listener]]
mode = "forward"
listen = "[::1]:3128"

[[rule]]
match = { service = "queue", method = "POST", path = "/*/messages", host = "Queue.Example", operation = "POST **", call_site = "src/**", test = "tests/**" }
inject = "lost-response(reset), then pass"

[[rule]]
inject = "10% of error(503)"
)toml";

TEST(ConfigOfServe, every_key_is_read) {
  auto config = parse_config(kWhole, "retrial.toml");
  ASSERT_TRUE(config) << config.error().line();
  auto& s = config->serve;
  EXPECT_EQ(s.loops, 3);
  EXPECT_TRUE(s.pristine);
  EXPECT_EQ(s.head_size, 64u << 10);
  EXPECT_EQ(s.header_count, 100u);
  EXPECT_EQ(s.body, 10u << 20);
  EXPECT_EQ(s.head_timeout, 10 * kSecond);
  EXPECT_EQ(s.idle_timeout, 300 * kSecond);
  EXPECT_EQ(s.seed, 42u);
  EXPECT_EQ(s.record, "traces");
  EXPECT_EQ(s.keep, 2ull << 30);
  EXPECT_EQ(s.drain, 5 * kSecond);
  auto* bank = config->named("bank");
  ASSERT_TRUE(bank);
  EXPECT_EQ(bank->address, "bank.example:443");
  EXPECT_TRUE(bank->https);
  EXPECT_FALSE(bank->security.verify);
  EXPECT_FALSE(bank->security.close_notify);
  EXPECT_EQ(bank->security.pins.size(), 2u);
  ASSERT_EQ(config->listeners.size(), 3u);
  EXPECT_EQ(config->listeners[0].protocol, proxy::Protocol::http);
  EXPECT_EQ(config->listeners[1].protocol, proxy::Protocol::automatic);
  EXPECT_EQ(config->listeners[2].mode, proxy::Mode::forward);
  EXPECT_EQ(config->listeners[2].protocol, proxy::Protocol::automatic);
  ASSERT_EQ(config->rules.size(), 2u);
  EXPECT_EQ(config->rules[0].service, "queue");
  EXPECT_EQ(config->rules[0].match.host, "queue.example");
  EXPECT_EQ(config->rules[0].match.call_site, "src/**");
}

TEST(ConfigOfServe, becomes_what_the_server_is_to_do) {
  auto config = parse_config(kWhole, "retrial.toml");
  ASSERT_TRUE(config);
  auto settings = server_settings(*config);
  ASSERT_TRUE(settings) << settings.error().line();
  ASSERT_EQ(settings->listeners.size(), 4u) << "\":8443\" is a socket for each family";
  EXPECT_EQ(settings->listeners[1].at.show(), "0.0.0.0:8443");
  EXPECT_EQ(settings->listeners[2].at.show(), "[::]:8443");
  EXPECT_TRUE(settings->listeners[2].service.tls);
  EXPECT_EQ(settings->listeners[2].service.host, "bank.example");
  EXPECT_EQ(settings->rules[0].match.services, (std::vector<std::string>{"127.0.0.1:10001", "localhost:10001"}));
  EXPECT_TRUE(settings->rules[1].match.services.empty());
  EXPECT_EQ(settings->profiles.at("127.0.0.1:10001"), "azure-storage");
  EXPECT_EQ(settings->options.head_limit, 64u << 10);
  EXPECT_TRUE(settings->options.pooled);
  EXPECT_FALSE(settings->options.tunnel_unreadable);
}

TEST(ConfigOfServe, where_it_may_lead_and_what_faults_may_reach_is_read_and_checked) {
  auto config = parse_config(
      "[serve]\nallow = [\"*.staging.example\", \"203.0.113.0/24\"]\nconnect_timeout = \"2s\"\nresolve_timeout = "
      "\"3s\"\n"
      "[service.s]\naddress = \"https://10.0.0.7\"\nserver_name = \"s.example\"\nallow = true\nconnect_timeout = "
      "\"1s\"\n"
      "[[listener]]\nmode = \"forward\"\nlisten = \"127.0.0.1:0\"\nto = [\"10.0.0.0/8\"]\n"
      "[[listener]]\nmode = \"forward\"\nlisten = \"127.0.0.1:0\"\n",
      "retrial.toml");
  ASSERT_TRUE(config) << config.error().line();
  auto settings = *server_settings(*config);
  EXPECT_EQ(settings.options.connect_timeout, 2 * kSecond);
  EXPECT_EQ(settings.options.resolve_timeout, 3 * kSecond);
  EXPECT_TRUE(settings.options.faults_also->allows("a.staging.example", *proxy::Address::parse("192.0.2.1:80")));
  auto& s = settings.services.at(0);
  EXPECT_EQ(s.server_name, "s.example");
  EXPECT_TRUE(s.allow);
  EXPECT_EQ(s.connect_timeout, kSecond);
  EXPECT_EQ(s.resolve_timeout, 0);
  EXPECT_TRUE(settings.listeners[0].to->allows("x", *proxy::Address::parse("10.1.2.3:80")));
  EXPECT_FALSE(settings.listeners[0].to->allows("x", *proxy::Address::parse("127.0.0.1:80")));
  EXPECT_TRUE(settings.listeners[1].to->allows("x", *proxy::Address::parse("127.0.0.1:80")));
  EXPECT_EQ(complaint("[[listener]]\nmode = \"forward\"\nlisten = \":1\"\nto = [\"10.0.0.0/99\"]\n"),
            "retrial.toml:4: [[listener]] to: \"10.0.0.0/99\": expected a prefix from 0 to 32 behind the slash, found "
            "an array");
  EXPECT_EQ(
      complaint("[service.s]\naddress = \"127.0.0.1:1\"\n[[listener]]\nmode = \"reverse\"\nlisten = \":1\"\nservice = "
                "\"s\"\nto = \"*\"\n"),
      "retrial.toml:7: [[listener]] to: expected none: only a forward listener is told by its clients where to go, "
      "found "
      "\"*\"");
  EXPECT_NE(complaint("[service.s]\nserver_name = \"a b\"\n"), "");
}

TEST(ConfigOfServe, what_its_user_should_know_is_a_line_each) {
  auto warnings = [](std::string_view text) {
    auto config = parse_config(text, "retrial.toml");
    EXPECT_TRUE(config) << config.error().line();
    return warnings_of(*server_settings(*config));
  };
  std::string reverse =
      "[[listener]]\nmode = \"reverse\"\nlisten = \"127.0.0.1:81\"\nservice = \"s\"\n[[rule]]\ninject = "
      "\"error(503)\"\n"
      "[service.s]\naddress = \"192.0.2.7:80\"\n";
  EXPECT_EQ(warnings(reverse),
            (std::vector<std::string>{
                "192.0.2.7:80: no fault will reach it: 192.0.2.7 is neither loopback nor private, and not "
                "allowed (`allow = true` in its [service.NAME], or --allow)"}));
  EXPECT_TRUE(warnings(reverse + "allow = true\n").empty());
  EXPECT_TRUE(warnings("[serve]\nallow = [\"192.0.2.0/24\"]\n" + reverse).empty());
  std::string forward = "[[listener]]\nmode = \"forward\"\nlisten = \"127.0.0.1:82\"\n";
  EXPECT_TRUE(warnings(forward).empty());
  EXPECT_EQ(
      warnings(forward + "to = [\"*\"]\n"),
      (std::vector<std::string>{"127.0.0.1:82: this forward proxy leads everywhere, for whoever can connect to it"}));
}

TEST(ConfigOfServe, what_is_kept_is_enough_for_all_loops_and_the_largest_head) {
  EXPECT_EQ(complaint("[serve]\nkeep = \"1MiB\"\n"), "");
  EXPECT_EQ(complaint("[serve]\nkeep = \"1000KiB\"\n"),
            "retrial.toml:2: [serve] keep: expected at least \"1MiB\": 64KiB for each loop, and four times head_size, "
            "found \"1000KiB\"");
  EXPECT_EQ(complaint("[serve]\nloops = 40\nkeep = \"1MiB\"\n"),
            "retrial.toml:3: [serve] keep: expected at least \"2560KiB\": 64KiB for each loop, and four times "
            "head_size, found \"1MiB\"");
  EXPECT_EQ(complaint("[serve]\nhead_size = \"1GiB\"\n"),
            "retrial.toml:2: [serve] head_size: expected at most a quarter of keep, found \"1GiB\"");
  EXPECT_EQ(complaint("[serve]\nhead_size = \"4KiB\"\nloops = 1\nkeep = \"64KiB\"\n"), "");
  EXPECT_EQ(complaint("[serve]\nkeep = \"1KiB\"\nrecord = \"none\"\n"), "");
}

TEST(ConfigOfServe, an_Envoys_listener_may_be_for_one_service_and_takes_only_faults_that_an_Envoy_can_carry_out) {
  constexpr auto kMesh =
      "[service.orders]\naddress = \"http://orders:8080\"\nallow = true\n[[listener]]\nmode = \"envoy\"\n"
      "listen = \"127.0.0.1:9001\"\nservice = \"orders\"\n[[listener]]\nmode = \"envoy\"\nlisten = "
      "\"127.0.0.1:9002\"\n";
  auto with = [&](std::string_view more) { return *parse_config(std::string(kMesh).append(more), "retrial.toml"); };
  auto settings = server_settings(with("[[rule]]\ninject = \"lost-response(error(503)) x 1, then delay(1s)\"\n"));
  ASSERT_TRUE(settings) << settings.error().line();
  ASSERT_EQ(settings->listeners.size(), 2u);
  EXPECT_EQ(settings->listeners[0].mode, proxy::Mode::envoy);
  EXPECT_EQ(settings->listeners[0].service.host, "orders");
  EXPECT_TRUE(settings->listeners[0].service.allow);
  EXPECT_EQ(settings->listeners[1].service.host, "");
  EXPECT_TRUE(warnings_of(*settings).empty());
  auto refused = server_settings(with("[[rule]]\ninject = \"error(503) x 1, then reset(in-body)\"\n"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().line(),
            "[[rule]] inject = \"error(503) x 1, then reset(in-body)\": expected a fault that an Envoy can carry out, "
            "found reset(in-body): an Envoy that asks what to do breaks no connection and no stream");
  auto mixed =
      server_settings(with("[[listener]]\nmode = \"reverse\"\nlisten = \"127.0.0.1:8001\"\nservice = "
                           "\"orders\"\n[[rule]]\ninject = \"stall\"\n"));
  ASSERT_TRUE(mixed);
  auto warnings = warnings_of(*mixed);
  ASSERT_EQ(warnings.size(), 2u) << "one for each listener of an Envoy";
  EXPECT_EQ(warnings[0],
            "127.0.0.1:9001: no stall will come of what it is asked here: an Envoy that is not answered answers 504 "
            "itself: use delay(TIME)");
  EXPECT_EQ(complaint("[[listener]]\nmode = \"envoy\"\nlisten = \":1\"\nprotocol = \"tcp\"\n"),
            "retrial.toml:4: [[listener]] protocol: expected none: an Envoy speaks gRPC to this listener, whatever it "
            "carries itself, found \"tcp\"");
}

TEST(ConfigOfServe, a_listener_that_cannot_be_is_named_with_what_was_expected) {
  EXPECT_EQ(complaint("[[listener]]\nmode = \"revers\"\nlisten = \":80\"\n"),
            "retrial.toml:2: [[listener]] mode: expected \"reverse\", \"forward\", \"redirect\", \"tproxy\" or "
            "\"envoy\", found \"revers\", did you mean \"reverse\"?");
  EXPECT_EQ(complaint("[[listener]]\nmode = \"forward\"\n"),
            "retrial.toml:1: [[listener]] listen: expected an address and a port, such as \"127.0.0.1:8001\", "
            "\"[::1]:8001\" or \":8001\"");
  EXPECT_EQ(complaint("[[listener]]\nmode = \"reverse\"\nlisten = \":80\"\n"),
            "retrial.toml:1: [[listener]] service: expected the [service.NAME] that a reverse listener is for");
  EXPECT_EQ(complaint("[service.queue]\naddress = \"q:1\"\n[[listener]]\nmode = \"reverse\"\nlisten = \":80\"\nservice "
                      "= \"quue\"\n"),
            "retrial.toml:6: [[listener]] service: expected the NAME of a [service.NAME], found \"quue\", did you mean "
            "\"queue\"?");
  EXPECT_EQ(complaint("[[listener]]\nmode = \"forward\"\nlisten = \":80\"\nservice = \"q\"\n"),
            "retrial.toml:4: [[listener]] service: expected none: requests say themselves where they go, unless the "
            "mode is \"reverse\" or \"envoy\", found \"q\"");
  EXPECT_EQ(complaint("[[listener]]\nmode = \"forward\"\nlisten = \":80\"\nport = 1\n"),
            "retrial.toml:4: [[listener]] port: unknown key, expected one of mode, listen, service, protocol, to");
  EXPECT_EQ(complaint("[[listener]]\nmode = \"forward\"\nlisten = \":80\"\n[[listener]]\nmode = \"forward\"\nlisten = "
                      "\":80\"\n"),
            "retrial.toml:6: [[listener]] listen: expected an address of its own: another [[listener]] has this one, "
            "found \":80\"");
  EXPECT_EQ(complaint("[listener]\nmode = \"forward\"\n"),
            "retrial.toml:1: listener: expected tables [[listener]], one a way in");
}

TEST(ConfigOfServe, a_rule_that_cannot_be_is_named_with_what_was_expected) {
  EXPECT_EQ(complaint("[[rule]]\n"),
            "retrial.toml:1: [[rule]] inject: expected a fault, such as \"error(503) x 2, then pass\"");
  auto text = complaint("[[rule]]\ninject = \"eror(503)\"\n");
  EXPECT_TRUE(text.starts_with("retrial.toml:2: [[rule]] inject: ")) << text;
  EXPECT_NE(text.find("error"), std::string::npos) << text;
  EXPECT_EQ(
      complaint("[[rule]]\nmatch = { methd = \"GET\" }\ninject = \"stall\"\n"),
      "retrial.toml:2: [[rule]] match methd: unknown key, expected one of service, method, path, host, operation, "
      "call_site, test, opt_in, did you mean \"method\"?");
  EXPECT_EQ(complaint("[[rule]]\nmatch = \"GET\"\ninject = \"stall\"\n"),
            "retrial.toml:2: [[rule]] match: expected a table such as { method = \"POST\" }, found \"GET\"");
  EXPECT_EQ(complaint("[[rule]]\nmatch = { path = \"/a?b\" }\ninject = \"stall\"\n"),
            "retrial.toml:2: [[rule]] match path: expected a path without a query: a rule sees none, found \"/a?b\"");
  EXPECT_EQ(complaint("[service.queue]\n[[rule]]\nmatch = { service = \"queu\" }\ninject = \"stall\"\n"),
            "retrial.toml:3: [[rule]] match service: expected the NAME of a [service.NAME], or host:port, found "
            "\"queu\", did you mean \"queue\"?");
}

TEST(ConfigOfServe, sizes_have_a_unit) {
  EXPECT_EQ(size_of("512B"), 512u);
  EXPECT_EQ(size_of("1 GiB"), 1u << 30);
  for (auto wrong : {"512", "0B", "-1KiB", "1.5MiB", "9999999999GiB", "KiB", "1KB"})
    EXPECT_FALSE(size_of(wrong)) << wrong;
  EXPECT_EQ(complaint("[serve]\nbody = 1024\n"),
            "retrial.toml:2: [serve] body: expected a size such as \"100MiB\", found 1024");
}

TEST(ConfigOfServe, an_address_is_a_host_and_a_port_with_or_without_a_scheme) {
  EXPECT_EQ(where_of("127.0.0.1:80")->show(), "127.0.0.1:80");
  EXPECT_EQ(where_of("localhost:80")->show(), "127.0.0.1:80");
  EXPECT_EQ(where_of("[0:0::1]:80")->show(), "[::1]:80");
  EXPECT_EQ(where_of("http://queue.example/")->show(), "queue.example:80");
  EXPECT_TRUE(where_of("https://queue.example:8443")->tls);
  EXPECT_FALSE(where_of("queue.example:80")->literal);
  EXPECT_FALSE(where_of("https://queue.example")->http2);
  auto clear = where_of("h2c://queue.example:50051"), secure = where_of("h2://queue.example");
  EXPECT_TRUE(clear->http2 && !clear->tls && clear->port == 50051);
  EXPECT_TRUE(secure->http2 && secure->tls && secure->port == 443);
  for (auto wrong : {"", "queue", ":80", "http://", "1.2.3:80", "300.1.1.1:80", "a b:80", "h:0", "h:65536", "[::1]",
                     "[::1:80", "ftp://h:21", "http://h:80/path", "h:80x", "user@h:80"})
    EXPECT_FALSE(where_of(wrong)) << wrong;
}

TEST(ConfigOfServe, a_pin_is_the_digest_of_a_public_key) {
  EXPECT_TRUE(complaint("[service.q]\npin = \"sha256/short\"\n")
                  .starts_with("retrial.toml:2: [service.q] pin: expected \"sha256/\" and the base64 SHA-256"));
}

class ConfigWithFiles : public ::testing::Test {
 protected:
  ConfigWithFiles() {
    std::string name = (std::filesystem::temp_directory_path() / "retrial-config-XXXXXX").string();
    folder = ::mkdtemp(name.data());
  }
  ~ConfigWithFiles() override { std::filesystem::remove_all(folder); }
  std::string complaint_of(const std::string& text) {
    std::ofstream(folder / "retrial.toml") << text;
    auto config = load_config(folder / "retrial.toml");
    return config ? "" : config.error().line();
  }
  std::filesystem::path folder;
};

TEST_F(ConfigWithFiles, a_certificate_is_read_beside_the_file_that_names_it) {
  std::ofstream(folder / "ca.pem") << "-----BEGIN CERTIFICATE-----\n";
  EXPECT_EQ(complaint_of("[service.q]\nca = \"ca.pem\"\n"), "");
  auto config = load_config(folder / "retrial.toml");
  ASSERT_TRUE(config);
  EXPECT_EQ(config->services[0].security.ca, folder / "ca.pem");
}

TEST_F(ConfigWithFiles, a_file_of_the_wrong_kind_is_refused_when_it_is_loaded) {
  std::ofstream(folder / "key.pem") << "-----BEGIN EC PRIVATE KEY-----\n";
  auto on = (folder / "retrial.toml").string() + ":2: [service.q] ca: expected a PEM file with a certificate ";
  EXPECT_EQ(complaint_of("[service.q]\nca = \"key.pem\"\n"),
            on + "(it holds no PEM \"BEGIN CERTIFICATE\"), found \"key.pem\"");
  EXPECT_EQ(complaint_of("[service.q]\nca = \"none.pem\"\n"), on + "(there is no such file), found \"none.pem\"");
  EXPECT_EQ(complaint_of("[service.q]\nca = \"/dev/zero\"\n"), on + "(it is no file), found \"/dev/zero\"");
}

}  // namespace
}  // namespace retrial::campaign
