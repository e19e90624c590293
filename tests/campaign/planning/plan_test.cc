#include "campaign/planning/plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>

#include <set>

#include "tests/support/folder.h"
#include "trace/fault_name.h"
#include "trace/profiles/profile_table.h"

namespace retrial::campaign {
namespace {

trace::Exchange exchange(std::uint64_t id, const char* test, const char* method, const char* operation,
                         const char* file, int status = 200) {
  trace::Exchange e;
  e.id = e.call = id;
  e.attempt = 1;
  e.confidence = trace::Confidence::certain;
  e.method = method;
  e.service = "127.0.0.1:8000";
  e.operation = std::string(method) + " " + operation;
  e.target = operation;
  e.profile = "generic";
  e.tag = {trace::CallSite{file, 10, "f"}, "1-1", test, trace::Phase::test};
  e.service_status = e.client_status = status;
  e.ending = trace::Ending::answered;
  e.begun = static_cast<Nanos>(id) * kMillisecond;
  e.told = e.begun + kMillisecond;
  return e;
}

class Planning : public testing::Test {
 protected:
  void alone(const char* test, Nanos took, std::vector<trace::Exchange> exchanges) {
    auto& run = runs_.emplace_back();
    run.ended = took;
    run.exchanges = std::move(exchanges);
    by_test_[test] = &run;
  }
  Plan plan(std::vector<const policies::Policy*> policies = {policies::policy_named("P3")}) {
    return make_plan(by_test_, policies, config_);
  }
  std::deque<trace::Run> runs_;
  std::map<std::string, const trace::Run*> by_test_;
  Config config_;
};

TEST_F(Planning, a_call_without_a_site_is_another_in_each_of_four_tests) {
  for (auto* test : {"t1", "t2", "t3", "t4", "t5"}) {
    auto e = exchange(1, test, "POST", "/entries", "");
    e.tag.site.reset();
    alone(test, kSecond, {e});
  }
  auto p = plan();
  std::set<std::string> tests, keys;
  for (auto& c : p.cases)
    if (!c.further) tests.insert(c.row.test), keys.insert(c.target_key());
  EXPECT_EQ(tests.size(), 4u);
  EXPECT_EQ(keys.size(), 4u);
  EXPECT_EQ(p.cases.size(), 5u) << "the fifth is further";
}

TEST_F(Planning, each_call_site_and_operation_is_tried_once_in_the_cheapest_test_that_reaches_it) {
  alone("slow", 9 * kSecond, {exchange(1, "slow", "GET", "/a", "app.py"), exchange(2, "slow", "GET", "/b", "app.py")});
  alone("fast", 1 * kSecond, {exchange(1, "fast", "GET", "/a", "app.py")});
  auto p = plan();
  ASSERT_EQ(p.cases.size(), 2u);
  EXPECT_EQ(p.cases[0].row.operation, "GET /a");
  EXPECT_EQ(p.cases[0].row.test, "fast");
  ASSERT_EQ(p.cases[0].places.size(), 2u);
  EXPECT_EQ(p.cases[0].places[1].test, "slow");
  EXPECT_EQ(p.cases[1].row.test, "slow");
}

TEST_F(Planning, what_is_sent_again_until_its_service_has_room_is_on_trial_and_what_is_refused_is_not) {
  for (int status : {429, 409}) {
    auto first = exchange(1, "t", "GET", "/a", "app.py", status), second = exchange(2, "t", "GET", "/a", "app.py");
    first.call = second.call = 1;
    first.attempt = 1, second.attempt = 2;
    by_test_.clear();
    alone("t", kSecond, {first, second});
    EXPECT_EQ(plan().cases.size(), status == 429 ? 1u : 0u) << status;
  }
}

TEST_F(Planning, a_policy_of_every_call_aims_at_all_of_its_site_in_the_test) {
  config_.run.policies = {"n2"};
  alone("t", kSecond, {exchange(1, "t", "GET", "/a", "app.py")});
  auto p = plan({policies::policy_named("N2")});
  ASSERT_EQ(p.cases.size(), 1u);
  EXPECT_EQ(p.cases[0].row.occurrence, 0);
  EXPECT_EQ(p.cases[0].aim().target->occurrence, 0);
}

TEST_F(Planning, of_a_poll_every_look_meets_what_lasts) {
  // How many looks, and whether what they are told goes on to something else: who reads twice to the same answer reads.
  for (auto& [looks, changes] : {std::pair(2, false), std::pair(2, true), std::pair(3, false)}) {
    by_test_.clear();
    std::vector<trace::Exchange> sent;
    for (int i = 0; i < looks; i++) {
      sent.push_back(exchange(static_cast<std::uint64_t>(10 * (i + 1)), "t", "GET", "/jobs/7", "app.py"));
      sent.back().response_sample = changes && i + 1 == looks ? R"({"done":true})" : R"({"done":false})";
    }
    alone("t", kSecond, std::move(sent));
    auto p = plan({policies::policy_named("P3"), policies::policy_named("K1")});
    bool every = looks == 3 || changes;
    ASSERT_GE(p.cases.size(), 2u);
    EXPECT_EQ(p.cases[0].row.occurrence, every ? 0 : 1) << looks << changes;
    EXPECT_EQ(p.cases[1].row.occurrence, 1);
  }
}

TEST_F(Planning, bodies_are_cut_that_do_not_show_by_themselves_where_they_end) {
  auto read = [](std::uint64_t id, const char* target, const char* type, bool framed = true) {
    auto e = exchange(id, "t", "GET", target, "app.py");
    e.response_headers = {{"content-type", type}};
    if (framed) e.response_headers.push_back({"content-length", "400"});
    e.response_bytes = 400;
    return e;
  };
  alone("t", kSecond,
        {read(1, "/report", "text/csv"), read(2, "/orders", "application/json"), read(3, "/page", "text/html"),
         read(4, "/old", "text/csv", false)});
  auto p = plan({policies::policy_named("B1")});
  ASSERT_EQ(p.cases.size(), 1u);
  EXPECT_EQ(p.cases[0].row.operation, "GET /report");
  config_.run.policies = {"b1"};
  EXPECT_EQ(plan({policies::policy_named("B1")}).cases.size(), 4u);
}

TEST_F(Planning, streams_of_gRPC_are_cut_that_have_several_messages) {
  auto call = [](std::uint64_t id, const char* path, std::uint64_t messages) {
    auto e = exchange(id, "t", "POST", path, "app.py");
    e.grpc = {.is = true, .responses = messages};
    return e;
  };
  alone("t", kSecond, {call(1, "/a.B/Watch", 3), call(2, "/a.B/Get", 1)});
  auto p = plan({policies::policy_named("B1")});
  ASSERT_EQ(p.cases.size(), 1u);
  EXPECT_TRUE(p.cases[0].row.operation.contains("/a.B/Watch")) << p.cases[0].row.operation;
}

TEST_F(Planning, a_header_is_asked_about_where_a_file_or_the_service_knows_of_it_or_the_user_says_so) {
  test::Folder folder;
  auto file = [&](const char* name, const char* text) { return folder.write(name, text).string(); };
  auto reads = file("reads.py", "wait = answer.headers['Retry-After']"), camel = file("camel.py", "retryAfter = 1"),
       deaf = file("deaf.py", "retry after a while");
  auto says = exchange(4, "t", "GET", "/said", "gone.py");
  says.service = "127.0.0.1:9000";
  says.response_headers = {{"retry-after", "2"}};
  alone("t", kSecond,
        {exchange(1, "t", "GET", "/reads", reads.c_str()), exchange(2, "t", "GET", "/camel", camel.c_str()),
         exchange(3, "t", "GET", "/deaf", deaf.c_str()), says});
  auto asked = [&] {
    std::set<std::string> operations;
    for (auto& c : plan({policies::policy_named("R1")}).cases) operations.insert(c.row.operation);
    return operations;
  };
  auto elsewhere = std::filesystem::current_path();
  test::Folder empty;
  std::filesystem::current_path(empty.path());
  EXPECT_EQ(asked().size(), 4u) << "who reads it in one file may be held to it in others";
  alone("t", kSecond, {exchange(3, "t", "GET", "/deaf", deaf.c_str()), says});
  EXPECT_EQ(asked(), (std::set<std::string>{"GET /said"}));
  std::filesystem::current_path(folder.path());
  EXPECT_EQ(asked().size(), 2u) << "a file of the project that no chain leads through";
  std::filesystem::current_path(elsewhere);
  config_.run.policies = {"r1"};
  EXPECT_EQ(asked().size(), 2u);
}

trace::Exchange called_by(trace::Exchange e, const char* callers) {
  e.tag.site->callers = callers;
  return e;
}

TEST_F(Planning, one_helper_is_a_call_site_for_each_function_that_calls_it_and_one_for_all_lines_of_such_a_function) {
  alone("t", kSecond,
        {called_by(exchange(1, "t", "GET", "/a", "app.py"), "track.py:5:track"),
         called_by(exchange(2, "t", "GET", "/a", "app.py"), "track.py:9:track"),
         called_by(exchange(3, "t", "GET", "/a", "app.py"), "label.py:5:label")});
  auto p = plan();
  ASSERT_EQ(p.cases.size(), 2u);
  EXPECT_EQ(trace::show(*p.cases[0].row.site), "app.py:10 f <- label.py:5 label");
  EXPECT_EQ(trace::show(*p.cases[1].row.site), "app.py:10 f <- track.py:5 track");
  EXPECT_EQ(p.cases[1].places[0].later, std::vector<int>{2}) << "as the director counts";
}

TEST_F(Planning, an_order_that_nothing_keeps_is_a_case_that_holds_the_first_for_as_long_as_it_takes) {
  auto of = [](std::uint64_t id, const char* method, const char* stack) {
    auto e = exchange(id, "t", method, "/jobs/1", "app.py");
    e.answered = e.told;
    e.tag.stack = stack;
    return e;
  };
  alone("t", kSecond, {of(1, "PUT", "1:a,9:b"), of(8, "GET", "1:a,/7,8:c,10:d")});
  EXPECT_TRUE(plan({policies::policy_named("P3")}).cases.size() > 1);
  auto p = plan({policies::policy_named("order")});
  ASSERT_EQ(p.cases.size(), 1u);
  EXPECT_EQ(p.cases[0].row.operation, "PUT /jobs/1");
  EXPECT_EQ(p.cases[0].row.plan, "delay(20ms) x 1, then pass");
  p.cases[0].ask_further();
  EXPECT_EQ(p.cases[0].row.plan, "delay(100ms) x 1, then pass");
}

TEST_F(Planning, a_death_is_a_case_alone_at_each_write_whose_moment_the_recovery_may_see) {
  auto of = [](std::uint64_t id, std::int32_t pid, const char* method, const char* path, int status) {
    auto e = exchange(id, "t", method, path, "app.py", status);
    e.call = id;
    e.pid = pid;
    e.answered = e.told;
    return e;
  };
  alone("t", kSecond, {of(1, 8, "GET", "/mark", 404), of(2, 8, "PUT", "/mark", 201), of(3, 8, "PUT", "/data", 201)});
  auto& died = runs_.emplace_back();
  died.exchanges = {of(1, 8, "GET", "/mark", 404), of(2, 8, "PUT", "/mark", 201), of(3, 8, "PUT", "/data", 201),
                    of(5, 9, "GET", "/mark", 200)};
  died.exchanges[2].fired = true;
  died.exchanges[2].fault = {.name = trace::FaultName::crash, .point = trace::Point::executed};
  died.exchanges[2].fired_at = died.exchanges[2].answered;
  auto* tof = policies::policy_named("tof");
  auto p = make_plan(by_test_, {tof}, config_, {{"t", {&died}}});
  ASSERT_EQ(p.cases.size(), 1u);
  EXPECT_EQ(p.cases[0].row.operation, "PUT /mark");
  EXPECT_EQ(p.cases[0].row.plan, "crash(before-request) x 1, then pass");
  EXPECT_TRUE(p.cases[0].alone && p.cases[0].single);
  EXPECT_EQ(std::ranges::count(tof->plans, p.cases[0].faults), 1) << "as the policy has it";
  EXPECT_EQ(make_plan(by_test_, {tof}, config_).cases.size(), 0u) << "without a death that was borne nothing is known";
}

TEST_F(Planning, delays_share_a_run_of_their_test_where_neither_is_held_while_the_other_is_and_with_no_other_fault) {
  Case a, b;
  a.policy = b.policy = policies::policy_named("order");
  a.places = {{.test = "t", .at = kSecond}};
  b.places = {{.test = "t", .at = kSecond + 50 * kMillisecond}};
  EXPECT_TRUE(a.interferes(b));
  EXPECT_TRUE(b.interferes(a));
  b.places.front().at = 2 * kSecond;
  EXPECT_FALSE(a.interferes(b));
  b.policy = policies::policy_named("p1");
  EXPECT_TRUE(a.interferes(b));
  a.policy = b.policy;
  EXPECT_FALSE(a.interferes(b));
}

TEST_F(Planning, a_test_whose_answer_names_what_it_did_goes_before_a_cheaper_one) {
  alone("empty", 1 * kSecond, {exchange(1, "empty", "POST", "/a", "app.py")});
  auto made = exchange(1, "made", "POST", "/a", "app.py", 201);
  made.response_headers = {{"Location", "/a/17"}};
  alone("made", 5 * kSecond, {made});
  EXPECT_EQ(plan().cases[0].row.test, "made");
}

TEST_F(Planning, a_call_that_was_answered_with_an_error_is_no_target) {
  alone("t", kSecond, {exchange(1, "t", "GET", "/a", "app.py", 404)});
  EXPECT_EQ(targets(plan()), 0u);
}

TEST_F(Planning, a_call_site_whose_caller_is_given_a_5xx_in_a_test_that_passes_hands_on_errors) {
  alone("told", kSecond, {exchange(1, "told", "GET", "/error", "fetch.py", 500)});
  alone("well", kSecond,
        {exchange(2, "well", "GET", "/a", "fetch.py"), exchange(3, "well", "GET", "/b", "other.py"),
         exchange(4, "well", "GET", "/c", "other.py", 404)});
  auto p = plan();
  ASSERT_EQ(p.cases.size(), 2u);
  EXPECT_EQ(p.cases[0].row.operation, "GET /a");
  EXPECT_TRUE(p.cases[0].row.hands_on_errors);
  EXPECT_FALSE(p.cases[1].row.hands_on_errors) << "who looks for a 404 need not look for all else";
}

TEST_F(Planning, where_no_call_site_is_known_nobody_is_seen_to_hand_on_errors) {
  auto of = [](std::uint64_t id, const char* test, int status) {
    auto e = exchange(id, test, "GET", "/a", "", status);
    e.tag.site.reset();
    return e;
  };
  alone("told", kSecond, {of(1, "told", 500)});
  alone("well", kSecond, {of(2, "well", 200)});
  auto p = plan();
  ASSERT_EQ(p.cases.size(), 1u);
  EXPECT_FALSE(p.cases[0].row.hands_on_errors);
}

TEST_F(Planning, a_call_is_counted_among_all_of_its_site_also_those_that_are_no_targets) {
  alone("t", kSecond, {exchange(1, "t", "GET", "/a", "app.py", 404), exchange(2, "t", "GET", "/a", "app.py")});
  ASSERT_EQ(plan().cases.size(), 1u);
  EXPECT_EQ(plan().cases[0].row.occurrence, 2);
}

TEST_F(Planning, calls_in_set_up_and_teardown_and_from_test_files_are_left_alone) {
  auto setup = exchange(1, "t", "PUT", "/a", "app.py");
  setup.tag.phase = trace::Phase::setup;
  auto teardown = exchange(2, "t", "DELETE", "/a", "app.py");
  teardown.tag.phase = trace::Phase::teardown;
  alone("t", kSecond,
        {setup, teardown, exchange(3, "t", "GET", "/a", "tests/test_a.py"), exchange(4, "t", "GET", "/b", "app.py")});
  auto p = plan();
  ASSERT_EQ(p.cases.size(), 1u);
  EXPECT_EQ(p.cases[0].row.operation, "GET /b");
}

TEST_F(Planning, a_suite_without_application_call_sites_is_tried_at_its_own_and_says_so) {
  alone("t", kSecond, {exchange(1, "t", "GET", "/a", "test_a.py")});
  auto p = plan();
  EXPECT_EQ(p.cases.size(), 1u);
  EXPECT_EQ(p.remarks.size(), 1u);
}

TEST_F(Planning, the_stall_is_tried_once_a_call_site_and_the_others_once_an_operation) {
  alone("t", kSecond, {exchange(1, "t", "GET", "/a", "app.py"), exchange(2, "t", "GET", "/b", "app.py")});
  auto p = plan({policies::policy_named("P2")});
  EXPECT_EQ(p.cases.size(), 3u);
  EXPECT_EQ(std::count_if(p.cases.begin(), p.cases.end(), [](auto& c) { return c.stalls; }), 1);
}

TEST_F(Planning, a_lost_response_is_tried_in_three_ways_where_nothing_more_is_asked_for) {
  alone("t", kSecond, {exchange(1, "t", "GET", "/a", "app.py")});
  EXPECT_EQ(plan({policies::policy_named("p1")}).cases.size(), 3u);
  EXPECT_EQ(plan({policies::policy_named("p1"), policies::policy_named("p1+")}).cases.size(), 6u);
}

TEST_F(Planning, a_time_out_is_told_by_408_only_where_the_profile_says_that_the_service_does) {
  trace::Errors errors;
  trace::add_profiles({trace::parse_profile("timeouts = [408]", "ledger", "ledger.toml", errors)});
  ASSERT_TRUE(errors.empty()) << errors.front().second.line();
  auto asked = exchange(1, "t", "GET", "/a", "app.py");
  asked.profile = "ledger";
  alone("t", kSecond, {asked});
  auto p = plan({policies::policy_named("p1")});
  ASSERT_EQ(p.cases.size(), 4u);
  EXPECT_EQ(p.cases[3].row.plan, "lost-response(error(408)) x 1, then pass");
  trace::add_profiles({});
}

TEST_F(Planning, a_case_is_worth_what_its_policy_says_and_where_that_goes_by_effect_what_a_repeat_does) {
  alone("t", kSecond,
        {exchange(1, "t", "DELETE", "/a", "app.py"), exchange(2, "t", "GET", "/b", "app.py"),
         exchange(3, "t", "POST", "/c", "app.py")});
  policies::Policy plain{.name = "plain", .plans = {{{}}}, .value = 3}, weighed = plain;
  weighed.value_by_effect = true;
  std::map<std::string, double> plain_values, weighed_values;
  for (auto& c : plan({&plain}).cases) plain_values[c.row.operation] = c.value;
  for (auto& c : plan({&weighed}).cases) weighed_values[c.row.operation] = c.value;
  EXPECT_EQ(plain_values, (std::map<std::string, double>{{"DELETE /a", 3}, {"GET /b", 3}, {"POST /c", 3}}));
  EXPECT_EQ(weighed_values, (std::map<std::string, double>{{"DELETE /a", 4.5}, {"GET /b", 1.5}, {"POST /c", 6}}));
}

TEST_F(Planning, what_a_case_takes_is_its_tests_time_and_waiting_only_where_clocks_are_not_moved) {
  alone("t", 2 * kSecond, {exchange(1, "t", "GET", "/a", "app.py")});
  EXPECT_EQ(plan().cases[0].expected(), 2 * kSecond);
  config_.run.real_time = true;
  EXPECT_GT(plan().cases[0].expected(), 5 * kSecond);
}

TEST_F(Planning, writes_that_a_client_may_repeat_are_named_also_those_that_may_be_repeated) {
  auto keyed = exchange(3, "t", "POST", "/c", "app.py");
  keyed.request_headers = {{"Idempotency-Key", "k1"}};
  alone("t", kSecond,
        {exchange(1, "t", "POST", "/a", "app.py"), exchange(2, "t", "GET", "/b", "app.py"), keyed,
         exchange(4, "t", "PUT", "/d", "app.py"), exchange(5, "t", "POST", "/e/_search", "app.py")});
  EXPECT_EQ(repeated(plan({policies::policy_named("P1")})),
            (std::vector<std::string>{"127.0.0.1:8000 POST /a", "127.0.0.1:8000 POST /c", "127.0.0.1:8000 PUT /d"}));
  EXPECT_TRUE(repeated(plan({policies::policy_named("P3")})).empty());
}

class PlanFiles : public Planning {
 protected:
  PlanFiles() {
    alone("fast", kSecond, {exchange(1, "fast", "GET", "/a", "app.py"), exchange(2, "fast", "GET", "/a", "app.py")});
    alone("slow", 2 * kSecond,
          {exchange(1, "slow", "GET", "/a", "app.py"), exchange(2, "slow", "GET", "/b", "app.py")});
  }
  Plan read(const std::string& cases) {
    auto planned = parse_plan_file("version = 1\n" + cases, "plan.toml");
    EXPECT_TRUE(planned) << (planned ? "" : planned.error().line());
    auto plan = planned ? make_plan(by_test_, *planned, config_) : std::unexpected(planned.error());
    EXPECT_TRUE(plan) << (plan ? "" : plan.error().line());
    return plan ? *plan : Plan{};
  }
  static std::string complaint(const std::string& text) {
    auto planned = parse_plan_file(text, "plan.toml");
    return planned ? "" : planned.error().line();
  }
  static std::string one(const std::string& more, int line = 10) {
    return fmt::format(
        "[[case]]\ncall_site = 'app.py:{} f'\nservice = '127.0.0.1:8000'\noperation = 'GET /a'\npolicy = 'P3'\n"
        "fault = 'error(503)'\n{}",
        line, more);
  }
};

TEST_F(PlanFiles, give_the_same_plan_again) {
  for (auto* coverage : {"c0", "c2", "c4"}) {
    config_.run.coverage = coverage;
    auto p = plan({policies::policy_named("P3"), policies::policy_named("P1")});
    auto again = read(plan_file_text(p.cases, "pytest").substr(plan_file_text(p.cases, "pytest").find("\n\n")));
    EXPECT_EQ(id_of(again.cases), id_of(p.cases)) << plan_file_text(p.cases, "pytest");
    EXPECT_TRUE(again.remarks.empty());
    EXPECT_EQ(repeated(again), repeated(p));
  }
}

TEST_F(PlanFiles, meet_every_look_of_a_poll_as_their_plan_does) {
  std::vector<trace::Exchange> looks;
  for (std::uint64_t id = 1; id <= 3; id++) looks.push_back(exchange(id, "poll", "GET", "/jobs/7", "app.py"));
  by_test_.clear();
  alone("poll", kSecond, std::move(looks));
  auto p = plan();
  ASSERT_EQ(p.cases.size(), 1u);
  auto text = plan_file_text(p.cases, "pytest");
  auto again = read(text.substr(text.find("\n\n")));
  ASSERT_EQ(again.cases.size(), 1u);
  EXPECT_EQ(again.cases[0].row.occurrence, 0);
  EXPECT_EQ(id_of(again.cases), id_of(p.cases));
}

TEST_F(PlanFiles, find_a_call_in_any_test_or_in_the_one_that_they_name) {
  auto p = read(one("") + one("test = 'slow'\n") + one("test = 'fast'\noccurrence = 2\n"));
  ASSERT_EQ(p.cases.size(), 3u);
  EXPECT_EQ(p.cases[0].places.size(), 2u);
  EXPECT_EQ(p.cases[1].row.test, "slow");
  EXPECT_EQ(p.cases[2].row.occurrence, 2);
  EXPECT_EQ(p.cases[2].aim().target->occurrence, 2);
}

TEST_F(PlanFiles, find_a_call_site_whose_line_has_moved_and_say_what_fits_no_call_any_more) {
  auto p = read(one("", 12) + one("test = 'gone'\n") + one("test = 'slow'\noccurrence = 2\n") + one("", 12));
  ASSERT_EQ(p.cases.size(), 1u);
  EXPECT_EQ(p.cases[0].row.site->line, 10);
  ASSERT_EQ(p.remarks.size(), 1u);
  EXPECT_EQ(
      p.remarks[0],
      "3 of 4 cases of the plan fit no call of this suite, or stand there twice, and are left out: line 8 (GET /a "
      "at app.py:10 f), line 15 (GET /a at app.py:10 f), line 23 (GET /a at app.py:12 f)");
}

TEST_F(PlanFiles, tell_chains_apart_and_without_callers_mean_any_of_them) {
  alone("chains", kSecond / 2,
        {called_by(exchange(1, "chains", "GET", "/c", "app.py"), "track.py:5:track"),
         called_by(exchange(2, "chains", "GET", "/c", "app.py"), "label.py:5:label")});
  auto of = [](const std::string& site) {
    return fmt::format(
        "[[case]]\ncall_site = '{}'\nservice = '127.0.0.1:8000'\noperation = 'GET /c'\npolicy = 'P3'\n"
        "fault = 'error(503)'\n",
        site);
  };
  auto p = read(of("app.py:10 f <- track.py:7 track") + of("app.py:10 f"));
  ASSERT_EQ(p.cases.size(), 2u);
  EXPECT_EQ(trace::show(*p.cases[0].row.site), "app.py:10 f <- track.py:5 track");
  EXPECT_EQ(trace::show(*p.cases[1].row.site), "app.py:10 f <- label.py:5 label");
}

TEST_F(PlanFiles, of_which_nothing_fits_are_of_another_suite) {
  auto none = make_plan(by_test_, *parse_plan_file("version = 1\n" + one("test = 'gone'\n"), "plan.toml"), config_);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().blame, Blame::user);
  EXPECT_TRUE(none.error().line().starts_with("--plan: no case of it fits a call of this suite"))
      << none.error().line();
}

TEST_F(PlanFiles, that_are_wrong_are_refused_with_the_line) {
  EXPECT_EQ(complaint("version = 1\n"), "plan.toml:1: plan case: expected tables [[case]], one a case");
  EXPECT_EQ(complaint("version = 2\n" + one("")),
            "plan.toml:1: plan version: expected a whole number from 1 to 1, found 2");
  EXPECT_EQ(complaint(one("")), "plan.toml:1: plan version: expected version = 1");
  EXPECT_TRUE(
      complaint("version = 1\n" + one("tests = 'a'\n")).starts_with("plan.toml:8: [[case]] tests: unknown key"));
  EXPECT_TRUE(complaint("version = 1\n" + one("occurrence = 2\n")).starts_with("plan.toml:2: [[case]] test: expected"));
  EXPECT_TRUE(complaint("version = 1\n[[case]]\nservice = 'a:1'\n").starts_with("plan.toml:2: [[case]] "));
  EXPECT_EQ(complaint("version = 1\n[[case]]\nservce = 'a:1'\n"),
            "plan.toml:3: [[case]] servce: unknown key, expected one of call_site, service, operation, policy, fault, "
            "test, occurrence, did you mean \"service\"?");
  EXPECT_TRUE(complaint("version = 1\n[[case]\n").starts_with("plan.toml:2: column "));
  EXPECT_TRUE(complaint("case = [1]\nversion = 1\n").starts_with("plan.toml:1: plan case: expected tables"));
}

TEST_F(PlanFiles, once_takes_the_cheapest_call_of_each_site) {
  config_.run.once = true;
  auto p = plan();
  ASSERT_EQ(p.cases.size(), 1u);
  EXPECT_EQ(p.cases[0].row.operation, "GET /a");
}

TEST_F(Planning, of_calls_that_ask_for_several_things_the_last_is_tried_too_and_of_polls_it_is_not) {
  auto of = [](std::uint64_t id, const char* method, std::uint64_t digest) {
    auto e = exchange(id, "t", method, "/a", "app.py");
    e.request_digest = digest;
    return e;
  };
  alone("t", kSecond, {of(1, "POST", 1), of(2, "POST", 2), of(3, "POST", 3), of(4, "GET", 0), of(5, "GET", 0)});
  auto p = plan({policies::policy_named("K1"), policies::policy_named("P3")});
  std::string all;
  for (auto& c : p.cases)
    all += fmt::format("{} {} {}{}; ", c.row.policy, c.row.operation, c.row.occurrence, c.further ? " further" : "");
  EXPECT_EQ(all, "K1 GET /a 1; K1 POST /a 1; P3 GET /a 1; P3 POST /a 1; K1 POST /a 3; P3 POST /a 3; ");
  EXPECT_EQ(targets(p), 2u);
  config_.run.coverage = "c0";
  EXPECT_EQ(plan({policies::policy_named("K1")}).cases.size(), 3u);
  config_.run.once = true;
  EXPECT_EQ(plan({policies::policy_named("K1")}).cases.size(), 1u);
}

TEST_F(Planning, of_reads_of_one_thing_that_has_changed_the_last_is_tried_too_and_of_polls_it_is_not) {
  auto of = [](std::uint64_t id, const char* method, const char* target, std::string answer) {
    auto e = exchange(id, "t", method, target, "app.py");
    e.response_sample = std::move(answer);
    return e;
  };
  auto last = [&](std::string first, std::string then, bool polls = false) {
    by_test_.clear();
    alone("t", kSecond,
          {of(1, "GET", "/rate", std::move(first)), of(2, polls ? "GET" : "PUT", polls ? "/rate" : "/other", "{}"),
           of(3, "GET", "/rate", std::move(then))});
    std::string all;
    for (auto& c : plan({policies::policy_named("P3")}).cases)
      if (c.row.operation == "GET /rate") all += fmt::format("{} ", c.row.occurrence);
    return all;
  };
  EXPECT_EQ(last(R"({"rate":1})", R"({"rate":1})"), "1 ");
  EXPECT_EQ(last(R"({"rate":1})", R"({"rate":2})"), "1 2 ");
  EXPECT_EQ(last(R"({"rate":1})", R"({"rate":2})", true), "0 ");
}

TEST_F(Planning, json_is_cut_by_default_once_a_call_site_that_reads_it) {
  auto tells = [](std::uint64_t id, const char* method, const char* path, const char* file, const char* body) {
    auto e = exchange(id, "t", method, path, file);
    e.response_sample = body;
    e.response_bytes = e.response_sample.size();
    e.response_headers = {{"Content-Type", *body == 'p' ? "text/plain" : "application/json"}, {"Content-Length", "1"}};
    return e;
  };
  constexpr auto kJson = R"({"id":1,"name":"n"})";
  alone("t", kSecond,
        {tells(1, "GET", "/a", "app.py", kJson), tells(2, "GET", "/b", "app.py", kJson),
         tells(3, "POST", "/c", "b.py", kJson), tells(4, "GET", "/d", "c.py", "plain text"),
         tells(5, "GET", "/e", "d.py", "{}"), tells(6, "GET", "/f", "e.py", "{\"a\":1}\n{\"a\":2}\n")});
  auto p = plan({policies::policy_named("B2")});
  ASSERT_EQ(p.cases.size(), 1u);
  EXPECT_EQ(p.cases[0].row.operation, "GET /a");
  EXPECT_EQ(p.cases[0].row.plan, "truncate x 1, then pass");
}

TEST_F(Planning, too_many_requests_are_told_once_a_service_line_and_method) {
  auto elsewhere = exchange(3, "t", "GET", "/c", "app.py");
  elsewhere.service = "127.0.0.1:9000";
  auto rpc = exchange(4, "t", "POST", "/a.B/Get", "rpc.py");
  rpc.grpc.is = true;
  rpc.profile = "grpc";
  alone("t", kSecond,
        {exchange(1, "t", "GET", "/a", "app.py"), exchange(2, "t", "GET", "/b", "app.py"), elsewhere, rpc,
         exchange(5, "t", "POST", "/a", "app.py"), exchange(6, "t", "POST", "/b", "app.py")});
  for (auto [name, faults] : {std::pair("K2", "error(429) x 1, then pass"), std::pair("K4", "error(429)")}) {
    std::string all;
    for (auto& c : plan({policies::policy_named(name)}).cases) {
      EXPECT_EQ(c.row.plan, faults);
      all += c.row.service + " " + c.row.operation + "; ";
    }
    EXPECT_EQ(all, "127.0.0.1:8000 GET /a; 127.0.0.1:9000 GET /c; 127.0.0.1:8000 POST /a; ") << name;
  }
}

}  // namespace
}  // namespace retrial::campaign
