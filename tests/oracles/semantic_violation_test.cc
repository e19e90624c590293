#include <gtest/gtest.h>

#include "checkers/file.h"
#include "tests/oracles/runs.h"

namespace retrial::oracles {
namespace {

// A test writes a note by an application, which keeps it at a service of its own, and reads it again.
struct Noted {
  Trial trial{"P3", "error(503)"};

  Noted() {
    checkers::use({{.name = "notes",
                    .rule = checkers::Rule::reads_back,
                    .service = "127.0.0.1:9000",
                    .after = "PUT /notes/{id}",
                    .then = "GET /notes/{id}",
                    .fields = {{"text", "text"}}},
                   {.name = "same", .rule = checkers::Rule::same_answer, .service = "*", .then = "GET /lists/{id}"}});
    write(trial.reference, 200);
    trial.reference.call("store", "PUT", "/values/1").answers(200);
    read(trial.reference, "new");
  }
  ~Noted() { checkers::use({}); }

  static void write(Tale& tale, int status) {
    tale.waits(kMillisecond).call("save", "PUT", "/notes/1");
    tale.last().request_sample = R"({"text": "new"})";
    tale.last().request_bytes = tale.last().request_sample.size();
    tale.answers(status, "{}");
  }
  static void read(Tale& tale, const std::string& text) {
    tale.waits(kMillisecond).call("load", "GET", "/notes/1").answers(200, R"({"text": ")" + text + R"("})");
  }
  Tale& now() { return trial.in_case(); }
  std::string violation() {
    std::string found;
    for (auto& f : trial.judge().findings)
      if (f.verdict == "semantic-violation") found += std::string(show(f.confidence));
    return found;
  }
};

TEST(SemanticViolation, is_told_where_a_success_was_told_and_what_is_read_is_not_what_was_sent) {
  Noted noted;
  noted.now().call("store", "PUT", "/values/1").gets_error();
  Noted::write(noted.now(), 200);
  Noted::read(noted.now(), "old");
  noted.now().passes();
  EXPECT_EQ(noted.violation(), "likely");
  for (auto& f : noted.trial.judge().findings)
    if (f.verdict == "semantic-violation") {
      EXPECT_EQ(f.operation, "PUT /values/{id}");
      EXPECT_EQ(f.evidence, (std::vector<std::uint64_t>{1, 2, 3}));
      EXPECT_TRUE(f.message.contains("was sent as \"new\"") && f.message.contains("answers \"old\"")) << f.message;
    }
}

TEST(SemanticViolation, is_none_where_a_failure_was_told_or_the_test_failed_or_no_checker_is_in_use) {
  for (int what : {0, 1, 2}) {
    Noted noted;
    noted.now().call("store", "PUT", "/values/1").gets_error();
    Noted::write(noted.now(), what == 0 ? 502 : 200);
    Noted::read(noted.now(), "old");
    what == 1 ? noted.now().fails({thrown("app.Failed", "503")}) : noted.now().passes();
    if (what == 2) checkers::use({});
    EXPECT_EQ(noted.violation(), "") << what;
  }
}

TEST(SemanticViolation, is_none_of_a_write_whose_own_answer_the_fault_took) {
  Noted noted;
  Noted::write(noted.now(), 200);
  auto& e = noted.now().last();
  e.fired = true;
  e.fault.name = trace::fault_row("lost-response")->fault;
  e.client_status = 0;
  e.ending = trace::Ending::reset;
  Noted::read(noted.now(), "old");
  noted.now().passes();
  EXPECT_EQ(noted.violation(), "");
}

TEST(SemanticViolation, is_none_that_the_reference_shows_too_or_that_came_before_the_fault) {
  Noted usual;
  Noted::read(usual.trial.reference, "old");
  usual.now().call("store", "PUT", "/values/1").gets_error();
  Noted::write(usual.now(), 200);
  Noted::read(usual.now(), "old");
  usual.now().passes();
  EXPECT_EQ(usual.violation(), "");
  Noted before;
  Noted::write(before.now(), 200);
  Noted::read(before.now(), "old");
  before.now().call("store", "PUT", "/values/1").gets_error();
  before.now().passes();
  EXPECT_EQ(before.violation(), "");
}

TEST(SemanticViolation, is_possible_where_a_fault_kept_the_one_who_answered_from_its_own_service) {
  Noted noted;
  Noted::write(noted.now(), 200);
  noted.now().waits(kMillisecond).call("load", "GET", "/notes/1");
  noted.now().call("store", "GET", "/values/1").gets_error();
  auto& outer = noted.now().run().exchanges[1];
  auto& inner = noted.now().last();
  outer.response_sample = R"({"text": "old"})";
  outer.response_bytes = outer.response_sample.size();
  outer.answered = outer.service_done = outer.told = inner.told + kMillisecond;
  outer.service_status = outer.client_status = 200;
  outer.ending = trace::Ending::answered;
  noted.now().passes();
  EXPECT_EQ(noted.violation(), "possible");
}

TEST(SemanticViolation, is_possible_of_an_answer_that_may_have_changed_by_itself) {
  Noted noted;
  noted.now().call("list", "GET", "/lists/1").answers(200, "[1]");
  noted.now().call("store", "GET", "/values/2").gets_error();
  noted.now().waits(kMillisecond).call("list", "GET", "/lists/1").answers(200, "[]");
  noted.now().passes();
  EXPECT_EQ(noted.violation(), "possible");
}

}  // namespace
}  // namespace retrial::oracles
