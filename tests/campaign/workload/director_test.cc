#include "campaign/workload/director.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace retrial::campaign {
namespace {

const trace::CallSite kSite{"app.py", 10, "f"};

class Directing : public testing::Test {
 protected:
  void aim(const char* plan, int occurrence = 1, const char* operation = "GET /things/{id}",
           trace::Lessons lessons = {}) {
    Target target{"t::a", kSite, "127.0.0.1:8000", operation, occurrence};
    director_ = std::make_unique<CampaignDirector>(
        run_, events_, std::vector<Aim>{{target, *policies::parse_fault_plan(plan)}}, "", std::move(lessons));
  }
  trace::Exchange head(const char* target, const char* call_id) {
    trace::Exchange e;
    e.id = ++ids_;
    e.connection = ids_;
    e.pid = 7;
    e.service = "127.0.0.1:8000";
    e.host = "127.0.0.1:8000";
    e.method = "GET";
    e.target = target;
    e.tag = {kSite, call_id, "t::a", trace::Phase::test};
    e.begun = static_cast<Nanos>(ids_) * kSecond;
    return e;
  }
  // The whole exchange, told as the fault has it.
  proxy::Decision send(trace::Exchange e) {
    auto decision = director_->at_head(e);
    e.profile = decision.profile;
    e.operation = decision.operation;
    e.call = decision.call;
    e.attempt = decision.attempt;
    e.fault = decision.fault;
    e.ending = trace::is_loss(decision.fault) ? trace::Ending::reset : trace::Ending::answered;
    e.client_status = trace::is_status(decision.fault)      ? decision.fault.status
                      : e.ending == trace::Ending::answered ? 200
                                                            : 0;
    e.told = e.begun + kMillisecond;
    director_->over(e);
    return decision;
  }
  std::string fault(const trace::Exchange& e) { return trace::show(send(e).fault); }

