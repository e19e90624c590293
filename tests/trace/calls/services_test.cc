#include "trace/calls/services.h"

#include <gtest/gtest.h>

#include <list>

namespace retrial::trace {
namespace {

// What a test asks, at which port.
struct Asked {
  const char* test;
  const char* service;
  const char* operation;
};

class Serving : public testing::Test {
 protected:
  static Exchange exchange(const Asked& a, Nanos at) {
    Exchange e;
    e.id = static_cast<std::uint64_t>(at);
    e.begun = at;
    e.tag.test = a.test;
    e.service = std::string("127.0.0.1:") + a.service;
    e.operation = a.operation;
    return e;
  }
  static trace::Run run(const std::vector<Asked>& asked) {
    trace::Run run;
    for (auto& a : asked) run.exchanges.push_back(exchange(a, static_cast<Nanos>(run.exchanges.size() + 1)));
    return run;
  }
  static std::vector<std::string> names(const trace::Run& run) {
    std::vector<std::string> out;
    for (auto& e : run.exchanges) out.push_back(e.service.substr(e.service.find(':') + 1));
    return out;
  }
  // The references, and what services are called in each.
  std::vector<std::vector<std::string>> learn(const std::vector<std::vector<Asked>>& references,
                                              const std::set<std::string>& fixed = {}) {
    for (auto& asked : references) references_.push_back(run(asked));
    services_.learn(references_, fixed);
    std::vector<std::vector<std::string>> out;
    for (auto& r : references_) out.push_back(names(r));
    return out;
  }
  std::vector<std::string> name(const std::vector<Asked>& asked) const {
    auto named = run(asked);
    services_.name(named);
    return names(named);
  }
  // The same, request by request.
  std::vector<std::string> name_as_they_come(const std::vector<Asked>& asked) const {
    ServicesOfRun seen(services_);
    std::vector<std::string> out;
    for (auto& e : run(asked).exchanges) out.push_back(seen.at_head(e).substr(10));
    return out;
  }

