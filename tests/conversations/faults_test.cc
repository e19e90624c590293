// What each fault does to the wire, on a fresh connection and on one that was used before.
#include "tests/support/conversation.h"
#include "trace/fault_name.h"

namespace retrial::test {
namespace {
using trace::Ending;
using trace::FaultName;
using trace::Telling;

constexpr std::string_view kRequest = "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody";
constexpr std::string_view kResponse = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

trace::Answer busy() { return {503, "Busy", {{"x-error", "retrial-f1"}}, "{\"code\":\"retrial-f1\"}"}; }
constexpr std::string_view kBusy =
    "HTTP/1.1 503 Busy\r\nx-error: retrial-f1\r\nContent-Length: 21\r\n\r\n{\"code\":\"retrial-f1\"}";
constexpr std::string_view kBusyAndClose =
    "HTTP/1.1 503 Busy\r\nx-error: retrial-f1\r\nContent-Length: 21\r\nConnection: "
    "close\r\n\r\n{\"code\":\"retrial-f1\"}";

// Each test is run on a fresh connection (false) and on one whose first exchange went through (true).
class Faults : public Conversation, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    n = 1;
    auto both = connect();
    client = std::move(both.client);
    service = std::move(both.service);
    if (!GetParam()) return;
    client->say("GET / HTTP/1.1\r\n\r\n");
    service->hears("GET / HTTP/1.1\r\n\r\n");
    service->say(kResponse);
    client->hears(kResponse);
    n = 2;
    recorder.order.clear();
  }
  void plan(FaultName name, Telling telling = Telling::reset) {
    trace::FaultSpec fault{name, telling, name == FaultName::error || telling == Telling::error ? 503 : 0, 0};
    director.plan(n, fault, fault.status ? busy() : trace::Answer{});
  }
  const trace::Exchange& faulted() {
    auto& e = exchange(n);
    EXPECT_EQ(e.id, n);
    EXPECT_EQ(e.fresh, !GetParam());
    return e;
  }
  // It may have left, and is no longer waited for. If it has not, nothing ends that it could take for an answer's end.
  void is_left_in_silence() {
    client->hears_nothing();
    auto& e = faulted();
    EXPECT_TRUE(e.fired);
    EXPECT_EQ(e.ending, Ending::client_left);
    EXPECT_EQ(proxy->held_exchanges(), 0u);
    EXPECT_EQ(proxy->awaited(), 0u);
    service->hears_fin();
    client->hears_nothing();
    client->reset();
    quiet();
    EXPECT_EQ(proxy->connections(), 0u);
  }
  std::string order() {
    std::string text;
    for (auto& line : recorder.order) text += line.substr(0, line.find(' ')) + " ";
    return text;
  }
  std::uint64_t n = 1;
  std::unique_ptr<Peer> client, service;
};
INSTANTIATE_TEST_SUITE_P(Connections, Faults, testing::Bool(),
                         [](auto& p) { return p.param ? "used_before" : "fresh"; });

