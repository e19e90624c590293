// Conversations that nobody thought of: both sides say, cut, pause and break off at random, with a fault now and then.
// What must hold of every one of them is checked. A seed is the whole conversation: a failure names it.
#include <random>
#include <set>

#include "tests/support/conversation.h"
#include "trace/fault_name.h"

namespace retrial::test {
namespace {
using trace::Ending;
using trace::FaultName;
using trace::Telling;

class Random : public Conversation {
 protected:
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(dice); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <std::size_t N>
  std::string_view any(const std::string_view (&of)[N]) {
    return of[below(N)];
  }
  std::string request() {
    static constexpr std::string_view kRequests[] = {
        "GET /a HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: h\r\n\r\n",
        "HEAD /b HTTP/1.1\r\n\r\n",
        "POST /c HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello",
        "PUT /d HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX: y\r\n\r\n",
        "PUT /e HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\nbody",
        "GET /f HTTP/1.0\r\n\r\n",
        "GET /g HTTP/1.1\r\nConnection: close\r\n\r\n",
        "GET /h HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: w\r\n\r\n",
        "CONNECT h:1 HTTP/1.1\r\n\r\n",
        "\r\nGET /i HTTP/1.1\r\n\r\n",
        "PUT /j HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "\x16\x03\x01",
    };
    return std::string(any(kRequests));
  }
  std::string response() {
    static constexpr std::string_view kResponses[] = {
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno",
        "HTTP/1.0 200 OK\r\n\r\nuntil the end",
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: w\r\n\r\nframe",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "220 hello\r\n",
    };
    return std::string(any(kResponses));
  }
  trace::FaultSpec fault() {
    static constexpr FaultName kNames[] = {FaultName::error, FaultName::lost_response, FaultName::lost_response,
                                           FaultName::reset, FaultName::close,         FaultName::delay,
                                           FaultName::stall};
    trace::FaultSpec spec{kNames[below(7)], static_cast<Telling>(below(4)), 0, 0};
    if (trace::is_status(spec)) spec.status = 503;
    if (spec.name == FaultName::delay) spec.delay = one_in(2) ? 1 : 3600 * kSecond;
    return spec;
  }

  struct Side {
    Peer* peer = nullptr;
    std::string left, said, heard;
    bool gone = false;
  };
  // Hears what has come, and says some of what is left to be said, or breaks off.
  void turn(Side& side, const std::function<std::string()>& more) {
    auto& [peer_at, left, said, heard, gone] = side;
    auto& peer = *peer_at;
    if (gone) return;
    if (auto come = peer.waiting()) heard += peer.hears_some(come);
    if (one_in(25)) {
      gone = true;
      switch (below(3)) {
        case 0:
          return peer.finish();
        case 1:
          return peer.reset();
        default:
          return peer.close();
      }
    }
    if (left.empty()) left = more();
    auto some = left.substr(0, 1 + below(one_in(2) ? left.size() : 3));
    some.resize(peer.say_what_fits(some));
    said += some;
    left.erase(0, some.size());
  }

  void converse(unsigned seed, bool faults) {
    dice.seed(seed);
    recorder = {};
    director = {};
    start({.head_limit = one_in(4) ? 40u : 1000u, .buffer_limit = one_in(2) ? 20u : 1000u});
    for (std::uint64_t n = 1; n <= 20; n++)
      if (faults && one_in(3)) {
        auto spec = fault();
        director.plan(n, spec, spec.status ? trace::Answer{503, "", {}, "retrial-f1"} : trace::Answer{});
      }
    auto line = connect();
    Side client{line.client.get()}, service{line.service.get()};
    for (int i = 0; i < 60; i++) {
      if (one_in(2))
        turn(client, [&] { return request(); });
      else
        turn(service, [&] { return response(); });
      for (auto rounds = below(4); rounds > 0; rounds--) loop.round(false);
    }
    quiet();
    if (one_in(2)) {
      line.client->close();
      quiet();
    }
    line.service->close();
    quiet();
    proxy.reset();
    check();
    if (faults) return;
    EXPECT_TRUE(client.said.starts_with(service.heard)) << "the service heard what the client did not say";
    EXPECT_TRUE(service.said.starts_with(client.heard)) << "the client heard what the service did not say";
  }

  void check() {
    std::set<std::string> once(recorder.order.begin(), recorder.order.end());
    EXPECT_EQ(once.size(), recorder.order.size()) << "something was recorded twice";
    EXPECT_EQ(recorder.exchanges.size(), director.heads.size()) << "an exchange was not ended";
    EXPECT_EQ(director.ended.size(), director.heads.size());
    for (auto& e : recorder.exchanges) {
      auto id = std::to_string(e.id);
      EXPECT_TRUE(once.contains("head " + id));
      EXPECT_EQ(once.contains("answer " + id), e.service_status != 0);
      EXPECT_EQ(once.contains("fired " + id), e.fired);
      EXPECT_EQ(e.ending == Ending::open, e.told == 0);
      EXPECT_NE(e.begun, 0);
      if (e.told) {
        EXPECT_GE(e.told, e.begun);
      }
      if (e.fired) {
        EXPECT_NE(e.fault.name, FaultName::none);
        EXPECT_NE(e.evidence, "");
      }
      if (!e.fired && e.ending == Ending::answered) {
        EXPECT_EQ(e.client_status, e.service_status);
      }
      if (e.fired && trace::is_loss(e.fault)) {
        EXPECT_EQ(e.client_status, 0);
      }
      if (e.ending == Ending::answered) {
        EXPECT_NE(e.client_status, 0);
      }
    }
  }
  std::mt19937 dice;
};

TEST_F(Random, conversations_end_every_exchange_once_and_truthfully) {
  for (unsigned seed = 1; seed <= 3000 && !HasFailure(); seed++) {
    converse(seed, true);
    if (HasFailure()) ADD_FAILURE() << "seed " << seed;
  }
}
TEST_F(Random, conversations_without_faults_hear_only_what_was_said) {
  for (unsigned seed = 1; seed <= 2000 && !HasFailure(); seed++) {
    converse(seed, false);
    if (HasFailure()) ADD_FAILURE() << "seed " << seed;
  }
}
}  // namespace
}  // namespace retrial::test
