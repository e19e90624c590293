#include <gtest/gtest.h>

#include "trace/calls/correlator.h"
#include "trace/comparing/comparison.h"
#include "trace/fault_name.h"

namespace retrial::trace {
namespace {

// A client's thread, request by request, at one call site: what lies between two of them is a wait, and work.
class Client {
 public:
  void sends(bool succeeds, Nanos wait, Nanos work) {
    now_ += wait + work;
    busy_ += work;
    Exchange e;
    e.id = run.exchanges.size() + 1;
    e.connection = e.id;
    e.pid = 7;
    e.service = e.host = "127.0.0.1:8000";
    e.method = "GET";
    e.target = "/things";
    e.operation = "GET /things";
    e.profile = "generic";
    e.tag.site = CallSite{"client.py", 13, "get"};
    e.begun = e.request_read = now_;
    e.busy = {7, busy_, busy_};
    e.told = now_ += kMillisecond;
    e.ending = Ending::answered;
    e.fired = !succeeds;
    if (e.fired) e.fault = {.name = FaultName::error, .status = 503};
    e.service_status = succeeds ? 200 : 0;
    e.client_status = succeeds ? 200 : 503;
    run.exchanges.push_back(e);
  }
  std::vector<Call> calls() {
    Correlator::correlate_again(run.exchanges);
    return calls_of(run);
  }
  Run run;

 private:
  Nanos now_ = kSecond, busy_ = kSecond;
};

// Eight calls that succeed, one after another at once; then one that fails nine times, and waits nothing. All of what
// lies between is a machine's load: 39 to 154 ms.
Client loaded() {
  Client client;
  for (auto load : {50, 91, 140, 39, 77, 122, 60, 44}) client.sends(true, 200 * kMillisecond, load * kMillisecond);
  for (auto load : {70, 154, 39, 112, 45, 88, 61, 140, 97}) client.sends(false, 0, load * kMillisecond);
  return client;
}

TEST(UnderLoad, the_attempts_of_a_call_stay_together) {
  auto client = loaded();
  auto calls = client.calls();
  ASSERT_EQ(calls.size(), 9u);
  EXPECT_EQ(calls.back().attempts.size(), 9u);
}

TEST(UnderLoad, attempts_of_which_only_the_gaps_are_known_are_said_to_be_open) {
  auto client = loaded();
  for (auto& e : client.run.exchanges) e.busy = {};
  auto calls = client.calls();
  for (auto call = calls.begin() + 8; call + 1 < calls.end(); ++call) EXPECT_TRUE(call->unsaid);
}

}  // namespace
}  // namespace retrial::trace
