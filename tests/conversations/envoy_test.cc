// An Envoy asks what to do with its requests (ext_proc), and tells what became of others (its access log).
#include <fmt/format.h>

#include "policies/fault_plan.h"
#include "proxy/codec/envoy_log.h"
#include "proxy/codec/protobuf.h"
#include "proxy/envoy/connection.h"
#include "tests/support/envoy_end.h"
#include "tests/support/h2_end.h"
#include "tests/support/serving.h"
#include "trace/fault_name.h"
#include "trace/status.h"

namespace retrial::test {
namespace {
using proxy::Processing;
using trace::Ending;

class EnvoyAsks : public Serving {
 protected:
  EnvoyAsks() { connects({}); }

  void connects(proxy::Route route) {
    auto options = std::make_shared<proxy::ListenerOptions>();
    options->mode = proxy::ListenMode::envoy;
    options->route = std::move(route);
    envoy = std::make_unique<H2End>(enter(std::move(options)), H2End::Role::client);
    envoy->greets();
    envoy->hears_greeting();
  }
  void again(proxy::Options options) {
    envoy.reset();
    proxy.reset();
    serve(std::move(options));
    connects({});
  }
  void calls(std::uint32_t id, std::string_view method = proxy::kExtProc) {
    envoy->say(
        fmt::format("HEADERS {} | :method: POST | :scheme: http | :path: {} | :authority: retrial | content-type: "
                    "application/grpc | te: trailers",
                    id, method));
  }
  void says(std::uint32_t id, std::string_view message, bool end = false) { envoy->data(id, framed(message), end); }
  // A call, and the head of a request.
  void asks(std::uint32_t id, Fields more = {}, bool end = true, std::string authority = "10.0.0.7:8080",
            bool bodies = false) {
    Fields fields{{":method", "GET"}, {":path", "/a"}, {":scheme", "http"}, {":authority", authority}};
    fields.insert(fields.end(), more.begin(), more.end());
    calls(id);
    says(id, request_headers(fields, end, bodies));
  }
  void service_answers(std::uint32_t id, std::string status = "200", Fields more = {}, bool end = true) {
    Fields fields{{":status", status}};
    fields.insert(fields.end(), more.begin(), more.end());
    says(id, response_headers(fields, end));
  }
  // What it is told next on that stream, in words.
  std::string hears(std::uint32_t id) {
    for (;;) {
      auto frame = envoy->next();
      if (frame == fmt::format("HEADERS {} | :status: 200 | content-type: application/grpc", id)) continue;
      auto data = fmt::format("DATA {} ", id);
      if (!frame.starts_with(data)) return frame;
      std::string words;
      for (auto& message : messages_in(std::string_view(frame).substr(data.size())))
        words += (words.empty() ? "" : "; ") + in_words(message);
      return words;
    }
  }
  void ends(std::uint32_t id) {
    envoy->say(fmt::format("DATA {} end", id));
    EXPECT_EQ(hears(id), fmt::format("HEADERS {} end | grpc-status: 0", id));
  }
  void plan(std::uint64_t n, std::string_view text, trace::Answer answer = {}) {
    auto parsed = policies::parse_fault_plan(text);
    ASSERT_TRUE(parsed) << parsed.error().line();
    auto fault = parsed->steps.front().fault;
    if (trace::is_status(fault) && answer.status == 0)
      answer = {
          .status = fault.status, .headers = {{"X-Marker", "retrial-f1"}, {"Content-Length", "4"}}, .body = "gone"};
    director.plan(n, fault, std::move(answer));
  }
  std::unique_ptr<H2End> envoy;
};

TEST_F(EnvoyAsks, what_no_rule_is_for_goes_on_and_is_recorded) {
  asks(1, {{"x-envoy-attempt-count", "2"}, {"x-request-id", "abc"}, {"authorization", "Bearer secret"}});
  EXPECT_EQ(hears(1), "1 goes on");
  service_answers(1, "201", {{"etag", "x"}});
  EXPECT_EQ(hears(1), "2 goes on");
  ends(1);
  auto& e = exchange();
  EXPECT_EQ(e.service, "10.0.0.7:8080");
  EXPECT_EQ(e.method, "GET");
  EXPECT_EQ(e.target, "/a");
  EXPECT_EQ(e.service_status, 201);
  EXPECT_EQ(e.client_status, 201);
  EXPECT_EQ(e.ending, Ending::answered);
  EXPECT_EQ(trace::find(e.request_headers, "x-envoy-attempt-count"), "2");
  EXPECT_EQ(e.request_lines.find("secret"), std::string::npos);
  EXPECT_NE(e.request_lines.find("Host: 10.0.0.7:8080\r\n"), std::string::npos);
  EXPECT_EQ(trace::find(e.response_headers, "etag"), "x");
  EXPECT_EQ(recorder.order, (std::vector<std::string>{"head 1", "answer 1", "over 1"}));
  EXPECT_EQ(director.ended, std::vector<std::uint64_t>{1});
}
TEST_F(EnvoyAsks, what_an_agent_says_is_read_and_does_not_reach_the_service) {
  asks(1, {{"x-retrial-test", "tests/a.py::pays"}, {"x-retrial-opt-in", "1"}});
  EXPECT_EQ(hears(1), "1 drops x-retrial-test");
  EXPECT_EQ(director.heads.at(0).tag.test, "tests/a.py::pays");
}
TEST_F(EnvoyAsks, an_error_is_answered_at_once_and_the_service_hears_nothing) {
  plan(1, "error(503)");
  asks(1);
  EXPECT_EQ(hears(1), "answers 503 gone | x-marker: retrial-f1");
  ends(1);
  auto& e = exchange();
  EXPECT_TRUE(e.fired);
  EXPECT_EQ(e.client_status, 503);
  EXPECT_EQ(e.service_status, 0);
  EXPECT_EQ(e.ending, Ending::answered);
  EXPECT_EQ(e.evidence, "503 was answered after the request with 0 bytes of body; the service heard nothing");
  EXPECT_EQ(recorder.order, (std::vector<std::string>{"head 1", "fired 1", "over 1"}));
  plan(2, "error(503)");
  asks(3, {}, false);
  EXPECT_EQ(hears(3), "answers 503 gone | x-marker: retrial-f1");
  EXPECT_EQ(exchange(2).evidence, "503 was answered to the head, before the body was sent; the service heard nothing");
}
TEST_F(EnvoyAsks, a_lost_response_is_an_error_in_place_of_what_the_service_has_answered) {
  plan(1, "lost-response(error(503))");
  asks(1);
  EXPECT_EQ(hears(1), "1 goes on");
  service_answers(1, "200", {{"content-type", "text/plain"}}, false);
  EXPECT_EQ(hears(1), "answers 503 gone | x-marker: retrial-f1");
  ends(1);
  auto& e = exchange();
  EXPECT_TRUE(e.fired);
  EXPECT_TRUE(trace::executed(e));
  EXPECT_EQ(e.service_status, 200);
  EXPECT_EQ(e.client_status, 503);
  EXPECT_EQ(e.evidence, "503 after 28 response bytes were withheld; the service had answered 200");
}
TEST_F(EnvoyAsks, an_error_of_the_services_own_is_never_lost) {
  plan(1, "lost-response(error(503))");
  asks(1);
  EXPECT_EQ(hears(1), "1 goes on");
  service_answers(1, "500");
  EXPECT_EQ(hears(1), "2 goes on");
  EXPECT_FALSE(exchange().fired);
  EXPECT_EQ(exchange().evidence, "not fired: the service's own answer is an error, and passed untouched");
}
TEST_F(EnvoyAsks, a_delay_asks_the_Envoy_to_be_patient_and_then_lets_go) {
  plan(1, "delay(20ms)");
  asks(1);
  EXPECT_EQ(hears(1), "waits 1020 ms");
  EXPECT_EQ(hears(1), "1 goes on");
  service_answers(1);
  EXPECT_EQ(hears(1), "2 goes on");
  EXPECT_TRUE(exchange().fired);
  EXPECT_EQ(exchange().evidence, "the request was held for 20 ms before the service heard of it");
}
TEST_F(EnvoyAsks, the_head_of_a_response_is_changed) {
  plan(1, "drop-header(ETag)");
  plan(2, "set-header(ETag, y)");
  plan(3, "double-header(ETag)");
  plan(4, "drop-header(ETag)");
  std::uint32_t id = 1;
  for (auto said : {"2 drops etag", "2 set etag: y", "2 adds etag: x"}) {
    asks(id);
    EXPECT_EQ(hears(id), "1 goes on");
    service_answers(id, "200", {{"etag", "x"}});
    EXPECT_EQ(hears(id), said);
    EXPECT_TRUE(recorder.exchanges.back().fired);
    id += 2;
  }
  asks(id);
  EXPECT_EQ(hears(id), "1 goes on");
  service_answers(id, "200");
  EXPECT_EQ(hears(id), "2 goes on");
  EXPECT_EQ(exchange(4).evidence, "not fired: the response has no such header");
}
TEST_F(EnvoyAsks, what_an_Envoy_cannot_do_passes_and_says_why) {
  std::vector<std::string> said;
  again({.say = [&](auto& line) { said.push_back(line); }});
  plan(1, "lost-response(reset)");
  plan(2, "reset(in-body)");
  plan(3, "truncate");
  for (std::uint32_t id : {1, 3, 5}) {
    asks(id);
    EXPECT_EQ(hears(id), "1 goes on");
    service_answers(id);
    EXPECT_EQ(hears(id), "2 goes on");
  }
  EXPECT_EQ(exchange(1).evidence,
            "not fired: an Envoy tells of a lost response by a status alone: lost-response(error(503))");
  EXPECT_EQ(exchange(2).evidence, "not fired: an Envoy that asks what to do breaks no connection and no stream");
  EXPECT_EQ(exchange(3).evidence, "not fired: an Envoy passes on the body that the service has sent, as it is");
  ASSERT_EQ(said.size(), 3u);
  EXPECT_EQ(said[0],
            "10.0.0.7:8080: lost-response(reset) was not fired: an Envoy tells of a lost response by a status alone: "
            "lost-response(error(503))");
}
TEST_F(EnvoyAsks, a_service_that_is_neither_loopback_nor_private_is_left_alone_unless_it_is_allowed) {
  plan(1, "error(503)");
  asks(1, {}, true, "192.0.2.7:80");
  EXPECT_EQ(hears(1), "1 goes on");
  service_answers(1);
  EXPECT_EQ(hears(1), "2 goes on");
  EXPECT_EQ(exchange().evidence, "not fired: 192.0.2.7 is neither loopback nor private, and not allowed");
  connects({.host = "pay.example", .port = 443, .allow = true});
  plan(2, "error(503)");
  asks(1, {}, true, "whatever.example");
  EXPECT_EQ(hears(1), "answers 503 gone | x-marker: retrial-f1");
  EXPECT_EQ(exchange(2).service, "pay.example:443") << "the listener's, whatever the request names";
}
TEST_F(EnvoyAsks, a_service_that_is_named_is_looked_up_before_a_fault_reaches_it) {
  plan(1, "error(503)");
  asks(1, {}, true, "localhost:8080");
  EXPECT_EQ(hears(1), "answers 503 gone | x-marker: retrial-f1");
  EXPECT_EQ(exchange().service, "localhost:8080");
  plan(2, "error(503)");
  asks(3, {}, true, "10.0.0.7:http");
  EXPECT_EQ(hears(3), "1 goes on");
  service_answers(3);
  EXPECT_EQ(hears(3), "2 goes on");
  EXPECT_EQ(exchange(2).evidence, "not fired: the request names no service");
}
TEST_F(EnvoyAsks, a_request_names_its_service_by_its_authority_and_the_schemes_port) {
  for (std::uint32_t id : {1, 3}) {
    asks(id, {}, true, id == 1 ? "127.0.0.1" : "[::1]:9");
    EXPECT_EQ(hears(id), "1 goes on");
    service_answers(id);
    EXPECT_EQ(hears(id), "2 goes on");
  }
  EXPECT_EQ(exchange(1).service, "127.0.0.1:80");
  EXPECT_EQ(exchange(2).service, "[::1]:9");
}
TEST_F(EnvoyAsks, an_answer_of_the_Envoys_own_is_not_the_services) {
  plan(1, "lost-response(error(503))");
  asks(1);
  EXPECT_EQ(hears(1), "1 goes on");
  says(1, response_headers({{":status", "503"}}, true, "upstream_reset_before_response_started{connection_failure}"));
  EXPECT_EQ(hears(1), "2 goes on");
  auto& e = exchange();
  EXPECT_EQ(e.service_status, 0);
  EXPECT_EQ(e.client_status, 503);
  EXPECT_EQ(e.evidence,
            "not fired: the service gave no answer: upstream_reset_before_response_started{connection_failure}");
  EXPECT_EQ(recorder.order, (std::vector<std::string>{"head 1", "over 1"}));
}
TEST_F(EnvoyAsks, a_client_that_leaves_before_the_answer_is_seen_by_the_streams_end) {
  asks(1);
  EXPECT_EQ(hears(1), "1 goes on");
  envoy->say("RST_STREAM 1 CANCEL");
  asks(3);
  EXPECT_EQ(hears(3), "1 goes on");
  ends(3);
  EXPECT_EQ(exchange(1).ending, Ending::client_left);
  EXPECT_EQ(exchange(2).ending, Ending::client_left);
  EXPECT_EQ(exchange(2).client_status, 0);
}
TEST_F(EnvoyAsks, an_Envoy_that_does_not_wait_for_a_delay_is_told_of) {
  std::vector<std::string> said;
  again({.say = [&](auto& line) { said.push_back(line); }});
  plan(1, "delay(1h)");
  asks(1);
  EXPECT_EQ(hears(1), "waits 3601000 ms");
  envoy->say("RST_STREAM 1 CANCEL");
  run_until([&] { return !recorder.exchanges.empty(); });
  EXPECT_EQ(said,
            std::vector<std::string>{"10.0.0.7:8080: delay(3600000ms): its Envoy did not wait for the delay to end: "
                                     "max_message_timeout is shorter, or the client has left"});
}
TEST_F(EnvoyAsks, bodies_that_it_tells_of_are_counted_sampled_and_go_on) {
  asks(1, {}, false, "10.0.0.7:8080", true);
  EXPECT_EQ(hears(1), "1 goes on");
  says(1, body_of(Processing::Part::request_body, "question", true));
  EXPECT_EQ(hears(1), "3 goes on");
  service_answers(1, "200", {{"content-type", "text/plain"}}, false);
  EXPECT_EQ(hears(1), "2 goes on");
  says(1, body_of(Processing::Part::response_body, "ans", false));
  EXPECT_EQ(hears(1), "4 goes on");
  EXPECT_TRUE(recorder.exchanges.empty()) << "more is to come";
  says(1, body_of(Processing::Part::response_body, "wer", true));
  EXPECT_EQ(hears(1), "4 goes on");
  EXPECT_EQ(exchange().request_bytes, 8u);
  EXPECT_EQ(exchange().request_sample, "question");
  EXPECT_EQ(exchange().response_bytes, 6u);
  EXPECT_EQ(exchange().response_sample, "answer");
}
TEST_F(EnvoyAsks, a_gRPC_call_has_the_status_of_its_trailers_and_is_answered_with_one) {
  Fields rpc{{":method", "POST"},
             {":path", "/shop.Orders/Place"},
             {":scheme", "http"},
             {":authority", "10.0.0.7:50051"},
             {"content-type", "application/grpc"}};
  calls(1);
  says(1, request_headers(rpc, false));
  EXPECT_EQ(hears(1), "1 goes on");
  service_answers(1, "200", {{"content-type", "application/grpc"}}, false);
  EXPECT_EQ(hears(1), "2 goes on");
  EXPECT_TRUE(recorder.exchanges.empty());
  says(1, response_trailers({{"grpc-status", "8"}, {"grpc-message", "too%20many"}}));
  EXPECT_EQ(hears(1), "6 goes on");
  EXPECT_EQ(exchange().service_status, trace::kGrpcStatus + trace::grpc_code::resource_exhausted);
  EXPECT_EQ(exchange().client_status, exchange().service_status);
  EXPECT_EQ(exchange().grpc.message, "too many");

  plan(2, "grpc-status(UNAVAILABLE, pushback=200ms)",
       {.status = trace::kGrpcStatus + 14,
        .headers = {{"content-type", "application/grpc"},
                    {"grpc-status", "14"},
                    {"grpc-message", "try%20later"},
                    {"grpc-retry-pushback-ms", "200"}}});
  calls(3);
  says(3, request_headers(rpc, false));
  EXPECT_EQ(hears(3), "answers gRPC 14 try later | grpc-retry-pushback-ms: 200");
  EXPECT_EQ(exchange(2).client_status, trace::kGrpcStatus + trace::grpc_code::unavailable);
  EXPECT_EQ(exchange(2).grpc.pushback, 200);

  calls(5);
  says(5, request_headers(rpc, false));
  EXPECT_EQ(hears(5), "1 goes on");
  service_answers(5, "200", {{"content-type", "application/grpc"}}, false);
  EXPECT_EQ(hears(5), "2 goes on");
  ends(5);
  EXPECT_EQ(exchange(3).service_status, 200);
  EXPECT_EQ(exchange(3).evidence, "how the call ended was not told: response_trailer_mode is not SEND");
}
TEST_F(EnvoyAsks, in_observability_mode_nothing_is_answered_and_nothing_is_done) {
  plan(1, "error(503)");
  std::string head = request_headers({{":method", "GET"}, {":path", "/a"}, {":authority", "10.0.0.7:8080"}});
  proxy::proto_put(head, 10, 1);
  calls(1);
  says(1, head);
  auto answer = response_headers({{":status", "200"}});
  proxy::proto_put(answer, 10, 1);
  says(1, answer);
  envoy->say("DATA 1 end");
  EXPECT_EQ(hears(1), "HEADERS 1 end | :status: 200 | content-type: application/grpc | grpc-status: 0")
      << "and no message";
  EXPECT_EQ(exchange().client_status, 200);
  EXPECT_EQ(exchange().evidence, "not fired: the Envoy is in observability_mode, and listens to no answer");
}

TEST_F(EnvoyAsks, what_cannot_be_read_ends_its_call_alone) {
  std::vector<std::string> said;
  again({.say = [&](auto& line) { said.push_back(line); }});
  asks(1);
  EXPECT_EQ(hears(1), "1 goes on");
  struct Wrong {
    std::string message, heard;
  };
  std::string duplex = request_headers({{":method", "GET"}, {":path", "/"}}), modes;
  proxy::proto_put(modes, 1, 4);
  proxy::proto_put(duplex, 11, modes);
  std::uint32_t id = 3;
  for (auto& [message, heard] :
       {Wrong{"\x12\x7f", "grpc-status: 3 | grpc-message: it is no ProcessingRequest"},
        Wrong{"", "grpc-status: 3 | grpc-message: it holds neither headers, a body nor trailers"},
        Wrong{response_headers({{":status", "200"}}),
              "grpc-status: 3 | grpc-message: there is a response before its request went on"},
        Wrong{request_headers({{"a", "b"}}),
              "grpc-status: 3 | grpc-message: request headers without :method or :path: expected "
              "request_header_mode SEND"},
        Wrong{duplex,
              "grpc-status: 12 | grpc-message: its bodies are in FULL_DUPLEX_STREAMED or GRPC mode: expected "
              "NONE, or STREAMED"}}) {
    calls(id);
    says(id, message);
    EXPECT_EQ(hears(id), fmt::format("HEADERS {} end | :status: 200 | content-type: application/grpc | {}", id, heard));
    EXPECT_EQ(hears(id), fmt::format("RST_STREAM {} NO_ERROR", id));
    id += 2;
  }
  EXPECT_EQ(said.size(), 5u);
  service_answers(1);
  EXPECT_EQ(hears(1), "2 goes on") << "another call goes on";
  EXPECT_EQ(proxy->counts().refused, 5u);
  EXPECT_EQ(recorder.exchanges.size(), 1u);
}
TEST_F(EnvoyAsks, a_second_request_a_message_too_large_and_one_that_is_compressed_end_their_calls) {
  asks(1);
  EXPECT_EQ(hears(1), "1 goes on");
  says(1, request_headers({{":method", "GET"}, {":path", "/"}}));
  EXPECT_EQ(hears(1), "HEADERS 1 end | grpc-status: 3 | grpc-message: there are request headers twice");
  EXPECT_EQ(hears(1), "RST_STREAM 1 NO_ERROR");
  EXPECT_EQ(exchange().ending, Ending::closed);
  calls(3);
  envoy->data(3, std::string("\0\0\x40\0\1", 5));
  EXPECT_EQ(hears(3),
            "HEADERS 3 end | :status: 200 | content-type: application/grpc | grpc-status: 8 | grpc-message: a "
            "message beyond 4 MiB");
  EXPECT_EQ(hears(3), "RST_STREAM 3 NO_ERROR");
  calls(5);
  envoy->data(5, std::string("\1\0\0\0\1x", 6));
  EXPECT_EQ(hears(5),
            "HEADERS 5 end | :status: 200 | content-type: application/grpc | grpc-status: 12 | grpc-message: a "
            "message that is compressed, which nobody has asked for");
}
TEST_F(EnvoyAsks, another_method_is_unimplemented_what_is_no_gRPC_is_415_and_HTTP1_is_closed) {
  calls(1, "/envoy.service.ext_proc.v3.ExternalProcessor/Proces");
  auto heard = hears(1);
  EXPECT_TRUE(heard.starts_with("HEADERS 1 end | :status: 200 | content-type: application/grpc | grpc-status: 12 | "))
      << heard;
  EXPECT_EQ(hears(1), "RST_STREAM 1 NO_ERROR");
  envoy->say("HEADERS 3 end | :method: GET | :scheme: http | :path: / | :authority: retrial");
  EXPECT_EQ(hears(3), "HEADERS 3 end | :status: 415");
  auto options = std::make_shared<proxy::ListenerOptions>();
  options->mode = proxy::ListenMode::envoy;
  auto curl = enter(std::move(options));
  curl->say("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  run_until([&] { return curl->has_ended(); });
  EXPECT_EQ(curl->how_it_ended(), "FIN");
}
TEST_F(EnvoyAsks, messages_are_the_same_cut_at_every_byte) {
  auto bytes = framed(request_headers({{":method", "GET"}, {":path", "/a"}, {":authority", "10.0.0.7:8080"}}));
  std::uint32_t id = 1;
  for (std::size_t at = 1; at < bytes.size(); at++, id += 2) {
    calls(id);
    envoy->data(id, std::string_view(bytes).substr(0, at));
    envoy->data(id, std::string_view(bytes).substr(at));
    EXPECT_EQ(hears(id), "1 goes on") << at;
    service_answers(id);
    EXPECT_EQ(hears(id), "2 goes on") << at;
    ends(id);
  }
  EXPECT_EQ(recorder.exchanges.size(), bytes.size() - 1);
}
TEST_F(EnvoyAsks, many_calls_at_once_are_each_their_own_and_their_room_is_used_again) {
  constexpr std::uint32_t kCalls = 200;
  for (int round = 0; round < 2; round++) {
    auto first = static_cast<std::uint32_t>(round) * 2 * kCalls + 1;
    for (std::uint32_t n = 0; n < kCalls; n++) asks(first + 2 * n);
    for (std::uint32_t n = 0; n < kCalls; n++) EXPECT_EQ(hears(first + 2 * n), "1 goes on");
    EXPECT_EQ(proxy->open_exchanges(), kCalls);
    for (std::uint32_t n = kCalls; n-- > 0;) {
      service_answers(first + 2 * n);
      EXPECT_EQ(hears(first + 2 * n), "2 goes on");
      ends(first + 2 * n);
    }
  }
  EXPECT_EQ(recorder.exchanges.size(), 2u * kCalls);
  EXPECT_EQ(proxy->open_exchanges(), 0u);
}
TEST_F(EnvoyAsks, calls_may_be_reset_once_they_are_answered_as_often_as_an_Envoy_likes) {
  std::uint32_t id = 1;
  for (int n = 0; n < 1'500; n++, id += 2) {
    asks(id);
    EXPECT_EQ(hears(id), "1 goes on");
    envoy->say(fmt::format("RST_STREAM {} CANCEL", id));
  }
  EXPECT_EQ(proxy->connections(), 1u);
  for (int n = 0; n < 1'001; n++, id += 2) {
    calls(id);
    envoy->say(fmt::format("RST_STREAM {} CANCEL", id));
  }
  auto heard = envoy->next();
  EXPECT_TRUE(heard.starts_with("GOAWAY") && heard.find("ENHANCE_YOUR_CALM") != heard.npos) << heard;
}
TEST_F(EnvoyAsks, an_Envoy_that_does_not_read_what_it_is_told_does_not_make_us_hold_more_and_more) {
  envoy->gives_back(false);
  envoy->say("SETTINGS 4=0");
  asks(1);
  for (int i = 0; i < 40'000 && recorder.exchanges.empty(); i++) {
    says(1, body_of(Processing::Part::request_body, "", false));
    if (i % 100 == 0) quiet();
  }
  quiet();
  ASSERT_EQ(recorder.exchanges.size(), 1u);
  EXPECT_EQ(exchange().ending, Ending::client_left);
  EXPECT_LE(proxy->waiting(), proxy::EnvoyConnection::kMostUnheard);
}

TEST_F(EnvoyAsks, while_it_drains_a_call_that_is_on_its_way_is_still_served) {
  again({.drain_grace = 2 * kSecond});
  asks(1);
  EXPECT_EQ(hears(1), "1 goes on");
  proxy->drain();
  EXPECT_EQ(envoy->next(), "GOAWAY 2147483647 NO_ERROR");
  asks(3);
  EXPECT_EQ(hears(3), "1 goes on");
  advance(2 * kSecond);
  EXPECT_EQ(envoy->next(), "GOAWAY 3 NO_ERROR");
  service_answers(3);
  EXPECT_EQ(hears(3), "2 goes on");
  ends(3);
  service_answers(1);
  EXPECT_EQ(hears(1), "2 goes on");
  ends(1);
  envoy->hears_fin();
  envoy.reset();
  run_until([&] { return proxy->connections() == 0; });
}
TEST_F(EnvoyAsks, what_is_held_goes_on_where_the_connection_is_ended_by_us) {
  plan(1, "delay(1h)");
  asks(1);
  EXPECT_EQ(hears(1), "waits 3601000 ms");
  proxy->cut();
  EXPECT_EQ(hears(1), "1 goes on");
  EXPECT_EQ(envoy->next(), "GOAWAY 1 NO_ERROR the proxy goes away");
}

TEST_F(EnvoyAsks, entries_of_an_access_log_are_exchanges_but_for_those_that_ext_proc_told_of) {
  time.advance(100 * kSecond);
  auto wall = time.wall();
  calls(1, proxy::kAccessLog);
  says(1, log_of({{.method = 3,
                   .path = "/pay?token=secret",
                   .id = "abc",
                   .request = {{"x-envoy-attempt-count", "2"}},
                   .response = {{"etag", "x"}},
                   .began = wall - 5 * kSecond,
                   .answered = kSecond,
                   .told = 2 * kSecond},
                  {.path = "/seen", .seen = true},
                  {.path = "/own", .status = 503, .details = "no_healthy_upstream"},
                  {.path = "/left", .status = 0, .details = "", .client_left = true}}));
  envoy->say("DATA 1 end");
  EXPECT_EQ(hears(1), "") << "StreamAccessLogsResponse has no fields";
  EXPECT_EQ(hears(1), "HEADERS 1 end | grpc-status: 0");
  ASSERT_EQ(recorder.exchanges.size(), 3u);
  auto& e = exchange();
  EXPECT_EQ(e.method, "POST");
  EXPECT_EQ(e.service, "10.0.0.7:8080");
  EXPECT_EQ(e.target.find("secret"), std::string::npos);
  EXPECT_NE(e.request_lines.find("x-envoy-attempt-count: 2\r\n"), std::string::npos);
  EXPECT_NE(e.request_lines.find("x-request-id: abc\r\n"), std::string::npos);
  EXPECT_EQ(e.begun, time.now() - 5 * kSecond);
  EXPECT_EQ(e.answered, time.now() - 4 * kSecond);
  EXPECT_EQ(e.told, time.now() - 3 * kSecond);
  EXPECT_EQ(e.service_status, 200);
  EXPECT_EQ(e.client_status, 200);
  EXPECT_EQ(exchange(2).service_status, 0);
  EXPECT_EQ(exchange(2).client_status, 503);
  EXPECT_EQ(exchange(2).evidence, "the Envoy answered itself: no_healthy_upstream");
  EXPECT_EQ(exchange(3).ending, Ending::client_left);
  EXPECT_TRUE(director.heads.empty()) << "nothing can be done to what is over";
}
TEST_F(EnvoyAsks, an_entry_that_cannot_be_read_is_left_out_and_said) {
  std::vector<std::string> said;
  again({.field_limit = 8, .say = [&](auto& line) { said.push_back(line); }});
  calls(1, proxy::kAccessLog);
  Fields many;
  for (int n = 0; n < 9; n++) many.emplace_back(fmt::format("x-{}", n), "a");
  says(1, log_of({{.request = many}, {.path = "/good"}}));
  quiet();
  ASSERT_EQ(recorder.exchanges.size(), 1u);
  EXPECT_EQ(exchange().target, "/good");
  EXPECT_EQ(said, std::vector<std::string>{"1 entry of an Envoy's access log could not be read, and is left out"});
  says(1, "\x12\x7f");
  EXPECT_EQ(hears(1),
            "HEADERS 1 end | :status: 200 | content-type: application/grpc | grpc-status: 3 | grpc-message: it is no "
            "StreamAccessLogsMessage");
}

}  // namespace
}  // namespace retrial::test
