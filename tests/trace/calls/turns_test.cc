#include "trace/calls/turns.h"

#include <gtest/gtest.h>

#include "tests/trace/traffic.h"
#include "trace/calls/activation.h"

namespace retrial::trace {
namespace {

std::string parted(std::string_view before, std::string_view now) {
  auto p = parting(before, now);
  return p ? fmt::format("{:x} {:x}", p->before, p->now) : "";
}

TEST(Activations, stacks_part_in_the_innermost_that_both_came_from) {
  EXPECT_EQ(parted("1:a,2:b,3:c", "1:a,2:b,4:c"), "b b") << "a loop in 2 called once more";
  EXPECT_EQ(parted("1:a,2:b", "1:a,2:d"), "b d") << "2 went on to another line";
  EXPECT_EQ(parted("1:a,2:b", "1:a,2:b"), "b b");
  EXPECT_EQ(parted("1:a", "1:a,2:b"), "a a");
  EXPECT_EQ(parted("2:b,3:c", "1:a,2:b,4:c"), "b b") << "the outermost are not always told";
  EXPECT_EQ(parted("1:a", "2:a"), "");
  for (auto none : {"", "1", "1:", ":a", "x:a", "1:a;2:b", "1:g", "99999999999999999999999:a"})
    EXPECT_EQ(parted(none, "1:a"), "") << none;
}

TEST(Strands, stand_between_who_handed_work_over_and_who_does_it_and_change_nothing_else) {
  EXPECT_EQ(strands_of("1:a,/3,4:b,/7,8:c"), (std::vector<std::uint64_t>{3, 7}));
  EXPECT_TRUE(strands_of("1:a,2:b").empty());
  EXPECT_TRUE(strands_of("/x,1:a,/").empty());
  EXPECT_EQ(parted("1:a,/3,4:b,5:c", "1:a,/3,4:b,6:d"), "b b");
  EXPECT_EQ(parted("1:a,/3", "1:a,2:b,/3"), "a a");
  EXPECT_TRUE(names_functions("/3,4:b"));
  EXPECT_EQ(latest_run("1:a,/9,4:b,2:c"), 4u);
  EXPECT_EQ(latest_run(""), 0u);
}

// Activations: 1 is main, which stands at `line`; the others are helpers, a new one each call.
class Application {
 public:
  explicit Application(Lessons lessons = {}) : traffic(std::move(lessons)) {}
  void send(std::string stack, int status, std::string body = "{}", std::string service = "127.0.0.1:10001",
            std::string site = "app/orders.py:42:fetch") {
    auto e = traffic.begin(
        "POST /tell HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body,
        {.site = std::move(site), .service = std::move(service), .stack = std::move(stack)});
    online += fmt::format("{} ", e.attempt);
    status == 200 ? traffic.serve(e, 200) : traffic.inject(e, status);
    traffic.pass(kSecond);
  }
  // call.attempt of each
  std::string told(const Lessons& lessons) {
    auto& all = traffic.run.exchanges;
    Correlator::correlate_again(all, lessons);
    std::string out;
    for (auto& e : all)
      out += fmt::format("{}.{}{} ", e.call - all[0].call, e.attempt, e.confidence == Confidence::possible ? "?" : "");
    return out;
  }
  Traffic traffic;
  std::string online;
};
// Sends the same three times, by a helper that tries up to three times.
Lessons loop_over_things() {
  Application a;
  for (auto helper : {"2", "3", "4"}) a.send(fmt::format("1:a,{}:b", helper), 200);
  return lessons_of(a.traffic.run);
}

// What a test sends by a client that marks no functions, statement by statement.
class ATest {
 public:
  explicit ATest(Lessons lessons = {}) : traffic_(std::move(lessons)) {}
  ATest& sends(std::uint64_t statement, int status, std::string_view user = "ada") {
    return asks(fmt::format("POST /login HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n{}", user), statement, status);
  }
  ATest& reads(std::uint64_t statement, int status) {
    return asks("GET /rates HTTP/1.1\r\nHost: h\r\n\r\n", statement, status);
  }
  ATest& asks(const std::string& head, std::uint64_t statement, int status) {
    auto e = traffic_.begin(head, {.site = "client.go:9:Do", .statement = statement});
    online += fmt::format("{} ", e.attempt);
    status == 200 || status == kItsOwn ? traffic_.serve(e, status) : traffic_.inject(e, status);
    return *this;
  }
  std::string told() {
    Correlator::correlate_each_test(traffic_.run, lessons_of(traffic_.run));
    std::string out;
    for (auto& e : traffic_.run.exchanges) out += fmt::format("{}.{} ", e.call, e.attempt);
    return out;
  }
  static constexpr int kItsOwn = 429;
  Lessons lessons() { return lessons_of(traffic_.run); }
  std::string online;

