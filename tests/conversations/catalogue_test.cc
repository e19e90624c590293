// The catalogue of faults on the wire, byte by byte: what the service hears, and what the client.
#include "policies/fault_plan.h"
#include "proxy/faults/connection.h"
#include "tests/support/conversation.h"
#include "trace/fault_name.h"

namespace retrial::test {
namespace {
using trace::Ending;
using trace::FaultName;

constexpr std::string_view kGet = "GET /x?a=b HTTP/1.1\r\nHost: h\r\n\r\n";
constexpr std::string_view kPost = "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody";
constexpr std::string_view kPostHead = "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\n";
constexpr std::string_view kHead = "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 10\r\n\r\n";
constexpr std::string_view kBody = "0123456789";
constexpr std::string_view kChunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
constexpr std::string_view kChunks = "4\r\n0123\r\n6\r\n456789\r\n0\r\n\r\n";
const std::string kResponse = std::string(kHead).append(kBody);
const std::string kChunked = std::string(kChunkedHead).append(kChunks);

// Each test is run on a fresh connection (false) and on one whose first exchange went through (true).
class Catalogue : public Conversation, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    auto both = connect();
    client = std::move(both.client);
    service = std::move(both.service);
    if (GetParam()) use();
  }
  void use(std::string_view response = kResponse) {
    client->say(kGet);
    service->hears(kGet);
    service->say(response);
    client->hears(response);
    n++;
  }
  // As a user writes it.
  void plan(std::string_view text) {
    auto parsed = policies::parse_fault_plan(text);
    ASSERT_TRUE(parsed) << parsed.error().line();
    director.plan(n, parsed->steps[0].fault);
  }
  void asks(std::string_view request = kGet) {
    client->say(request);
    service->hears(request);
  }
  const trace::Exchange& faulted() {
    auto& e = exchange(n);
    EXPECT_EQ(e.id, n);
    return e;
  }
  void fired(std::string_view evidence, Ending ending, int client_status, int service_status = 200) {
    auto& e = faulted();
    EXPECT_TRUE(e.fired);
    EXPECT_EQ(e.evidence, evidence);
    EXPECT_EQ(e.ending, ending);
    EXPECT_EQ(e.client_status, client_status);
    EXPECT_EQ(e.service_status, service_status);
    EXPECT_LE(e.fired_at, e.told);
  }
  void spared(std::string_view why) {
    auto& e = faulted();
    EXPECT_FALSE(e.fired);
    EXPECT_EQ(e.evidence, "not fired: " + std::string(why));
    EXPECT_EQ(e.ending, Ending::answered);
  }
  // The connection goes on as if nothing had been, on both sides.
  void goes_on() {
    asks("GET /next HTTP/1.1\r\n\r\n");
    service->say(kResponse);
    client->hears(kResponse);
    client->hears_nothing();
    EXPECT_FALSE(exchange(n + 1).fired);
  }
  void held() {
    client->hears_nothing();
    EXPECT_EQ(proxy->held_exchanges(), 1u);
    EXPECT_NE(proxy->held_since(), 0);
    client->close();
    quiet();
    EXPECT_EQ(proxy->held_exchanges(), 0u);
  }
  std::uint64_t n = 1;
  std::unique_ptr<Peer> client, service;
};
INSTANTIATE_TEST_SUITE_P(Connections, Catalogue, testing::Bool(),
                         [](auto& p) { return p.param ? "used_before" : "fresh"; });

TEST_P(Catalogue, before_the_request_is_read_the_service_hears_nothing_and_the_client_an_rst) {
  plan("reset(before-request)");
  client->say(kPostHead);
  client->hears_rst();
  service->hears_fin();
  fired("RST after the request's head was read; the service heard nothing", Ending::reset, 0, 0);
}
TEST_P(Catalogue, before_the_request_is_read_the_client_hears_a_fin) {
  plan("close(before-request)");
  client->say(kPostHead);
  client->hears_fin();
  service->hears_fin();
  client->say("body");
  client->hears_nothing();
  fired("FIN after the request's head was read; the service heard nothing", Ending::closed, 0, 0);
}
TEST_P(Catalogue, before_the_request_is_read_the_client_hears_nothing) {
  plan("stall(before-request)");
  client->say(kPost);
  service->hears_nothing();
  held();
  service->hears_fin();
  fired("silence after the request's head was read; the service heard nothing", Ending::client_left, 0, 0);
}

