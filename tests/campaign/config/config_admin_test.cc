#include "campaign/config/config_admin.h"

#include <gtest/gtest.h>

#include "campaign/config/server_settings.h"

namespace retrial::campaign {
namespace {

std::string complaint(std::string_view text) {
  auto parsed = parse_config(text, "retrial.toml");
  if (!parsed) return parsed.error().line();
  auto settings = server_settings(*parsed);
  return settings ? "" : settings.error().line();
}
Config config(std::string_view text) {
  auto parsed = parse_config(text, "retrial.toml");
  EXPECT_TRUE(parsed) << parsed.error().line();
  return *parsed;
}
constexpr auto kQueue = "[service.queue]\naddress = \"127.0.0.1:1\"\n";

TEST(ConfigOfAdmin, has_no_admin_side_unless_it_says_so_and_then_a_socket_of_its_own) {
  EXPECT_EQ(config("").admin.listen, "");
  EXPECT_TRUE(server_settings(config(""))->safety.armed);
  EXPECT_EQ(config("[admin]\n").admin.listen, "unix:.retrial/admin.sock");
  EXPECT_FALSE(server_settings(config("[admin]\n"))->safety.armed);
}

TEST(ConfigOfAdmin, listens_nowhere_else_without_tls) {
  EXPECT_EQ(complaint("[admin]\nlisten = \"127.0.0.1:9900\"\n"), "");
  EXPECT_EQ(complaint("[admin]\nlisten = \"[::1]:9900\"\n"), "");
  EXPECT_EQ(complaint("[admin]\nlisten = \"unix:/run/a.sock\"\n"), "");
  for (auto open : {"0.0.0.0:9900", ":9900", "10.0.0.1:9900", "[::]:9900"})
    EXPECT_NE(complaint("[admin]\nlisten = \"" + std::string(open) + "\"\n").find("spoken to over TLS alone"),
              std::string::npos)
        << open;
  EXPECT_EQ(complaint("[admin]\nlisten = \"0.0.0.0:9900\"\ncertificate = \"c.pem\"\nkey = \"k.pem\"\n"), "");
  EXPECT_NE(complaint("[admin]\nlisten = \"127.0.0.1:9900\"\nkey = \"k.pem\"\n").find("certificate and key together"),
            std::string::npos);
  EXPECT_NE(complaint("[admin]\ntoxiproxy = \"0.0.0.0:8474\"\n").find("its clients send no token"), std::string::npos);
}

TEST(ConfigOfAdmin, asks_of_each_rule_for_whom_it_is) {
  auto with = [](std::string rule) { return complaint(std::string(kQueue) + "[admin]\n[[rule]]\n" + rule); };
  EXPECT_EQ(with("match = { service = \"queue\" }\ninject = \"error(503)\"\n"), "");
  EXPECT_EQ(with("match = { opt_in = true }\ninject = \"error(503)\"\n"), "");
  EXPECT_EQ(with("inject = \"1% of error(503)\"\n"), "");
  EXPECT_EQ(with("inject = \"pass\"\n"), "");
  EXPECT_EQ(with("match = { path = \"/a\" }\ninject = \"1% of error(503), then error(503)\"\n").substr(0, 39),
            "[[rule]] 1: expected match.service, mat");
  EXPECT_EQ(complaint("[[rule]]\ninject = \"error(503)\"\n"), "") << "by hand, as ever";
}

TEST(ConfigOfSafety, has_an_end_where_there_is_an_admin_side) {
  EXPECT_EQ(safety_settings(config("")).ttl, 0);
  EXPECT_EQ(safety_settings(config("[admin]\n")).ttl, 15 * 60 * kSecond);
  EXPECT_EQ(safety_settings(config("[admin]\n[safety]\nttl = \"1h\"\n")).ttl, 3600 * kSecond);
  EXPECT_EQ(safety_settings(config("[admin]\n[safety]\nttl = \"none\"\n")).ttl, 0);
}

TEST(ConfigOfSafety, has_bounds_of_each_service_over_those_of_all) {
  auto safety = safety_settings(
      config(std::string(kQueue) + "faults_share = \"0.5%\"\n[safety]\nfaults_per_minute = 10\nfaults_share = \"1%\"\n"
                                   "own_latency = \"2s\"\n"));
  EXPECT_EQ(safety.bounds,
            (proxy::Bounds{.faults_per_minute = 10, .faults_share = policies::kPercent, .own_latency = 2 * kSecond}));
  auto queue = safety.of.find("127.0.0.1:1");
  ASSERT_NE(queue, safety.of.end());
  EXPECT_EQ(queue->second.faults_per_minute, 10u);
  EXPECT_EQ(queue->second.faults_share, policies::kPercent / 2);
  for (auto wrong : {"1", "0%", "101%", "-1%", "one%", "1 %"})
    EXPECT_NE(complaint("[safety]\nfaults_share = \"" + std::string(wrong) + "\"\n").find("expected a share"),
              std::string::npos)
        << wrong;
}

TEST(ConfigOfRules, names_each_once) {
  EXPECT_NE(complaint("[[rule]]\nname = \"a\"\ninject = \"pass\"\n[[rule]]\nname = \"a\"\ninject = \"pass\"\n")
                .find("expected a name of its own"),
            std::string::npos);
  EXPECT_NE(complaint("[[rule]]\nname = \"a b\"\ninject = \"pass\"\n").find("expected at most 64 letters"),
            std::string::npos);
  EXPECT_TRUE(server_settings(config("[[rule]]\nenabled = false\ninject = \"pass\"\n"))->rules.empty());
}

TEST(ConfigOfTelemetry, knows_its_fields_and_where_traces_go) {
  EXPECT_EQ(complaint("[telemetry]\naccess_log = \"-\"\naccess_format = \"{time} {status}\"\n"), "");
  EXPECT_NE(complaint("[telemetry]\naccess_log = \"-\"\naccess_format = \"{tim}\"\n").find("did you mean {time}?"),
            std::string::npos);
  EXPECT_EQ(complaint("[telemetry]\ntraces = \"http://127.0.0.1:4318/otlp\"\n"), "");
  for (auto wrong : {"127.0.0.1:4318", "ftp://127.0.0.1:4318", "http://", "http://host"})
    EXPECT_NE(complaint("[telemetry]\ntraces = \"" + std::string(wrong) + "\"\n").find("an OTLP/HTTP receiver"),
              std::string::npos)
        << wrong;
}

}  // namespace
}  // namespace retrial::campaign
