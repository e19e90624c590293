// Memory, connections and time that clients may take up, and what is said to those that take more.
#include "tests/support/h2_end.h"
#include "tests/support/serving.h"

namespace retrial::test {
namespace {
using Aborted = trace::Exchange::Aborted;

// What is in use is as a test says.
struct SaidHeap final : proxy::Heap {
  std::size_t in_use() const override { return used; }
  std::int64_t by_this_thread() const override { return static_cast<std::int64_t>(used += grows); }
  mutable std::size_t used = 0;
  std::size_t grows = 0;  // each time that somebody asks
};

class Limits : public Serving {
 protected:
  void serve(proxy::Options options) {
    proxy.reset();
    Serving::serve(std::move(options));
  }
  void with_memory(std::size_t bytes) { serve({.memory = std::make_shared<proxy::MemoryBudget>(bytes, 1, heap)}); }
  // A client whose request has come to its service, with a head of so many bytes.
  std::pair<std::unique_ptr<Peer>, std::unique_ptr<Peer>> waits(std::size_t head) {
    auto client = comes();
    client->say("GET /a HTTP/1.1\r\nHost: x\r\nX: " + std::string(head, 'a') + "\r\n\r\n");
    auto service = listener.accepts();
    service->hears_some(head);
    service->take();
    return {std::move(client), std::move(service)};
  }
  // A client and a service that speak HTTP/2.
  std::pair<std::unique_ptr<H2End>, std::unique_ptr<H2End>> meet() {
    auto client = std::make_unique<H2End>(comes(), H2End::Role::client);
    client->greets();
    auto service = std::make_unique<H2End>(listener.accepts(), H2End::Role::service);
    service->hears_greeting();
    service->greets();
    client->hears_greeting();
    return {std::move(client), std::move(service)};
  }
  SaidHeap heap;
};

TEST_F(Limits, who_holds_most_of_a_memory_that_is_used_up_is_answered_503_and_the_others_are_served) {
  with_memory(100'000);
  auto [small, small_service] = waits(10);
  auto [large, large_service] = waits(60'000);
  heap.used = 80'000;
  advance(kSecond);
  large->hears_nothing();
  heap.used = 99'000;
  advance(kSecond);
  EXPECT_EQ(large->hears_some(12), "HTTP/1.1 503");
  large->take();
  large->hears_fin();
  large_service->hears_rst();
  EXPECT_EQ(exchange().client_status, 503);
  EXPECT_EQ(proxy->counts().shed, 1u);
  EXPECT_EQ(proxy->counts().unreachable, 0u);
  small_service->say(kAnswer);
  small->hears(kAnswered);
}
TEST_F(Limits, an_answer_that_is_under_way_is_broken_off_and_recorded_as_ours) {
  with_memory(100'000);
  auto [client, service] = waits(60'000);
  service->say("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhel");
  client->hears_some(30);
  heap.used = 99'000;
  advance(kSecond);
  client->take();
  client->hears_rst();
  EXPECT_EQ(exchange().ending, trace::Ending::reset);
  EXPECT_EQ(exchange().aborted, Aborted::by_us);
}
TEST_F(Limits, of_those_that_hold_the_same_who_has_been_still_for_longer_ends) {
  with_memory(100'000);
  auto [still, still_service] = waits(40'000);
  advance(10 * kSecond);
  auto [lively, lively_service] = waits(40'000);
  heap.used = 99'000;
  advance(kSecond);
  EXPECT_EQ(still->hears_some(12), "HTTP/1.1 503");
  lively_service->say(kAnswer);
  lively->hears(kAnswered);
}
TEST_F(Limits, half_a_head_that_holds_too_much_is_answered_503) {
  with_memory(100'000);
  auto client = comes();
  client->say("GET /a HTTP/1.1\r\nHost: x\r\nX: " + std::string(60'000, 'a'));
  quiet();
  heap.used = 99'000;
  advance(kSecond);
  EXPECT_EQ(client->hears_some(12), "HTTP/1.1 503");
  listener.accepts_nobody();
}
TEST_F(Limits, nobody_ends_for_what_clients_do_not_hold) {
  with_memory(100'000'000);
  auto [client, service] = waits(10);
  heap.used = 200'000'000;
  advance(kSecond);
  service->say(kAnswer);
  client->hears(kAnswered);
  client->say(kAsked);  // and requests go on
  service->hears(kPassed);
}
TEST_F(Limits, a_client_of_http2_that_holds_most_is_told_to_calm_down) {
  with_memory(100'000);
  auto [client_end, service_end] = meet();
  auto &client = *client_end, &service = *service_end;
  client.say(asks(1));
  service.hears(asks(1, "GET /x", " | via: 2.0 retrial"));
  client.say(asks(3) + "\n" + asks(5));
  service.hears(asks(3, "GET /x", " | via: 2.0 retrial") + "\n" + asks(5, "GET /x", " | via: 2.0 retrial"));
  heap.used = 99'000;
  advance(kSecond);
  client.hears("GOAWAY 5 ENHANCE_YOUR_CALM short of memory");
  client.hears_fin();
  EXPECT_EQ(exchange().aborted, Aborted::by_us);
  EXPECT_EQ(proxy->counts().shed, 1u);
}
TEST_F(Limits, a_client_of_http2_that_says_more_at_once_than_there_is_memory_for_is_not_heard_to_its_end) {
  with_memory(100'000);
  auto [client_end, service_end] = meet();
  auto &client = *client_end, &service = *service_end;
  quiet();
  heap.grows = 2'500;
  client.say(asks(1) + "\n" + asks(3) + "\n" + asks(5));
  client.hears("RST_STREAM 3 ENHANCE_YOUR_CALM\nRST_STREAM 5 ENHANCE_YOUR_CALM");
  heap.grows = heap.used = 0;
  service.hears(asks(1, "GET /x", " | via: 2.0 retrial"));
  client.say(asks(7));
  service.hears(asks(3, "GET /x", " | via: 2.0 retrial"));
  EXPECT_EQ(proxy->counts().refused, 2u);
}

class Connections : public Limits {
 protected:
  void at_most(std::size_t count) { serve({.most_connections = count}); }
};

TEST_F(Connections, where_there_are_too_many_who_has_been_still_longest_makes_room) {
  at_most(2);
  std::unique_ptr<Peer> service;
  auto first = answered_once(service);
  advance(2 * kSecond);
  auto second = answered_once(service);
  EXPECT_TRUE(proxy->has_room() || proxy->connections() < 2);
  first->hears_fin();
  second->say(kAsked);
  service->hears(kPassed);
  service->say(kAnswer);
  second->hears(kAnswered);
  EXPECT_EQ(proxy->counts().shed, 1u);
}
TEST_F(Connections, nobody_makes_room_who_is_busy) {
  at_most(1);
  auto [client, service] = waits(10);
  advance(kSecond / 2);
  EXPECT_FALSE(proxy->has_room());
  client->hears_nothing();
}
TEST_F(Connections, who_waits_for_its_service_is_told_why_it_makes_room) {
  at_most(1);
  auto [client, service] = waits(10);
  advance(2 * kSecond);
  EXPECT_TRUE(proxy->has_room());
  EXPECT_EQ(client->hears_some(12), "HTTP/1.1 503");
  EXPECT_EQ(exchange().client_status, 503);
  service->hears_rst();
}

TEST_F(Limits, a_body_of_which_nothing_more_comes_is_answered_408) {
  serve({.body_timeout = 10 * kSecond});
  auto client = comes();
  client->say("PUT /a HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc");
  auto service = listener.accepts();
  service->hears("PUT /a HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\nVia: 1.1 retrial\r\n\r\nabc");
  advance(9 * kSecond);
  client->say("d");
  service->hears("d");
  advance(9 * kSecond);
  client->hears_nothing();
  advance(10 * kSecond);
  EXPECT_EQ(client->hears_some(12), "HTTP/1.1 408");
  service->hears_rst();
  EXPECT_EQ(exchange().client_status, 408);
}
TEST_F(Limits, a_body_that_waits_for_the_service_or_comes_beside_its_answer_may_stand_still) {
  serve({.body_timeout = 10 * kSecond});
  for (std::string_view expects : {"Expect: 100-continue\r\n", ""}) {
    auto client = comes();
    client->say("PUT /a HTTP/1.1\r\nHost: x\r\n" + std::string(expects) + "Content-Length: 100\r\n\r\n");
    auto service = listener.accepts();
    service->hears_some(60);
    if (expects.empty()) service->say("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhel");
    quiet();
    for (int i = 0; i < 3; i++) advance(10 * kSecond);
    EXPECT_EQ(client->how_it_ended(), "");
  }
}

TEST_F(Limits, an_answer_that_nobody_reads_is_broken_off) {
  buffers = 16 << 10;
  serve({.idle_timeout = 10 * kSecond});
  auto client = comes();
  client->say(kAsked);
  auto service = listener.accepts();
  service->hears(kPassed);
  auto answer = "HTTP/1.1 200 OK\r\nContent-Length: 40000000\r\n\r\n" + std::string(40'000'000, 'x');
  for (int i = 0; i < 100; i++) {
    answer.erase(0, service->say_what_fits(answer));
    quiet();
  }
  ASSERT_FALSE(answer.empty()) << "it is all somewhere";
  advance(kMillisecond);  // from when it is first seen to stand still
  advance(9 * kSecond);
  EXPECT_EQ(proxy->connections(), 1u);
  advance(kSecond);
  EXPECT_EQ(proxy->connections(), 0u);
  EXPECT_EQ(exchange().ending, trace::Ending::reset);
  service->hears_rst();
}
TEST_F(Limits, a_stream_that_nobody_reads_is_reset) {
  serve({.idle_timeout = 10 * kSecond});
  H2End client(comes(), H2End::Role::client);
  client.greets("4=0");
  H2End service(listener.accepts(), H2End::Role::service);
  service.hears_greeting();
  service.greets();
  client.hears_greeting();
  client.say(asks(1));
  service.hears(asks(1, "GET /x", " | via: 2.0 retrial"));
  service.say("HEADERS 1 | :status: 200\nDATA 1 end hello");
  client.hears("HEADERS 1 | :status: 200 | via: 2.0 retrial");
  advance(kMillisecond);
  advance(9 * kSecond);
  client.hears_nothing();
  advance(kSecond);
  client.hears("RST_STREAM 1 CANCEL");
  EXPECT_EQ(exchange().ending, trace::Ending::reset);
}

TEST(Heap, counts_what_is_allocated_and_what_is_freed) {
  auto& heap = proxy::Heap::own();
  if (heap.in_use() == 0) GTEST_SKIP() << "a sanitizer's allocator does not count";
  auto before = heap.by_this_thread();
  auto all_before = heap.in_use();
  std::string large(10'000'000, 'x');
  EXPECT_GE(heap.by_this_thread() - before, 10'000'000);
  EXPECT_GE(heap.in_use(), all_before + 9'000'000);
  std::string().swap(large);
  EXPECT_LT(heap.by_this_thread() - before, 1'000'000);
}
TEST(MemoryWatch, is_spent_when_its_part_of_what_is_left_is_and_hears_somebody_again_once_it_has_looked) {
  SaidHeap heap;
  proxy::MemoryWatch watch(std::make_shared<proxy::MemoryBudget>(16'000, 2, heap));
  EXPECT_FALSE(watch.spent());
  heap.used = 1'001;
  EXPECT_TRUE(watch.spent());
  EXPECT_FALSE(watch.scarce());
  EXPECT_FALSE(watch.spent());
  heap.used = 20'000;
  EXPECT_TRUE(watch.scarce());
  EXPECT_FALSE(watch.spent());
  heap.used += 250;
  EXPECT_FALSE(watch.spent());
  heap.used++;
  EXPECT_TRUE(watch.spent());
}
TEST(MemoryWatch, of_two_loops_the_one_whose_clients_hold_little_frees_nothing) {
  SaidHeap heap;
  auto budget = std::make_shared<proxy::MemoryBudget>(16'000, 2, heap);
  proxy::MemoryWatch much(budget), little(budget);
  heap.used = 16'000;
  ASSERT_TRUE(much.scarce());
  ASSERT_TRUE(little.scarce());
  EXPECT_EQ(much.to_free(12'000), 3'000u);
  EXPECT_EQ(little.to_free(1'000), 0u);
}

}  // namespace
}  // namespace retrial::test
