// Faults of time, and what is made of the response.
#include "tests/conversations/h2_faults.h"

namespace retrial::test {
namespace {
using trace::Ending;
using Aborted = trace::Exchange::Aborted;

// --- time

TEST_F(H2Faults, delay_holds_all_of_the_request_and_no_other_stream) {
  plan("delay(50ms)");
  client->say(asks(3, "POST /x", "", false));
  client->say("DATA 3 bo\nDATA 3 dy\nHEADERS 3 end | x-sum: 1");
  quiet();
  EXPECT_EQ(proxy->held_exchanges(), 1u);
  other_goes_on();
  service->hears(asks(3, "POST /x", "", false) + "\nDATA 3 body\nHEADERS 3 end | x-sum: 1");
  passes_back("HEADERS 3 end | :status: 204");
  fired("the request was held for 50 ms before the service heard of it", Ending::answered, 204, 204);
}
TEST_F(H2Faults, a_request_that_its_client_takes_back_while_it_is_delayed_is_never_sent) {
  plan("delay(1h)");
  client->say(asks(3));
  client->say("RST_STREAM 3 CANCEL");
  service->hears_nothing();
  EXPECT_EQ(over(2).ending, Ending::client_left);
  other_goes_on();
}
TEST_F(H2Faults, bandwidth_paces_the_connection_until_the_request_is_over) {
  plan("bandwidth(1000k)");
  client->say(asks(3));
  service->hears(asks(3));
  std::string body(100'000, 'b');
  service->say("HEADERS 3 | :status: 200");
  service->data(3, body, true);
  client->hears("HEADERS 3 | :status: 200");
  EXPECT_EQ(client->hears_body(3), body);
  EXPECT_TRUE(over(2).fired);
  EXPECT_EQ(over(2).ending, Ending::answered);
  other_goes_on();
}
TEST_F(H2Faults, drip_tells_the_head_at_once_and_the_body_in_drops) {
  plan("drip(4, 1ms)");
  passes(asks(3));
  answers();
  client->hears("HEADERS 3 | :status: 200 | content-length: 10\nDATA 3 0123\nDATA 3 4567");
  EXPECT_EQ(client->hears_body(3), "89");
  fired("4 bytes of the response every 1 ms", Ending::answered, 200, 200);
  other_goes_on();
}
TEST_F(H2Faults, drip_waits_for_a_window_that_is_shut_without_a_turn_of_the_loop) {
  plan("drip(4, 1ms)");
  client->say("SETTINGS 4=6");
  client->gives_back(false);
  client->say(asks(3));
  service->hears(asks(3));
  service->say("HEADERS 3 | :status: 200\nDATA 3 end 0123456789");
  client->hears("HEADERS 3 | :status: 200\nDATA 3 0123\nDATA 3 45");
  quiet();
  auto before = loop.callbacks();
  quiet();
  EXPECT_EQ(loop.callbacks(), before);
  client->say("WINDOW_UPDATE 3 4");
  client->hears("DATA 3 67");  // what is left of this stretch's four
  client->hears("DATA 3 end 89");
}
TEST_F(H2Faults, drip_keeps_the_trailers_for_the_end) {
  plan("drip(4, 1ms)");
  passes(calls(3));
  passes("DATA 3 end");
  service->say(kGrpcHead);
  client->hears(kGrpcHead);
  service->data(3, message("abc"));
  service->say("HEADERS 3 end | grpc-status: 0");
  client->hears("DATA 3 " + message("abc").substr(0, 4));
  client->hears("DATA 3 " + message("abc").substr(4));
  client->hears("HEADERS 3 end | grpc-status: 0");
  EXPECT_EQ(over(2).ending, Ending::answered);
  other_goes_on();
}
TEST_F(H2Faults, slow_trailers_come_that_much_later) {
  plan("slow-trailers(50ms)");
  passes(calls(3));
  client->say("DATA 3 end");
  service->hears("DATA 3 end");
  service->say(kGrpcHead);
  client->hears(kGrpcHead);
  service->data(3, message("abc"));
  client->hears("DATA 3 " + message("abc"));
  service->say("HEADERS 3 end | grpc-status: 0");
  other_goes_on();
  client->hears("HEADERS 3 end | grpc-status: 0");
  fired("the response's end, with its trailers, was held for 50 ms", Ending::answered, 200, 200);
}
TEST_F(H2Faults, slow_trailers_whose_service_ends_meanwhile_come_all_the_same) {
  plan("slow-trailers(20ms)");
  passes(calls(3));
  client->say("DATA 3 end");
  service->hears("DATA 3 end");
  service->say(kGrpcHead + "\nHEADERS 3 end | grpc-status: 0");
  service->peer().close();
  client->hears(kGrpcHead);
  client->hears("RST_STREAM 1 INTERNAL_ERROR\nGOAWAY 3 NO_ERROR\nHEADERS 3 end | grpc-status: 0");
  client->hears_fin();
  EXPECT_EQ(over(2).ending, Ending::answered);
  EXPECT_EQ(over(1).aborted, Aborted::by_service);
}

TEST_F(H2Faults, slow_trailers_come_also_where_the_service_wants_no_more_of_the_request) {
  plan("slow-trailers(20ms)");
  passes(calls(3));
  service->say(kGrpcHead + "\nHEADERS 3 end | grpc-status: 0\nRST_STREAM 3 NO_ERROR");
  client->hears(kGrpcHead + "\nHEADERS 3 end | grpc-status: 0\nRST_STREAM 3 NO_ERROR");
  EXPECT_EQ(over(2).ending, Ending::answered);
  EXPECT_TRUE(over(2).fired);
  other_goes_on();
}

// --- bodies

TEST_F(H2Faults, truncate_says_the_length_that_is_left) {
  plan("truncate");
  passes(asks(3));
  answers();
  client->hears("HEADERS 3 | :status: 200 | content-length: 5");
  EXPECT_EQ(client->hears_body(3), "01234");
  EXPECT_TRUE(over(2).fired);
  other_goes_on();
}
TEST_F(H2Faults, truncate_of_a_body_without_a_length_keeps_its_trailers) {
  plan("truncate(3)");
  passes(asks(3));
  service->say("HEADERS 3 | :status: 200\nDATA 3 0123\nDATA 3 4567\nHEADERS 3 end | x-sum: 1");
  client->hears("HEADERS 3 | :status: 200\nDATA 3 012\nHEADERS 3 end | x-sum: 1");
  EXPECT_TRUE(over(2).fired);
  other_goes_on();
}
TEST_F(H2Faults, corrupt_changes_one_bit) {
  plan("corrupt");
  passes(asks(3));
  answers();
  client->hears("HEADERS 3 | :status: 200 | content-length: 10");
  EXPECT_EQ(client->hears_body(3), "0123446789");
  EXPECT_TRUE(over(2).fired);
  other_goes_on();
}
TEST_F(H2Faults, grow_tells_no_length) {
  plan("grow(2)");
  passes(asks(3));
  service->say("HEADERS 3 | :status: 200 | content-type: application/json | content-length: 3\nDATA 3 end [1]");
  client->hears("HEADERS 3 | :status: 200 | content-type: application/json");
  EXPECT_EQ(client->hears_body(3), "[1,2]");
  EXPECT_TRUE(over(2).fired);
  other_goes_on();
}
TEST_F(H2Faults, grow_reads_answers_that_are_longer_than_a_stream_s_window) {
  plan("grow(2)");
  passes(asks(3));
  std::string text(900'000, 'x');
  service->say("HEADERS 3 | :status: 200 | content-type: application/json");
  service->data(3, "[\"" + text + "\"]", true);
  client->hears("HEADERS 3 | :status: 200 | content-type: application/json");
  EXPECT_EQ(client->hears_body(3), "[\"" + text + "\",\"" + text + "-1\"]");
  EXPECT_TRUE(over(2).fired);
  other_goes_on();
}
TEST_F(H2Faults, a_length_that_is_more_than_there_is_ends_in_silence) {
  plan("wrong-length(+3)");
  passes(asks(3));
  answers();
  client->hears("HEADERS 3 | :status: 200 | content-length: 13\nDATA 3 01234\nDATA 3 56789");
  held();
  other_goes_on();
}
TEST_F(H2Faults, a_length_that_is_less_than_there_is) {
  plan("wrong-length(-3)");
  passes(asks(3));
  answers();
  client->hears("HEADERS 3 | :status: 200 | content-length: 7");
  EXPECT_EQ(client->hears_body(3), "0123456789");
  EXPECT_TRUE(over(2).fired);
  other_goes_on();
}
TEST_F(H2Faults, headers_are_dropped_set_and_doubled) {
  for (auto [fault, head] : {std::pair{"drop-header(X-A)", " | x-b: 2"},
                             {"set-header(X-A, 3)", " | x-a: 3 | x-b: 2"},
                             {"double-header(X-A)", " | x-a: 1 | x-a: 1 | x-b: 2"}}) {
    auto n = director.heads.size() + 1;
    auto stream = std::to_string(2 * n - 1);
    H2Conversation::plan(n, fault);
    passes(asks(static_cast<std::uint32_t>(2 * n - 1)));
    service->say("HEADERS " + stream + " end | :status: 200 | x-a: 1 | x-b: 2");
    client->hears("HEADERS " + stream + " end | :status: 200" + head);
    EXPECT_TRUE(over(n).fired) << over(n).evidence;
  }
  other_goes_on();
}
TEST_F(H2Faults, a_head_that_is_changed_does_not_wait_for_the_body) {
  plan("set-header(x, y)");
  passes(calls(3));
  service->say(kGrpcHead);
  client->hears(kGrpcHead + " | x: y");
  passes("DATA 3 end");
  passes_back("HEADERS 3 end | grpc-status: 0");
  other_goes_on();
}
TEST_F(H2Faults, redirect_loop_leads_to_the_same_target) {
  plan("redirect-loop");
  client->say(asks(3, "GET /a?b=c"));
  client->hears(
      "HEADERS 3 | :status: 307 | location: /a?b=c | x-retrial-fault: retrial-f1 | content-type: text/plain | "
      "content-length: 11");
  EXPECT_EQ(client->hears_body(3), "retrial-f1\n");
  service->hears_nothing();
  EXPECT_EQ(over(2).client_status, 307);
  other_goes_on();
}
TEST_F(H2Faults, redirect_loop_leads_to_its_own_target_whatever_was_asked_before_its_end) {
  plan("redirect-loop(307)");
  client->say(asks(3, "POST /first/" + std::string(40, 'a'), "", false));
  service->hears_nothing();
  client->say(asks(5, "GET /second"));
  service->hears(asks(3, "GET /second"));
  auto long_field = " | x: " + std::string(6000, 'c');
  client->say(asks(7, "GET /third", long_field));
  service->hears(asks(5, "GET /third", long_field));
  client->say("DATA 3 end body");
  auto head = client->next();
  EXPECT_TRUE(head.starts_with("HEADERS 3 | :status: 307 | location: /first/" + std::string(40, 'a') + " | ")) << head;
  client->hears_body(3);
  other_goes_on();
}
TEST_F(H2Faults, stale_is_an_earlier_response_with_the_trailers_of_now) {
  director.keeps = true;
  H2Conversation::plan(3, "stale");
  passes(asks(3));
  service->say("HEADERS 3 | :status: 200 | v: 1");
  client->hears("HEADERS 3 | :status: 200 | v: 1");  // at once, though it is kept
  passes_back("DATA 3 old");
  passes_back("HEADERS 3 end | t: 1");
  passes(asks(5));
  service->say("HEADERS 5 | :status: 404 | v: 2\nDATA 5 new\nHEADERS 5 end | t: 2");
  client->hears("HEADERS 5 | :status: 200 | v: 1\nDATA 5 old\nHEADERS 5 end | t: 2");
  EXPECT_TRUE(over(3).fired);
  EXPECT_EQ(over(3).client_status, 200);
  EXPECT_EQ(over(3).service_status, 404);
  other_goes_on();
}
TEST_F(H2Faults, stale_without_an_earlier_response_passes) {
  plan("stale");
  passes(asks(3));
  passes_back("HEADERS 3 end | :status: 204");
  spared("no earlier response to this request was kept");
}
TEST_F(H2Faults, what_http2_has_no_form_for_is_spared) {
  for (auto [fault, why] : {std::pair{"duplicate", "HTTP/2 has no second response on a stream"},
                            {"malformed(status-line)", "HTTP/2 has no status line"},
                            {"malformed(header)", "HTTP/2 has no field without a colon"},
                            {"malformed(chunk)", "HTTP/2 has no chunks"}}) {
    auto n = director.heads.size() + 1;
    auto stream = std::to_string(2 * n - 1);
    H2Conversation::plan(n, fault);
    passes(asks(static_cast<std::uint32_t>(2 * n - 1)));
    passes_back("HEADERS " + stream + " | :status: 200");
    passes_back("DATA " + stream + " end hello");
    H2Conversation::spared(n, why);
  }
  other_goes_on();
}

// --- gRPC

TEST_F(H2Faults, a_late_status_commits_the_call) {
  plan("late-status(UNAVAILABLE)");
  passes(calls(3));
  service->say(kGrpcHead);
  client->hears(kGrpcHead);
  client->hears(
      "HEADERS 3 end | grpc-status: 14 | grpc-message: the service is not available (retrial-f1) | x-retrial-fault: "
      "retrial-f1\nRST_STREAM 3 NO_ERROR");
  service->hears("RST_STREAM 3 CANCEL");
  service->data(3, message("was on its way"));
  fired("UNAVAILABLE in trailers after the service's head, in place of its messages", Ending::answered, 2014, 200);
  other_goes_on();
}
TEST_F(H2Faults, a_late_status_has_nothing_to_follow_where_the_service_answered_at_once) {
  plan("late-status(UNAVAILABLE)");
  passes(calls(3));
  passes_back("HEADERS 3 end | :status: 200 | content-type: application/grpc | grpc-status: 5");
  passes_back("RST_STREAM 3 NO_ERROR");
  spared("the service ended the call with its head");
  EXPECT_EQ(over(2).client_status, 2005);
}
class H2Messages : public H2Faults {
 protected:
  // Three messages, each of which is sent by itself, and trailers.
  void streams() {
    passes(calls(3));
    client->say("DATA 3 end");
    service->hears("DATA 3 end");
    service->say(kGrpcHead);
    client->hears(kGrpcHead);
  }
  void ends() {
    service->say("HEADERS 3 end | grpc-status: 0");
    client->hears("HEADERS 3 end | grpc-status: 0");
    EXPECT_TRUE(over(2).fired) << over(2).evidence;
    EXPECT_EQ(over(2).client_status, 200);
    EXPECT_EQ(over(2).grpc.responses, 3u);
    other_goes_on();
  }
};
TEST_F(H2Messages, one_is_dropped) {
  plan("message(drop, 2)");
  streams();
  for (std::string text : {"one", "two", "three"}) {
    service->data(3, message(text));
    if (text == "two")
      client->hears_nothing();
    else
      client->hears("DATA 3 " + message(text));
  }
  ends();
  EXPECT_EQ(over(2).evidence, "message 2 of the response, of 3 bytes, was left out");
}
TEST_F(H2Messages, one_is_cut_and_nothing_follows_but_the_trailers) {
  plan("message(truncate, 2)");
  streams();
  service->data(3, message("one"));
  client->hears("DATA 3 " + message("one"));
  service->data(3, message("two!"));
  client->hears("DATA 3 " + message("two!").substr(0, 7));
  service->data(3, message("three"));
  client->hears_nothing();
  ends();
}
TEST_F(H2Messages, one_has_another_bit) {
  plan("message(corrupt, 2)");
  streams();
  service->data(3, message("one") + message("two") + message("three"));
  auto changed = message("two");
  changed[6] ^= 1;
  client->hears("DATA 3 " + message("one") + changed + message("three"));
  ends();
}
TEST_F(H2Messages, one_is_delayed_with_what_follows_it) {
  plan("message(delay, 2, 20ms)");
  streams();
  service->data(3, message("one"));
  client->hears("DATA 3 " + message("one"));
  service->data(3, message("two"));
  service->data(3, message("three"));
  service->say("HEADERS 3 end | grpc-status: 0");
  client->hears("DATA 3 " + message("two") + message("three"));
  client->hears("HEADERS 3 end | grpc-status: 0");
  EXPECT_TRUE(over(2).fired);
  EXPECT_EQ(over(2).grpc.responses, 3u);
  other_goes_on();
}
TEST_F(H2Messages, a_call_with_fewer_passes_whole) {
  plan("message(drop, 2)");
  streams();
  service->data(3, message("one"), true);
  client->hears("DATA 3 " + message("one"));
  client->hears("DATA 3 end");
  spared("the call ended before this message");
  EXPECT_EQ(over(2).client_status, 2002);  // no grpc-status
}

}  // namespace
}  // namespace retrial::test