  trace::Run run_;
  Events events_{"/nonexistent/events"};
  std::unique_ptr<CampaignDirector> director_;
  std::uint64_t ids_ = 0;
};

TEST_F(Directing, the_attempts_of_the_targeted_call_get_their_faults_one_after_another) {
  aim("error(transient) x 2, then pass");
  EXPECT_EQ(fault(head("/things/1", "7-1")), "error(503)");
  EXPECT_EQ(fault(head("/things/1", "7-1")), "error(503)");
  EXPECT_EQ(fault(head("/things/1", "7-1")), "pass");
  EXPECT_EQ(director_->target_attempts(), 3);
}

TEST_F(Directing, an_outer_layers_retry_is_the_same_call) {
  aim("lost-response(reset) x 1, then error(transient)");
  EXPECT_EQ(fault(head("/things/1", "7-1")), "lost-response(reset)");
  EXPECT_EQ(fault(head("/things/1", "7-2")), "error(503)");
}

TEST_F(Directing, only_the_chosen_occurrence_is_faulted) {
  aim("error(transient)", 2);
  EXPECT_EQ(fault(head("/things/1", "7-1")), "pass");
  EXPECT_EQ(fault(head("/things/2", "7-2")), "error(503)");
  EXPECT_EQ(fault(head("/things/3", "7-3")), "pass");
}

TEST_F(Directing, only_what_is_named_is_faulted_or_one_of_them) {
  auto met = [&](const char* at) {
    Aim aim{{}, policies::parse_fault_plan("error(transient)").value(), 0, parse_at(at).value()};
    director_ = std::make_unique<CampaignDirector>(run_, events_, std::vector{aim}, "t", trace::Lessons{});
    std::string all;
    for (auto* target : {"/things/1", "/others/1?a=b", "/others/2"})
      all += fault(head(target, fmt::format("8-{}", ++ids_).c_str())) == "pass" ? "-" : "x";
    return all;
  };
  EXPECT_EQ(met("/others/*"), "-xx");
  EXPECT_EQ(met("/others/1"), "-x-");
  EXPECT_EQ(met("/others/* #2"), "--x");
  EXPECT_EQ(met("/others/{id}"), "-xx") << "as an operation is named";
  EXPECT_EQ(met("DELETE /others/*"), "---");
  for (auto* wrong : {"", "#2", "/a #0", "/a #x", "/a GET", "get /a", "/a /b", "/a #1 #2", "/a/{id"})
    EXPECT_FALSE(parse_at(wrong)) << wrong;
}

TEST_F(Directing, where_all_calls_are_aimed_at_their_attempts_are_counted_together) {
  aim("error(transient) x 3, then pass", 0);
  EXPECT_EQ(fault(head("/things/1", "7-1")), "error(503)");
  EXPECT_EQ(fault(head("/others/1", "7-2")), "pass");
  EXPECT_EQ(fault(head("/things/2", "7-3")), "error(503)");
  EXPECT_EQ(fault(head("/things/2", "7-3")), "error(503)");
  EXPECT_EQ(fault(head("/things/3", "7-4")), "pass");
  EXPECT_EQ(director_->target_attempts(), 4);
}

TEST_F(Directing, where_all_calls_are_aimed_at_those_are_too_that_a_function_makes_by_calling_itself) {
  aim("error(401)", 0);
  auto from = [&](const char* callers, const char* call_id) {
    auto e = head("/things/1", call_id);
    e.tag.site->callers = callers;
    return fault(std::move(e));
  };
  EXPECT_EQ(from("", "7-1"), "error(401)");
  EXPECT_EQ(from("app.py:14:f", "7-2"), "error(401)");
  EXPECT_EQ(from("app.py:14:f,app.py:14:f,app.py:14:f", "7-3"), "error(401)");
  auto another = head("/things/2", "7-4");
  another.tag.site->line = 20;
  EXPECT_EQ(fault(std::move(another)), "pass");
}

TEST_F(Directing, an_operation_is_known_by_the_names_that_the_reference_taught) {
  trace::Lessons lessons;
  lessons.recall("GET /things/{name}");
  aim("error(transient)", 2, "GET /things/{name}", lessons);
  EXPECT_EQ(fault(head("/things/hammer", "7-1")), "pass");
  EXPECT_EQ(fault(head("/things/anvil", "7-2")), "error(503)");
}

TEST_F(Directing, another_site_test_phase_service_or_operation_passes) {
  aim("error(transient)");
  auto other = head("/things/1", "7-1");
  other.tag.site->line = 11;
  EXPECT_EQ(fault(other), "pass");
  other = head("/things/1", "7-2");
  other.tag.test = "t::b";
  EXPECT_EQ(fault(other), "pass");
  other = head("/things/1", "7-3");
  other.tag.phase = trace::Phase::teardown;
  EXPECT_EQ(fault(other), "pass");
  other = head("/things/1", "7-4");
  other.service = "127.0.0.1:9000";
  EXPECT_EQ(fault(other), "pass");
  EXPECT_EQ(fault(head("/others/1", "7-5")), "pass");
  EXPECT_EQ(fault(head("/things/1", "7-6")), "error(503)");
}

TEST_F(Directing, an_injected_answer_carries_its_marker_in_head_and_body) {
  aim("error(transient)");
  auto decision = send(head("/things/1", "7-1"));
  ASSERT_FALSE(decision.fault_id.empty());
  auto marker = "retrial-" + decision.fault_id;
  EXPECT_NE(decision.answer.body.find(marker), std::string::npos);
  EXPECT_TRUE(std::any_of(decision.answer.headers.begin(), decision.answer.headers.end(),
                          [&](auto& h) { return h.value.find(marker) != std::string::npos; }));
}

TEST_F(Directing, an_injected_answer_ends_its_connection_where_the_services_own_do) {
  trace::Lessons lessons;
  aim("error(transient)", 1, "GET /things/{id}", lessons);
  EXPECT_FALSE(send(head("/things/1", "7-1")).answer.closes);
  lessons.closing = {"127.0.0.1:8000"};
  aim("error(transient)", 1, "GET /things/{id}", lessons);
  EXPECT_TRUE(send(head("/things/1", "7-2")).answer.closes);
}

TEST_F(Directing, a_profile_that_the_configuration_names_is_used_for_that_service) {
  aim("error(transient)", 1, "GET /things/{id}");
  director_->read_as({{"127.0.0.1:8000", "oci-registry"}, {"127.0.0.1:9000", "aws"}});
  EXPECT_EQ(send(head("/things/1", "7-1")).profile, "oci-registry");
}

TEST_F(Directing, errors_may_have_another_shape_and_the_service_is_read_as_what_it_is) {
  aim("error(503)", 1, "GET /things/{id}");
  director_->read_as({{"127.0.0.1:8000", "oci-registry"}, {"", "google-storage"}});
  auto decision = send(head("/things/1", "7-1"));
  EXPECT_EQ(decision.profile, "oci-registry");
  EXPECT_EQ(trace::find(decision.answer.headers, "content-type"), "application/json; charset=UTF-8");
}

TEST_F(Directing, where_all_calls_of_a_site_are_aimed_at_what_has_met_it_meets_it_whoever_asks_again) {
  aim("error(401)", 0);
  auto by_interceptor = [&](const char* target) {
    auto e = head(target, "");
    e.tag.site = {.file = "app/hooks.py", .line = 3, .function = "renew"};
    return fault(e);
  };
  EXPECT_EQ(by_interceptor("/things/1"), "pass") << "it has not met it yet";
  EXPECT_EQ(fault(head("/things/1", "7-1")), "error(401)");
  EXPECT_EQ(by_interceptor("/things/1"), "error(401)");
  EXPECT_EQ(by_interceptor("/things/2"), "pass");
  auto by_test = head("/things/1", "");
  by_test.tag.site = {.file = "tests/test_things.py", .line = 3, .function = "test_it"};
  EXPECT_EQ(fault(by_test), "pass");
}

TEST_F(Directing, without_a_target_every_call_is_faulted) {
  director_ = std::make_unique<CampaignDirector>(
      run_, events_, std::vector<Aim>{{{}, *policies::parse_fault_plan("error(500) x 1, then pass")}});
  EXPECT_EQ(fault(head("/things/1", "7-1")), "error(500)");
  EXPECT_EQ(fault(head("/others/1", "7-2")), "error(500)");
  EXPECT_EQ(fault(head("/others/1", "7-2")), "pass");
}

TEST_F(Directing, connections_are_counted_by_process_and_service_apart_from_attempts) {
  director_ = std::make_unique<CampaignDirector>(
      run_, events_,
      std::vector<Aim>{{{}, *policies::parse_fault_plan("refuse-connect x 2, then error(503) x 1, then pass")}});
  auto connect = [&](std::int32_t pid, std::string_view service) {
    return trace::show(director_->at_connect({service, pid, 5}).fault);
  };
  EXPECT_EQ(connect(1, "a:1"), "refuse-connect");
  EXPECT_EQ(connect(1, "a:1"), "refuse-connect");
  EXPECT_EQ(connect(1, "a:1"), "pass");
  EXPECT_EQ(connect(2, "a:1"), "refuse-connect");
  EXPECT_EQ(connect(1, "b:1"), "refuse-connect");
  EXPECT_EQ(fault(head("/things/1", "7-1")), "error(503)");
  EXPECT_EQ(fault(head("/things/1", "7-1")), "pass");
}
TEST_F(Directing, a_connection_of_another_test_or_service_is_no_target) {
  aim("refuse-connect");
  EXPECT_EQ(trace::show(director_->at_connect({"127.0.0.1:8000", 7, 5}).fault), "pass");  // no test runs
}
TEST_F(Directing, one_request_that_is_sent_in_vain_again_and_again_is_counted) {
  aim("lost-response(reset) x 1, then pass");
  auto answered = [&](const char* target, int status) {
    auto e = head(target, "7-1");
    director_->at_head(e);
    e.client_status = status;
    director_->over(e);
  };
  for (int i = 0; i < 5; i++) answered("/lock", 409);
  EXPECT_EQ(director_->in_vain(), 5);
  answered("/other", 409);
  EXPECT_EQ(director_->in_vain(), 1) << "another one";
  answered("/other", 409);
  answered("/other", 200);
  EXPECT_EQ(director_->in_vain(), 0);
}
TEST_F(Directing, responses_are_kept_only_where_one_may_come_again) {
  aim("stale");
  EXPECT_TRUE(director_->keeps_responses());
  aim("error(503)");
  EXPECT_FALSE(director_->keeps_responses());
}
TEST_F(Directing, chance_is_drawn_from_the_aims_seed) {
  auto fired = [&](std::uint64_t seed) {
    director_ = std::make_unique<CampaignDirector>(
        run_, events_, std::vector<Aim>{{{}, *policies::parse_fault_plan("50% of error(503)"), seed}});
    std::string all;
    for (int i = 0; i < 64; i++) all += fault(head(("/things/" + std::to_string(i)).c_str(), "")) == "pass" ? '-' : 'x';
    return all;
  };
  EXPECT_EQ(fired(1), fired(1));
  EXPECT_NE(fired(1), fired(2));
}
TEST_F(Directing, retry_after_is_a_date_of_the_runs_own_time) {
  run_.wall_began = 784'111'000 * kSecond;
  aim("error(503, retry-after=date+3)");
  auto e = head("/things/1", "7-1");
  e.begun = 774 * kSecond;
  auto decision = send(e);
  EXPECT_EQ(trace::find(decision.answer.headers, "retry-after"), "Sun, 06 Nov 1994 08:49:37 GMT");
}

}  // namespace
}  // namespace retrial::campaign