TEST_P(Catalogue, after_the_head_the_service_has_heard_it_alone) {
  plan("reset(after-head)");
  client->say(kPost);
  service->hears(kPostHead);
  service->hears_fin();
  client->hears_rst();
  fired("RST after the service had heard the request's head alone", Ending::reset, 0, 0);
}
TEST_P(Catalogue, after_the_head_of_a_request_without_a_body_its_last_line_is_missing) {
  plan("close(after-head)");
  client->say(kGet);
  service->hears(kGet.substr(0, kGet.size() - 2));
  service->hears_fin();
  client->hears_fin();
  fired("FIN after the service had heard the request's head alone", Ending::closed, 0, 0);
}
TEST_P(Catalogue, after_the_head_there_may_be_silence) {
  plan("stall(after-head)");
  client->say(kPost);
  service->hears(kPostHead);
  service->hears_nothing();
  held();
  service->hears_fin();
  fired("silence after the service had heard the request's head alone", Ending::client_left, 0, 0);
}

TEST_P(Catalogue, after_the_responses_head_comes_an_rst) {
  plan("reset(after-response-head)");
  asks();
  service->say(kResponse);
  client->hears(kHead);
  client->hears_rst();
  service->hears_fin();
  fired("RST after the response's head", Ending::reset, 200);
}
TEST_P(Catalogue, after_the_responses_head_comes_a_fin) {
  plan("close(after-response-head)");
  asks(kPost);
  service->say(kHead);
  client->hears(kHead);
  client->hears_fin();
  service->hears_fin();
  fired("FIN after the response's head", Ending::closed, 200);
}
TEST_P(Catalogue, after_the_responses_head_comes_silence) {
  plan("stall(after-response-head)");
  asks();
  service->say(kResponse);
  client->hears(kHead);
  held();
  fired("silence after the response's head", Ending::client_left, 200);
}
TEST_P(Catalogue, a_response_without_a_body_lacks_its_last_line) {
  plan("close(after-response-head)");
  asks();
  service->say("HTTP/1.1 204 No Content\r\n\r\n");
  client->hears("HTTP/1.1 204 No Content\r\n");
  client->hears_fin();
  fired("FIN after the response's head but for its last line", Ending::closed, 0, 204);
}
TEST_P(Catalogue, in_the_body_an_rst_comes_to_a_client_that_has_closed_its_half) {
  plan("reset(in-body)");
  asks();
  client->finish();
  service->hears_fin();
  service->say(kResponse);
  client->hears(std::string(kHead) + "01234");
  client->hears_rst();
  EXPECT_EQ(faulted().ending, Ending::reset);
}
TEST_P(Catalogue, in_the_body_an_rst_comes_to_a_client_that_has_left) {
  plan("reset(in-body)");
  asks();
  client->close();
  service->say(kResponse);
  service->hears_fin();
  EXPECT_EQ(faulted().ending, Ending::client_left);
}
TEST_P(Catalogue, in_the_body_an_rst_comes_after_half_of_it) {
  plan("reset(in-body)");
  asks();
  service->say(kResponse.substr(0, kHead.size() + 3));
  client->hears(kResponse.substr(0, kHead.size() + 3));
  client->hears_nothing();
  service->say(kResponse.substr(kHead.size() + 3));
  client->hears("34");
  client->hears_rst();
  service->hears_fin();
  fired("RST after 5 of 10 bytes of the response's body", Ending::reset, 200);
}
TEST_P(Catalogue, in_a_chunked_body_a_fin_comes_after_as_many_bytes_as_were_asked_for) {
  plan("close(in-body, 7)");
  asks();
  service->say(kChunked);
  client->hears(std::string(kChunkedHead) + "4\r\n0123\r\n3\r\n456\r\n");
  client->hears_fin();
  fired("FIN after 7 bytes of the response's body", Ending::closed, 200);
}
TEST_P(Catalogue, in_the_body_comes_silence) {
  plan("stall(in-body)");
  asks();
  service->say(kResponse);
  client->hears(kResponse.substr(0, kHead.size() + 5));
  held();
  fired("silence after 5 of 10 bytes of the response's body", Ending::client_left, 200);
}
TEST_P(Catalogue, a_body_that_is_too_short_for_its_cut_passes) {
  plan("reset(in-body, 10)");
  asks();
  service->say(kResponse);
  client->hears(kResponse);
  spared("the response's body is no longer than what was to be passed");
  goes_on();
}
TEST_P(Catalogue, a_service_that_breaks_off_before_the_cut_spares_it) {
  plan("reset(in-body)");
  asks();
  service->say(kResponse.substr(0, kHead.size() + 2));
  client->hears(kResponse.substr(0, kHead.size() + 2));
  service->close();
  client->hears_fin();
  EXPECT_FALSE(faulted().fired);
  EXPECT_EQ(faulted().evidence, "not fired: the service broke off before it had answered");
}

