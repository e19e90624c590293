#include "trace/calls/correlator.h"

#include <gtest/gtest.h>

#include "tests/trace/traffic.h"
#include "trace/calls/correlator_keys.h"

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

TEST(Correlator, by_a_port_alone_no_call_goes_on_at_a_service_that_is_known_to_be_another) {
  auto asked = [](Correlator correlator, bool goes_on) {
    Exchange first;
    first.host = "127.0.0.1:8131";
    first.service = "127.0.0.1:10001";
    first.method = "GET";
    first.target = "/items";
    first.operation = "GET /items";
    first.begun = kSecond;
    auto one = correlator.at_head(first);
    first.call = one.call;
    first.attempt = one.attempt;
    first.told = 2 * kSecond;
    first.client_status = first.service_status = 503;
    first.ending = Ending::answered;
    correlator.over(first);
    auto second = first;
    second.host = "127.0.0.1:8132";
    second.service = "127.0.0.1:10012";
    second.begun = 3 * kSecond;
    EXPECT_EQ(correlator.at_head(second).attempt, goes_on ? 2 : 1);
  };
  asked(Correlator(), true);
  asked(Correlator({"127.0.0.1:10001", "127.0.0.1:10012"}), false);
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

Exchange post(Traffic& t, std::string body, std::string site = "app/orders.py:42:fetch") {
  return t.begin("POST /items HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: " +
                     std::to_string(body.size()) + "\r\n\r\n" + body,
                 {.site = std::move(site)});
}

TEST(Correlator, another_body_of_the_same_length_lowers_what_the_head_made_likely) {
  Traffic t;
  auto a = post(t, "{\"n\":1}");
  t.reset(a);
  auto b = post(t, "{\"n\":2}");
  EXPECT_ATTEMPT(b, a, 2, likely);
  t.reset(b);
  auto cut = post(t, "{\"n\":3}");
  cut.request_read = 0;
  t.end(cut, Ending::client_left);
  Correlator::correlate_again(t.run.exchanges);
  EXPECT_ATTEMPT(t.run.exchanges[1], a, 2, possible);
  EXPECT_ATTEMPT(t.run.exchanges[2], a, 3, likely) << "a body that never came whole says nothing";
}

TEST(Correlator, bodies_that_come_again_each_for_itself_are_calls_of_their_own) {
  for (auto site : {"app/orders.py:42:fetch", ""}) {
    Traffic t;
    for (auto body : {"{\"n\":1}", "{\"n\":1}", "{\"n\":2}", "{\"n\":2}"}) {
      auto e = post(t, body, site);
      t.reset(e);
    }
    Correlator::correlate_again(t.run.exchanges);
    EXPECT_EQ(t.run.exchanges[2].attempt, 1);
    EXPECT_ATTEMPT(t.run.exchanges[3], t.run.exchanges[2], 2, likely);
  }
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
  Correlator::correlate_again(t.run.exchanges);
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

// Redirects.

Exchange& redirect(Traffic& t, Exchange& e, std::string to) {
  e.response_headers = {{"Location", std::move(to)}};
  return t.serve(e, 307);
}
std::string put(std::string target, std::string host = "h") {
  return "PUT " + target + " HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 2\r\n\r\n{}";
}

TEST(Redirects, that_are_followed_are_the_same_attempt_of_the_same_call) {
  for (auto location : {"/b?x=1", "http://h/b?x=1", "//h/b?x=1", "b?x=1#part"}) {
    Traffic t;
    auto first = t.begin(put("/a"), {.site = ""});
    redirect(t, first, location);
    EXPECT_ATTEMPT((t.begin(put("/b?x=1"), {.site = ""})), first, 1, likely) << location;
  }
  Traffic t;
  auto first = t.begin(put("/a"), {.call_id = "100-1"});
  redirect(t, first, "http://other:9/b");
  EXPECT_ATTEMPT((t.begin(put("/b", "other:9"), {.call_id = "100-1", .service = "10.0.0.1:9"})), first, 1, certain);
}

TEST(Redirects, that_lead_elsewhere_or_change_the_method_begin_a_call) {
  for (auto next : {put("/c"), put("/b", "other"), std::string("GET /b HTTP/1.1\r\nHost: h\r\n\r\n")}) {
    Traffic t;
    auto first = t.begin(put("/a"));
    redirect(t, first, "/b");
    EXPECT_OWN_CALL(t.begin(next));
  }
}

TEST(Redirects, leave_a_call_one_that_is_retried_from_its_beginning) {
  for (bool by_id : {true, false}) {
    Traffic t;
    Traffic::From from;
    if (by_id) from.call_id = "100-1";
    auto first = t.begin(put("/a"), from);
    redirect(t, first, "/b");
    auto leg = t.begin(put("/b"), from);
    t.inject(leg, 503);
    auto again = t.begin(put("/a"), from);
    EXPECT_EQ(again.call, first.call);
    EXPECT_EQ(again.attempt, 2);
    redirect(t, again, "/b");
    auto last = t.begin(put("/b"), from);
    EXPECT_EQ(last.call, first.call);
    EXPECT_EQ(last.attempt, 2);
    t.serve(last, 200);
    Correlator::correlate_again(t.run.exchanges);
    for (auto& e : t.run.exchanges) EXPECT_EQ(e.call, t.run.exchanges[0].call);
  }
}

// Challenges.

constexpr std::string_view kAnonymous = "GET /orders/7 HTTP/1.1\r\nHost: h\r\n\r\n";
constexpr std::string_view kSigned = "GET /orders/7 HTTP/1.1\r\nHost: h\r\nAuthorization: ***\r\n\r\n";

TEST(Challenges, of_ours_that_were_met_with_a_token_are_answered_and_not_retried) {
  Traffic t;
  Traffic::From from{.call_id = "100-1"};
  auto first = t.begin(kSigned, from);
  t.inject(first, 401);
  auto token = t.begin("POST /token HTTP/1.1\r\nHost: auth\r\n\r\n", {.service = "127.0.0.1:7"});
  EXPECT_OWN_CALL(token);
  t.serve(token, 200);
  auto again = t.begin(kSigned, from);
  EXPECT_NE(again.call, first.call);
  EXPECT_EQ(again.attempt, 1);
  t.inject(again, 401);
  EXPECT_ATTEMPT((t.begin(kSigned, from)), again, 2, certain) << "no token came between";
}

TEST(Challenges, of_ours_that_were_met_with_credentials_that_were_not_there_are_answered) {
  Traffic t;
  auto first = t.begin(kAnonymous);
  t.inject(first, 401);
  auto again = t.begin(kSigned);
  EXPECT_NE(again.call, first.call);
}

// Parts, counters, addresses.

std::string range(std::string bytes) { return "GET /big HTTP/1.1\r\nHost: h\r\nRange: bytes=" + bytes + "\r\n\r\n"; }

TEST(Parts, of_one_thing_are_calls_of_their_own_and_come_back_to_their_own) {
  Traffic t;
  Traffic::From from{.call_id = "100-1"};
  auto one = t.begin(range("0-99"), from), other = t.begin(range("100-199"), from);
  t.reset(one);
  t.reset(other);
  EXPECT_OWN_CALL((t.begin(range("200-299"), from)));
  EXPECT_ATTEMPT((t.begin(range("100-199"), from)), other, 2, certain);
  EXPECT_ATTEMPT((t.begin(range("0-99"), from)), one, 2, certain);
}

TEST(Parts, that_go_on_where_a_download_was_cut_off_are_attempts_of_it) {
  Traffic t;
  auto whole = t.begin("GET /big HTTP/1.1\r\nHost: h\r\n\r\n");
  whole.answered = 5;
  t.end(whole, Ending::closed, 200);
  auto rest = t.begin("GET /big HTTP/1.1\r\nHost: h\r\nRange: bytes=500-\r\nIf-Match: \"1\"\r\n\r\n");
  EXPECT_ATTEMPT(rest, whole, 2, likely);
  t.reset(rest);
  EXPECT_OWN_CALL(t.begin(range("700-")));  // nothing of it had come
}

TEST(Counters, tell_parallel_calls_apart_and_make_a_retry_likely) {
  auto get = [](int n) {
    return "GET /x HTTP/1.1\r\nHost: h\r\nx-stainless-retry-count: " + std::to_string(n) + "\r\n\r\n";
  };
  Traffic t;
  Traffic::From from{.site = ""};
  auto one = t.begin(get(0), from), other = t.begin(get(1), from);
  t.inject(one, 503);
  t.inject(other, 503);
  EXPECT_ATTEMPT((t.begin(get(2), from)), other, 2, likely);
  EXPECT_ATTEMPT((t.begin(get(1), from)), one, 2, likely);
}

TEST(Counters, of_a_router_tell_its_attempts_apart_and_begin_again_where_its_caller_tries_again) {
  auto get = [](int router, std::string_view library = "") {
    return "GET /x HTTP/1.1\r\nHost: h\r\n" + std::string(library) +
           "x-envoy-attempt-count: " + std::to_string(router) + "\r\n\r\n";
  };
  Traffic t;
  Traffic::From from{.site = ""};
  auto one = t.begin(get(1), from), other = t.begin(get(2), from);
  t.inject(one, 503);
  t.inject(other, 503);
  EXPECT_ATTEMPT((t.begin(get(3), from)), other, 2, likely);
  auto second = t.begin(get(2), from);
  EXPECT_ATTEMPT(second, one, 2, likely);
  t.inject(second, 503);
  EXPECT_ATTEMPT((t.begin(get(1), from)), one, 3, possible);
  EXPECT_EQ(count_of(wire::request(get(3, "amz-sdk-request: attempt=2; max=3\r\n"))), 3)
      << "the layer nearest to the service";
  EXPECT_EQ(count_of(wire::request(get(1, "amz-sdk-request: attempt=2; max=3\r\n"))), 2) << "it has not tried again";
}

TEST(Counters, make_a_retry_at_a_poll_too) {
  Lessons lessons;
  auto e = wire::request("GET /x HTTP/1.1\r\n\r\n");
  lessons.polls = {{poll_key(e, e.operation), 0}};
  Traffic t(lessons);
  Traffic::From from{.site = ""};
  auto first = t.begin("GET /x HTTP/1.1\r\nHost: h\r\namz-sdk-request: attempt=1; max=3\r\n\r\n", from);
  t.inject(first, 503);
  EXPECT_ATTEMPT((t.begin("GET /x HTTP/1.1\r\nHost: h\r\namz-sdk-request: attempt=2; max=3\r\n\r\n", from)), first, 2,
                 likely);
}

TEST(Addresses, of_one_name_are_one_service_without_a_call_site_too) {
  Traffic t;
  constexpr std::string_view get = "GET /orders/7 HTTP/1.1\r\nHost: localhost:8080\r\n\r\n";
  auto first = t.begin(get, {.site = "", .service = "[::1]:8080"});
  t.reset(first);
  EXPECT_ATTEMPT((t.begin(get, {.site = "", .service = "127.0.0.1:8080"})), first, 2, possible);
}

TEST(Addresses, of_several_hosts_are_possible_after_what_sends_a_client_on_but_not_at_what_everybody_has) {
  auto at = [](Traffic& t, std::string path, std::string port) {
    return t.begin("GET " + path + " HTTP/1.1\r\nHost: localhost:" + port + "\r\n\r\n",
                   {.site = "", .service = "127.0.0.1:" + port});
  };
  Traffic t;
  auto first = at(t, "/index/_doc/1", "9200");
  t.inject(first, 503);
  EXPECT_ATTEMPT(at(t, "/index/_doc/1", "9201"), first, 2, possible);
  auto refused = at(t, "/index/_doc/2", "9200");
  t.inject(refused, 400);
  EXPECT_OWN_CALL(at(t, "/index/_doc/2", "9201"));
  auto health = at(t, "/api/health", "9200");
  t.inject(health, 503);
  EXPECT_OWN_CALL(at(t, "/api/health", "9201"));
}

TEST(Ids, of_google_stand_within_a_header) {
  auto put = [](std::string id) {
    return "PUT /upload?name=k HTTP/1.1\r\nHost: h\r\nx-goog-api-client: gl-node/20 gccl/7 gccl-invocation-id/" + id +
           "\r\n\r\n";
  };
  Traffic t;
  auto one = t.begin(put("a"), {.site = ""}), other = t.begin(put("b"), {.site = ""});
  t.reset(one);
  t.reset(other);
  EXPECT_ATTEMPT((t.begin(put("b"), {.site = ""})), other, 2, certain);
}

// Afterwards.

TEST(Hindsight, makes_the_only_call_of_a_process_likely) {
  Traffic t;
  auto first = t.begin(kGet, {.site = ""});
  t.inject(first, 503);
  auto second = t.begin(kGet, {.site = ""});
  EXPECT_ATTEMPT(second, first, 2, possible);
  t.serve(second, 200);
  Correlator::correlate_again(t.run.exchanges);
  EXPECT_ATTEMPT(t.run.exchanges[1], t.run.exchanges[0], 2, likely);
}

// What we answer ourselves needs no time.
TEST(Hindsight, joins_a_ladder_whose_answers_were_told_the_moment_their_requests_began) {
  Traffic t;
  for (int i = 0; i < 6; i++) {
    auto e = t.begin(kGet, {.site = ""});
    t.inject(e, 503);
  }
  auto at = kSecond;
  for (auto& e : t.run.exchanges) e.begun = e.request_read = e.told = at += e.id * kSecond;
  Correlator::correlate_again(t.run.exchanges);
  for (int i = 1; i < 6; i++)
    EXPECT_ATTEMPT(t.run.exchanges[static_cast<std::size_t>(i)], t.run.exchanges[0], i + 1, likely);
}

TEST(Hindsight, takes_what_comes_as_often_after_a_success_for_no_retry) {
  Traffic t;
  for (int i = 0; i < 20; i++) {
    auto e = t.begin(kGet, {.site = ""});
    i == 10 ? t.inject(e, 503) : t.serve(e, 200);
  }
  Correlator::correlate_again(t.run.exchanges);
  EXPECT_EQ(t.run.exchanges[11].attempt, 1);
  EXPECT_EQ(t.run.exchanges[11].confidence, Confidence::possible);
  EXPECT_EQ(t.run.exchanges[10].confidence, Confidence::certain);
}

TEST(Hindsight, tells_parallel_calls_apart_by_their_bodies) {
  Traffic t;
  auto a = post(t, "{\"n\":1}", ""), b = post(t, "{\"n\":2}", "");
  t.inject(a, 503);
  t.inject(b, 503);
  auto again_b = post(t, "{\"n\":2}", ""), again_a = post(t, "{\"n\":1}", "");
  EXPECT_ATTEMPT(again_b, a, 2, possible) << "online nobody knows";
  t.serve(again_b, 200);
  t.serve(again_a, 200);
  Correlator::correlate_again(t.run.exchanges);
  EXPECT_EQ(t.run.exchanges[2].call, t.run.exchanges[1].call);
  EXPECT_EQ(t.run.exchanges[3].call, t.run.exchanges[0].call);
}

TEST(Hindsight, leaves_to_a_call_what_its_id_will_name_again) {
  Traffic t;
  auto mine = post(t, "{}", "a.py:1:f");
  mine.tag.call_id = "100-1";
  t.inject(mine, 503);
  auto others = post(t, "{}", "a.py:1:f");
  t.serve(others, 200);
  auto again = post(t, "{}", "a.py:1:f");
  again.tag.call_id = "100-1";
  t.serve(again, 200);
  Correlator::correlate_again(t.run.exchanges);
  EXPECT_EQ(t.run.exchanges[1].attempt, 1);
  EXPECT_ATTEMPT(t.run.exchanges[2], t.run.exchanges[0], 2, certain);
}

TEST(Hindsight, knows_an_id_that_names_more_than_a_call_from_the_first) {
  Traffic t;
  for (auto target : {"/things/1", "/things/2", "/things/3"}) {
    auto e = t.begin(azure("GET " + std::string(target), "session"), {.site = ""});
    t.reset(e);
  }
  EXPECT_EQ(t.run.exchanges[1].confidence, Confidence::certain) << "online it is taken for one call";
  EXPECT_EQ(t.run.exchanges[1].attempt, 2);
  Correlator::correlate_again(t.run.exchanges);
  for (auto& e : t.run.exchanges) EXPECT_EQ(e.attempt, 1);
}

TEST(Hindsight, says_the_same_again) {
  Traffic t;
  for (int i = 0; i < 5; i++) {
    auto e = post(t, "{}", "");
    t.reset(e);
  }
  Correlator::correlate_again(t.run.exchanges);
  auto once = t.run.exchanges;
  Correlator::correlate_again(t.run.exchanges);
  for (std::size_t i = 0; i < once.size(); i++) {
    auto &one = once[i], &other = t.run.exchanges[i];
    EXPECT_EQ(said(one.call, one.attempt, one.confidence), said(other.call, other.attempt, other.confidence));
  }
}

// Bad input.

TEST(BadInput, of_50000_identical_requests_that_fail_in_parallel_costs_no_square) {
  Traffic t;
  constexpr int kMany = 50'000;
  std::vector<Exchange> open;
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < kMany; i++) open.push_back(post(t, "{}", ""));
    for (auto& e : open) t.reset(e);
    open.clear();
  }
  EXPECT_EQ(t.run.exchanges[kMany].attempt, 2);
  EXPECT_EQ(t.run.exchanges[kMany].confidence, Confidence::possible);
  Correlator::correlate_again(t.run.exchanges);
  EXPECT_EQ(t.run.exchanges.size(), 2u * kMany);
}

