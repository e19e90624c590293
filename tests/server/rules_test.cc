#include "proxy/server/rules.h"

#include <gtest/gtest.h>

#include <map>

#include "trace/fault_name.h"

namespace retrial::proxy {
namespace {

policies::FaultPlan plan(std::string_view text) {
  auto parsed = policies::parse_fault_plan(text);
  EXPECT_TRUE(parsed) << parsed.error().line();
  return *parsed;
}

class RulesOfAServer : public ::testing::Test {
 protected:
  void follow(std::vector<RuleSettings> rules) {
    director = std::make_unique<RuleDirector>(std::make_shared<const Rules>(Rules{std::move(rules), {}}), calls, clock,
                                              RuleDirector::Place{.run = 7, .seed = 1, .began = clock.now()});
  }
  // One exchange, told as it comes: the decision, and then its end, as that fault makes it.
  trace::Exchange request(std::string method, std::string target, RuleDirector* by = nullptr) {
    trace::Exchange e;
    e.id = ++last;
    e.connection = 1;
    e.service = "127.0.0.1:10001";
    e.host = "queue.example:10001";
    e.method = std::move(method);
    e.target = std::move(target);
    e.tag = tag;
    auto& asked = by ? *by : *director;
    auto d = asked.at_head(e);
    e.fault = d.fault;
    e.fault_id = d.fault_id;
    e.call = d.call;
    e.attempt = d.attempt;
    e.profile = d.profile;
    e.operation = d.operation;
    e.ending = trace::Ending::answered;
    e.client_status = e.fault.name == trace::FaultName::error ? e.fault.status : 200;
    e.service_status = e.fault.name == trace::FaultName::error ? 0 : 200;
    e.fired = e.fault.name != trace::FaultName::none;
    e.told = clock.now();
    asked.over(e);
    return e;
  }
  ManualClock clock;
  SharedCalls calls;
  std::unique_ptr<RuleDirector> director;
  trace::Tag tag;
  std::uint64_t last = 0;
};

TEST_F(RulesOfAServer, neither_count_nor_strike_the_probes_of_a_kubelet) {
  follow({{.match = {}, .plan = plan("error(503) x 1, then pass")}});
  trace::Exchange probe;
  probe.id = 900;
  probe.service = "127.0.0.1:10001";
  probe.method = "GET";
  probe.target = "/ready";
  probe.request_headers = {{"User-Agent", "kube-probe/1.36"}};
  EXPECT_TRUE(trace::is_pass(director->at_head(probe).fault));
  EXPECT_EQ(director->at_head(probe).attempt, 0);
  EXPECT_FALSE(trace::is_pass(request("GET", "/ready").fault));
}
TEST_F(RulesOfAServer, answer_as_the_service_is_described_where_no_profile_knows_it) {
  auto described = trace::OpenApi::parse(R"({"openapi":"3.0.0","paths":{"/a":{"get":{"responses":{
      "503":{"content":{"application/json":{"example":{"busy":true}}}}}}}}})",
                                         "a.json");
  ASSERT_TRUE(described) << described.error().line();
  Rules rules{{{{}, plan("error(503)")}}, {}, {{"127.0.0.1:10001", *described}}};
  RuleDirector by(std::make_shared<const Rules>(rules), calls, clock, {.run = 7, .seed = 1, .began = clock.now()});
  trace::Exchange head{.id = 1, .service = "127.0.0.1:10001", .method = "GET", .target = "/a"};
  EXPECT_EQ(by.at_head(head).answer.body, R"({"busy":true})");
  head.request_headers = {{"X-Vault-Token", "x"}};
  EXPECT_NE(by.at_head(head).answer.body.find(R"({"errors":[)"), std::string::npos);
}

TEST_F(RulesOfAServer, leave_alone_what_they_do_not_match) {
  follow({{{.method = "POST"}, plan("error(503)")}});
  auto e = request("GET", "/a");
  EXPECT_EQ(e.fault.name, trace::FaultName::none);
  EXPECT_EQ(e.call, 0u) << "nothing is correlated for it";
}

