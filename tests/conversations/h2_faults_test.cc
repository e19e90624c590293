// Faults of streams and connections, and what is told in place of the response.
#include "tests/conversations/h2_faults.h"

namespace retrial::test {
namespace {
using trace::Ending;
using Aborted = trace::Exchange::Aborted;

// --- error

TEST_F(H2Faults, error_is_answered_after_the_request_and_the_service_hears_nothing) {
  plan("error(503)");
  client->say(asks(3, "POST /x", "", false));
  client->say("DATA 3 bo");
  client->hears_nothing();
  client->say("DATA 3 end dy");
  client->hears(
      "HEADERS 3 | :status: 503 | content-type: application/json | x-retrial-fault: retrial-f1 | content-length: 143");
  EXPECT_NE(client->hears_body(3).find("retrial-f1"), std::string::npos);
  fired("503 was answered after the request with 4 bytes of body; the service heard nothing", Ending::answered, 503, 0);
  EXPECT_EQ(over(2).request_sample, "body");
  other_goes_on();
}
TEST_F(H2Faults, error_to_head_has_no_body) {
  plan("error(503)");
  client->say(asks(3, "HEAD /x"));
  EXPECT_TRUE(client->next().starts_with("HEADERS 3 end | :status: 503"));
  other_goes_on();
}
TEST_F(H2Faults, error_waits_for_no_body_that_waits_for_it) {
  plan("error(503)");
  client->say(asks(3, "POST /x", " | expect: 100-continue", false));
  EXPECT_TRUE(client->next().starts_with("HEADERS 3 | :status: 503"));
  client->hears_body(3);
  client->hears("RST_STREAM 3 NO_ERROR");
  other_goes_on();
}
TEST_F(H2Faults, error_with_a_status_of_grpc_is_trailers_only) {
  plan("grpc-status(UNAVAILABLE, pushback=2s)");
  client->say(calls(3));
  client->data(3, message("ask"), true);
  client->hears(
      "HEADERS 3 end | :status: 200 | content-type: application/grpc | grpc-status: 14 | grpc-message: the service is "
      "not "
      "available (retrial-f1) | x-retrial-fault: retrial-f1 | grpc-retry-pushback-ms: 2000");
  fired("UNAVAILABLE was answered after the request with 8 bytes of body; the service heard nothing", Ending::answered,
        2014, 0);
  EXPECT_EQ(trace::pushback_told(over(2)), 2000);
  EXPECT_EQ(over(2).grpc.requests, 1u);
  other_goes_on();
}
TEST_F(H2Faults, error_is_told_to_a_call_whose_requests_do_not_end) {
  plan("grpc-status(UNAVAILABLE)");
  client->say(calls(3));
  client->data(3, message("ask"));
  EXPECT_TRUE(client->next().starts_with("HEADERS 3 end | :status: 200"));  // a second later
  client->hears("RST_STREAM 3 NO_ERROR");
  fired("UNAVAILABLE was answered after the request with 8 bytes of body; the service heard nothing", Ending::answered,
        2014, 0);
  other_goes_on();
}
TEST_F(H2Faults, a_status_of_grpc_is_not_for_what_is_no_call) {
  plan("grpc-status(UNAVAILABLE)");
  passes(asks(3));
  passes_back("HEADERS 3 end | :status: 204");
  spared("this is no gRPC call");
}

// --- lost-response

TEST_F(H2Faults, lost_response_by_reset_ends_the_connection_after_the_service_has_executed) {
  plan("lost-response(reset)");
  passes(asks(3));
  service->say("HEADERS 3 | :status: 200\nDATA 3 hel");
  client->hears_nothing();
  service->say("DATA 3 end lo");
  client->hears_rst();
  service->hears("RST_STREAM 1 CANCEL");
  service->hears_fin();
  auto& e = over(2);
  EXPECT_TRUE(e.fired);
  EXPECT_TRUE(e.evidence.starts_with("RST after ")) << e.evidence;
  EXPECT_EQ(e.ending, Ending::reset);
  EXPECT_EQ(e.service_status, 200);
  EXPECT_EQ(e.client_status, 0);
  EXPECT_EQ(e.aborted, Aborted::no);
  other_is_lost(Ending::reset);
}
TEST_F(H2Faults, lost_response_by_close_ends_the_connection) {
  plan("lost-response(close)");
  passes(asks(3));
  service->say("HEADERS 3 end | :status: 204");
  client->hears_fin();
  service->hears("RST_STREAM 1 CANCEL");
  service->hears_fin();
  client->peer().close();
  EXPECT_EQ(over(2).ending, Ending::closed);
  EXPECT_EQ(over(2).service_status, 204);
  other_is_lost(Ending::closed);
}
TEST_F(H2Faults, lost_response_by_silence_is_of_its_stream_alone) {
  plan("lost-response(stall)");
  passes(asks(3));
  answers();
  held();
  auto& e = over(2);
  EXPECT_TRUE(e.fired);
  EXPECT_EQ(e.ending, Ending::client_left);
  EXPECT_EQ(e.service_status, 200);
  EXPECT_EQ(e.client_status, 0);
  other_goes_on();
}
TEST_F(H2Faults, lost_response_by_a_status_comes_in_place_of_the_response) {
  plan("lost-response(grpc-status(UNAVAILABLE))");
  passes(calls(3));
  client->data(3, message("ask"), true);
  service->hears("DATA 3 end " + message("ask"));
  service->say(kGrpcHead);
  service->data(3, message("answer"));
  client->hears_nothing();
  service->say("HEADERS 3 end | grpc-status: 0");
  client->hears(
      "HEADERS 3 end | :status: 200 | content-type: application/grpc | grpc-status: 14 | grpc-message: the service is "
      "not "
      "available (retrial-f1) | x-retrial-fault: retrial-f1");
  auto& e = over(2);
  EXPECT_TRUE(e.fired);
  EXPECT_EQ(e.ending, Ending::answered);
  EXPECT_EQ(e.service_status, 200);
  EXPECT_EQ(e.client_status, 2014);
  EXPECT_EQ(e.grpc.responses, 1u);
  EXPECT_EQ(e.trailer_lines, "grpc-status: 0\r\n");
  other_goes_on();
}
TEST_F(H2Faults, a_response_without_an_end_is_lost_all_the_same) {
  plan("lost-response(grpc-status(UNAVAILABLE))");
  passes(calls(3));
  service->say(kGrpcHead);
  service->data(3, message("first"));
  EXPECT_TRUE(client->next().starts_with("HEADERS 3 end | :status: 200"));  // a second later
  client->hears("RST_STREAM 3 NO_ERROR");
  service->hears("RST_STREAM 3 CANCEL");
  EXPECT_TRUE(over(2).evidence.ends_with("the service had answered OK, without an end")) << over(2).evidence;
  other_goes_on();
}
TEST_F(H2Faults, the_lost_response_of_a_client_that_has_left_is_read_to_its_end) {
  plan("lost-response(reset)");
  passes(asks(3));
  service->say("HEADERS 3 | :status: 200");
  quiet();
  client->say("RST_STREAM 3 CANCEL");
  service->hears_nothing();
  service->say("DATA 3 end hello");
  auto& e = over(2);
  EXPECT_TRUE(e.fired);
  EXPECT_EQ(e.ending, Ending::client_left);
  EXPECT_EQ(e.response_bytes, 5u);
  other_goes_on();
}
TEST_F(H2Faults, a_response_that_is_an_error_is_not_lost) {
  plan("lost-response(reset)");
  passes(asks(3));
  passes_back("HEADERS 3 | :status: 500");
  passes_back("DATA 3 end oh");
  spared("the service's own answer is an error, and passed untouched");
  EXPECT_EQ(over(2).client_status, 500);
  other_goes_on();
}
TEST_F(H2Faults, a_call_that_fails_in_its_trailers_is_not_lost) {
  plan("lost-response(reset)");
  passes(calls(3));
  client->data(3, message("ask"), true);
  service->hears("DATA 3 end " + message("ask"));
  service->say(kGrpcHead + " | x: y");
  service->data(3, message("partial"));
  client->hears_nothing();
  service->say("HEADERS 3 end | grpc-status: 9 | grpc-message: no%20more");
  client->hears(kGrpcHead + " | x: y");
  client->hears("DATA 3 " + message("partial"));
  client->hears("HEADERS 3 end | grpc-status: 9 | grpc-message: no%20more");
  spared("the service's own answer is an error, and passed untouched");
  EXPECT_EQ(over(2).client_status, 2009);
  EXPECT_EQ(over(2).service_status, 2009);
  EXPECT_EQ(over(2).grpc.message, "no more");
  other_goes_on();
}
TEST_F(H2Faults, a_call_that_fails_at_once_is_not_lost) {
  plan("lost-response(stall)");
  passes(calls(3));
  passes_back("HEADERS 3 end | :status: 200 | content-type: application/grpc | grpc-status: 5");
  passes_back("RST_STREAM 3 NO_ERROR");
  spared("the service's own answer is an error, and passed untouched");
  EXPECT_EQ(over(2).service_status, 2005);
  other_goes_on();
}

// --- reset, close, stall, rst-stream at each point

TEST_F(H2Faults, reset_before_the_request_loses_every_stream) {
  plan("reset(before-request)");
  client->say(asks(3, "POST /x", "", false) + "\n" + asks(5));
  client->hears_rst();
  service->hears("RST_STREAM 1 CANCEL");
  service->hears_fin();
  fired("RST after the request's head was read; the service heard nothing", Ending::reset, 0, 0);
  other_is_lost(Ending::reset);
  EXPECT_EQ(director.heads.size(), 2u);  // what came behind it was never read
  EXPECT_EQ(recorder.exchanges.size(), 2u);
}
TEST_F(H2Faults, close_before_the_request_loses_every_stream) {
  plan("close(before-request)");
  client->say(asks(3, "POST /x", "", false) + "\n" + asks(5));
  client->hears_fin();
  service->hears("RST_STREAM 1 CANCEL");
  service->hears_fin();
  fired("FIN after the request's head was read; the service heard nothing", Ending::closed, 0, 0);
  EXPECT_EQ(over(1).ending, Ending::closed);
  EXPECT_EQ(director.heads.size(), 2u);
}
TEST_F(H2Faults, stall_before_the_request_is_of_its_stream_alone) {
  plan("stall(before-request)");
  client->say(asks(3, "POST /x", "", false));
  client->say("DATA 3 end body");
  service->hears_nothing();
  held();
  fired("silence after the request's head was read; the service heard nothing", Ending::client_left, 0, 0);
  other_goes_on();
}
TEST_F(H2Faults, rst_stream_is_refused_before_the_request) {
  plan("rst-stream");
  client->say(asks(3, "POST /x", "", false));
  client->hears("RST_STREAM 3 REFUSED_STREAM");
  client->say("DATA 3 end body");
  service->hears_nothing();
  fired("RST_STREAM (refused-stream) after the request's head was read; the service heard nothing", Ending::reset, 0,
        0);
  aborted("REFUSED_STREAM", true);
  other_goes_on();
}
TEST_F(H2Faults, after_the_head_the_service_has_heard_it_without_an_end) {
  plan("rst-stream(internal-error, after-head)");
  client->say(asks(3));
  service->hears(asks(3, "GET /x", "", false));
  service->hears("RST_STREAM 3 CANCEL");
  client->hears("RST_STREAM 3 INTERNAL_ERROR");
  fired("RST_STREAM (internal-error) after the service had heard the request's head alone", Ending::reset, 0, 0);
  aborted("INTERNAL_ERROR");
  other_goes_on();
}
TEST_F(H2Faults, after_the_head_there_may_be_silence) {
  plan("stall(after-head)");
  client->say(asks(3, "POST /x", "", false));
  client->say("DATA 3 end body");
  service->hears(asks(3, "POST /x", "", false));
  service->hears_nothing();
  held();
  service->hears("RST_STREAM 3 CANCEL");
  fired("silence after the service had heard the request's head alone", Ending::client_left, 0, 0);
  other_goes_on();
}
TEST_F(H2Faults, after_the_head_the_connection_may_be_reset_or_closed) {
  for (auto [fault, ending] : {std::pair{"reset(after-head)", Ending::reset}, {"close(after-head)", Ending::closed}}) {
    auto n = director.heads.size() + 1;
    H2Conversation::plan(n, fault);
    client->say(asks(3));
    service->hears(asks(3, "GET /x", "", false));
    service->hears("RST_STREAM 3 CANCEL\nRST_STREAM 1 CANCEL");
    service->hears_fin();
    if (ending == Ending::reset)
      client->hears_rst();
    else
      client->hears_fin();
    EXPECT_EQ(over(n).ending, ending);
    EXPECT_TRUE(over(n).fired);
    EXPECT_EQ(over(n - 1).ending, ending);
    meet();
    passes(asks(1));
  }
}
TEST_F(H2Faults, after_the_request_it_was_read_whole_and_kept_back) {
  plan("rst-stream(cancel, after-request)");
  client->say(asks(3, "POST /x", "", false));
  client->say("DATA 3 bo");
  client->hears_nothing();
  client->say("DATA 3 dy\nHEADERS 3 end | x-sum: 1");
  client->hears("RST_STREAM 3 CANCEL");
  service->hears_nothing();
  fired("RST_STREAM (cancel) after the request with 4 bytes of body was read; the service heard nothing", Ending::reset,
        0, 0);
  aborted("CANCEL");
  EXPECT_EQ(over(2).request_sample, "body");
  other_goes_on();
}
TEST_F(H2Faults, after_a_request_that_does_not_end_it_is_told_too) {
  plan("rst-stream(refused-stream, after-request)");
  client->say(calls(3));
  client->data(3, message("ask"));
  client->hears("RST_STREAM 3 REFUSED_STREAM");  // a second later
  service->hears_nothing();
  aborted("REFUSED_STREAM", true);
  other_goes_on();
}
TEST_F(H2Faults, after_the_request_the_connection_may_be_reset) {
  plan("reset");
  client->say(asks(3));
  client->hears_rst();
  service->hears("RST_STREAM 1 CANCEL");
  service->hears_fin();
  fired("RST after the request with 0 bytes of body was read; the service heard nothing", Ending::reset, 0, 0);
  other_is_lost(Ending::reset);
}
TEST_F(H2Faults, after_the_responses_head_comes_rst_stream_also_where_it_ended_the_response) {
  plan("rst-stream(internal-error, after-response-head)");
  passes(asks(3));
  service->say("HEADERS 3 end | :status: 200 | a: b");
  client->hears("HEADERS 3 | :status: 200 | a: b\nRST_STREAM 3 INTERNAL_ERROR");
  fired("RST_STREAM (internal-error) after the response's head", Ending::reset, 200, 200);
  aborted("INTERNAL_ERROR");
  other_goes_on();
}
TEST_F(H2Faults, after_the_responses_head_the_rest_is_not_wanted) {
  plan("rst-stream(cancel, after-response-head)");
  passes(asks(3));
  service->say("HEADERS 3 | :status: 200");
  client->hears("HEADERS 3 | :status: 200\nRST_STREAM 3 CANCEL");
  service->hears("RST_STREAM 3 CANCEL");
  other_goes_on();
}
TEST_F(H2Faults, after_the_responses_head_there_may_be_silence) {
  plan("stall(after-response-head)");
  passes(asks(3));
  service->say("HEADERS 3 end | :status: 204");
  client->hears("HEADERS 3 | :status: 204");
  held();
  fired("silence after the response's head", Ending::client_left, 204, 204);
  other_goes_on();
}
TEST_F(H2Faults, after_the_responses_head_the_connection_may_end) {
  plan("reset(after-response-head)");
  passes(asks(3));
  answers();
  client->hears("HEADERS 3 | :status: 200 | content-length: 10");
  client->hears_rst();
  fired("RST after the response's head", Ending::reset, 200, 200);
  other_is_lost(Ending::reset);
}
TEST_F(H2Faults, in_the_body_the_stream_is_reset_at_half) {
  plan("rst-stream(internal-error, in-body)");
  passes(asks(3));
  answers();
  client->hears("HEADERS 3 | :status: 200 | content-length: 10\nDATA 3 01234\nRST_STREAM 3 INTERNAL_ERROR");
  fired("RST_STREAM (internal-error) after 5 of 10 bytes of the response's body", Ending::reset, 200, 200);
  other_goes_on();
}
TEST_F(H2Faults, in_a_stream_of_messages_the_stream_is_reset_after_so_many_bytes) {
  plan("rst-stream(cancel, in-body, 12)");
  passes(calls(3));
  service->say(kGrpcHead);
  client->hears(kGrpcHead);
  service->data(3, message("first"));
  client->hears("DATA 3 " + message("first"));
  service->data(3, message("second"));
  client->hears("DATA 3 " + message("second").substr(0, 2) + "\nRST_STREAM 3 CANCEL");
  service->hears("RST_STREAM 3 CANCEL");
  fired("RST_STREAM (cancel) after 12 bytes of the response's body", Ending::reset, 200, 200);
  other_goes_on();
}
TEST_F(H2Faults, in_the_body_there_may_be_silence_or_the_connections_end) {
  plan("stall(in-body, 3)");
  passes(asks(3));
  answers();
  client->hears("HEADERS 3 | :status: 200 | content-length: 10\nDATA 3 012");
  held();
  fired("silence after 3 of 10 bytes of the response's body", Ending::client_left, 200, 200);
  H2Conversation::plan(3, "close(in-body, 3)");
  passes(asks(5));
  service->say("HEADERS 5 | :status: 200 | content-length: 10\nDATA 5 end 0123456789");
  client->hears("HEADERS 5 | :status: 200 | content-length: 10\nDATA 5 012");
  client->hears_fin();
  H2Conversation::fired(3, "FIN after 3 of 10 bytes of the response's body", Ending::closed, 200, 200);
  EXPECT_EQ(over(1).ending, Ending::closed);
}
TEST_F(H2Faults, an_idle_connection_is_one_that_was_used_before) {
  plan("rst-stream(refused-stream, idle)");
  client->say(asks(3));
  client->hears("RST_STREAM 3 REFUSED_STREAM");
  service->hears_nothing();
  fired("RST_STREAM (refused-stream) to a request on a connection that was used before; the service heard nothing",
        Ending::reset, 0, 0);
  meet();
  H2Conversation::plan(3, "reset(idle)");
  passes(asks(1));
  passes_back("HEADERS 1 end | :status: 204");
  H2Conversation::spared(3, "this connection is fresh, and no idle one");
}

// --- goaway

TEST_F(H2Faults, goaway_leaves_the_stream_out_and_the_others_go_on) {
  plan("goaway");
  client->say(asks(3) + "\n" + asks(5));
  client->hears("GOAWAY 1 NO_ERROR");
  service->hears_nothing();
  fired("GOAWAY (no-error) whose last stream came before stream 3; the service heard nothing", Ending::reset, 0, 0);
  EXPECT_TRUE(over(2).refused);
  EXPECT_EQ(over(2).aborted, Aborted::by_us);
  EXPECT_EQ(director.heads.size(), 2u);
  passes_back("HEADERS 1 | :status: 200");
  passes_back("DATA 1 end whole");
  client->hears_fin();
  service->hears_fin();
  EXPECT_EQ(over(1).ending, Ending::answered);
  EXPECT_EQ(proxy->connections(), 1u);  // lingers, until the client ends it
  client->peer().close();
  quiet();
  EXPECT_EQ(proxy->connections(), 0u);
}
TEST_F(H2Faults, goaway_tells_its_code) {
  plan("goaway(enhance-your-calm)");
  client->say(calls(3));
  client->hears("GOAWAY 1 ENHANCE_YOUR_CALM");
  EXPECT_EQ(over(2).abort_code, static_cast<std::uint32_t>(proxy::H2Error::enhance_your_calm));
}

// --- what stands behind a fault

TEST_F(H2Faults, a_fault_that_awaits_the_response_is_spared_where_the_service_resets_the_stream) {
  for (std::string_view fault : {"truncate", "late-status(UNAVAILABLE)", "rst-stream(cancel, in-body)"}) {
    auto n = director.heads.size() + 1;
    auto stream = static_cast<std::uint32_t>(2 * n - 1);
    H2Conversation::plan(n, fault);
    passes(calls(stream));
    passes_back("RST_STREAM " + std::to_string(stream) + " REFUSED_STREAM");
    EXPECT_EQ(over(n).evidence, "not fired: the service broke off before it had answered");
    EXPECT_EQ(over(n).ending, Ending::reset);
    EXPECT_TRUE(over(n).refused);
  }
  other_goes_on();
}
TEST_F(H2Faults, a_lost_response_of_a_stream_that_the_service_refused_passes_its_reset) {
  plan("lost-response(grpc-status(UNAVAILABLE))");
  passes(calls(3));
  passes_back("RST_STREAM 3 REFUSED_STREAM");
  EXPECT_EQ(over(2).evidence, "not fired: the service broke off before it had answered");
  other_goes_on();
}
TEST_F(H2Faults, a_fault_is_spared_where_the_service_goes_away_before_it) {
  plan("truncate");
  passes(asks(3));
  service->say("GOAWAY 1 NO_ERROR");
  client->hears("GOAWAY 1 NO_ERROR");
  EXPECT_EQ(over(2).evidence, "not fired: the connection was going away");
  EXPECT_TRUE(over(2).refused);
}
TEST_F(H2Faults, what_a_fault_holds_is_open_when_the_run_ends) {
  plan("lost-response(stall)");
  passes(asks(3));
  answers();
  quiet();
  proxy.reset();
  ASSERT_EQ(recorder.exchanges.size(), 2u);
  for (auto& e : recorder.exchanges) EXPECT_EQ(e.ending, Ending::open);
}
}  // namespace
}  // namespace retrial::test
