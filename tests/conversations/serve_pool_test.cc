// Service connections that clients share: an answer belongs to the request before it, or to nobody.
#include <algorithm>
#include <vector>

#include "proxy/connections/service_pool.h"
#include "tests/support/serving.h"
#include "trace/fault_name.h"

namespace retrial::test {
namespace {

class Pool : public Serving {
 protected:
  // A client's first request has been answered on a connection of its own, which then is not used again.
  void is_not_used_again(std::string_view response, std::string_view heard) {
    auto client = comes();
    client->say(kAsked);
    auto service = listener.accepts();
    service->hears(kPassed);
    service->say(response);
    client->hears(heard);
    quiet();
    auto next = comes();
    next->say(kAsked);
    auto other = listener.accepts();
    other->hears(kPassed);
    other->say(kAnswer);
    next->hears(kAnswered);
    other->close();  // so that the next case finds none in the pool
    quiet();
  }
};

TEST_F(Pool, one_connection_serves_many_clients_one_after_the_other) {
  std::unique_ptr<Peer> service;
  auto first = answered_once(service);
  auto second = answered_once(service);
  first->say(kAsked);
  service->hears(kPassed);
  service->say(kAnswer);
  first->hears(kAnswered);
  second->hears_nothing();
  listener.accepts_nobody();
}
TEST_F(Pool, trailers_of_one_message_are_no_part_of_the_next_on_its_connection) {
  auto first = comes(), second = comes();
  first->say(kAsked);
  auto service = listener.accepts();
  service->hears(kPassed);
  service->say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n");
  first->hears(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nVia: 1.1 retrial\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n");
  second->say(kAsked);
  service->hears(kPassed);
  service->say(kAnswer);
  second->hears(kAnswered);
  second->say("PUT /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n");
  service = listener.accepts();  // nobody knows how much would have to be kept to send it once more
  service->hears(
      "PUT /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nVia: 1.1 retrial\r\n\r\n2\r\nok\r\n0\r\nX-Sum: "
      "1\r\n\r\n");
  service->say(kAnswer);
  second->hears(kAnswered);
  second->say("PUT /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nok");
  service->hears("PUT /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nVia: 1.1 retrial\r\n\r\nok");
}
TEST_F(Pool, clients_that_ask_at_once_have_a_connection_each_and_their_own_answers) {
  std::unique_ptr<Peer> clients[3], services[3];
  for (int i = 0; i < 3; i++) {
    clients[i] = comes();
    clients[i]->say("GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\n\r\n");
    services[i] = listener.accepts();
    services[i]->hears("GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\nVia: 1.1 retrial\r\n\r\n");
  }
  for (int round = 0; round < 4; round++) {
    for (int i : {2, 0, 1}) {
      auto length = "Content-Length: 2\r\n";
      auto body = std::to_string(round) + std::to_string(i);
      services[i]->say(std::string("HTTP/1.1 200 OK\r\n") + length + "\r\n" + body);
      clients[i]->hears(std::string("HTTP/1.1 200 OK\r\n") + length + "Via: 1.1 retrial\r\n\r\n" + body);
      for (auto& other : clients) other->hears_nothing();
      clients[i]->say(kAsked);
      services[i]->hears(kPassed);  // the one that was used last
    }
  }
  listener.accepts_nobody();
}
TEST_F(Pool, pipelined_requests_are_answered_in_their_order) {
  auto client = comes();
  client->say(
      "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nPOST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nbGET /3 HTTP/1.1\r\n");
  auto service = listener.accepts();
  service->hears("GET /1 HTTP/1.1\r\nHost: x\r\nVia: 1.1 retrial\r\n\r\n");
  service->hears_nothing();
  service->say(kAnswer);
  client->hears(kAnswered);
  service = listener.accepts();
  service->hears("POST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nVia: 1.1 retrial\r\n\r\nb");
  client->say("Host: x\r\n\r\n");
  service->say(kAnswer);
  client->hears(kAnswered);
  service->hears("GET /3 HTTP/1.1\r\nHost: x\r\nVia: 1.1 retrial\r\n\r\n");
}
TEST_F(Pool, a_connection_that_ends_while_it_waits_fails_no_request) {
  for (bool reset : {false, true}) {
    std::unique_ptr<Peer> service;
    auto client = answered_once(service);
    reset ? service->reset() : service->close();
    quiet();
    client->say(kAsked);
    auto next = listener.accepts();
    next->hears(kPassed);
    next->say(kAnswer);
    client->hears(kAnswered);
    next->close();
    quiet();
  }
}
// The loop finds the client's request and the service's end in one round, or the request first.
TEST_F(Pool, a_connection_that_has_just_ended_is_not_used) {
  for (int i = 0; i < 4; i++) {
    std::unique_ptr<Peer> service;
    auto client = answered_once(service);
    if (i % 2) client->say(kAsked);
    i < 2 ? service->finish() : service->reset();
    if (i % 2 == 0) client->say(kAsked);
    auto next = listener.accepts();
    next->hears(kPassed);
    next->say(kAnswer);
    client->hears(kAnswered);
    next->close();
    quiet();
  }
}
// The service ends a connection that waited just as a request comes to it: nothing that was looked at before could
// tell.
TEST_F(Pool, a_request_that_may_be_repeated_is_sent_once_more_where_its_connection_ends_under_it) {
  for (std::string_view asked : {"GET /a HTTP/1.1\r\nHost: x\r\n\r\n", "DELETE /a HTTP/1.1\r\nHost: x\r\n\r\n",
                                 "PUT /a HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody"})
    for (bool reset : {false, true}) {
      std::unique_ptr<Peer> service;
      auto client = answered_once(service);
      auto before = proxy->counts().sent_again;
      client->say(asked);
      auto heard = service->hears_some(asked.size() + 18);
      reset ? service->reset() : service->close();
      auto next = listener.accepts();
      next->hears(heard);
      next->say(kAnswer);
      client->hears(kAnswered);
      quiet();
      EXPECT_EQ(proxy->counts().sent_again, before + 1);
      auto& e = recorder.exchanges.back();
      EXPECT_EQ(e.ending, trace::Ending::answered);
      EXPECT_EQ(e.service_status, 200);
      EXPECT_EQ(e.evidence, "sent twice by us: the service had closed the connection that was kept");
      EXPECT_EQ(e.request_bytes, asked.ends_with("body") ? 4u : 0u);
      next->close();
      quiet();
    }
}
TEST_F(Pool, a_request_is_not_sent_a_third_time) {
  std::unique_ptr<Peer> service;
  auto client = answered_once(service);
  client->say(kAsked);
  service->hears(kPassed);
  service->close();
  auto next = listener.accepts();
  next->hears(kPassed);
  next->close();
  client->hears_fin();
  listener.accepts_nobody();
  EXPECT_EQ(exchange(2).ending, trace::Ending::closed);
}
TEST_F(Pool, a_request_whose_answer_has_begun_is_not_sent_once_more) {
  for (std::string_view begun :
       {"HTTP/1.1 2", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", "HTTP/1.1 102 Processing\r\n\r\n"}) {
    std::unique_ptr<Peer> service;
    auto client = answered_once(service);
    client->say(kAsked);
    service->hears(kPassed);
    service->say(begun);
    quiet();
    service->close();
    run_until([&] { return client->has_ended(); });
    listener.accepts_nobody();
  }
}
TEST_F(Pool, a_request_that_may_not_be_repeated_never_starts_on_a_connection_that_waited) {
  for (std::string_view asked : {"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody",
                                 "PATCH /a HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
                                 "PUT /a HTTP/1.1\r\nHost: x\r\nContent-Length: 65537\r\n\r\nb"}) {
    std::unique_ptr<Peer> service;
    auto client = answered_once(service);
    client->say(asked);
    auto next = listener.accepts();
    next->hears_some(5);
    service->hears_nothing();
    next->close();
    service->close();
    quiet();
  }
}
TEST_F(Pool, what_a_fault_does_is_not_undone) {
  std::unique_ptr<Peer> service;
  auto client = answered_once(service);
  trace::FaultSpec fault{.name = trace::FaultName::lost_response, .telling = trace::Telling::reset};
  director.plan(2, fault);
  client->say(kAsked);
  auto next = listener.accepts();  // what a fault is planned for begins anew
  next->hears(kPassed);
  next->say(kAnswer);
  client->hears_rst();
  listener.accepts_nobody();
  EXPECT_TRUE(exchange(2).fired);
}
TEST_F(Pool, a_client_that_leaves_while_its_request_is_sent_once_more_is_forgotten) {
  for (bool reset : {false, true}) {
    std::unique_ptr<Peer> service;
    auto client = answered_once(service);
    client->say(kAsked);
    service->hears(kPassed);
    service->close();
    reset ? client->reset() : client->close();
    quiet();
    if (auto next = listener.accepts_if_any()) next->close();
    quiet();
    advance(kSecond);
  }
}
TEST_F(Pool, what_a_service_says_unasked_answers_nobody) {
  for (bool at_once : {false, true}) {
    std::unique_ptr<Peer> service;
    auto client = answered_once(service);
    service->say("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil");
    if (!at_once) quiet();
    client->say(kAsked);
    auto next = listener.accepts();
    next->hears(kPassed);
    next->say(kAnswer);
    client->hears(kAnswered);
    next->close();
    quiet();
  }
}
TEST_F(Pool, a_second_response_behind_the_first_is_thrown_away_with_its_connection) {
  is_not_used_again(std::string(kAnswer) + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", kAnswered);
  is_not_used_again("HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\nabc",
                    "HTTP/1.1 204 No Content\r\nVia: 1.1 retrial\r\n\r\n");
}
TEST_F(Pool, a_connection_whose_service_wants_to_close_it_is_not_used_again) {
  is_not_used_again("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", kAnswered);
  is_not_used_again("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
                    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nVia: 1.0 retrial\r\n\r\nok");
}
TEST_F(Pool, what_a_service_said_of_its_connection_is_not_said_of_the_next_request_that_it_never_hears) {
  auto client = comes();
  client->say(kAsked);
  auto service = listener.accepts();
  service->hears(kPassed);
  service->say("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
  client->hears(kAnswered);
  EXPECT_TRUE(exchange(1).closes);
  trace::FaultSpec fault;
  fault.name = trace::FaultName::error;
  fault.status = 503;
  director.plan(2, fault, {.status = 503, .reason = "", .headers = {}, .body = "no"});
  client->say(kAsked);
  client->hears("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\n\r\nno");
  EXPECT_FALSE(exchange(2).closes);
}
TEST_F(Pool, an_answer_of_http_1_0_may_keep_its_connection) {
  auto client = comes();
  client->say(kAsked);
  auto service = listener.accepts();
  service->hears(kPassed);
  service->say("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok");
  client->hears("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nVia: 1.0 retrial\r\n\r\nok");
  client->say(kAsked);
  service->hears(kPassed);
}
TEST_F(Pool, a_client_that_leaves_takes_the_answer_that_was_its_own_with_it) {
  for (bool reset : {false, true}) {
    auto client = comes();
    client->say(kAsked);
    auto service = listener.accepts();
    service->hears(kPassed);
    service->say("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nne");
    client->hears("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nVia: 1.1 retrial\r\n\r\nne");
    reset ? client->reset() : client->close();
    quiet();
    auto next = comes();
    next->say(kAsked);
    auto other = listener.accepts();
    other->hears(kPassed);
    reset ? service->hears_rst() : service->say("ver");
    other->say(kAnswer);
    next->hears(kAnswered);
    next->hears_nothing();
    other->close();
    quiet();
  }
}
TEST_F(Pool, a_client_that_hangs_up_in_the_middle_of_a_response_that_stands_still_leaves_no_connection) {
  for (std::string_view head : {"Content-Length: 40\r\n", "Transfer-Encoding: chunked\r\n"}) {
    auto client = comes();
    client->say(kAsked);
    auto service = listener.accepts();
    service->hears(kPassed);
    service->say("HTTP/1.1 200 OK\r\n" + std::string(head) + "\r\n");
    client->hears("HTTP/1.1 200 OK\r\n" + std::string(head) + "Via: 1.1 retrial\r\n\r\n");
    client->close();
    quiet();
    advance(kSecond / 2);
    service->hears_nothing();  // half of a connection may be closed
    advance(kSecond);
    service->hears_rst();
    EXPECT_EQ(proxy->connections(), 0u);
    EXPECT_EQ(recorder.exchanges.back().ending, trace::Ending::client_left);
  }
}
TEST_F(Pool, a_client_that_closed_its_half_never_takes_a_response_that_stands_still_for_a_whole_one) {
  auto client = comes();
  client->say(kAsked);
  client->finish();
  auto service = listener.accepts();
  service->hears(kPassed);
  service->say("HTTP/1.1 200 OK\r\n\r\nsome");
  client->hears("HTTP/1.1 200 OK\r\nConnection: close\r\nVia: 1.1 retrial\r\n\r\nsome");
  advance(kSecond / 2);
  advance(kSecond);
  client->hears_rst();
  service->hears_rst();
  EXPECT_EQ(exchange().ending, trace::Ending::client_left);
  EXPECT_EQ(proxy->connections(), 0u);
}
TEST_F(Pool, a_client_that_closed_its_half_is_told_all_of_a_response_that_goes_on) {
  auto client = comes();
  client->say(kAsked);
  client->finish();
  auto service = listener.accepts();
  service->hears(kPassed);
  advance(kSecond);
  advance(kSecond);
  service->say("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n");
  client->hears("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nVia: 1.1 retrial\r\n\r\n");
  for (std::string_view piece : {"a", "b", "c", "d"}) {
    advance(kSecond / 2);
    service->say(piece);
    client->hears(piece);
  }
  client->hears_fin();
  EXPECT_EQ(exchange().ending, trace::Ending::answered);
}
TEST_F(Pool, a_client_that_hangs_up_before_the_service_answers_leaves_no_connection_for_ever) {
  proxy::Options options;
  options.idle_timeout = 10 * kSecond;
  serve(options);
  auto client = comes();
  client->say(kAsked);
  auto service = listener.accepts();
  service->hears(kPassed);
  client->close();
  quiet();
  advance(9 * kSecond);
  service->hears_nothing();
  advance(10 * kSecond);
  service->hears_rst();
  EXPECT_EQ(exchange().ending, trace::Ending::client_left);
}
TEST_F(Pool, no_more_connections_wait_than_may_however_many_services_there_are) {
  constexpr std::ptrdiff_t kMost = proxy::ServicePool::kMostIdle;
  const auto kMostInAll = static_cast<std::ptrdiff_t>(proxy::Options{}.most_idle_services);
  using Peers = std::vector<std::unique_ptr<Peer>>;
  // So many clients ask one service at once, and leave: its connections wait.
  auto wait = [&](Listener& service, std::ptrdiff_t many) {
    auto options = std::make_shared<proxy::ListenerOptions>();
    options->route = route_to(service);
    Peers clients, services;
    for (std::ptrdiff_t i = 0; i < many; i++) {
      clients.push_back(enter(options));
      clients.back()->say(kAsked);
      services.push_back(service.accepts());
      services.back()->hears(kPassed);
    }
    for (std::size_t i = 0; i < services.size(); i++) {
      services[i]->say(kAnswer);
      clients[i]->hears(kAnswered);
    }
    advance(kMillisecond);
    return services;
  };
  auto open = [&](Peers& services) {
    quiet();
    return std::ranges::count_if(services, [](auto& s) { return !s->has_ended(); });
  };
  auto first = wait(listener, kMost + 5);
  EXPECT_EQ(open(first), kMost);
  Listener another(loop), third(loop);
  auto second = wait(another, kMostInAll - kMost);
  EXPECT_EQ(open(first) + open(second), kMostInAll);
  auto last = wait(third, 10);
  EXPECT_EQ(open(last), 10);
  EXPECT_EQ(open(second), kMostInAll - kMost);
  EXPECT_EQ(open(first), kMost - 10) << "who has waited longest goes first";
  advance(proxy::ServicePool::kIdle);
  EXPECT_EQ(open(first) + open(second) + open(last), 0);
}
TEST_F(Pool, a_client_that_leaves_in_the_middle_of_its_request_leaves_none_that_could_be_completed) {
  for (bool reset : {false, true}) {
    auto client = comes();
    client->say("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbo");
    auto service = listener.accepts();
    service->hears("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nVia: 1.1 retrial\r\n\r\nbo");
    reset ? client->reset() : client->finish();
    service->hears_rst();
  }
  EXPECT_EQ(exchange(2).ending, trace::Ending::client_left);
  EXPECT_EQ(proxy->connections(), 0u);
}
TEST_F(Pool, a_service_that_breaks_off_ends_its_client_in_the_same_way_and_is_asked_nothing_again) {
  for (bool reset : {false, true}) {
    auto client = comes();
    client->say(std::string(kAsked) + std::string(kAsked));
    auto service = listener.accepts();
    service->hears(kPassed);
    service->say("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nne");
    client->hears("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nVia: 1.1 retrial\r\n\r\nne");
    if (reset) {
      service->reset();
      client->hears_rst();
    } else {
      service->finish();
      client->hears_fin();
      service->hears_fin();  // and no byte of the second request
      client->close();
      quiet();
    }
    listener.accepts_nobody();
  }
  EXPECT_EQ(proxy->connections(), 0u);
}
TEST_F(Pool, a_service_that_closes_without_an_answer_fails_the_request_and_it_is_not_sent_again) {
  auto client = comes();
  client->say(kAsked);
  auto service = listener.accepts();
  service->hears(kPassed);
  service->close();
  client->hears_fin();
  listener.accepts_nobody();
  EXPECT_EQ(exchange().ending, trace::Ending::closed);
}
TEST_F(Pool, a_response_that_cannot_be_read_is_answered_for_and_its_connection_given_up) {
  for (std::string_view response :
       {"220 ready\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", "HTTP/1.1 100 Continue\n\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n 2\r\n\r\na", "HTTP/1.1 200 OK\nContent-Length: 1\n\na"}) {
    auto client = comes();
    client->say(kAsked);
    auto service = listener.accepts();
    service->hears(kPassed);
    service->say(response);
    EXPECT_EQ(client->hears_some(12), "HTTP/1.1 502") << response;
    service->hears_rst();
  }
}
TEST_F(Pool, a_response_that_goes_wrong_in_its_middle_is_cut_off) {
  auto client = comes();
  client->say(kAsked);
  auto service = listener.accepts();
  service->hears(kPassed);
  service->say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n");
  client->hears("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nVia: 1.1 retrial\r\n\r\n2\r\nok\r\n");
  service->say("zz\r\n");
  client->hears_rst();
  service->hears_rst();
  EXPECT_EQ(exchange().ending, trace::Ending::reset);
}
TEST_F(Pool, an_answer_of_ours_before_the_service_has_answered_does_not_pool_its_connection) {
  std::unique_ptr<Peer> service;
  auto client = answered_once(service);
  trace::FaultSpec fault;
  fault.name = trace::FaultName::error;
  fault.status = 503;
  director.plan(2, fault, {.status = 503, .reason = "", .headers = {}, .body = "no"});
  client->say(kAsked);
  client->hears("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\n\r\nno");
  service->hears_nothing();
  client->say(kAsked);
  service->hears(kPassed);
  service->say(kAnswer);
  client->hears(kAnswered);
}
TEST_F(Pool, a_service_that_cannot_be_reached_is_answered_for) {
  auto client = comes();
  std::uint16_t nobody;
  {
    Listener gone(loop);
    nobody = gone.port();
  }
  auto options = std::make_shared<proxy::ListenerOptions>();
  options->route.host = "127.0.0.1";
  options->route.port = nobody;
  auto lost = enter(options);
  lost->say(kAsked);
  EXPECT_EQ(lost->hears_some(12), "HTTP/1.1 502");
  EXPECT_EQ(exchange().client_status, 502);
  EXPECT_EQ(proxy->counts().unreachable, 1u);
}
TEST_F(Pool, a_route_with_TLS_is_never_spoken_to_in_clear_text) {
  auto options = std::make_shared<proxy::ListenerOptions>();
  options->route.host = "127.0.0.1";
  options->route.port = listener.port();
  options->route.tls = true;
  auto client = enter(options);
  client->say(kAsked);
  EXPECT_EQ(client->hears_some(12), "HTTP/1.1 502");
  listener.accepts_nobody();
}

}  // namespace
}  // namespace retrial::test