TEST_P(Faults, error_is_answered_after_the_whole_request_and_the_service_hears_nothing) {
  plan(FaultName::error);
  client->say(kRequest.substr(0, kRequest.size() - 1));
  client->hears_nothing();
  client->say(kRequest.substr(kRequest.size() - 1));
  client->hears(kBusy);
  service->hears_nothing();
  auto& e = faulted();
  EXPECT_TRUE(e.fired);
  EXPECT_EQ(e.evidence, "503 was answered after the request with 4 bytes of body; the service heard nothing");
  EXPECT_EQ(e.client_status, 503);
  EXPECT_EQ(e.service_status, 0);
  EXPECT_NE(kBusy.find(e.injected_sample), std::string::npos);
  EXPECT_NE(e.injected_sample, "");
  EXPECT_EQ(e.ending, Ending::answered);
  EXPECT_EQ(e.request_sample, "body");
  EXPECT_EQ(order(), "head fired over ");
  // the connection goes on, on both sides
  client->say("GET /next HTTP/1.1\r\n\r\n");
  service->hears("GET /next HTTP/1.1\r\n\r\n");
  service->say(kResponse);
  client->hears(kResponse);
  EXPECT_EQ(exchange(n + 1).ending, Ending::answered);
  EXPECT_FALSE(exchange(n + 1).fired);
}
TEST_P(Faults, error_in_place_of_a_service_that_closes_ends_the_connection_too) {
  auto answer = busy();
  answer.closes = true;
  director.plan(n, {FaultName::error, Telling::reset, 503, 0}, answer);
  client->say(kRequest);
  client->hears(kBusyAndClose);
  client->hears_fin();
  service->hears_fin();
}
TEST_P(Faults, error_to_head_has_the_length_and_no_body) {
  plan(FaultName::error);
  client->say("HEAD / HTTP/1.1\r\n\r\n");
  client->hears(kBusy.substr(0, kBusy.size() - 21));
  client->hears_nothing();
}
TEST_P(Faults, error_to_a_client_that_wants_no_more_ends_the_connection) {
  plan(FaultName::error);
  client->say("GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
  client->hears(kBusyAndClose);
  client->hears_fin();
  service->hears_fin();
}
TEST_P(Faults, error_to_an_http_1_0_client_keeps_its_connection_if_it_asked) {
  plan(FaultName::error);
  client->say("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  client->hears(
      "HTTP/1.1 503 Busy\r\nx-error: retrial-f1\r\nContent-Length: 21\r\nConnection: "
      "keep-alive\r\n\r\n{\"code\":\"retrial-f1\"}");
  client->hears_nothing();
}
TEST_P(Faults, error_comes_before_the_body_to_a_client_that_asked_whether_to_send_it) {
  plan(FaultName::error);
  client->say("PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  client->hears(kBusyAndClose);
  client->hears_fin();
  service->hears_fin();
  client->say("body");  // it may come all the same, and makes no RST of the FIN
  client->hears_nothing();
  EXPECT_EQ(faulted().evidence, "503 was answered to the head, before the body was sent; the service heard nothing");
}
TEST_P(Faults, error_waits_for_a_body_that_did_not_wait) {
  plan(FaultName::error);
  client->say("PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\nbo");
  client->hears_nothing();
  client->say("dy");
  client->hears(kBusy);
}
TEST_P(Faults, error_to_a_request_whose_framing_breaks_ends_the_connection) {
  plan(FaultName::error);
  client->say("PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n");
  client->hears(kBusyAndClose);
  client->hears_fin();
  service->hears_fin();
}
TEST_P(Faults, a_pipelined_request_behind_an_error_goes_through) {
  plan(FaultName::error);
  client->say(std::string(kRequest) + "GET /next HTTP/1.1\r\n\r\n");
  client->hears(kBusy);
  service->hears("GET /next HTTP/1.1\r\n\r\n");
}

TEST_P(Faults, lost_response_is_told_by_a_reset_after_the_service_has_answered) {
  plan(FaultName::lost_response, Telling::reset);
  client->say(kRequest);
  service->hears(kRequest);
  service->say(kResponse.substr(0, kResponse.size() - 1));
  client->hears_nothing();
  service->say(kResponse.substr(kResponse.size() - 1));
  client->hears_rst();
  service->hears_fin();
  auto& e = faulted();
  EXPECT_TRUE(e.fired);
  EXPECT_EQ(e.evidence, "RST after 43 response bytes were withheld; the service had answered 200");
  EXPECT_EQ(e.service_status, 200);
  EXPECT_EQ(e.client_status, 0);
  EXPECT_EQ(e.ending, Ending::reset);
  EXPECT_EQ(e.response_sample, "hello");
  EXPECT_LE(e.service_done, e.fired_at);
  EXPECT_LE(e.fired_at, e.told);
  EXPECT_EQ(order(), "head answer fired over ");
}
TEST_P(Faults, lost_response_is_told_by_a_fin) {
  plan(FaultName::lost_response, Telling::close);
  client->say(std::string(kRequest) + "GET /behind HTTP/1.1\r\n\r\n");
  service->hears(kRequest);
  service->say(kResponse);
  client->hears_fin();
  service->hears_fin();
  client->say("GET /unread HTTP/1.1\r\n\r\n");
  client->hears_nothing();
  EXPECT_EQ(faulted().ending, Ending::closed);
  EXPECT_EQ(faulted().evidence, "FIN after 43 response bytes were withheld; the service had answered 200");
}
TEST_P(Faults, lost_response_is_told_by_silence_until_the_client_leaves) {
  plan(FaultName::lost_response, Telling::stall);
  client->say(kRequest);
  service->hears(kRequest);
  service->say(kResponse);
  client->hears_nothing();
  EXPECT_EQ(order(), "head answer fired ");
  EXPECT_EQ(proxy->open_exchanges(), 1u);
  EXPECT_EQ(proxy->held_exchanges(), 1u);
  EXPECT_NE(proxy->held_since(), 0);
  service->close();
  client->hears_nothing();
  client->close();
  auto& e = faulted();
  EXPECT_EQ(e.ending, Ending::client_left);
  EXPECT_GE(e.told, e.fired_at);
  EXPECT_EQ(proxy->open_exchanges(), 0u);
  EXPECT_EQ(proxy->held_exchanges(), 0u);
  EXPECT_EQ(proxy->held_since(), 0);
}
TEST_P(Faults, lost_response_is_told_by_an_error_in_its_place) {
  plan(FaultName::lost_response, Telling::error);
  client->say(kRequest);
  service->hears(kRequest);
  service->say(kResponse);
  client->hears(kBusy);
  auto& e = faulted();
  EXPECT_EQ(e.evidence, "503 after 43 response bytes were withheld; the service had answered 200");
  EXPECT_EQ(e.service_status, 200);
  EXPECT_EQ(e.client_status, 503);
  EXPECT_EQ(e.ending, Ending::answered);
  client->say("GET /next HTTP/1.1\r\n\r\n");
  service->hears("GET /next HTTP/1.1\r\n\r\n");
}
// Else the client's next request would go to a service that no longer listens, and wait.
TEST_P(Faults, an_error_in_place_of_the_last_response_of_a_service_connection_ends_the_clients_too) {
  plan(FaultName::lost_response, Telling::error);
  client->say(kRequest);
  service->hears(kRequest);
  service->say("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello");
  client->hears(kBusyAndClose);
  client->hears_fin();
  service->hears_fin();
  EXPECT_EQ(faulted().ending, Ending::answered);
}
TEST_P(Faults, an_error_in_place_of_a_response_that_ends_with_its_connection_ends_the_clients_too) {
  plan(FaultName::lost_response, Telling::error);
  client->say(kRequest);
  service->hears(kRequest);
  service->say("HTTP/1.1 200 OK\r\n\r\nhello");
  service->finish();
  client->hears(kBusyAndClose);
  client->hears_fin();
  EXPECT_EQ(faulted().ending, Ending::answered);
}
TEST_P(Faults, a_response_that_is_itself_an_error_is_not_lost) {
  plan(FaultName::lost_response, Telling::reset);
  client->say(kRequest);
  service->hears(kRequest);
  service->say("HTTP/1.1 409 Conflict\r\nContent-Length: 2\r\n\r\nno");
  client->hears("HTTP/1.1 409 Conflict\r\nContent-Length: 2\r\n\r\nno");
  auto& e = faulted();
  EXPECT_FALSE(e.fired);
  EXPECT_EQ(e.fault.name, FaultName::lost_response);
  EXPECT_EQ(e.evidence, "not fired: the service's own answer is an error, and passed untouched");
  EXPECT_EQ(e.ending, Ending::answered);
  EXPECT_EQ(order(), "head answer over ");
}
TEST_P(Faults, a_service_that_breaks_off_by_itself_leaves_nothing_to_lose) {
  plan(FaultName::lost_response, Telling::reset);
  client->say(kRequest);
  service->hears(kRequest);
  service->close();
  client->hears_fin();
  EXPECT_FALSE(faulted().fired);
  EXPECT_EQ(faulted().evidence, "not fired: the service broke off before it had answered");
  EXPECT_EQ(faulted().ending, Ending::closed);
}
TEST_P(Faults, a_lost_response_may_end_with_its_connection) {
  plan(FaultName::lost_response, Telling::error);
  client->say(kRequest);
  service->hears(kRequest);
  service->say("HTTP/1.1 200 OK\r\n\r\nhello");
  client->hears_nothing();
  service->close();
  client->hears(kBusyAndClose);
  client->hears_fin();
  EXPECT_EQ(faulted().response_sample, "hello");
}
TEST_P(Faults, a_lost_response_without_an_end_is_told_once_its_head_was_read) {
  plan(FaultName::lost_response, Telling::reset);
  client->say(kRequest);
  service->hears(kRequest);
  service->say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nevent\r\n");
  client->hears_rst();
  service->hears_fin();
  EXPECT_EQ(faulted().evidence,
            "RST after 57 response bytes were withheld; the service had answered 200, without an end");
  EXPECT_EQ(faulted().service_done, 0);
}
TEST_P(Faults, a_lost_response_to_head_or_of_204_ends_with_its_head) {
  plan(FaultName::lost_response, Telling::close);
  client->say("HEAD / HTTP/1.1\r\n\r\n");
  service->hears("HEAD / HTTP/1.1\r\n\r\n");
  service->say("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n");
  client->hears_fin();
}
TEST_P(Faults, the_invitation_to_send_the_body_is_no_response_that_could_be_lost) {
  plan(FaultName::lost_response, Telling::reset);
  client->say("PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  service->hears("PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  service->say(kContinue);
  client->hears(kContinue);
  client->say("body");
  service->hears("body");
  service->say(kResponse);
  client->hears_rst();
  EXPECT_TRUE(faulted().fired);
}
TEST_P(Faults, a_lost_response_is_read_to_its_end_when_the_client_has_left) {
  plan(FaultName::lost_response, Telling::reset);
  client->say(kRequest);
  service->hears(kRequest);
  service->say(kResponse.substr(0, kResponse.size() - 1));
  quiet();
  client->reset();
  service->hears_nothing();
  EXPECT_TRUE(recorder.exchanges.size() == n - 1);
  service->say(kResponse.substr(kResponse.size() - 1));
  service->hears_fin();
  auto& e = faulted();
  EXPECT_EQ(e.ending, Ending::client_left);
  EXPECT_TRUE(e.fired);
  EXPECT_NE(e.service_done, 0);
}
TEST_P(Faults, a_lost_response_is_told_to_a_client_that_has_closed_its_half) {
  for (bool left : {false, true})
    for (auto telling : {Telling::error, Telling::reset, Telling::close}) {
      recorder.exchanges.clear();
      auto line = connect();
      director.plan(n++, {FaultName::lost_response, telling, 503, 0}, busy());
      line.client->say(kRequest);
      left ? line.client->close() : line.client->finish();
      line.service->hears(kRequest);
      line.service->hears_nothing();
      line.service->say(kResponse);
      line.service->hears_fin();
      auto& e = exchange(1);
      EXPECT_TRUE(e.fired);
      EXPECT_EQ(e.ending, telling == Telling::error && !left ? Ending::answered : Ending::client_left);
      if (left) continue;
      if (telling == Telling::error) line.client->hears(kBusyAndClose);
      telling == Telling::reset ? line.client->hears_rst() : line.client->hears_fin();
    }
}
TEST_P(Faults, a_lost_response_that_came_early_leaves_no_half_request_behind) {
  plan(FaultName::lost_response, Telling::error);
  client->say(kRequest.substr(0, kRequest.size() - 2));
  service->hears(kRequest.substr(0, kRequest.size() - 2));
  service->say(kResponse);
  client->hears(kBusyAndClose);
  client->hears_fin();
  service->hears_fin();
}

TEST_P(Faults, reset_after_request_is_an_rst_once_the_whole_request_was_read) {
  plan(FaultName::reset);
  client->say(kRequest.substr(0, kRequest.size() - 1));
  client->hears_nothing();
  client->say(std::string(kRequest.substr(kRequest.size() - 1)) + "GET /behind HTTP/1.1\r\n\r\n");
  client->hears_rst();
  service->hears_fin();
  auto& e = faulted();
  EXPECT_EQ(e.ending, Ending::reset);
  EXPECT_EQ(e.service_status, 0);
  EXPECT_EQ(e.evidence, "RST after the request with 4 bytes of body was read; the service heard nothing");
  EXPECT_EQ(order(), "head fired over ");
}
TEST_P(Faults, a_service_that_spoke_unasked_is_told_a_fin_all_the_same) {
  plan(FaultName::reset);
  client->say(kRequest.substr(0, 10));
  quiet();
  client->say(kRequest.substr(10, kRequest.size() - 11));
  quiet();
  service->say("HTTP/1.1 408 Request Timeout\r\n\r\n");
  quiet();
  client->say(kRequest.substr(kRequest.size() - 1));
  client->hears_rst();
  service->hears_fin();
}
TEST_P(Faults, close_after_request_is_a_fin_also_with_input_behind_it) {
  plan(FaultName::close);
  client->say(std::string(kRequest) + "GET /behind HTTP/1.1\r\n\r\n");
  client->hears_fin();
  service->hears_fin();
  client->say("more");
  client->hears_nothing();
  EXPECT_EQ(faulted().ending, Ending::closed);
  EXPECT_EQ(faulted().evidence, "FIN after the request with 4 bytes of body was read; the service heard nothing");
  EXPECT_EQ(recorder.exchanges.size(), n);
}
TEST_P(Faults, a_body_that_waits_to_be_asked_for_is_asked_for_before_the_loss) {
  plan(FaultName::reset);
  client->say("PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  client->hears(kContinue);
  client->say("body");
  client->hears_rst();
  EXPECT_EQ(faulted().request_sample, "body");
}
TEST_P(Faults, stall_holds_until_the_client_leaves) {
  plan(FaultName::stall);
  client->say(kRequest);
  client->hears_nothing();
  service->hears_nothing();
  EXPECT_EQ(order(), "head fired ");
  EXPECT_EQ(proxy->held_exchanges(), 1u);
  service->close();  // an idle connection that the service gives up is none of the client's business now
  client->hears_nothing();
  client->reset();
  auto& e = faulted();
  EXPECT_EQ(e.ending, Ending::client_left);
  EXPECT_EQ(e.evidence, "silence after the request with 4 bytes of body was read; the service heard nothing");
  EXPECT_EQ(proxy->held_exchanges(), 0u);
}
TEST_P(Faults, stall_is_silence_to_a_client_that_closes_its_half) {
  plan(FaultName::stall);
  client->say(kRequest);
  client->hears_nothing();
  client->finish();
  is_left_in_silence();
}
TEST_P(Faults, stall_is_silence_to_a_client_that_has_closed_its_half) {
  plan(FaultName::stall);
  client->say(kRequest);
  client->finish();
  is_left_in_silence();
}
TEST_P(Faults, stall_goes_on_to_the_end_of_the_run) {
  plan(FaultName::stall);
  client->say(kRequest);
  client->hears_nothing();
  proxy.reset();
  EXPECT_EQ(faulted().ending, Ending::open);
  EXPECT_TRUE(faulted().fired);
}
TEST_P(Faults, delay_forwards_the_request_later_and_as_it_was_sent) {
  director.plan(n, {FaultName::delay, Telling::reset, 0, 300 * kMillisecond});
  client->say(kRequest);
  quiet();
  EXPECT_EQ(order(), "head fired ");
  EXPECT_EQ(proxy->held_exchanges(), 1u);
  EXPECT_EQ(proxy->held_since(), 0);
  service->hears(kRequest);
  EXPECT_EQ(proxy->held_exchanges(), 0u);
  service->say(kResponse);
  client->hears(kResponse);
  auto& e = faulted();
  EXPECT_TRUE(e.fired);
  EXPECT_EQ(e.evidence, "the request was held for 300 ms before the service heard of it");
  EXPECT_GE(e.answered - e.begun, 300 * kMillisecond);
  EXPECT_EQ(e.client_status, 200);
}
TEST_P(Faults, a_delayed_request_without_a_body_goes_through_and_the_next_one_behind_it) {
  director.plan(n, {FaultName::delay, Telling::reset, 0, kMillisecond});
  client->say("GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n");
  service->hears("GET /1 HTTP/1.1\r\n\r\n");
  service->say(kResponse);
  client->hears(kResponse);
  service->hears("GET /2 HTTP/1.1\r\n\r\n");
}
TEST_P(Faults, a_client_that_does_not_wait_for_a_delayed_request_has_left) {
  director.plan(n, {FaultName::delay, Telling::reset, 0, 3600 * kSecond});
  client->say(kRequest);
  quiet();
  client->reset();
  EXPECT_EQ(faulted().ending, Ending::client_left);
  EXPECT_TRUE(faulted().fired);
}
TEST_P(Faults, a_client_that_leaves_before_its_request_is_whole_is_spared) {
  for (auto name : {FaultName::error, FaultName::reset, FaultName::close, FaultName::stall}) {
    recorder.exchanges.clear();
    auto line = connect();
    director.plan(n++, {name, Telling::reset, 503, 0}, busy());
    line.client->say(kRequest.substr(0, kRequest.size() - 1));
    quiet();
    line.client->close();
    line.service->hears_fin();
    EXPECT_EQ(exchange(1).ending, Ending::client_left);
    EXPECT_FALSE(exchange(1).fired);
  }
}
TEST_P(Faults, a_connection_that_the_service_has_closed_takes_no_fault) {
  plan(FaultName::error);
  service->close();
  client->hears_fin();
  client->say(kRequest);
  client->hears_rst();
  EXPECT_FALSE(faulted().fired);
  EXPECT_EQ(faulted().evidence, "not fired: the service had already closed this connection");
}

}  // namespace
}  // namespace retrial::test
