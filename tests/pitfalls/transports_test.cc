// What connections do below every client: races, idle ones, phantoms, and offers that nobody means.
#include <gtest/gtest.h>

#include "tests/oracles/runs.h"
#include "tests/support/conversation.h"
#include "trace/comparing/retry_layers.h"
#include "trace/fault_name.h"

namespace retrial::oracles {
namespace {
using trace::FaultName;
using trace::Point;

// A POST that met this fault, sent again a moment later.
std::string after(trace::FaultSpec fault) {
  Trial t("X", trace::show(fault));
  t.reference.call("put", "POST", "/orders").answers(201);
  t.in_case().call("put", "POST", "/orders").is_reset();
  t.in_case().last().fault = fault;
  t.in_case().again(kMillisecond).answers(201).passes();
  return t.verdicts();
}

TEST(Races, between_a_reset_and_the_request_and_stale_connections_are_graded_nothing) {
  for (auto point : {Point::before_request, Point::after_head, Point::idle})
    EXPECT_EQ(after({.name = FaultName::reset, .point = point}), "") << trace::word_of(point);
  EXPECT_EQ(after({.name = FaultName::close, .point = Point::idle}), "");
  EXPECT_EQ(after({.name = FaultName::reset}), "retries-non-idempotent likely");
  EXPECT_EQ(after({.name = FaultName::close}), "retries-non-idempotent likely");
}

TEST(Races, make_no_call_site_the_odd_one) {
  Trial t("X", "reset(before-request)");
  for (auto site : {"a", "b", "c", "d", "e"}) {
    t.reference.call(site, "GET", "/things/lamp").answers(200);
    t.in_case().call(site, "GET", "/things/lamp").is_reset();
    t.in_case().last().fault.point = Point::before_request;
    if (std::string_view(site) != "e") t.in_case().again(kSecond).answers(200);
  }
  EXPECT_EQ(t.verdicts(), "");
  for (auto& e : t.in_case().run().exchanges) e.fault.point = Point::after_request;
  EXPECT_EQ(t.verdicts(), "inconsistent-retry possible");
}

// A runtime below every client sends a request once more where its reused connection breaks.
TEST(ReusedConnections, that_break_and_are_sent_on_again_are_no_wait_of_the_clients) {
  auto verdicts = [](std::vector<int> waits) {
    Trial t("X", "reset(after-request)");
    t.reference.call("load", "GET", "/things/lamp").answers(200);
    t.in_case().call("load", "GET", "/things/lamp").is_reset();
    for (auto wait : waits) {
      t.in_case().again(wait * kMillisecond).is_reset();
      t.in_case().last().fresh = false;
      t.in_case().again(kMillisecond).is_reset();
    }
    return t.verdicts();
  };
  EXPECT_EQ(verdicts({1000, 1001, 1002, 1001, 1003}), "no-backoff likely");
  EXPECT_EQ(verdicts({1000, 2000, 4000}), "");
}

// Ids do not tell what a transport sends again from the client's own attempts. A counter does.
TEST(Counters, that_did_not_go_on_tell_what_a_transport_sent_again) {
  auto resent = [](std::vector<std::string> counts, std::vector<int> gaps) {
    Trial t;
    auto sent = [&](std::size_t n) {
      t.in_case().last().request_headers = {{"amz-sdk-request", "attempt=" + counts[n]}};
      t.in_case().is_reset();
    };
    t.in_case().call("load", "GET", "/things/lamp");
    sent(0);
    for (std::size_t i = 0; i < gaps.size(); i++) {
      t.in_case().again(gaps[i] * kMillisecond);
      sent(i + 1);
    }
    return trace::resent_by_transport(trace::calls_of(t.in_case().done()).front());
  };
  EXPECT_EQ(resent({"1", "1", "2"}, {2, 900}), (std::vector<bool>{false, true, false}));
  EXPECT_EQ(resent({"1", "2", "3", "4"}, {2, 900, 2}), (std::vector<bool>(4, false))) << "they only look like pairs";
}

}  // namespace
}  // namespace retrial::oracles

namespace retrial::test {
namespace {
using trace::FaultName;

constexpr std::string_view kAsked = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

class Transports : public Conversation {
 protected:
  Transports() { proxy = std::make_unique<proxy::Proxy>(loop, time, director, recorder); }
  ~Transports() override { proxy.reset(); }
  void is_answered(Line& line) {
    line.client->say(kAsked);
    line.service->hears(kAsked);
    line.service->say(kAnswer);
    line.client->hears(kAnswer);
  }
  void hours_pass() {
    time.advance(5 * 3600 * kSecond);
    proxy->sweep();
    quiet();
  }
  ManualClock time;
};

TEST_F(Transports, keep_idle_connections_open_for_as_long_as_the_service_does) {
  auto line = connect();
  is_answered(line);
  hours_pass();
  line.client->hears_nothing();
  line.service->hears_nothing();
  is_answered(line);
  hours_pass();
  line.service->close();
  line.client->hears_fin();
}

TEST_F(Transports, that_are_opened_without_a_request_are_no_exchange_and_take_no_fault) {
  director.plan(1, {.name = FaultName::error, .status = 503}, {503, "Busy", {}, "busy"});
  for (int i = 0; i < 3; i++) {
    auto phantom = connect();
    hours_pass();
    phantom.client->close();
    phantom.service->hears_fin();
  }
  EXPECT_TRUE(recorder.order.empty());
  EXPECT_TRUE(director.heads.empty());
  EXPECT_EQ(proxy->open_exchanges(), 0u);
  auto line = connect();
  line.client->say(kAsked);
  line.client->hears("HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy");
  EXPECT_EQ(exchange().id, 1u);
  EXPECT_TRUE(exchange().fired);
}

TEST_F(Transports, offers_to_upgrade_are_neither_switched_nor_refused) {
  for (std::string_view offer : {"h2c", "TLS/1.2"}) {
    auto line = connect();
    auto asked = "GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: " + std::string(offer) + "\r\n\r\n";
    line.client->say(asked);
    line.service->hears(asked);
    line.service->say(kAnswer);
    line.client->hears(kAnswer);
    is_answered(line);
  }
  EXPECT_EQ(exchange(3).client_status, 200);
  EXPECT_EQ(proxy->tunnels(), 0u);
}

TEST_F(Transports, an_offer_to_upgrade_meets_a_fault_as_any_request) {
  director.plan(1, {.name = FaultName::error, .status = 503}, {503, "Busy", {}, "busy"});
  auto line = connect();
  line.client->say("GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: TLS/1.2\r\n\r\n");
  line.client->hears("HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy");
  EXPECT_TRUE(exchange().fired);
  is_answered(line);
}

}  // namespace
}  // namespace retrial::test