TEST_F(RulesOfAServer, ask_for_all_that_is_said) {
  tag.site = trace::CallSite{"src/jobs.py", 17, "send", "src/track.py:5:track"};
  tag.test = "tests/test_jobs.py::test_send";
  Match whole{.services = {"127.0.0.1:10001"},
              .method = "POST",
              .path = "/*/messages",
              .host = "*.example",
              .operation = "POST **",
              .call_site = "src/*.py",
              .test = "tests/**"};
  follow({{whole, plan("error(503)")}});
  EXPECT_EQ(request("POST", "/q1/messages?a=/b").fault.name, trace::FaultName::error);
  EXPECT_EQ(request("POST", "http://queue.example/q1/messages").fault.name, trace::FaultName::error);
  EXPECT_EQ(request("PUT", "/q1/messages").fault.name, trace::FaultName::none);
  EXPECT_EQ(request("POST", "/q1/x/messages").fault.name, trace::FaultName::none);
  auto without = [&](auto change) {
    auto match = whole;
    change(match);
    follow({{match, plan("error(503)")}});
    return request("POST", "/q1/messages").fault.name;
  };
  EXPECT_EQ(without([](Match&) {}), trace::FaultName::error);
  EXPECT_EQ(without([](Match& m) { m.services = {"127.0.0.1:1"}; }), trace::FaultName::none);
  EXPECT_EQ(without([](Match& m) { m.host = "bank.*"; }), trace::FaultName::none);
  EXPECT_EQ(without([](Match& m) { m.operation = "GET **"; }), trace::FaultName::none);
  EXPECT_EQ(without([](Match& m) { m.call_site = "lib/**"; }), trace::FaultName::none);
  EXPECT_EQ(without([](Match& m) { m.call_site = "src/jobs.py:17"; }), trace::FaultName::error);
  EXPECT_EQ(without([](Match& m) { m.call_site = "src/track.py"; }), trace::FaultName::error) << "any of the chain";
  EXPECT_EQ(without([](Match& m) { m.test = "**::test_other"; }), trace::FaultName::none);
}

TEST_F(RulesOfAServer, the_first_that_matches_decides) {
  follow({{{.path = "/a"}, plan("pass")}, {{}, plan("error(500)")}});
  EXPECT_EQ(request("GET", "/a").fault.name, trace::FaultName::none);
  EXPECT_EQ(request("GET", "/b").fault.status, 500);
}

TEST_F(RulesOfAServer, follow_a_call_from_attempt_to_attempt) {
  follow({{{}, plan("error(503) x 2, then pass")}});
  EXPECT_EQ(request("GET", "/a").fault.status, 503);
  EXPECT_EQ(request("GET", "/a").fault.status, 503);
  auto third = request("GET", "/a");
  EXPECT_EQ(third.fault.name, trace::FaultName::none);
  EXPECT_EQ(third.attempt, 3);
  auto next = request("GET", "/a");
  EXPECT_EQ(next.attempt, 1) << "the third succeeded: this is a new call";
  EXPECT_EQ(next.fault.status, 503);
}

TEST_F(RulesOfAServer, know_a_call_whose_attempts_come_on_different_loops) {
  follow({{{}, plan("error(503) x 2, then pass")}});
  RuleDirector other(std::make_shared<const Rules>(Rules{{{{}, plan("error(503) x 2, then pass")}}, {}}), calls, clock,
                     {.run = 7, .seed = 1, .loop = 1, .loops = 2, .began = clock.now()});
  EXPECT_EQ(request("GET", "/a").attempt, 1);
  EXPECT_EQ(request("GET", "/a", &other).attempt, 2);
  EXPECT_EQ(request("GET", "/a").attempt, 3);
}

TEST_F(RulesOfAServer, a_fault_for_every_attempt_needs_no_correlation) {
  follow({{{}, plan("error(503)")}});
  auto e = request("GET", "/a");
  EXPECT_EQ(e.fault.status, 503);
  EXPECT_EQ(e.fault_id, "7-1");
  EXPECT_EQ(e.call, 0u);
}

