// Conversations in HTTP/2 that nobody thought of: streams are opened, answered, reset and left at random, with a fault
// now and then. What must hold of every one of them is checked. A seed is the whole conversation: a failure names it.
#include <random>
#include <set>

#include "base/text.h"
#include "tests/support/h2_end.h"
#include "trace/fault_name.h"

namespace retrial::test {
namespace {
using trace::Ending;
using trace::FaultName;

class H2Random : public H2Conversation {
 protected:
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(dice); }
  bool one_in(std::size_t n) { return below(n) == 0; }

  // A stream as one end sees it. Its number at the client is in its path and in all its bytes, both ways.
  struct One {
    std::uint32_t number = 0;
    bool says = true, hears = true;  // may still; what it hears is the service's own
    bool began = false;
    std::string left;  // of a number that was said in part
  };
  using Streams = std::map<std::uint32_t, One>;

  void say_some(H2End& end, std::uint32_t id, One& one) {
    auto text = one.left.empty() ? std::to_string(one.number) + "," : one.left;
    for (auto more = below(3) * 40; more > 0; more--) text += std::to_string(one.number) + ",";
    bool last = one_in(3);
    auto sent = end.data_that_fits(id, text, last);
    one.left = text.substr(sent);
    if (sent == text.size() && last) one.says = false;
  }
  void check_bytes(std::string_view words, std::uint32_t id, const One& one, std::string& whole) {
    auto begins = "DATA " + std::to_string(id);
    auto text = words.substr(begins.size());
    if (text.starts_with(" end")) text.remove_prefix(4);
    if (text.empty()) return;
    whole += text.substr(1);
    auto number = std::to_string(one.number) + ",";
    for (std::size_t i = 0; i < whole.size(); i++)
      if (whole[i] != number[i % number.size()]) {
        ADD_FAILURE() << "stream " << id << " of number " << one.number << " heard " << whole.substr(0, 100);
        return;
      }
    whole.erase(0, whole.size() / number.size() * number.size());
  }
  static std::uint32_t stream_of(std::string_view words) {
    auto from = words.find(' ') + 1;
    return static_cast<std::uint32_t>(to_int(words.substr(from, words.find(' ', from) - from)).value_or(0));
  }
  static bool ends(std::string_view words) {
    auto second = words.find(' ', words.find(' ') + 1);
    return second != words.npos && words.substr(second).starts_with(" end");
  }

  void client_turn() {
    for (std::string words; !(words = client->next_if_any()).empty();) {
      auto id = stream_of(words);
      auto& one = at_client[id];
      if (words.starts_with("RST_STREAM")) one.says = one.hears = false;
      if (words.starts_with("GOAWAY")) goes_away = true;
      if (words.starts_with("HEADERS") && !one.began) {
        one.began = true;
        one.hears = words.find(":status: 200") != words.npos;
        answered += words.find("x-mine: " + std::to_string(id)) != words.npos;
        EXPECT_TRUE(words.find("x-mine") == words.npos || words.find("x-mine: " + std::to_string(id)) != words.npos)
            << words;
      }
      if (words.starts_with("DATA") && one.hears) check_bytes(words, id, one, client_heard[id]);
      if (ends(words)) one.hears = false;
    }
    if (!goes_away && one_in(3)) {
      auto id = static_cast<std::uint32_t>(2 * at_client.size() + 1);
      while (at_client.contains(id)) id += 2;
      auto& one = at_client[id];
      one.number = id;
      one.says = !one_in(2);
      auto what = (one_in(4) ? "HEAD /" : "POST /") + std::to_string(id);
      bool call = one_in(2) && !what.starts_with("HEAD");
      client->say(asks(id, what, call ? " | te: trailers | content-type: application/grpc" : "", !one.says));
    }
    for (auto& [id, one] : at_client) {
      if (!one.says || !one_in(3)) continue;
      if (one_in(10)) {
        client->say("RST_STREAM " + std::to_string(id) + " CANCEL");
        one.says = one.hears = false;
      } else {
        say_some(*client, id, one);
      }
    }
  }
  void service_turn() {
    for (std::string words; !(words = service->next_if_any()).empty();) {
      auto id = stream_of(words);
      if (words.starts_with("HEADERS") && !at_service.contains(id)) {
        auto path = words.find(":path: /") + 8;
        auto& one = at_service[id];
        one.number = static_cast<std::uint32_t>(to_int(words.substr(path, words.find(' ', path) - path)).value_or(0));
        EXPECT_TRUE(numbers.insert(one.number).second) << "a request came twice";
      } else if (words.starts_with("DATA")) {
        check_bytes(words, id, at_service[id], service_heard[id]);
      } else if (words.starts_with("RST_STREAM")) {
        at_service[id].says = false;
      }
    }
    for (auto& [id, one] : at_service) {
      if (!one.says || !one_in(3)) continue;
      auto n = std::to_string(id);
      if (one_in(15)) {
        service->say("RST_STREAM " + n + (one_in(2) ? " REFUSED_STREAM" : " INTERNAL_ERROR"));
        one.says = false;
      } else if (!one.began) {
        if (one_in(8)) {
          service->say("HEADERS " + n + " | :status: 103");
          continue;
        }
        one.began = true;
        one.says = !one_in(4);
        service->say("HEADERS " + n + (one.says ? " | :status: " : " end | :status: ") + (one_in(4) ? "404" : "200") +
                     " | content-type: application/grpc | x-mine: " + std::to_string(one.number) +
                     (one.says ? "" : " | grpc-status: 3"));
      } else if (one_in(5) && one.left.empty()) {
        service->say("HEADERS " + n + " end | grpc-status: " + (one_in(2) ? "0" : "14"));
        one.says = false;
      } else {
        say_some(*service, id, one);
      }
    }
    if (one_in(60)) service->say(one_in(2) ? "GOAWAY 2147483647 NO_ERROR" : "GOAWAY 1 NO_ERROR");
  }
  void break_off(H2End& end) {
    switch (below(3)) {
      case 0:
        return end.peer().finish();
      case 1:
        return end.peer().reset();
      default:
        return end.peer().close();
    }
  }

