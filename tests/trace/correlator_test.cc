#include "trace/correlator.h"

#include <gtest/gtest.h>

#include "tests/trace/traffic.h"

namespace retrial::trace {
namespace {

constexpr std::string_view kGet = "GET /orders/7 HTTP/1.1\r\nHost: h\r\n\r\n";
std::string azure(std::string_view line, std::string_view id, std::string_view more = "") {
  return std::string(line) +
         " HTTP/1.1\r\nHost: 127.0.0.1:10001\r\nUser-Agent: azsdk-js-azure-storage-queue/12.29.0 Node/20\r\n" +
         "x-ms-version: 2026-10-06\r\nx-ms-date: Sun, 22 Nov 2026 00:15:41 GMT\r\nx-ms-client-request-id: " +
         std::string(id) + "\r\n" + std::string(more) + "\r\n";
}
std::string aws(std::string_view action, std::string_view id, std::string_view signature) {
  return "POST / HTTP/1.1\r\nHost: 127.0.0.1:21005\r\nX-Amz-Target: AmazonSQS." + std::string(action) +
         "\r\nContent-Type: application/x-amz-json-1.0\r\nUser-Agent: Boto3/1.44.5\r\nX-Amz-Date: "
         "20261122T001439Z\r\nAuthorization: " +
         std::string(signature) + "\r\namz-sdk-invocation-id: " + std::string(id) + "\r\nContent-Length: 2\r\n\r\n{}";
}

TEST(Correlator, a_librarys_retry_is_certain_by_its_call_id) {
  Traffic t;
  Traffic::From from{.call_id = "100-1"};
  auto first = t.begin(kGet, from);
  EXPECT_OWN_CALL(first);
  t.inject(first, 503);
  auto second = t.begin(kGet, from);
  EXPECT_ATTEMPT(second, first, 2, certain);
  t.reset(second);
  auto third = t.begin(kGet, from);
  EXPECT_ATTEMPT(third, first, 3, certain);
  t.serve(third, 200);
}

TEST(Correlator, an_id_header_joins_attempts_on_new_connections_with_new_signatures) {
  Traffic t;
  auto first = t.begin(aws("SendMessage", "f2cb", "AWS4-HMAC-SHA256 one"), {.site = ""});
  t.reset(first);
  auto second = t.begin(aws("SendMessage", "f2cb", "AWS4-HMAC-SHA256 two"), {.site = ""});
  EXPECT_ATTEMPT(second, first, 2, certain);
}

TEST(Correlator, parallel_identical_calls_are_no_retries) {
  Traffic t;
  auto a = t.begin(kGet), b = t.begin(kGet), c = t.begin(kGet);
  EXPECT_OWN_CALL(a);
  EXPECT_OWN_CALL(b);
  EXPECT_OWN_CALL(c);
  EXPECT_NE(a.call, b.call);
  EXPECT_NE(b.call, c.call);
}

TEST(Correlator, retries_of_parallel_identical_calls_are_possible_at_most_and_keep_to_their_connection) {
  Traffic t;
  auto a = t.begin(kGet, {.connection = 1}), b = t.begin(kGet, {.connection = 2});
  t.inject(a, 503);
  t.inject(b, 503);
  auto second_b = t.begin(kGet, {.connection = 2});
  EXPECT_ATTEMPT(second_b, b, 2, possible);
  auto second_a = t.begin(kGet, {.connection = 1});
  EXPECT_ATTEMPT(second_a, a, 2, likely);
}

TEST(Correlator, of_parallel_calls_on_new_connections_the_first_to_fail_comes_back_first) {
  Traffic t;
  auto a = t.begin(kGet), b = t.begin(kGet);
  t.reset(b);
  t.reset(a);
  auto next = t.begin(kGet);
  EXPECT_ATTEMPT(next, b, 2, possible);
}

TEST(Correlator, parallel_calls_with_ids_are_told_apart) {
  Traffic t;
  auto a = t.begin(azure("POST /acct/q/messages", "id-a")), b = t.begin(azure("POST /acct/q/messages", "id-b"));
  t.inject(a, 503);
  t.inject(b, 503);
  auto second_b = t.begin(azure("POST /acct/q/messages", "id-b")),
       second_a = t.begin(azure("POST /acct/q/messages", "id-a"));
  EXPECT_ATTEMPT(second_b, b, 2, certain);
  EXPECT_ATTEMPT(second_a, a, 2, certain);
}

TEST(Correlator, a_repeat_after_a_success_is_never_an_attempt) {
  Traffic t;
  auto first = t.begin(kGet, {.call_id = "100-1"});
  t.serve(first, 200);
  auto second = t.begin(kGet, {.call_id = "100-1"});
  EXPECT_OWN_CALL(second);
  EXPECT_NE(second.call, first.call);
  t.serve(second, 304);
  EXPECT_OWN_CALL((t.begin(kGet, {.call_id = "100-1"})));
}

TEST(Correlator, an_outer_layer_with_new_ids_goes_on_with_the_call) {
  Traffic t;
  auto first = t.begin(aws("SendMessage", "inv-1", "s1"), {.call_id = "100-1"});
  t.inject(first, 503);
  auto inner = t.begin(aws("SendMessage", "inv-1", "s2"), {.call_id = "100-1"});
  EXPECT_ATTEMPT(inner, first, 2, certain);
  t.inject(inner, 503);
  auto outer = t.begin(aws("SendMessage", "inv-2", "s3"), {.call_id = "100-2"});
  EXPECT_ATTEMPT(outer, first, 3, likely);
  t.inject(outer, 503);
  auto last = t.begin(aws("SendMessage", "inv-2", "s4"), {.call_id = "100-2"});
  EXPECT_ATTEMPT(last, first, 4, certain);
}

TEST(Correlator, a_client_that_makes_a_new_id_for_every_attempt_is_joined_by_its_call_site) {
  Traffic t;
  auto first = t.begin(azure("GET /acct/q/messages", "id-1"));
  t.inject(first, 503);
  auto second = t.begin(azure("GET /acct/q/messages", "id-2"));
  EXPECT_ATTEMPT(second, first, 2, likely);
}

TEST(Correlator, an_id_that_changed_within_one_library_call_proves_nothing_later) {
  Traffic t;
  auto first = t.begin(azure("GET /acct/q/messages", "id-1"), {.call_id = "100-1"});
  t.inject(first, 503);
  auto second = t.begin(azure("GET /acct/q/messages", "id-2"), {.call_id = "100-1"});
  EXPECT_ATTEMPT(second, first, 2, certain);
  t.inject(second, 503);
  auto elsewhere = t.begin(azure("GET /acct/q/messages", "id-2"), {.site = "app/other.py:1:f", .call_id = "100-9"});
  EXPECT_OWN_CALL(elsewhere);
}

TEST(Correlator, an_id_that_a_client_sends_with_everything_names_no_call) {
  Traffic t;
  for (int i = 0; i < 3; i++) {
    auto e = t.begin(azure("GET /acct/q?comp=metadata", "session"), {.site = "app/a.py:1:f"});
    t.serve(e, 200);
  }
  auto failed = t.begin(azure("PUT /acct/c/one", "session"), {.site = "app/b.py:1:f"});
  t.inject(failed, 503);
  auto other = t.begin(azure("PUT /acct/c/two", "session"), {.site = "app/b.py:9:g"});
  EXPECT_EQ(other.operation, failed.operation);
  EXPECT_OWN_CALL(other);
}

TEST(Correlator, ids_of_two_clients_are_two_ids) {
  Traffic t;
  auto a = t.begin(azure("POST /acct/q/messages", "1"), {.site = "a.py:1:f", .pid = 1});
  t.inject(a, 503);
  EXPECT_OWN_CALL((t.begin(azure("POST /acct/q/messages", "1"), {.site = "b.py:1:f", .pid = 2})));
}

TEST(Correlator, the_requests_that_one_library_call_is_made_of_are_calls_of_their_own) {
  Traffic t;
  Traffic::From from{.call_id = "100-1"};
  auto head = t.begin("HEAD /bucket/k HTTP/1.1\r\nHost: h\r\n\r\n", from);
  t.serve(head, 404);
  auto put = t.begin("PUT /bucket/k HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx", from);
  EXPECT_OWN_CALL(put);
  t.serve(put, 307);
  auto redirected = t.begin("PUT /bucket/k?again HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx", from);
  EXPECT_OWN_CALL(redirected);
  t.serve(redirected, 200);
  for (auto page : {"GET /things?page=1 HTTP/1.1\r\n\r\n", "GET /things?page=2 HTTP/1.1\r\n\r\n"}) {
    auto e = t.begin(page, from);
    EXPECT_OWN_CALL(e);
    t.serve(e, 200);
  }
}

TEST(Correlator, parallel_parts_of_one_upload_come_back_to_their_own_part) {
  Traffic t;
  Traffic::From from{.call_id = "100-1"};
  auto part = [&](int n) {
    return t.begin(
        "PUT /b/k?partNumber=" + std::to_string(n) + "&uploadId=u HTTP/1.1\r\nx-amz-content-sha256: x\r\n\r\n", from);
  };
  auto one = part(1), two = part(2);
  t.reset(one);
  EXPECT_OWN_CALL(part(3));
  t.reset(two);
  auto again = part(2);
  EXPECT_ATTEMPT(again, two, 2, certain);
  EXPECT_ATTEMPT(part(1), one, 2, certain);
}

TEST(Correlator, what_a_client_makes_anew_for_each_attempt_does_not_part_them) {
  Traffic t;
  auto first =
      t.begin("GET /b/k?X-Amz-Date=20261122T001439Z&X-Amz-Signature=aa&partNumber=1 HTTP/1.1\r\nHost: h\r\n\r\n");
  t.reset(first);
  auto second = t.begin(
      "GET /b/k?X-Amz-Date=20261122T001441Z&X-Amz-Signature=bb&partNumber=1 HTTP/1.1\r\nHost: h\r\nExpect: "
      "100-continue\r\n"
      "x-retry-count: 1\r\n\r\n");
  EXPECT_ATTEMPT(second, first, 2, likely);
}

TEST(Correlator, a_loop_over_items_makes_calls_of_its_own) {
  Traffic t;
  auto post = [&](std::string path, std::string body) {
    return t.begin("POST " + path + " HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) +
                   "\r\n\r\n" + body);
  };
  auto a = post("/items/a", "{}");
  t.reset(a);
  auto b = post("/items/b", "{}");
  EXPECT_OWN_CALL(b);
  t.reset(b);
  auto c = post("/items/b", "{\"longer\":1}");
  EXPECT_OWN_CALL(c);
}

TEST(Correlator, another_body_of_the_same_length_lowers_what_the_head_made_likely) {
  Traffic t;
  auto post = [&](std::string body, std::string type = "application/json") {
    return t.begin("POST /items HTTP/1.1\r\nHost: h\r\nContent-Type: " + type + "\r\nContent-Length: 7\r\n\r\n" + body);
  };
  auto a = post("{\"n\":1}");
  t.reset(a);
  auto b = post("{\"n\":2}");
  EXPECT_ATTEMPT(b, a, 2, likely);
  t.reset(b);
  auto c = post("{\"n\":2}");
  EXPECT_ATTEMPT(c, a, 3, likely);
  t.reset(c);
  auto cut = post("{\"n\"");
  cut.request_read = 0;
  t.end(cut, Ending::client_left);
  Correlator::confirm(t.run.exchanges);
  EXPECT_EQ(t.run.exchanges[1].confidence, Confidence::possible);
  EXPECT_EQ(t.run.exchanges[2].confidence, Confidence::likely);
  EXPECT_EQ(t.run.exchanges[3].confidence, Confidence::likely) << "a body that never came whole says nothing";
}

TEST(Correlator, a_new_multipart_boundary_lowers_nothing) {
  Traffic t;
  auto post = [&](std::string boundary) {
    return t.begin("POST /up HTTP/1.1\r\nHost: h\r\nContent-Type: multipart/form-data; boundary=" + boundary +
                   "\r\nContent-Length: 12\r\n\r\n--" + boundary + "--");
  };
  auto a = post("11111111");
  t.reset(a);
  auto b = post("22222222");
  t.serve(b, 200);
  Correlator::confirm(t.run.exchanges);
  EXPECT_EQ(t.run.exchanges[1].confidence, Confidence::likely);
}

TEST(Correlator, a_client_that_gave_up_a_stalled_request_was_told_by_itself) {
  Traffic t;
  auto first = t.begin(kGet);
  t.end(first, Ending::client_left);
  EXPECT_ATTEMPT((t.begin(kGet)), first, 2, likely);
}

TEST(Correlator, a_hedge_is_a_call_of_its_own) {
  Traffic t;
  auto first = t.begin(azure("GET /acct/c/b", "id"));
  auto hedge = t.begin(azure("GET /acct/c/b", "id"));
  EXPECT_OWN_CALL(hedge);
  EXPECT_NE(hedge.call, first.call);
}

TEST(Correlator, a_challenge_is_answered_and_not_retried) {
  Traffic t;
  Traffic::From from{.call_id = "100-1"};
  auto first = t.begin(kGet, from);
  t.serve(first, 401);
  auto token = t.begin("POST /token HTTP/1.1\r\nHost: h\r\n\r\n", from);
  EXPECT_OWN_CALL(token);
  t.serve(token, 200);
  auto again = t.begin("GET /orders/7 HTTP/1.1\r\nHost: h\r\nAuthorization: ***\r\n\r\n", from);
  EXPECT_OWN_CALL(again);
  EXPECT_NE(again.call, first.call);
}

TEST(Correlator, a_permanent_error_of_the_services_own_settles_a_call_unless_its_library_goes_on) {
  Traffic t;
  std::string create = azure("PUT /acct/c?restype=container", "id-1"),
              again = azure("PUT /acct/c?restype=container", "id-2");
  auto first = t.begin(create);
  t.serve(first, 409);
  auto later = t.begin(again);
  EXPECT_OWN_CALL(later);
  EXPECT_NE(later.call, first.call);
  t.serve(later, 404);
  auto stubborn = t.begin(again);
  EXPECT_ATTEMPT(stubborn, later, 2, certain);
  t.serve(stubborn, 503);
  EXPECT_ATTEMPT((t.begin(azure("PUT /acct/c?restype=container", "id-3"))), stubborn, 3, likely);
}

TEST(Correlator, our_own_permanent_error_leaves_it_open_whether_the_call_goes_on) {
  for (int status : {400, 403, 404, 409}) {
    Traffic t;
    auto first = t.begin(kGet);
    t.inject(first, status);
    EXPECT_ATTEMPT((t.begin(kGet)), first, 2, likely);
  }
}

TEST(Correlator, our_own_401_is_a_failure_like_any_other) {
  Traffic t;
  auto first = t.begin(kGet);
  t.inject(first, 401);
  EXPECT_ATTEMPT((t.begin(kGet)), first, 2, likely);
}

TEST(Correlator, a_200_whose_body_says_try_again_is_a_failure) {
  Traffic t;
  std::string_view complete = "POST /b/k?uploadId=u HTTP/1.1\r\nHost: h\r\nx-amz-content-sha256: x\r\n\r\n<C/>";
  auto first = t.begin(complete);
  first.response_sample = "<?xml version=\"1.0\"?>\n<Error><Code>InternalError</Code></Error>";
  t.serve(first, 200);
  EXPECT_ATTEMPT((t.begin(complete)), first, 2, likely);
}

TEST(Correlator, without_a_call_site_the_process_and_the_address_stand_for_it) {
  Traffic t;
  auto first = t.begin(kGet, {.site = ""});
  t.inject(first, 503);
  EXPECT_OWN_CALL((t.begin(kGet, {.site = "", .pid = 101})));
  EXPECT_OWN_CALL((t.begin(kGet, {.site = "", .test = "t2"})));
  EXPECT_ATTEMPT((t.begin(kGet, {.site = ""})), first, 2, possible);
}

TEST(Correlator, other_sites_tests_and_processes_make_other_calls) {
  Traffic t;
  auto first = t.begin(kGet);
  t.inject(first, 503);
  EXPECT_OWN_CALL((t.begin(kGet, {.site = "app/orders.py:43:fetch"})));
  EXPECT_OWN_CALL((t.begin(kGet, {.test = "t2"})));
  EXPECT_OWN_CALL((t.begin(kGet, {.pid = 7})));
  EXPECT_ATTEMPT((t.begin(kGet)), first, 2, likely);
}

TEST(Correlator, the_two_addresses_of_one_name_are_one_service) {
  Traffic t;
  auto first = t.begin(kGet, {.service = "[::1]:8080"});
  t.reset(first);
  EXPECT_ATTEMPT((t.begin(kGet, {.service = "127.0.0.1:8080"})), first, 2, likely);
}

TEST(Correlator, a_transport_that_sends_again_below_the_client_counts_on_the_wire) {
  Traffic t;
  Traffic::From from{.call_id = "100-1"};
  auto first = t.begin(kGet, from);
  t.reset(first);
  for (int n = 2; n <= 6; n++) {
    auto e = t.begin(kGet, from);
    EXPECT_ATTEMPT(e, first, n, certain);
    t.reset(e);
  }
}

TEST(Correlator, at_a_poll_only_ids_make_a_retry) {
  Traffic reference;
  Traffic::From polling{.site = "app/wait.py:5:poll"};
  for (int i = 0; i < 2; i++) {
    auto e = reference.begin(kGet, polling);
    reference.serve(e, 200);
  }
  auto polls = lessons_of(reference.run);
  ASSERT_EQ(polls.polls.size(), 1u);

  Traffic t(polls);
  auto failed = t.begin(kGet, polling);
  t.inject(failed, 503);
  auto next = t.begin(kGet, polling);
  EXPECT_EQ(next.attempt, 1);
  EXPECT_EQ(next.confidence, Confidence::possible) << "it may be a retry all the same";
  auto elsewhere = t.begin(kGet);
  t.inject(elsewhere, 503);
  EXPECT_ATTEMPT((t.begin(kGet)), elsewhere, 2, likely);
  polling.call_id = "100-1";
  auto first = t.begin(kGet, polling);
  t.inject(first, 503);
  EXPECT_ATTEMPT((t.begin(kGet, polling)), first, 2, certain);
}

TEST(Correlator, a_write_that_is_made_twice_is_no_poll_and_one_that_goes_on_is) {
  Traffic t;
  auto write = [&] {
    auto e = t.begin("POST /payments HTTP/1.1\r\n\r\n");
    t.serve(e, 201);
  };
  write();
  write();
  EXPECT_TRUE(lessons_of(t.run).polls.empty());
  write();
  EXPECT_EQ(lessons_of(t.run).polls.size(), 1u);
}

TEST(Correlator, a_repeat_with_other_requests_between_or_after_a_failure_is_no_poll) {
  Traffic t;
  for (auto raw : {kGet, std::string_view("PUT /orders/7 HTTP/1.1\r\n\r\n"), kGet}) {
    auto e = t.begin(raw);
    t.serve(e, 200);
  }
  auto failed = t.begin("GET /late HTTP/1.1\r\n\r\n");
  t.serve(failed, 503);
  auto again = t.begin("GET /late HTTP/1.1\r\n\r\n");
  t.serve(again, 200);
  EXPECT_TRUE(lessons_of(t.run).polls.empty());
}

TEST(Correlator, forgets_the_oldest_failures_of_a_client_that_fails_for_ever) {
  Traffic t;
  auto get = [&](int n) { return t.begin("GET /x?n=" + std::to_string(n) + " HTTP/1.1\r\n\r\n"); };
  for (int n = 0; n < (1 << 16) + 10; n++) {
    auto e = get(n);
    t.reset(e);
  }
  EXPECT_OWN_CALL(get(0));
  EXPECT_EQ(get((1 << 16) + 9).attempt, 2);
}

}  // namespace
}  // namespace retrial::trace