TEST_P(Catalogue, a_connection_that_was_kept_idle_is_stale) {
  plan("reset(idle)");
  if (GetParam()) {
    client->say(kPost);
    client->hears_rst();
    service->hears_fin();
    return fired("RST to a request on a connection that was used before; the service heard nothing", Ending::reset, 0,
                 0);
  }
  asks();
  service->say(kResponse);
  client->hears(kResponse);
  spared("this connection is fresh, and no idle one");
}
TEST_P(Catalogue, a_stale_connection_may_end_with_a_fin_or_never_answer) {
  if (!GetParam()) use();
  plan("close(idle)");
  client->say(kPost);
  client->hears_fin();
  service->hears_fin();
  fired("FIN to a request on a connection that was used before; the service heard nothing", Ending::closed, 0, 0);
}
TEST_P(Catalogue, a_stale_connection_may_be_silent) {
  if (!GetParam()) use();
  plan("stall(idle)");
  client->say(kPost);
  service->hears_nothing();
  held();
}

TEST_P(Catalogue, a_bandwidth_gives_no_more_than_its_burst_at_once) {
  plan("bandwidth(100000, 20)");
  client->say(kPost);
  service->hears(kPost);
  service->say(kResponse);
  client->hears(kResponse);
  fired("100000 bytes a second each way, 20 at once", Ending::answered, 200);
  auto& e = faulted();
  // All but the burst has to wait for its tokens, request and response.
  auto bytes = static_cast<Nanos>(kPost.size() + kResponse.size()) - 2 * 20;
  EXPECT_GE(e.told - e.begun, bytes * kSecond / 100000);
  goes_on();
}
TEST_P(Catalogue, a_drip_gives_the_response_a_few_bytes_at_a_time) {
  plan("drip(16, 1ms)");
  asks();
  service->say(kResponse);
  client->hears(kResponse);
  fired("16 bytes of the response every 1 ms", Ending::answered, 200);
  auto& e = faulted();
  auto pauses = static_cast<Nanos>((kResponse.size() - 1) / 16);
  // The loop's timers count from the round's own time, some microseconds before what they were set in.
  EXPECT_GE(e.told - e.fired_at, pauses * kMillisecond - kMillisecond / 2);
  goes_on();
}
TEST_P(Catalogue, a_drip_begins_with_its_first_bytes) {
  plan("drip(20, 1h)");
  asks();
  service->say(kResponse);
  client->hears(kResponse.substr(0, 20));
  client->hears_nothing();
  EXPECT_EQ(proxy->open_exchanges(), 1u);
  client->reset();
  EXPECT_EQ(faulted().ending, Ending::client_left);
  EXPECT_TRUE(faulted().fired);
}
TEST_P(Catalogue, a_delay_of_a_spread_is_held_as_long_as_was_drawn) {
  trace::FaultSpec fault{.name = FaultName::delay, .spread = trace::Spread::uniform};
  fault.base = kMillisecond;
  fault.width = 20 * kMillisecond;
  director.plan(n, policies::with_delay(fault, 0x80000000u));
  asks();
  service->say(kResponse);
  client->hears(kResponse);
  EXPECT_GE(faulted().answered - faulted().begun, 10 * kMillisecond);
  EXPECT_EQ(faulted().evidence, "the request was held for 10 ms before the service heard of it");
  EXPECT_EQ(trace::show(faulted().fault), "delay(uniform, 1ms, 20ms)");
}