 private:
  Traffic traffic_;
};

Lessons two_statements() { return ATest().sends(0xa, 200).sends(0xb, 200, "bob").lessons(); }

TEST(Statements, that_both_send_it_without_faults_are_two_calls) {
  auto lessons = two_statements();
  EXPECT_EQ(ATest(lessons).sends(0xa, 503).sends(0xb, 200, "bob").online, "1 1 ");
  EXPECT_EQ(ATest(lessons).sends(0, 503).sends(0, 200, "bob").online, "1 2 ") << "nothing is known";
}

TEST(Statements, of_which_one_sends_it_again_or_another_that_never_did_are_a_retry) {
  auto lessons = two_statements();
  EXPECT_EQ(ATest(lessons).sends(0xa, 503).sends(0xa, 200).sends(0xb, 200, "bob").online, "1 2 1 ");
  EXPECT_EQ(ATest(lessons).sends(0xb, 503, "bob").sends(0xc, 200, "bob").online, "1 2 ");
}

TEST(Statements, of_which_one_reads_what_a_cache_had_for_it_without_faults_are_two_calls) {
  auto lessons = ATest().reads(0xa, 200).lessons();
  EXPECT_EQ(ATest(lessons).reads(0xa, 503).reads(0xb, 200).online, "1 1 ");
  EXPECT_EQ(ATest(lessons).reads(0xa, 503).reads(0xa, 200).online, "1 2 ");
}

TEST(Statements, of_which_each_asks_for_the_same_are_two_calls_of_which_the_second_was_tried_again) {
  EXPECT_EQ(ATest().reads(0xa, 200).reads(0xb, ATest::kItsOwn).reads(0xb, 200).told(), "1.1 2.1 2.2 ");
  EXPECT_EQ(ATest().reads(0, 200).reads(0, ATest::kItsOwn).reads(0, 200).told(), "1.1 2.1 3.1 ") << "nothing is known";
}

TEST(Statements, that_are_not_always_said_part_no_attempts) {
  EXPECT_EQ(ATest().reads(0xa, 503).reads(0, 200).told(), "1.1 1.2 ");
}

TEST(Turns, things_told_one_after_another_are_as_many_calls_and_a_helpers_attempts_are_one) {
  auto lessons = loop_over_things();
  Application a(lessons);
  for (auto helper : {"2", "3", "4"})
    for (int i = 0; i < 3; i++) a.send(fmt::format("1:a,{}:b", helper), 503);
  EXPECT_EQ(a.told(lessons), "0.1 0.2 0.3 1.1 1.2 1.3 2.1 2.2 2.3 ");
  EXPECT_EQ(a.online, "1 2 3 1 2 3 1 2 3 ") << "a fault's \"x 2, then pass\" counts within each";
  lessons.turns = {};
  EXPECT_NE(a.told(lessons), "0.1 0.2 0.3 1.1 1.2 1.3 2.1 2.2 2.3 ");
}

// What has no body is known by its head: three workers' claims, all at once, are three calls for a fault's "x 2" too.
TEST(Turns, workers_that_ask_for_the_same_without_a_body_are_as_many_calls_from_the_start) {
  auto claims = [](Lessons lessons, int status) {
    auto traffic = std::make_unique<Traffic>(std::move(lessons));
    std::string online;
    for (auto worker : {"/4,9", "/5,12", "/6,15"}) {
      auto e = traffic->begin("POST /queue/claim HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n",
                              {.site = "w.py:22:call", .stack = fmt::format("3:a,{}:b", worker)});
      online += fmt::format("{} ", e.attempt);
      status == 200 ? traffic->serve(e, 200) : traffic->inject(e, status);
      traffic->pass(kMillisecond);
    }
    return std::pair(std::move(traffic), online);
  };
  auto [usual, alone] = claims({}, 200);
  EXPECT_EQ(claims(lessons_of(usual->run), 503).second, "1 1 1 ");
}

// Three tasks that were begun together log in, since nobody could for them: asyncio's gather.
TEST(Turns, tasks_begun_together_that_each_need_the_same_are_as_many_calls) {
  auto attempts = [](std::initializer_list<const char*> strands, const char* length) {
    Traffic traffic;
    std::string online;
    for (std::string strand : strands) {
      auto e = traffic.begin(fmt::format("POST /session HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\n\r\n", length),
                             {.site = "crm.py:46:login", .stack = "10:7,9:8," + strand});
      online += fmt::format("{} ", e.attempt);
      traffic.inject(e, 503);
      traffic.pass(kMillisecond);
    }
    return online;
  };
  EXPECT_EQ(attempts({"/11,19:e,15:5", "/12,29:e,25:5", "/13,35:e,31:5"}, "0"), "1 1 1 ");
  EXPECT_EQ(attempts({"/11,19:e,15:5", "/20,29:e,25:5"}, "0"), "1 2 ") << "begun after the failure";
  EXPECT_EQ(attempts({"/11,19:e,15:5", "/11,19:e,25:5"}, "0"), "1 2 ") << "one task";
  EXPECT_EQ(attempts({"/11,19:e,15:5", "/12,29:e,25:5"}, "9"), "1 2 ") << "a job that another worker takes again";
}

TEST(Turns, what_works_side_by_side_tells_its_own_next_thing) {
  auto tell = [](Application& a, int n, int status) {
    for (auto strand : {"/2,6", "/3,7"})
      a.send(fmt::format("1:a,{}:b,{}{}:c", strand, strand[1], n), status,
             fmt::format("{{\"of\":\"{}{}\"}}", strand[1], n));
  };
  Application reference;
  for (auto n : {1, 2, 3}) tell(reference, n, 200);
  auto lessons = lessons_of(reference.traffic.run);
  Application a(lessons);
  tell(a, 1, 503);
  tell(a, 2, 200);
  EXPECT_EQ(a.told(lessons), "0.1 1.1 2.1 3.1 ");
}

// Node: the test is one entry, and each request another; what runs between is not told.
TEST(Turns, of_an_entry_the_very_same_once_more_says_nothing_and_how_often_it_comes_does) {
  Application reference;
  for (auto own : {"2", "3"}) reference.send(fmt::format("1.a,{}.b", own), 200);
  auto lessons = lessons_of(reference.traffic.run);
  Application a(lessons);
  a.send("1.a,2.b", 503);
  a.send("1.a,3.b", 200);
  a.send("1.a,4.b", 200);
  EXPECT_EQ(a.told(lessons), "0.1 0.2 1.1 ");
  Application other(lessons);
  other.send("1.a,2.b", 503);
  other.send("1.a,3.b", 200, "[]");
  EXPECT_EQ(other.told(lessons), "0.1 1.1 ");
}

TEST(Turns, an_outer_loop_that_goes_round_only_after_a_failure_is_the_same_call) {
  Application reference;
  reference.send("1:a,2:b", 200);
  auto lessons = lessons_of(reference.traffic.run);
  Application a(lessons);
  for (auto helper : {"2", "3"})
    for (int i = 0; i < 2; i++) a.send(fmt::format("1:a,{}:b", helper), 503);
  EXPECT_EQ(a.told(lessons), "0.1 0.2 0.3 0.4 ");
}

TEST(Turns, the_next_statement_asks_anew_and_a_handler_goes_on) {
  Application reference;
  reference.send("1:a", 200);
  reference.send("1:c", 200);
  auto lessons = lessons_of(reference.traffic.run);
  Application next(lessons);
  next.send("1:a", 503);
  next.send("1:c", 503);
  EXPECT_EQ(next.told(lessons), "0.1 1.1 ");

  Application handler(lessons);
  handler.send("1:a", 503);
  handler.send("1:d", 200);  // nothing is sent from there without faults
  EXPECT_EQ(handler.told(lessons).substr(0, 7), "0.1 0.2");
}

TEST(Turns, an_id_that_is_drawn_anew_makes_no_other_call_of_what_the_same_run_of_a_function_sends_again) {
  auto body = [](int id) { return "{\"id\":" + std::to_string(id) + ",\"to\":\"ann\"}"; };
  Application reference;
  reference.send("1:a,2:b", 200, body(4711));
  auto lessons = lessons_of(reference.traffic.run);
  Application a(lessons);
  a.send("1:a,2:b", 503, body(4712));
  a.send("1:a,3:b", 200, body(4713));
  EXPECT_EQ(a.told(lessons), "0.1 0.2 ");
  Application elsewhere(lessons);
  elsewhere.send("1:a,2:b", 503, body(4712));
  elsewhere.send("1:c,3:b", 200, body(4713));
  EXPECT_NE(elsewhere.told(lessons), "0.1 0.2 ") << "another line of it";
  Application on_condition(lessons);
  on_condition.send("1:a,2:b", 503, body(4712));
  on_condition.send("1:a,3:b", 200, body(4713));
  on_condition.traffic.run.exchanges[1].request_headers.push_back({"If-Match", "\"2\""});
  EXPECT_NE(on_condition.told(lessons), "0.1 0.2 ") << "it was read again";
}

TEST(Turns, a_loop_that_turns_to_another_service_after_a_failure_is_one_call) {
  Application reference;
  reference.send("1:a", 200);
  auto lessons = lessons_of(reference.traffic.run);
  for (bool known : {true, false}) {
    Application a;
    for (auto port : {"10001", "10002", "10001", "10002"}) a.send("1:a", 503, "{}", "127.0.0.1:" + std::string(port));
    auto told = a.told(known ? lessons : Lessons{});
    EXPECT_EQ(told.substr(0, 8), known ? "0.1 0.2 " : "0.1 0.2?") << told;
  }
}

TEST(Turns, one_of_several_things_that_comes_round_again_was_put_back) {
  Application reference;
  for (auto body : {R"({"n":1})", R"({"n":2})", R"({"n":3})"}) reference.send("1:a", 200, body);
  auto lessons = lessons_of(reference.traffic.run);
  Application a(lessons);
  a.send("1:a", 503, R"({"n":1})");
  a.send("1:a", 503, R"({"n":2})");
  a.send("1:a", 200, R"({"n":3})");
  a.send("1:a", 200, R"({"n":1})");
  a.send("1:a", 200, R"({"n":2})");
  EXPECT_EQ(a.told(lessons), "0.1 1.1 2.1 0.2 1.2 ");
}

// An interceptor runs in the course of the library's entry that failed, and asks for the same at a line of its own.
TEST(Turns, what_is_sent_again_in_the_course_of_a_call_goes_on_with_it_from_whichever_line) {
  constexpr auto kHook = "app/client.mjs:9:onFailure", kOther = R"({"n":2})";
  Application reference;
  for (auto entry : {"1:a", "2:a"}) reference.send(entry, 200);
  auto lessons = lessons_of(reference.traffic.run);
  Application a(lessons);
  auto again = [&](std::string stack, int status, std::string body = "{}") {
    a.send(std::move(stack), status, std::move(body), "127.0.0.1:10001", kHook);
  };
  a.send("1:a", 503);
  again("1:a,2:b", 503);
  again("1:a,2:b,3:b", 200);
  a.send("4:a", 503);
  again("4:a,5:b", 200, kOther);  // tells another thing
  again("6:b", 200);              // comes from elsewhere
  EXPECT_EQ(a.told(lessons), "0.1 0.2 0.3 1.1 2.1 3.1 ");
  EXPECT_EQ(a.online, "1 2 3 1 1 1 ");
}

TEST(Turns, what_goes_on_to_another_thing_in_the_course_of_a_call_as_it_does_without_faults_is_another) {
  Application reference;
  for (auto entry : {"1:a", "1:a,2:a", "1:a,2:a,3:a"}) reference.send(entry, 200);
  auto lessons = lessons_of(reference.traffic.run);
  Application a(lessons);
  for (auto entry : {"1:a", "1:a,2:a", "1:a,2:a,3:a"}) a.send(entry, 503);
  EXPECT_EQ(a.told(lessons), "0.1 1.1 2.1 ");
}

}  // namespace
}  // namespace retrial::trace
