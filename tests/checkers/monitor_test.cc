#include "checkers/monitor.h"

#include <gtest/gtest.h>

#include "tests/checkers/traffic.h"

namespace retrial::checkers {
namespace {

const Checker kReadsBack = checker(Rule::reads_back, "PUT /docs/{id}", "GET /docs/{id}", {{"title", "title"}});
const Checker kAppends = checker(Rule::adds, "POST /lists/{id}/items", "GET /lists/{id}/items", {{"+1", "items[]"}});

std::string doc(const std::string& title) { return R"({"title": ")" + title + R"("})"; }

TEST(Monitor, holds_a_read_against_the_last_write_of_that_resource_alone) {
  Talk t;
  t.asks("PUT", "/docs/1", 201, doc("a"));
  t.asks("GET", "/docs/1", 200, "", doc("a"));
  t.asks("PUT", "/docs/2", 201, doc("b"));
  t.asks("GET", "/docs/1", 200, "", doc("a"));
  t.asks("PUT", "/docs/1", 200, doc("c"));
  t.asks("GET", "/docs/1", 200, "", doc("a"));
  EXPECT_EQ(verdicts(kReadsBack, t.run), "pass 2, pass 4, fail 6");
}

TEST(Monitor, takes_what_is_not_there_for_another_answer_and_says_nothing_of_an_error) {
  Talk t;
  t.asks("PUT", "/docs/1", 201, doc("a"));
  t.asks("GET", "/docs/1", 404, "", "{}");
  t.asks("GET", "/docs/1", 403, "", "{}");
  t.asks("GET", "/docs/1", 503, "", "{}");
  EXPECT_EQ(verdicts(kReadsBack, t.run), "fail 2");
}

TEST(Monitor, knows_nothing_of_a_resource_that_another_operation_has_written_to) {
  for (auto [method, target] : {std::pair("PATCH", "/docs/1"), {"DELETE", "/docs"}, {"POST", "/docs/1/lines"}}) {
    Talk t;
    t.asks("PUT", "/docs/1", 201, doc("a"));
    t.asks(method, target, 200, "{}");
    t.asks("GET", "/docs/1", 200, "", doc("b"));
    EXPECT_EQ(verdicts(kReadsBack, t.run), "") << method << " " << target;
  }
  Talk elsewhere;
  elsewhere.asks("PUT", "/docs/1", 201, doc("a"));
  elsewhere.asks("POST", "/reset", 200, "{}");
  elsewhere.asks("GET", "/docs/1", 200, "", doc("b"));
  EXPECT_EQ(verdicts(kReadsBack, elsewhere.run), "fail 3");
  auto narrower = kReadsBack;
  narrower.within = Within::service;
  EXPECT_EQ(verdicts(narrower, elsewhere.run), "");
}

TEST(Monitor, takes_the_old_and_the_new_after_a_write_whose_fate_is_unknown_and_nothing_else) {
  for (auto [answer, verdict] : {std::pair("a", "pass 3"), {"b", "pass 3"}, {"c", "fail 3"}}) {
    Talk t;
    t.asks("PUT", "/docs/1", 201, doc("a"));
    t.asks("PUT", "/docs/1", 200, doc("b"));
    t.is_lost();
    t.asks("GET", "/docs/1", 200, "", doc(answer));
    EXPECT_EQ(verdicts(kReadsBack, t.run), verdict) << answer;
  }
  Talk first;
  first.asks("PUT", "/docs/1", 201, doc("a"));
  first.is_kept_away();
  first.asks("GET", "/docs/1", 404, "", "{}");
  EXPECT_EQ(verdicts(kReadsBack, first.run), "") << "nothing was there, and perhaps nothing is";
}

TEST(Monitor, holds_a_later_success_against_what_is_not_there) {
  Talk t;
  t.asks("PUT", "/docs/1", 201, doc("a"));
  t.is_kept_away();
  t.asks("PUT", "/docs/1", 201, doc("a"));
  t.is_again();
  t.asks("GET", "/docs/1", 404, "", "{}");
  EXPECT_EQ(verdicts(kReadsBack, t.run), "fail 3");
}

TEST(Monitor, does_not_order_what_overlaps) {
  Talk t;
  t.asks("PUT", "/docs/1", 201, doc("a"));
  auto& write = t.asks("PUT", "/docs/1", 200, doc("b"));
  t.asks("GET", "/docs/1", 200, "", doc("a"));
  t.run.exchanges[1].told = t.run.exchanges[1].service_done = t.run.exchanges[2].begun + 1;
  EXPECT_EQ(verdicts(kReadsBack, t.run), "");
  EXPECT_EQ(write.id, 2u);
}

TEST(Monitor, waits_for_ever_for_a_write_that_nobody_has_heard_the_end_of) {
  Talk t;
  t.asks("PUT", "/docs/1", 201, doc("a"));
  t.asks("PUT", "/docs/1", 0, doc("b"));
  t.run.exchanges.back().ending = trace::Ending::client_left;
  t.asks("PUT", "/docs/1", 200, doc("c"));
  t.asks("GET", "/docs/1", 200, "", doc("b"));
  EXPECT_EQ(verdicts(kReadsBack, t.run), "");
}

TEST(Monitor, forgets_what_a_service_held_that_may_have_begun_anew) {
  for (auto status : {0, 503}) {
    Talk t;
    t.asks("PUT", "/docs/1", 201, doc("a"));
    t.asks("GET", "/health", status);
    if (!status) t.run.exchanges.back().ending = trace::Ending::closed;
    t.asks("GET", "/docs/1", 404, "", "{}");
    EXPECT_EQ(verdicts(kReadsBack, t.run), "") << status;
  }
}

TEST(Monitor, says_nothing_of_bodies_that_it_does_not_know) {
  std::string long_one = R"({"title": ")" + std::string(trace::kSampleBytes, 'x');
  for (auto& answer : {long_one.substr(0, trace::kSampleBytes), std::string(R"({"title": "***"})")}) {
    Talk t;
    t.asks("PUT", "/docs/1", 201, doc("a"));
    t.asks("GET", "/docs/1", 200, "", answer);
    EXPECT_EQ(verdicts(kReadsBack, t.run), "") << answer.size();
  }
  Talk packed;
  packed.asks("PUT", "/docs/1", 201, doc("a"));
  packed.asks("GET", "/docs/1", 200, "", "\x1f\x8b").response_headers = {{"Content-Encoding", "gzip"}};
  EXPECT_EQ(verdicts(kReadsBack, packed.run), "");
}

TEST(Monitor, reads_what_is_no_JSON_as_one_text) {
  auto c = checker(Rule::reads_back, "PUT /files/{id}", "GET /files/{id}", {{"body", "body"}});
  Talk t;
  t.asks("PUT", "/files/a", 201, "some text");
  t.asks("GET", "/files/a", 200, "", "some text");
  t.asks("GET", "/files/a", 200, "", "some");
  EXPECT_EQ(verdicts(c, t.run), "pass 2, fail 3");
}

TEST(Monitor, knows_a_file_by_all_of_its_path) {
  auto c = checker(Rule::reads_back, "PUT /dav/{path}", "GET /dav/{path}", {{"body", "body"}});
  Talk t;
  t.asks("PUT", "/dav/a/b", 201, "one");
  t.asks("PUT", "/dav/c", 201, "two");
  t.asks("GET", "/dav/a/b", 200, "", "one");
  t.asks("GET", "/dav/c", 200, "", "one");
  t.asks("GET", "/other/c", 200, "", "one");
  EXPECT_EQ(verdicts(c, t.run), "pass 3, fail 4");
}

TEST(Monitor, finds_what_was_deleted) {
  auto c = checker(Rule::gone, "DELETE /docs/{id}", "GET /docs/{id}");
  Talk t;
  t.asks("DELETE", "/docs/1", 204);
  t.asks("GET", "/docs/1", 404);
  t.asks("GET", "/docs/1", 200, "", "{}");
  t.asks("PUT", "/docs/1", 201, "{}");
  t.asks("GET", "/docs/1", 200, "", "{}");
  EXPECT_EQ(verdicts(c, t.run), "pass 2, fail 3");
  Talk lost;
  lost.asks("DELETE", "/docs/1", 204);
  lost.is_lost();
  lost.asks("GET", "/docs/1", 200, "", "{}");
  EXPECT_EQ(verdicts(c, lost.run), "");
}

TEST(Monitor, wants_each_item_once_in_a_list_and_none_that_was_deleted) {
  auto listed = checker(Rule::listed, "POST /docs", "GET /docs", {{"{path}", "docs[].id"}});
  auto unlisted = checker(Rule::unlisted, "DELETE /docs/{id}", "GET /docs", {{"{path}", "docs[].id"}});
  Talk t;
  t.asks("POST", "/docs", 201, "{}", R"({"id": 7})");
  t.asks("GET", "/docs", 200, "", R"({"docs": [{"id": 7}, {"id": 8}]})");
  t.asks("GET", "/docs", 200, "", R"({"docs": [{"id": 8}]})");
  t.asks("GET", "/docs", 200, "", R"({"docs": [{"id": 7}, {"id": 7}]})");
  t.asks("GET", "/docs?state=open", 200, "", R"({"docs": []})");
  t.asks("DELETE", "/docs/7", 204);
  t.asks("GET", "/docs", 200, "", R"({"docs": []})");
  t.asks("GET", "/docs", 200, "", R"({"docs": [{"id": 7}]})");
  EXPECT_EQ(verdicts(listed, t.run), "pass 2, fail 3, fail 4");
  EXPECT_EQ(verdicts(unlisted, t.run), "pass 7, fail 8");
}

TEST(Monitor, owes_no_item_any_more_once_something_else_was_written_at_the_service) {
  auto c = checker(Rule::listed, "POST /folders/{id}/docs", "GET /folders/{id}/docs", {{"{path}", "docs[].id"}},
                   Within::service);
  auto title = checker(Rule::listed, "POST /folders/{id}/docs", "GET /folders/{id}/docs", {{"title", "docs[].title"}},
                       Within::service);
  for (auto [method, target] : {std::pair("DELETE", "/docs/7"), {"PATCH", "/docs/7"}, {"POST", "/folders/2/docs"}}) {
    Talk t;
    t.asks("POST", "/folders/1/docs", 201, R"({"title": "a"})", R"({"id": 7})");
    t.asks(method, target, 200, "{}", "{}");
    t.asks("POST", "/folders/1/docs", 201, R"({"title": "b"})", R"({"id": 8})");
    t.asks("GET", "/folders/1/docs", 200, "", R"({"docs": [{"id": 8, "title": "b"}]})");
    EXPECT_EQ(verdicts(c, t.run), "pass 4") << method << " " << target;
    EXPECT_EQ(verdicts(title, t.run), "pass 4") << method << " " << target;
  }
  Talk two;
  two.asks("POST", "/folders/1/docs", 201, "{}", R"({"id": 7})");
  two.asks("POST", "/folders/1/docs", 201, "{}", R"({"id": 8})");
  two.asks("GET", "/folders/1/docs", 200, "", R"({"docs": [{"id": 8}]})");
  EXPECT_EQ(verdicts(c, two.run), "fail 3") << "the same operation leaves the first as it is";
}

TEST(Monitor, puts_the_pages_of_a_list_together) {
  auto c = checker(Rule::listed, "POST /docs", "GET /docs", {{"{path}", "docs[].id"}});
  Talk t;
  t.asks("POST", "/docs", 201, "{}", R"({"id": 7})");
  t.asks("POST", "/docs", 201, "{}", R"({"id": 9})");
  t.asks("GET", "/docs", 200, "", R"({"docs": [{"id": 7}], "next": "p2"})");
  t.asks("GET", "/docs?page=p2", 200, "", R"({"docs": [{"id": 9}], "next": null})");
  t.asks("GET", "/docs", 200, "", R"({"docs": [{"id": 7}], "next": "p2"})");
  t.asks("GET", "/docs?page=p2", 200, "", R"({"docs": [{"id": 8}], "next": null})");
  t.asks("GET", "/docs?page=p2", 200, "", R"({"docs": [], "next": null})");
  EXPECT_EQ(verdicts(c, t.run), "pass 4, fail 6");
}

TEST(Monitor, counts_calls_and_not_attempts) {
  auto items = [](int n) { return R"({"items": [)" + std::string(n ? "1" : "") + (n > 1 ? ",1" : "") + "]}"; };
  auto after_a_loss = [&](int held, bool sent_again) {
    Talk t;
    t.asks("GET", "/lists/a/items", 200, "", items(0));
    t.asks("POST", "/lists/a/items", 200, R"({"item": 1})");
    t.is_lost();
    if (sent_again) {
      t.asks("POST", "/lists/a/items", 200, R"({"item": 1})");
      t.is_again();
    }
    t.asks("GET", "/lists/a/items", 200, "", items(held));
    return verdicts(kAppends, t.run);
  };
  EXPECT_EQ(after_a_loss(1, true), "pass 4");
  EXPECT_EQ(after_a_loss(2, true), "fail 4") << "one call, which was told one success, and had its effect twice";
  EXPECT_EQ(after_a_loss(0, true), "fail 4") << "it was told a success";
  EXPECT_EQ(after_a_loss(0, false), "pass 3") << "it may have been done, or not";
  EXPECT_EQ(after_a_loss(1, false), "pass 3");
  EXPECT_EQ(after_a_loss(2, false), "fail 3");
}

TEST(Monitor, lets_a_version_move_with_each_attempt_that_may_be_made_twice) {
  auto c = checker(Rule::adds, "PUT /docs/{id}", "GET /docs/{id}", {{"+1", "version"}});
  for (auto [version, verdict] : {std::pair("2", "pass 4"), {"3", "pass 4"}, {"4", "fail 4"}, {"1", "fail 4"}}) {
    Talk t;
    t.asks("GET", "/docs/1", 200, "", R"({"version": 1})");
    t.asks("PUT", "/docs/1", 200, "{}");
    t.is_lost();
    t.asks("PUT", "/docs/1", 200, "{}");
    t.is_again();
    t.asks("GET", "/docs/1", 200, "", std::string(R"({"version": )") + version + "}");
    EXPECT_EQ(verdicts(c, t.run), verdict) << version;
  }
}

TEST(Monitor, adds_what_was_sent) {
  auto c = checker(Rule::adds, "POST /accounts/{id}/withdraw", "GET /accounts/{id}", {{"-amount", "balance"}});
  Talk t;
  t.asks("GET", "/accounts/a", 200, "", R"({"balance": 50})");
  t.asks("POST", "/accounts/a/withdraw", 200, R"({"amount": 20})");
  t.asks("POST", "/accounts/a/withdraw", 409, R"({"amount": 90})");
  t.asks("GET", "/accounts/a", 200, "", R"({"balance": 30})");
  t.asks("POST", "/accounts/a/withdraw", 200, R"({"amount": 5})");
  t.asks("GET", "/accounts/a", 200, "", R"({"balance": 20})");
  EXPECT_EQ(verdicts(c, t.run), "pass 4, fail 6");
}

TEST(Monitor, keeps_what_a_write_does_not_send) {
  auto c = checker(Rule::keeps, "PATCH /docs/{id}", "GET /docs/{id}", {{"", "title"}});
  Talk t;
  t.asks("GET", "/docs/1", 200, "", R"({"title": "a", "owner": "x"})");
  t.asks("PATCH", "/docs/1", 200, R"({"owner": "y"})");
  t.asks("GET", "/docs/1", 200, "", R"({"title": "a", "owner": "y"})");
  t.asks("PATCH", "/docs/1", 200, R"({"title": "b"})");
  t.asks("GET", "/docs/1", 200, "", R"({"title": "b", "owner": "y"})");
  t.asks("PATCH", "/docs/1", 200, R"({"owner": "z"})");
  t.asks("GET", "/docs/1", 200, "", R"({"title": "", "owner": "z"})");
  EXPECT_EQ(verdicts(c, t.run), "pass 3, fail 7");
}

TEST(Monitor, wants_what_an_action_brings_about) {
  auto c = checker(Rule::becomes, "POST /jobs/{id}/archive", "GET /jobs/{id}", {{"'archived'", "state"}});
  Talk t;
  t.asks("POST", "/jobs/1/archive", 200, "{}");
  t.asks("GET", "/jobs/1", 200, "", R"({"state": "archived"})");
  t.asks("GET", "/jobs/1", 200, "", R"({"state": "open"})");
  EXPECT_EQ(verdicts(c, t.run), "pass 2, fail 3");
}

TEST(Monitor, wants_numbers_that_do_not_go_back_while_the_thing_is_there) {
  auto never = checker(Rule::never_falls, "", "GET /counters/{id}", {{"", "n"}});
  auto rises = checker(Rule::rises, "PUT /docs/{id}", "", {{"", "version"}});
  Talk t;
  t.asks("GET", "/counters/1", 200, "", R"({"n": 3})");
  t.asks("GET", "/counters/1", 200, "", R"({"n": 3})");
  t.asks("GET", "/counters/1", 200, "", R"({"n": 2})");
  t.asks("DELETE", "/counters/1", 204);
  t.asks("GET", "/counters/1", 200, "", R"({"n": 0})");
  t.asks("PUT", "/docs/1", 200, "{}", R"({"version": 1})");
  t.asks("PUT", "/docs/1", 200, "{}", R"({"version": 2})");
  t.asks("PUT", "/docs/1", 200, "{}", R"({"version": 2})");
  t.asks("DELETE", "/counters", 204);
  t.asks("GET", "/counters/1", 200, "", R"({"n": -1})");
  EXPECT_EQ(verdicts(never, t.run), "pass 2, fail 3");
  EXPECT_EQ(verdicts(rises, t.run), "pass 7, fail 8");
}

TEST(Monitor, wants_the_same_answer_to_the_same_question_while_nothing_is_written) {
  auto c = checker(Rule::same_answer, "", "GET /search", {}, Within::service);
  Talk t;
  t.asks("GET", "/search?q=a", 200, "", R"({"found": [1, 2]})");
  t.asks("GET", "/search?q=b", 200, "", R"({"found": []})");
  t.asks("GET", "/search?q=a", 200, "", R"({"found": [1, 2]})");
  t.asks("GET", "/search?q=a", 200, "", R"({"found": [2]})");
  t.asks("POST", "/docs", 200, "{}");
  t.asks("GET", "/search?q=a", 200, "", R"({"found": [2, 3]})");
  EXPECT_EQ(verdicts(c, t.run), "pass 3, fail 4");
}

TEST(Monitor, wants_an_answer_that_is_about_what_was_asked_for) {
  auto echoes = checker(Rule::echoes, "", "GET /docs/{id}", {{"{path}", "id"}});
  auto counts = checker(Rule::counts, "", "GET /docs", {{"docs[]", "count"}});
  Talk t;
  t.asks("GET", "/docs/7", 200, "", R"({"id": 7})");
  t.asks("GET", "/docs/7", 200, "", R"({"id": 8})");
  t.asks("GET", "/docs", 200, "", R"({"docs": [1, 2], "count": 2})");
  t.asks("GET", "/docs", 200, "", R"({"docs": [1, 2], "count": 3})");
  t.asks("GET", "/docs?limit=1", 200, "", R"({"docs": [1], "count": 2})");
  EXPECT_EQ(verdicts(echoes, t.run), "pass 1, fail 2");
  EXPECT_EQ(verdicts(counts, t.run), "pass 3, fail 4");
}

TEST(Monitor, takes_what_has_no_such_member_for_another_kind_of_thing) {
  auto c = checker(Rule::echoes, "", "GET /docs/{id}", {{"{path}", "id"}});
  Talk t;
  t.asks("GET", "/docs/_settings", 200, "", R"({"color": "red"})");
  t.asks("GET", "/docs/7", 200, "", R"({"id": 8})");
  EXPECT_EQ(verdicts(c, t.run), "fail 2");
}

TEST(Monitor, wants_a_lease_to_exclude_as_long_as_it_surely_holds) {
  auto c = checker(Rule::excludes, "POST /locks/{id}/acquire", "");
  Talk t;
  t.asks("POST", "/locks/a/acquire", 200, "{}");
  t.asks("POST", "/locks/a/acquire", 409, "{}");
  t.asks("POST", "/locks/a/release", 200, "{}");
  t.asks("POST", "/locks/a/acquire", 200, "{}");
  t.asks("POST", "/locks/a/acquire", 200, "{}");
  t.now += 2 * Monitor::kLeaseHolds;
  t.asks("POST", "/locks/a/acquire", 200, "{}");
  EXPECT_EQ(verdicts(c, t.run), "pass 2, fail 5");
  Talk lost;
  lost.asks("POST", "/locks/a/acquire", 200, "{}");
  lost.is_lost();
  lost.asks("POST", "/locks/a/acquire", 200, "{}");
  EXPECT_EQ(verdicts(c, lost.run), "");
}

TEST(Monitor, knows_a_lease_that_is_created_by_what_was_asked_for) {
  auto c = checker(Rule::excludes, "POST /locks/{id}", "");
  Talk t;
  t.asks("POST", "/locks/a", 201, R"({"owner": "x"})", R"({"data": {"lease": "l1"}})");
  t.asks("POST", "/locks/a", 409, R"({"owner": "y"})", "{}");
  t.asks("POST", "/locks/b", 201, R"({"owner": "y"})", R"({"data": {"lease": "l2"}})");
  t.asks("DELETE", "/locks/a", 204);
  t.asks("POST", "/locks/a", 201, R"({"owner": "y"})", R"({"data": {"lease": "l3"}})");
  t.asks("POST", "/locks/a", 201, R"({"owner": "x"})", R"({"data": {"lease": "l4"}})");
  EXPECT_EQ(verdicts(c, t.run), "pass 2, fail 6");
  watch({&c, 1}, t.run, [](const Outcome& o) {
    EXPECT_EQ(o.says, o.verdict == Verdict::pass
                          ? ""
                          : "/locks/a was granted by POST /locks/{id}, and granted again before it was given back");
  });
}

TEST(Monitor, knows_what_was_made_by_the_id_in_an_envelope) {
  auto c = checker(Rule::listed, "POST /docs", "GET /docs", {{"{path}", "data[].id"}});
  Talk t;
  t.asks("POST", "/docs", 201, "{}", R"({"data": {"id": 7, "owner": {"id": 9}}, "meta": {}})");
  t.asks("GET", "/docs", 200, "", R"({"data": [{"id": 7}]})");
  t.asks("GET", "/docs", 200, "", R"({"data": []})");
  EXPECT_EQ(verdicts(c, t.run), "pass 2, fail 3");
  Talk two;
  two.asks("POST", "/docs", 201, "{}", R"({"doc": {"id": 7}, "owner": {"id": 9}})");
  EXPECT_EQ(deed_of(two.run.exchanges.front()).path, "/docs/?") << "nobody knows which of them";
}

TEST(Monitor, knows_what_was_made_by_an_answer_that_says_only_that_all_is_well) {
  auto path = [](std::string target, std::string answer, std::string sent = "{}") {
    Talk t;
    return deed_of(t.asks("POST", std::move(target), 200, std::move(sent), std::move(answer))).path;
  };
  EXPECT_EQ(path("/docs", R"({"id": 7, "owner": {"id": 9}})"), "/docs/7");
  EXPECT_EQ(path("/docs", R"({"data": {"id": "x"}})"), "/docs/x");
  EXPECT_EQ(path("/docs/7", R"({"id": 7})"), "/docs/7") << "it was there";
  EXPECT_EQ(path("/docs", R"([{"id": 7}])"), "/docs");
  EXPECT_EQ(path("/docs", R"({"id": null})"), "/docs");
  EXPECT_EQ(path("/docs", R"({"id": "a/b"})"), "/docs");
  EXPECT_EQ(path("/upload/docs?name=a", R"({"id": "docs/a", "selfLink": "http://127.0.0.1:8080/docs/a%20b"})"),
            "/docs/a b");
  EXPECT_EQ(path("/upload/docs", R"({"selfLink": "/docs/a"})", R"({"selfLink": "/docs/a"})"), "/upload/docs")
      << "its client says so, not its service";

  auto c = checker(Rule::reads_back, "POST /docs", "GET /docs/{id}", {{"text", "text"}});
  Talk t;
  t.asks("POST", "/docs", 200, R"({"text": "a"})", R"({"id": 7, "text": "a"})");
  t.asks("GET", "/docs/7", 200, "", R"({"id": 7, "text": "a"})");
  t.asks("GET", "/docs/7", 200, "", R"({"id": 7, "text": "b"})");
  EXPECT_EQ(verdicts(c, t.run), "pass 2, fail 3");
}

TEST(Monitor, says_nothing_of_what_a_read_with_a_query_does_not_find) {
  auto c = checker(Rule::reads_back, "PUT /docs/{id}", "GET /docs/{id}", {{"text", "text"}});
  auto gone = checker(Rule::gone, "DELETE /docs/{id}", "GET /docs/{id}");
  Talk t;
  t.asks("PUT", "/docs/7", 200, R"({"text": "a"})");
  t.asks("GET", "/docs/7?fields=id", 200, "", R"({"id": 7})");
  t.asks("GET", "/docs/7?generation=1", 404);
  t.asks("GET", "/docs/7?wait=1", 200, "", R"({"text": "b"})");
  t.asks("GET", "/docs/7", 404);
  t.asks("DELETE", "/docs/7", 204);
  t.asks("GET", "/docs/7?generation=1", 200, "", R"({"text": "a"})");
  t.asks("GET", "/docs/7", 200, "", R"({"text": "a"})");
  EXPECT_EQ(verdicts(c, t.run), "fail 4, fail 5");
  EXPECT_EQ(verdicts(gone, t.run), "fail 8");
}

TEST(Monitor, holds_what_was_learned_at_any_port_against_each_port_of_that_host) {
  auto c = checker(Rule::echoes, "", "GET /docs/{id}", {{"{path}", "id"}});
  for (auto [service, verdict] : {std::pair("127.0.0.1:*", "fail 1"),
                                  {"127.0.0.1:8080", "fail 1"},
                                  {"*", "fail 1"},
                                  {"127.0.0.1:8081", ""},
                                  {"127.0.0.2:*", ""}}) {
    c.service = service;
    Talk t;
    t.asks("GET", "/docs/7", 200, "", R"({"id": 8})");
    EXPECT_EQ(verdicts(c, t.run), verdict) << service;
  }
}

TEST(Monitor, says_what_it_has_seen_and_since_when) {
  Talk t;
  t.asks("PUT", "/docs/1", 201, doc("a"));
  t.asks("GET", "/docs/1", 200, "", doc("b"));
  watch({&kReadsBack, 1}, t.run, [](const Outcome& o) {
    EXPECT_EQ(o.evidence, (std::vector<std::uint64_t>{1, 2}));
    EXPECT_EQ(o.says, "`title` of /docs/1 was sent as \"a\" by PUT /docs/{id}, and GET /docs/{id} answers \"b\"");
  });
  EXPECT_EQ(sentence(kReadsBack), "after PUT /docs/{id}, GET /docs/{id} answers `title` as it was sent");
}

TEST(Monitor, holds_a_read_against_what_the_write_answered) {
  auto c = checker(Rule::agrees, "POST /docs", "GET /docs/{id}", {{"made", "made"}});
  for (auto [answer, verdict] : {std::pair("noon", "pass 2"), {"night", "fail 2"}}) {
    Talk t;
    t.asks("POST", "/docs", 201, "{}", R"({"id": "7", "made": "noon"})");
    t.asks("GET", "/docs/7", 200, "", R"({"made": ")" + std::string(answer) + "\"}");
    EXPECT_EQ(verdicts(c, t.run), verdict);
  }
  Talk lost;
  lost.asks("POST", "/docs", 201, "{}", R"({"id": "7", "made": "noon"})");
  lost.is_lost();
  lost.asks("GET", "/docs/7", 200, "", R"({"made": "night"})");
  EXPECT_EQ(verdicts(c, lost.run), "") << "nobody was told";
}

TEST(Monitor, knows_nothing_of_what_another_test_may_have_set_where_a_checker_says_so) {
  auto c = kReadsBack;
  Talk t;
  t.asks("PUT", "/docs/1", 201, doc("a"));
  t.asks("GET", "/docs/1", 200, "", doc("a"));
  t.test = "test_that";
  t.asks("GET", "/docs/1", 200, "", doc("b"));
  t.asks("PUT", "/docs/1", 200, doc("c"));
  t.asks("GET", "/docs/1", 200, "", doc("b"));
  EXPECT_EQ(verdicts(c, t.run), "pass 2, fail 3, fail 5");
  c.within = Within::test;
  EXPECT_EQ(verdicts(c, t.run), "pass 2, fail 5");
  Talk at_once;
  at_once.asks("PUT", "/docs/1", 201, doc("a"));
  at_once.test = "test_that";
  at_once.asks("GET", "/docs/2", 404, "", "{}");
  at_once.test = "test_it";
  at_once.asks("GET", "/docs/1", 200, "", doc("b"));
  EXPECT_EQ(verdicts(c, at_once.run), "") << "the other may have set it between";
}

TEST(Monitor, finds_a_name_that_is_written_in_escapes) {
  auto c = checker(Rule::reads_back, "PUT /docs/%C3%A7%20d", "GET /docs/%C3%A7%20d", {{"title", "title"}});
  Talk t;
  t.asks("PUT", "/docs/%C3%A7%20d", 201, doc("a"));
  t.asks("GET", "/docs/%c3%a7%20d", 200, "", doc("b"));
  EXPECT_EQ(verdicts(c, t.run), "fail 2");
}

TEST(Monitor, forgets_what_is_beyond_its_bounds_and_says_nothing_of_it) {
  for (auto [less, verdict] : {std::pair<std::size_t, std::string>(2, "fail"), {1, ""}}) {
    Talk t;  // the folder is one more
    t.asks("PUT", "/docs/first", 201, doc("a"));
    for (std::size_t n = 0; n < Monitor::kMostStates - less; n++)
      t.asks("PUT", "/docs/" + std::to_string(n), 201, doc("a"));
    t.asks("GET", "/docs/first", 200, "", doc("b"));
    EXPECT_EQ(verdicts(kReadsBack, t.run).substr(0, 4), verdict) << less;
  }
}

TEST(Monitor, keeps_the_newest_items_of_a_list) {
  auto c = checker(Rule::listed, "PUT /docs/{id}", "GET /docs", {{"{path}", "docs[].id"}});
  for (auto [items, verdict] : {std::pair(Monitor::kMostItems, "fail"), {Monitor::kMostItems + 1, "pass"}}) {
    Talk t;  // the list never holds the first
    std::string held;
    for (std::size_t n = 0; n < items; n++) {
      auto id = "d" + std::to_string(n);
      t.asks("PUT", "/docs/" + id, 201, doc("a"));
      if (n != 0) held += (held.empty() ? "" : ",") + (R"({"id": ")" + id + R"("})");
    }
    t.asks("GET", "/docs", 200, "", R"({"docs": [)" + held + "]}");
    EXPECT_EQ(verdicts(c, t.run).substr(0, 4), verdict) << items;
  }
}

TEST(World, keeps_as_many_spots_as_it_may_and_forgets_all_that_was_known_beyond) {
  World world;
  Deed d;
  trace::Exchange e;
  e.service = "s";
  d.e = &e;
  d.kind = predict::Kind::write;
  d.fate = Fate::done;
  World::Event now = 0;
  auto writes = [&](std::size_t n) {
    d.spot = "s/" + std::to_string(n);
    world.write_begins(d);
    world.write_closes(d);
    world.write_marks(d, ++now);
  };
  for (std::size_t n = 0; n + 1 < World::kMostSpots; n++) writes(n);  // and the service itself
  EXPECT_EQ(world.last("s/0", "s", Within::resource), 1u);
  writes(World::kMostSpots);
  EXPECT_EQ(world.last("s/0", "s", Within::resource), now) << "it may have been written to since";
  EXPECT_EQ(world.spots(), 0u);
}

}  // namespace
}  // namespace retrial::checkers