TEST_F(RulesOfAServer, a_share_is_that_share_and_the_same_for_the_same_seed) {
  follow({{{}, plan("10% of error(503)")}});
  std::vector<bool> first;
  for (int i = 0; i < 10'000; i++) first.push_back(request("GET", "/a").fired);
  auto hit = std::count(first.begin(), first.end(), true);
  EXPECT_GT(hit, 850);
  EXPECT_LT(hit, 1150);
  follow({{{}, plan("10% of error(503)")}});
  for (int i = 0; i < 10'000; i++) ASSERT_EQ(request("GET", "/a").fired, first[static_cast<std::size_t>(i)]) << i;
}

TEST_F(RulesOfAServer, loops_do_not_draw_the_same) {
  follow({{{}, plan("50% of error(503)")}});
  RuleDirector other(std::make_shared<const Rules>(Rules{{{{}, plan("50% of error(503)")}}, {}}), calls, clock,
                     {.run = 7, .seed = 1, .loop = 1, .loops = 2, .began = clock.now()});
  int same = 0;
  for (int i = 0; i < 1000; i++) same += request("GET", "/a").fired == request("GET", "/a", &other).fired;
  EXPECT_GT(same, 400);
  EXPECT_LT(same, 600);
}

TEST_F(RulesOfAServer, a_window_is_counted_from_the_servers_start) {
  clock.advance(1000 * kSecond);
  follow({{{}, plan("after 30s: error(503) for 10s")}});
  EXPECT_FALSE(request("GET", "/a").fired);
  clock.advance(31 * kSecond);
  EXPECT_TRUE(request("GET", "/a").fired);
  clock.advance(10 * kSecond);
  EXPECT_FALSE(request("GET", "/a").fired);
}

TEST_F(RulesOfAServer, read_no_request_where_none_can_meet_anything) {
  follow({});
  EXPECT_FALSE(director->reads_headers());
  follow({{{}, plan("pass")}});
  EXPECT_FALSE(director->reads_headers());
  follow({{{}, plan("refuse-connect x 2, then pass")}});
  EXPECT_FALSE(director->reads_headers());
  follow({{{}, plan("refuse-connect x 2, then pass")}, {{.path = "/a"}, plan("1% of delay(2ms)")}});
  EXPECT_TRUE(director->reads_headers());
}

TEST_F(RulesOfAServer, count_connections_for_faults_of_connections) {
  follow({{{.services = {"127.0.0.1:10001"}}, plan("refuse-connect x 2, then pass")}});
  auto connect = [&](std::string_view service) {
    return director->at_connect({.service = service, .at = clock.now()}).fault.name;
  };
  EXPECT_EQ(connect("127.0.0.1:1"), trace::FaultName::none);
  EXPECT_EQ(connect("127.0.0.1:10001"), trace::FaultName::refuse_connect);
  EXPECT_EQ(connect("127.0.0.1:10001"), trace::FaultName::refuse_connect);
  EXPECT_EQ(connect("127.0.0.1:10001"), trace::FaultName::none);
  EXPECT_EQ(request("GET", "/a").fault.name, trace::FaultName::none) << "requests go on";
}

TEST_F(RulesOfAServer, tell_when_to_come_again) {
  follow({{{}, plan("error(429, retry-after=2)")}});
  trace::Exchange e;
  e.id = 1;
  e.service = "127.0.0.1:10001";
  e.method = "GET";
  e.target = "/";
  EXPECT_EQ(trace::find(director->at_head(e).answer.headers, "retry-after"), "2");
}

TEST_F(RulesOfAServer, change_from_the_next_request_on) {
  follow({{{}, plan("error(503)")}});
  EXPECT_TRUE(request("GET", "/a").fired);
  director->follow(std::make_shared<const Rules>());
  EXPECT_FALSE(request("GET", "/a").fired);
}

TEST_F(RulesOfAServer, count_windows_from_when_they_came_into_force) {
  const RuleSettings old{{.path = "/old"}, plan("after 20s: error(503) for 10s")};
  const RuleSettings added{{.path = "/new"}, plan("after 3s: error(503) for 2s")};
  const RuleSettings connects{{}, plan("after 3s: refuse-connect for 2s")};
  auto refused = [&] {
    return director->at_connect({.service = "a:1", .at = clock.now()}).fault.name == trace::FaultName::refuse_connect;
  };
  follow({old});
  clock.advance(18 * kSecond);
  director->follow(std::make_shared<const Rules>(Rules{{added, old, connects}, {}}));
  EXPECT_FALSE(request("GET", "/new").fired);
  clock.advance(3 * kSecond);
  EXPECT_TRUE(request("GET", "/new").fired);
  EXPECT_TRUE(refused());
  EXPECT_TRUE(request("GET", "/old").fired) << "an unchanged rule goes on counting, in another place too";
  clock.advance(2 * kSecond);
  EXPECT_FALSE(request("GET", "/new").fired);
  EXPECT_FALSE(refused());
  EXPECT_TRUE(request("GET", "/old").fired);
}

TEST_F(RulesOfAServer, that_a_reload_leaves_as_they_were_go_on_counting_and_drawing_in_another_place_too) {
  const RuleSettings counts{{.services = {"a:1"}}, plan("refuse-connect x 2, then pass")};
  const RuleSettings draws{{}, plan("50% of error(503)")};
  const RuleSettings added{{.services = {"b:1"}}, plan("refuse-connect x 3, then pass")};
  auto reload = [&](std::vector<RuleSettings> rules) {
    director->follow(std::make_shared<const Rules>(Rules{std::move(rules), {}}));
  };
  auto refused = [&] {
    return director->at_connect({.service = "a:1", .at = clock.now()}).fault.name == trace::FaultName::refuse_connect;
  };
  follow({draws, counts});
  std::vector<bool> drawn(200);
  for (std::size_t i = 0; i < drawn.size(); i++) drawn[i] = request("GET", "/a").fired;

  follow({draws, counts});
  EXPECT_TRUE(refused());
  for (std::size_t i = 0; i < drawn.size(); i++) {
    if (i == 100) reload({added, counts, draws});
    EXPECT_EQ(request("GET", "/a").fired, drawn[i]) << i;
  }
  reload({counts, draws});
  EXPECT_TRUE(refused());
  EXPECT_FALSE(refused()) << "the third connection";
  reload({{{.services = {"a:1"}}, plan("refuse-connect x 1, then pass")}});
  EXPECT_TRUE(refused()) << "another rule counts anew";
  EXPECT_FALSE(refused());
}

}  // namespace
}  // namespace retrial::proxy
