// Clients that take little or nothing of large answers, under faults: what waits for them is counted, and bounded.
#include "policies/fault_plan.h"
#include "tests/support/h2_end.h"
#include "tests/support/serving.h"

namespace retrial::test {
namespace {
constexpr std::size_t kLimit = 64u << 10, kRead = 64u << 10, kClients = 8, kStreams = 4;
// Beyond the limit each way of a connection, and of each exchange: what one read brings, and a head.
constexpr std::size_t kSlack = kRead + (4u << 10);

constexpr std::string_view kFaults[] = {"pass",
                                        "delay(1h)",
                                        "drip(1000, 1h)",
                                        "bandwidth(1k)",
                                        "reset(in-body, 1000k)",
                                        "stall(in-body, 500k)",
                                        "corrupt(900k)",
                                        "truncate(900k)",
                                        "lost-response(stall)",
                                        "set-header(x, y)"};

class SlowReaders : public Serving {
 protected:
  SlowReaders() {
    buffers = 16 << 10;
    serve({.buffer_limit = kLimit});
  }
  void plan(std::string_view fault, std::uint64_t exchanges) {
    for (std::uint64_t id = 1; id <= exchanges; id++)
      director.plan(id, policies::parse_fault_plan(fault)->steps[0].fault);
  }
  void bounded(std::string_view fault) {
    auto most = proxy->connections() * 4 * (kLimit + kSlack) + proxy->open_exchanges() * 2 * (kLimit + kSlack);
    EXPECT_LE(proxy->waiting(), most) << fault;
  }
  // What a fault paces hears of it with its next bytes.
  void gone() {
    quiet();
    if (auto due = loop.client_timer()) loop.clock_moved(*due + 1);
    quiet();
  }
  std::string body = std::string(2u << 20, 'x');
};

TEST_F(SlowReaders, in_http1_hold_back_no_more_than_the_limit) {
  for (auto fault : kFaults) {
    serve({.buffer_limit = kLimit});
    plan(fault, kClients);
    std::vector<std::unique_ptr<Peer>> clients, services;
    std::vector<std::string> left;
    for (std::size_t i = 0; i < kClients; i++) {
      clients.push_back(comes());
      clients.back()->say(kAsked);
    }
    for (int turn = 0; turn < 60; turn++) {
      quiet();
      if (auto due = loop.client_timer()) loop.clock_moved(*due + 1);
      while (auto service = listener.accepts_if_any()) {
        services.push_back(std::move(service));
        left.push_back("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
      }
      for (std::size_t i = 0; i < services.size(); i++) left[i].erase(0, services[i]->say_what_fits(left[i]));
      bounded(fault);
    }
    EXPECT_EQ(services.size(), kClients) << fault;
    clients.clear();
    gone();
    services.clear();
    SCOPED_TRACE(fault);
    run_until([&] { return gone(), proxy->waiting() == 0; });  // each in its own time
  }
}
TEST_F(SlowReaders, in_http2_hold_back_no_more_than_the_limit) {
  for (auto fault : kFaults) {
    serve({.buffer_limit = kLimit});
    plan(fault, kClients * kStreams);
    std::vector<std::unique_ptr<H2End>> clients, services;
    std::vector<std::array<std::string, kStreams>> left;
    for (std::size_t i = 0; i < kClients; i++) {
      clients.push_back(std::make_unique<H2End>(comes(), H2End::Role::client));
      clients.back()->greets(i % 2 ? "4=0" : "4=100000");
      clients.back()->gives_back(false);
      services.push_back(std::make_unique<H2End>(listener.accepts(), H2End::Role::service));
      services.back()->hears_greeting();
      services.back()->greets();
      left.emplace_back();
      left.back().fill(body);
      for (std::uint32_t n = 0; n < kStreams; n++) clients.back()->say(asks(2 * n + 1));
    }
    std::vector<std::array<bool, kStreams>> answered(kClients);
    for (int turn = 0; turn < 30; turn++) {
      quiet();
      if (auto due = loop.client_timer()) loop.clock_moved(*due + 1);
      for (std::size_t i = 0; i < kClients; i++) {
        for (std::string words; !(words = services[i]->next_if_any()).empty();)
          if (words.starts_with("HEADERS ")) answered[i][(static_cast<std::size_t>(words[8]) - '0') / 2] = true;
        for (std::uint32_t n = 0; n < kStreams; n++) {
          auto id = 2 * n + 1;
          if (!answered[i][n]) continue;
          if (left[i][n].size() == body.size()) services[i]->say("HEADERS " + std::to_string(id) + " | :status: 200");
          left[i][n].erase(0, services[i]->data_that_fits(id, left[i][n], true));
        }
      }
      bounded(fault);
    }
    clients.clear();
    gone();
    services.clear();
    SCOPED_TRACE(fault);
    run_until([&] { return gone(), proxy->waiting() == 0; });  // each in its own time
  }
}

}  // namespace
}  // namespace retrial::test
