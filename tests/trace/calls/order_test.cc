#include "trace/calls/order.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "trace/calls/correlator.h"
#include "trace/comparing/comparison.h"
#include "trace/fault_name.h"

namespace retrial::trace {
namespace {

// Clients of a proxy that stays: the same two requests again and again, some answered 503 and sent again. Times are
// coarse, so that many are equal.
Run traffic(std::mt19937& random) {
  Run run;
  auto any = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
  for (int client = 0; client < 4; client++) {
    Nanos now = kSecond;
    for (int i = 0; i < 40; i++) {
      Exchange e;
      e.connection = run.exchanges.size() + 1;
      e.service = e.host = "127.0.0.1:8000";
      e.method = "GET";
      e.target = any(2) ? "/a" : "/b";
      e.operation = "GET " + e.target;
      e.profile = "generic";
      e.begun = e.request_read = now += any(4) * (10 * kMillisecond);
      e.told = now += any(2) * (10 * kMillisecond);
      e.ending = Ending::answered;
      e.fired = any(3) == 0;
      if (e.fired) e.fault = {.name = FaultName::error, .status = 503};
      e.service_status = e.fired ? 0 : 200;
      e.client_status = e.fired ? 503 : 200;
      run.exchanges.push_back(e);
    }
  }
  for (auto& e : run.exchanges) e.id = static_cast<std::uint64_t>(&e - run.exchanges.data()) + 1;
  return run;
}

// All that is said of calls, without any number.
std::string reading(Run run) {
  Correlator::correlate_again(run.exchanges);
  std::string out;
  for (auto& call : calls_of(run)) {
    out += fmt::format("{} {} {} unsaid={}:", call.operation, call.occurrence, show(call.confidence), call.unsaid);
    for (auto* e : call.attempts) out += fmt::format(" {}-{}", e->begun, e->client_status);
    out += fmt::format("; {}\n", recovered(call));
  }
  return out;
}

TEST(Order, of_the_same_exchanges_one_thing_is_said_however_they_are_stored_and_numbered) {
  for (unsigned seed = 1; seed <= 20; seed++) {
    std::mt19937 random(seed);
    auto run = traffic(random);
    auto once = reading(run);
    for (int i = 0; i < 5; i++) {
      std::ranges::shuffle(run.exchanges, random);
      EXPECT_EQ(reading(run), once) << "stored in another order, seed " << seed;
      for (auto& e : run.exchanges) {  // as other loops would have counted
        e.id = static_cast<std::uint64_t>(&e - run.exchanges.data()) + 1000;
        e.call = e.id;
      }
      EXPECT_EQ(reading(run), once) << "with other numbers, seed " << seed;
    }
  }
}

}  // namespace
}  // namespace retrial::trace