TEST_P(Catalogue, a_truncated_body_looks_whole) {
  plan("truncate");
  asks();
  service->say(kResponse);
  client->hears("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 5\r\n\r\n01234");
  fired("5 of 10 bytes of the response's body, told as its length", Ending::answered, 200);
  goes_on();
}
TEST_P(Catalogue, a_truncated_chunked_body_looks_whole) {
  plan("truncate(6)");
  asks();
  service->say(kChunked);
  client->hears(std::string(kChunkedHead) + "4\r\n0123\r\n2\r\n45\r\n0\r\n\r\n");
  fired("6 bytes of the response's body, ended as if there were no more", Ending::answered, 200);
  goes_on();
}
TEST_P(Catalogue, a_corrupted_body_differs_in_one_bit) {
  plan("corrupt");
  asks();
  service->say(kResponse);
  client->hears(std::string(kHead) + "0123446789");
  fired("byte 5 of the response's body was 0x35, and 0x34 was passed", Ending::answered, 200);
  goes_on();
}
TEST_P(Catalogue, a_list_that_is_made_longer_is_chunked) {
  plan("grow(3)");
  asks();
  service->say("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n[1,2]");
  client->hears(
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: "
      "chunked\r\n\r\nd\r\n[1,2,3,4,5,6]\r\n0\r\n\r\n");
  fired("a list of 2 had 6 entries, of its own kind", Ending::answered, 200);
  goes_on();
}
TEST_P(Catalogue, grow_reads_answers_that_are_longer_than_what_waits_for_a_slow_side) {
  plan("grow(2)");
  asks();
  std::string answer = "[\"" + std::string(900'000, 'x') + "\"]", heard;
  answer = fmt::format("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
                       answer.size(), answer);
  run_until([&] {
    answer.erase(0, service->say_what_fits(answer));
    heard += client->take();
    return heard.ends_with("0\r\n\r\n");
  });
  EXPECT_GT(heard.size(), 1'800'000u);
  fired("a list of 1 had 2 entries, of its own kind", Ending::answered, 200);
  goes_on();
}
TEST_P(Catalogue, a_length_that_tells_too_much_leaves_the_client_waiting) {
  plan("wrong-length(+2)");
  asks();
  service->say(kResponse);
  client->hears("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 12\r\n\r\n0123456789");
  held();
  fired("a Content-Length of 12 before 10 bytes of body", Ending::client_left, 200);
}
TEST_P(Catalogue, a_length_that_tells_too_little_leaves_bytes_before_the_next_response) {
  plan("wrong-length(-2)");
  asks();
  service->say(kResponse);
  client->hears("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 8\r\n\r\n0123456789");
  fired("a Content-Length of 8 before 10 bytes of body", Ending::answered, 200);
  goes_on();
}
TEST_P(Catalogue, a_header_is_left_out) {
  plan("drop-header(etag)");
  asks();
  service->say(kResponse);
  client->hears("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789");
  fired("the header etag of the response was left out", Ending::answered, 200);
  goes_on();
}
TEST_P(Catalogue, without_its_length_a_body_ends_with_the_connection) {
  plan("drop-header(Content-Length)");
  asks();
  service->say(kResponse);
  client->hears("HTTP/1.1 200 OK\r\nETag: \"1\"\r\n\r\n0123456789");
  client->hears_fin();
  service->hears_fin();
}
TEST_P(Catalogue, a_header_is_another) {
  plan("set-header(ETag, \"W/2 3\")");
  asks();
  service->say(kResponse);
  client->hears("HTTP/1.1 200 OK\r\nETag: W/2 3\r\nContent-Length: 10\r\n\r\n0123456789");
  fired("the header ETag of the response is not the service's", Ending::answered, 200);
  goes_on();
}
TEST_P(Catalogue, a_header_is_there_twice) {
  plan("double-header(ETag)");
  asks();
  service->say(kResponse);
  client->hears("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nETag: \"1\"\r\nContent-Length: 10\r\n\r\n0123456789");
  fired("the header ETag of the response is there twice", Ending::answered, 200);
  goes_on();
}
TEST_P(Catalogue, a_header_that_is_not_there_cannot_be_left_out) {
  plan("drop-header(X-Other)");
  asks();
  service->say(kResponse);
  client->hears(kResponse);
  spared("the response has no such header");
  goes_on();
}
TEST_P(Catalogue, a_malformed_status_line) {
  plan("malformed");
  asks();
  service->say(kResponse);
  client->hears("HTTP/1.1 retrial-f1\r\nETag: \"1\"\r\nContent-Length: 10\r\n\r\n0123456789");
  client->hears_fin();
  service->hears_fin();
  fired("a status line without a status, then the service's own fields and body, then FIN", Ending::closed, 0);
}
TEST_P(Catalogue, a_malformed_header) {
  plan("malformed(header)");
  asks();
  service->say(kResponse);
  client->hears("HTTP/1.1 200 OK\r\nretrial-f1 is no header\r\nETag: \"1\"\r\nContent-Length: 10\r\n\r\n0123456789");
  client->hears_fin();
}
TEST_P(Catalogue, a_malformed_chunk) {
  plan("malformed(chunk)");
  asks();
  service->say(kResponse);
  client->hears("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nTransfer-Encoding: chunked\r\n\r\nretrial-f1\r\n");
  client->hears_fin();
}
TEST_P(Catalogue, a_redirect_leads_to_where_it_came_from) {
  plan("redirect-loop");
  client->say(kGet);
  client->hears(
      "HTTP/1.1 307 Temporary Redirect\r\nLocation: /x?a=b\r\nX-Retrial-Fault: retrial-f1\r\nContent-Type: "
      "text/plain\r\nContent-Length: 11\r\n\r\nretrial-f1\n");
  service->hears_nothing();
  fired("307 with a Location that is the request's own target; the service heard nothing", Ending::answered, 307, 0);
  goes_on();
}
TEST_P(Catalogue, a_response_comes_twice) {
  plan("duplicate");
  asks();
  service->say(kResponse);
  client->hears(kResponse + kResponse);
  fired("the response's 60 bytes came twice", Ending::answered, 200);
  goes_on();
}
TEST_P(Catalogue, an_earlier_response_comes_again) {
  director.keeps = true;
  use();
  plan("stale");
  asks();
  service->say("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno");
  client->hears(kResponse);
  fired("an earlier response (200, 60 bytes) in place of the service's own (404)", Ending::answered, 200, 404);
  goes_on();
}
TEST_P(Catalogue, an_earlier_response_with_a_body_comes_in_place_of_one_that_has_none) {
  director.keeps = true;
  constexpr std::string_view kChunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
  use(kChunked);
  plan("stale");
  asks();
  service->say("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n");
  client->hears(kChunked);
  EXPECT_TRUE(exchange(n).fired);
  goes_on();
}
TEST_P(Catalogue, nothing_stale_is_told_where_nothing_was_kept) {
  plan("stale");
  asks();
  service->say(kResponse);
  client->hears(kResponse);
  spared("no earlier response to this request was kept");
  goes_on();
}
TEST_P(Catalogue, what_is_stale_from_the_first_request_on_is_its_response) {
  director.keeps = true;
  plan("stale");
  asks();
  service->say(kResponse);
  client->hears(kResponse);
  spared("no earlier response to this request was kept");
  n++;
  plan("stale");
  asks();
  service->say("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno");
  client->hears(kResponse);
  fired("an earlier response (200, 60 bytes) in place of the service's own (404)", Ending::answered, 200, 404);
  goes_on();
}
TEST_P(Catalogue, an_upgrade_spares_what_would_be_done_to_its_response) {
  plan("truncate");
  asks("GET /w HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: w\r\n\r\n");
  service->say("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: w\r\n\r\nframe");
  client->hears("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: w\r\n\r\nframe");
  EXPECT_FALSE(faulted().fired);
  EXPECT_EQ(faulted().evidence, "not fired: the connection was upgraded");
}

// A client that reads slowly hears all that goes before its RST.
TEST_F(Conversation, what_goes_before_an_rst_arrives_also_where_the_client_is_slow) {
  buffers = 4096;
  auto line = connect();
  auto plan = policies::parse_fault_plan("reset(in-body, 100000)");
  director.plan(1, plan->steps[0].fault);
  line.client->say(kGet);
  line.service->hears(kGet);
  std::string body(200'000, 'x');
  auto head = "HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n";
  std::string_view left = body;
  line.service->say(head);
  for (int i = 0; i < 1000 && !left.empty(); i++) {
    auto went = line.service->say_what_fits(left);
    left.remove_prefix(went);
    quiet();
  }
  line.client->hears(head + body.substr(0, 100'000));
  line.client->hears_rst();
  EXPECT_EQ(exchange(1).evidence, "RST after 100000 of 200000 bytes of the response's body");
}

}  // namespace
}  // namespace retrial::test
