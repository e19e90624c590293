#include "campaign/sight.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "campaign/report/words.h"

namespace retrial::campaign {
namespace {

trace::Exchange asked(std::string service, bool with_site, std::uint32_t stream = 0) {
  trace::Exchange e{.stream = stream, .service = std::move(service), .profile = "generic"};
  if (with_site) e.tag.site = trace::CallSite{"a.py", 7, "ask"};
  return e;
}
CampaignOutcome outcome() {
  CampaignOutcome out;
  out.record.runner = "pytest";
  out.tests = 1;
  out.seen.emplace();
  out.seen->agents = {"python"};
  out.seen->compressed = true;
  out.seen->results = {{.test = "t1", .phase = trace::Phase::test, .outcome = "passed"},
                       {.test = "t1", .phase = trace::Phase::teardown, .outcome = "passed"},
                       {.test = "t2", .phase = trace::Phase::test, .outcome = "passed"}};
  return out;
}

TEST(Sight, counts_requests_of_each_service_and_tests_once) {
  auto o = outcome();
  o.seen->exchanges = {asked("127.0.0.1:1", true), asked("127.0.0.1:1", false, 1), asked("127.0.0.1:*#a", true),
                       asked("127.0.0.1:*#b", true)};
  o.opened = {"127.0.0.1:1, name localhost"};
  auto sight = sight_of(o, {});
  EXPECT_EQ(sight.tests, 2u);
  ASSERT_EQ(sight.services.size(), 2u);
  auto &moving = sight.services[0], &fixed = sight.services[1];
  EXPECT_EQ(moving.address, "127.0.0.1:*");
  EXPECT_EQ(moving.requests, 2u);
  EXPECT_FALSE(moving.opened);
  EXPECT_EQ(fixed.protocols, (std::vector<std::string>{"HTTP/1", "HTTP/2"}));
  EXPECT_EQ(fixed.requests, 2u);
  EXPECT_EQ(fixed.without_site, 1u);
  EXPECT_TRUE(fixed.opened);
  ASSERT_EQ(sight.gaps.size(), 1u);
  EXPECT_EQ(sight.gaps[0].what, "1 of 4 requests come without a call site");
}

TEST(Sight, what_is_left_alone_has_its_mend_by_whatever_way_it_came) {
  auto o = outcome();
  o.record.left_alone = {"t3: fails without any fault", "test file that cannot be loaded: x.py: no module y"};
  o.seen->capture.not_seen = {"api.example.com:443 (outside)", "127.0.0.1:9 (Connection refused)"};
  o.seen->capture.tunnels = 1;
  o.seen->capture.unix_socket = 2;
  o.seen->real_time = {"tool[7] (static)"};
  auto sight = sight_of(o, {});
  EXPECT_EQ(sight.gaps.size(), 7u);
  for (auto& gap : sight.gaps) EXPECT_NE(gap.mend, "") << gap.what;
}

TEST(Sight, addresses_that_stay_and_at_which_nobody_was_or_no_http_was_spoken_are_named) {
  auto o = outcome();
  o.seen->exchanges = {asked("127.0.0.1:1", true)};
  o.seen->capture.not_seen = {"127.0.0.1:9 (Connection refused)", "127.0.0.1:45678 (Connection refused)",
                              "127.0.0.1:10 (late)", "127.0.0.1:1 (Connection refused)"};  // that one listened later
  o.reached = {"127.0.0.1:1", "127.0.0.1:5432", "127.0.0.1:45679"};
  auto sight = sight_of(o, {});
  EXPECT_EQ(sight.refused, std::vector<std::string>{"127.0.0.1:9"});
  EXPECT_EQ(sight.unread, std::vector<std::string>{"127.0.0.1:5432"});
}

TEST(Sight, a_run_that_did_not_come_to_be_says_why) {
  CampaignOutcome o;
  o.record.runner = "command";
  o.record.incomplete = "no\nsuch \x1b[31mthing";
  auto sight = sight_of(o, {});
  EXPECT_EQ(sight.trouble, o.record.incomplete);
  auto table = table_of(sight, {});
  EXPECT_NE(table.find("services  no request was seen"), std::string::npos) << table;
  EXPECT_NE(table.find("nothing to put on trial: no"), std::string::npos);
  EXPECT_EQ(table.find('\x1b'), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(json_of(sight))["trouble"], o.record.incomplete);
}

}  // namespace
}  // namespace retrial::campaign