  using Names = std::vector<std::string>;
  using All = std::vector<Names>;
  std::list<trace::Run> references_;
  Services services_;
};

TEST_F(Serving, a_port_that_is_the_same_in_all_runs_is_the_services_name) {
  EXPECT_EQ(
      learn({{{"t", "8001", "GET /a"}, {"t", "40000", "GET /b"}}, {{"t", "8001", "GET /a"}, {"t", "40000", "GET /b"}}}),
      (All{{"8001", "40000"}, {"8001", "40000"}}));
  EXPECT_EQ(name_as_they_come({{"t", "40000", "GET /b"}, {"t", "8001", "GET /new"}}), (Names{"40000", "8001"}));
}

TEST_F(Serving, a_service_at_another_port_in_each_run_is_one_service) {
  EXPECT_EQ(learn({{{"t", "30000", "GET /a"}}, {{"t", "30001", "GET /a"}}}), (All{{"*"}, {"*"}}));
  EXPECT_EQ(name_as_they_come({{"t", "30007", "GET /a"}, {"t", "30007", "GET /new"}}), (Names{"*", "*"}));
  EXPECT_EQ(name({{"t", "30000", "GET /a"}}), (Names{"*"})) << "also at a port that was seen before";
}

TEST_F(Serving, each_test_of_a_run_may_have_it_at_another_port) {
  EXPECT_EQ(learn({{{"t1", "30000", "GET /a"}, {"t2", "30001", "GET /a"}, {"t3", "30002", "GET /a"}},
                   {{"t1", "30000", "GET /a"}},
                   {{"t2", "30000", "GET /a"}},
                   {{"t3", "30000", "GET /a"}}}),
            (All{{"*", "*", "*"}, {"*"}, {"*"}, {"*"}}));
}

TEST_F(Serving, two_on_varying_ports_are_told_apart_by_what_is_asked_of_them) {
  EXPECT_EQ(learn({{{"t", "30000", "GET /health"},
                    {"t", "30001", "GET /health"},
                    {"t", "30000", "GET /users"},
                    {"t", "30001", "GET /orders"}},
                   {{"t", "30001", "GET /health"},
                    {"t", "30000", "GET /health"},
                    {"t", "30001", "GET /users"},
                    {"t", "30000", "GET /orders"}}}),
            (All{{"*", "*2", "*", "*2"}, {"*", "*2", "*", "*2"}}))
      << "ports that were exchanged";
  EXPECT_EQ(name({{"t", "30005", "GET /orders"}, {"t", "30004", "GET /users"}}), (Names{"*2", "*"}));
  EXPECT_EQ(name_as_they_come({{"t", "30005", "GET /health"},
                               {"t", "30005", "GET /orders"},
                               {"t", "30004", "GET /health"},
                               {"t", "30004", "GET /users"}}),
            (Names{"*", "*2", "*", "*"}))
      << "the first request does not say it yet";
}

TEST_F(Serving, two_that_are_asked_the_same_are_told_apart_by_their_order) {
  EXPECT_EQ(learn({{{"t", "30000", "GET /a"}, {"t", "30001", "GET /a"}},
                   {{"t", "30004", "GET /a"}, {"t", "30002", "GET /a"}}}),
            (All{{"*", "*2"}, {"*", "*2"}}));
  EXPECT_EQ(name_as_they_come({{"t", "30009", "GET /a"}, {"t", "30003", "GET /a"}, {"t", "30009", "GET /a"}}),
            (Names{"*", "*2", "*"}));
}

TEST_F(Serving, tests_that_ask_different_things_of_one_port_in_each_run_ask_one_service) {
  EXPECT_EQ(learn({{{"t1", "30000", "GET /a"}, {"t2", "30000", "GET /b"}, {"t3", "30000", "GET /c"}},
                   {{"t1", "30005", "GET /a"}, {"t2", "30005", "GET /b"}}}),
            (All{{"*", "*", "*"}, {"*", "*"}}));
  EXPECT_EQ(name({{"t2", "30009", "GET /b"}}), (Names{"*"})) << "also where it runs alone";
}

TEST_F(Serving, a_port_that_was_free_again_in_one_run_makes_no_two_services_one) {
  EXPECT_EQ(learn({{{"t1", "30000", "GET /a"}, {"t2", "30000", "GET /b"}},
                   {{"t1", "30005", "GET /a"}, {"t2", "30006", "GET /b"}}}),
            (All{{"*", "*2"}, {"*", "*2"}}));
}

TEST_F(Serving, services_of_different_tests_are_told_apart_where_one_test_has_both) {
  EXPECT_EQ(learn({{{"t1", "30000", "GET /users"},
                    {"t2", "30001", "GET /orders"},
                    {"t3", "30002", "GET /users"},
                    {"t3", "30003", "GET /orders"}},
                   {{"t1", "30009", "GET /users"}},
                   {{"t2", "30009", "GET /orders"}},
                   {{"t3", "30008", "GET /orders"}, {"t3", "30009", "GET /users"}}}),
            (All{{"*", "*2", "*", "*2"}, {"*"}, {"*2"}, {"*2", "*"}}));
}

TEST_F(Serving, a_test_knows_its_service_in_all_runs_whatever_others_ask_of_theirs) {
  EXPECT_EQ(learn({{{"t1", "40001", "GET /a"},
                    {"t2", "40002", "GET /b"},
                    {"t3", "40003", "GET /a"},
                    {"t3", "40003", "GET /b"},
                    {"t4", "40004", "GET /b"}},
                   {{"t1", "40011", "GET /a"}},
                   {{"t2", "40012", "GET /b"}},
                   {{"t3", "40013", "GET /a"}, {"t3", "40013", "GET /b"}},
                   {{"t4", "40014", "GET /b"}}}),
            (All{{"*", "*", "*", "*", "*"}, {"*"}, {"*"}, {"*", "*"}, {"*"}}));
  EXPECT_EQ(name_as_they_come({{"t4", "40024", "GET /b"}}), (Names{"*"}));
}

TEST_F(Serving, where_the_references_agreed_by_chance_an_unknown_port_is_the_one_that_is_missing) {
  learn({{{"t", "30000", "GET /a"}, {"t", "8001", "GET /a"}}, {{"t", "30000", "GET /a"}, {"t", "8001", "GET /a"}}});
  EXPECT_EQ(name_as_they_come({{"t", "8001", "GET /a"}, {"t", "30001", "GET /a"}}), (Names{"8001", "30000"}));
}

TEST_F(Serving, a_service_that_a_client_turns_to_under_a_fault_is_another_one) {
  learn({{{"t", "8001", "GET /a"}}, {{"t", "8001", "GET /a"}}});
  EXPECT_EQ(name_as_they_come({{"t", "8001", "GET /a"}, {"t", "8002", "GET /a"}}), (Names{"8001", "8002"}));
}

// A replica that one test alone asks without a fault is who another test's client turns to under one.
TEST_F(Serving, a_second_one_that_a_test_never_asks_without_a_fault_is_known_by_other_tests) {
  EXPECT_EQ(learn({{{"up", "30000", "GET /a"}, {"down", "30001", "GET /a"}, {"down", "30002", "GET /a"}},
                   {{"up", "30010", "GET /a"}, {"down", "30011", "GET /a"}, {"down", "30012", "GET /a"}}}),
            (All{{"*", "*", "*2"}, {"*", "*", "*2"}}));
  const std::vector<Asked> turned{{"up", "30005", "GET /a"}, {"up", "30006", "GET /a"}, {"up", "30005", "GET /a"}};
  EXPECT_EQ(name_as_they_come(turned), (Names{"*", "*2", "*"}));
  EXPECT_EQ(name(turned), (Names{"*", "*2", "*"}));
}

TEST_F(Serving, what_a_test_did_not_ask_in_one_of_the_runs_has_not_moved) {
  EXPECT_EQ(learn({{{"t", "8001", "GET /token"}, {"t", "8002", "GET /a"}}, {{"t", "8002", "GET /a"}}}),
            (All{{"8001", "8002"}, {"8002"}}));
}

TEST_F(Serving, what_the_user_has_named_does_not_move) {
  EXPECT_EQ(learn({{{"t", "8001", "GET /a"}}, {{"t", "8002", "GET /a"}}}, {"127.0.0.1:8001", "127.0.0.1:8002"}),
            (All{{"8001"}, {"8002"}}));
}

TEST_F(Serving, in_a_single_run_ports_of_the_kernels_choosing_are_known_to_vary) {
  EXPECT_EQ(learn({{{"", "40001", "GET /a"}, {"", "40002", "GET /a"}, {"", "8001", "GET /a"}}}),
            (All{{"*", "*", "8001"}}))
      << "one after the other, of no test: started again";
  EXPECT_EQ(name_as_they_come({{"", "45555", "GET /a"}, {"", "46666", "GET /a"}}), (Names{"*", "*"}));
}

TEST_F(Serving, addresses_of_no_test_that_are_asked_in_turns_are_two_services) {
  EXPECT_EQ(learn({{{"", "40001", "GET /a"}, {"", "40002", "GET /a"}, {"", "40001", "GET /a"}}}),
            (All{{"*", "*2", "*"}}));
}

TEST_F(Serving, a_connect_is_to_the_service_whose_turn_it_is) {
  references_.push_back(run({{"t", "30000", "GET /a"}, {"t", "30001", "GET /b"}}));
  references_.push_back(run({{"t", "30002", "GET /a"}, {"t", "30003", "GET /b"}}));
  for (auto& r : references_) r.capture.reached = {"127.0.0.1:5432"};
  services_.learn(references_, {});
  ServicesOfRun seen(services_);
  EXPECT_EQ(seen.at_connect("t", "127.0.0.1:5432", 1), "127.0.0.1:5432") << "speaks no HTTP";
  EXPECT_EQ(seen.at_connect("t", "127.0.0.1:30009", 1), "127.0.0.1:*");
  seen.at_head(exchange({"t", "30009", "GET /a"}, 2));
  EXPECT_EQ(seen.at_connect("t", "127.0.0.1:30008", 3), "127.0.0.1:*2");
}

TEST_F(Serving, a_stored_campaign_says_who_they_were) {
  learn({{{"t", "30000", "GET /a"}, {"t", "8001", "GET /b"}}, {{"t", "30001", "GET /a"}, {"t", "8001", "GET /b"}}});
  Services again;
  for (auto& r : references_) again.recall(r);
  auto next = run({{"t", "30004", "GET /a"}, {"t", "8001", "GET /b"}});
  again.name(next);
  EXPECT_EQ(names(next), (Names{"*", "8001"}));
}

}  // namespace
}  // namespace retrial::trace