  void converse(unsigned seed) {
    static constexpr std::string_view kFaults[] = {"error(503)",
                                                   "grpc-status(UNAVAILABLE)",
                                                   "lost-response(reset)",
                                                   "lost-response(close)",
                                                   "lost-response(stall)",
                                                   "lost-response(error(503))",
                                                   "lost-response(grpc-status(ABORTED))",
                                                   "reset(before-request)",
                                                   "close(after-request)",
                                                   "reset(in-body)",
                                                   "stall(before-request)",
                                                   "stall(after-head)",
                                                   "stall(in-body)",
                                                   "stall(after-response-head)",
                                                   "close(after-response-head)",
                                                   "rst-stream",
                                                   "rst-stream(cancel, in-body, 3)",
                                                   "rst-stream(internal-error, after-head)",
                                                   "rst-stream(cancel, after-request)",
                                                   "goaway",
                                                   "delay(1ms)",
                                                   "delay(1h)",
                                                   "bandwidth(100k)",
                                                   "drip(3, 1ms)",
                                                   "slow-trailers(1ms)",
                                                   "late-status(INTERNAL)",
                                                   "message(drop)",
                                                   "wrong-length(+3)",
                                                   "set-header(a, b)",
                                                   "stale",
                                                   "redirect-loop",
                                                   "duplicate",
                                                   "reset(idle)"};
    dice.seed(seed);
    recorder = {};
    director = {};
    at_client.clear();
    at_service.clear();
    numbers.clear();
    client_heard.clear();
    service_heard.clear();
    goes_away = false;
    answered = 0;
    director.keeps = one_in(2);
    start({.buffer_limit = one_in(2) ? 300u : 256u << 10});
    for (std::uint64_t n = 1; n <= 40; n++)
      if (one_in(4)) plan(n, kFaults[below(std::size(kFaults))]);
    static constexpr std::string_view kWindows[] = {"4=10", "4=65535", "4=16777216"};
    meet(kWindows[below(3)], kWindows[below(3)]);
    bool cut = false;
    for (int i = 0; i < 60 && !cut; i++) {
      one_in(2) ? client_turn() : service_turn();
      for (auto rounds = below(4); rounds > 0; rounds--) loop.round(false);
      if (one_in(100)) {
        break_off(one_in(2) ? *client : *service);
        cut = true;
      }
    }
    if (!cut && one_in(3)) proxy->drain();
    if (one_in(2)) client->peer().close();
    quiet();
    service->peer().close();
    quiet();
    proxy.reset();
    check();
  }
  void check() {
    std::set<std::string> once(recorder.order.begin(), recorder.order.end());
    EXPECT_EQ(once.size(), recorder.order.size()) << "something was recorded twice";
    EXPECT_EQ(recorder.exchanges.size(), director.heads.size()) << "an exchange was not ended";
    EXPECT_EQ(director.ended.size(), director.heads.size());
    std::size_t of_service = 0;
    for (auto& e : recorder.exchanges) {
      SCOPED_TRACE(std::to_string(e.id) + " " + trace::show(e.fault) + ": " + e.evidence);
      auto id = std::to_string(e.id);
      EXPECT_TRUE(once.contains("head " + id));
      EXPECT_EQ(once.contains("answer " + id), e.service_status != 0);
      EXPECT_EQ(once.contains("fired " + id), e.fired);
      EXPECT_EQ(e.ending == Ending::open, e.told == 0);
      EXPECT_EQ("/" + std::to_string(e.stream), e.target);
      if (e.told) {
        EXPECT_GE(e.told, e.begun);
      }
      if (e.fired) {
        EXPECT_NE(e.fault.name, FaultName::none);
        EXPECT_NE(e.evidence, "");
        EXPECT_FALSE(e.evidence.starts_with("not fired"));
      }
      if (!e.fired && e.ending == Ending::answered) {
        EXPECT_EQ(e.client_status, e.service_status);
      }
      if (e.fired && trace::is_loss(e.fault) && e.fault.name == FaultName::lost_response) {
        EXPECT_EQ(e.client_status, 0);
      }
      if (e.ending == Ending::answered) {
        EXPECT_NE(e.client_status, 0);
      }
      if (e.aborted != trace::Exchange::Aborted::no) {
        EXPECT_TRUE(e.ending == Ending::reset || e.ending == Ending::client_left)
            << trace::show(e.ending) << ", reset by " << trace::show(e.aborted);
      }
      if (e.refused) {
        EXPECT_NE(e.ending, Ending::answered);
      }
      of_service += e.service_status != 0;
    }
    EXPECT_LE(answered, of_service);
  }

  std::mt19937 dice;
  Streams at_client, at_service;
  std::set<std::uint32_t> numbers;
  std::map<std::uint32_t, std::string> client_heard, service_heard;
  bool goes_away = false;
  std::size_t answered = 0;
};

TEST_F(H2Random, conversations_end_every_exchange_once_and_truthfully) {
  for (unsigned seed = 1; seed <= 1500 && !HasFailure(); seed++) {
    converse(seed);
    if (HasFailure()) ADD_FAILURE() << "seed " << seed;
  }
}
}  // namespace
}  // namespace retrial::test