TEST(BadInput, of_50000_requests_in_parallel_that_differ_in_their_bodies_costs_no_square) {
  Traffic t;
  std::vector<Exchange> open;
  for (int i = 0; i < 50'000; i++) open.push_back(post(t, "{\"n\":" + std::to_string(100'000 + i) + "}", ""));
  for (auto& e : open) t.reset(e);
  open.clear();
  for (int i = 50'000; i-- > 0;) open.push_back(post(t, "{\"n\":" + std::to_string(100'000 + i) + "}", ""));
  for (auto& e : open) t.serve(e, 200);
  Correlator::correlate_again(t.run.exchanges);
  EXPECT_EQ(t.run.exchanges[50'000].call, t.run.exchanges[49'999].call);
  EXPECT_EQ(t.run.exchanges[99'999].call, t.run.exchanges[0].call);
}

TEST(BadInput, of_times_that_go_backwards_and_exchanges_that_end_twice_breaks_nothing) {
  Traffic t;
  auto first = t.begin(kGet, {.site = ""});
  t.inject(first, 503);
  auto twice = first;
  t.inject(twice, 503);
  auto second = t.begin(kGet, {.site = ""});
  second.begun = 1;
  t.end(second, Ending::reset);
  t.run.exchanges.back().told = -5;
  auto never = t.begin(kGet, {.site = ""});
  t.run.exchanges.push_back(never);
  for (auto& e : t.run.exchanges) e.id = 7;
  Correlator::correlate_again(t.run.exchanges);
  for (auto& e : t.run.exchanges) {
    EXPECT_GT(e.call, 0u);
    EXPECT_GE(e.attempt, 1);
  }
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
