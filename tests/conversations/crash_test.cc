// A process that ends at a moment of its own request.
#include "tests/support/conversation.h"
#include "trace/fault_name.h"

namespace retrial::test {
namespace {
using trace::Ending;
using trace::Point;

class Crash : public Conversation {
 protected:
  static constexpr std::string_view kRequest = "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody";
  static constexpr std::string_view kResponse = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
  static constexpr std::string_view kRefusal = "HTTP/1.1 409 Conflict\r\nContent-Length: 0\r\n\r\n";
  static constexpr pid_t kClient = 42;  // of every connection (support/conversation.cc)

  void SetUp() override {
    start({.end_process = [this](pid_t pid) {
      ended.push_back(pid);
      return pid == kClient && mortal;
    }});
  }
  void plan(Point point) { director.plan(1, {.name = trace::FaultName::crash, .point = point}); }
  std::vector<pid_t> ended;
  bool mortal = true;
};

TEST_F(Crash, before_the_request_leaves_the_service_without_a_word_of_it) {
  plan(Point::before_request);
  auto [client, service] = connect();
  client->say(kRequest);
  client->hears_rst();
  service->hears_fin();
  EXPECT_EQ(ended, std::vector{kClient});
  auto& e = exchange();
  EXPECT_TRUE(e.fired);
  EXPECT_EQ(e.evidence, "process 42 was ended (SIGKILL) before the service heard of its request");
  EXPECT_EQ(e.service_status, 0);
}

TEST_F(Crash, once_executed_comes_with_the_whole_answer_read_and_none_of_it_told) {
  plan(Point::executed);
  auto [client, service] = connect();
  client->say(kRequest);
  service->hears(kRequest);
  service->say(kResponse.substr(0, kResponse.size() - 1));
  client->hears_nothing();
  EXPECT_TRUE(ended.empty());
  service->say(kResponse.substr(kResponse.size() - 1));
  client->hears_rst();
  EXPECT_EQ(ended, std::vector{kClient});
  auto& e = exchange();
  EXPECT_EQ(e.evidence, "process 42 was ended (SIGKILL) with the answer withheld; the service had answered 200");
  EXPECT_EQ(e.service_status, 200);
  EXPECT_EQ(e.client_status, 0);
}

TEST_F(Crash, once_answered_comes_when_the_client_has_all_of_it) {
  plan(Point::answered);
  auto [client, service] = connect();
  client->say(kRequest);
  service->hears(kRequest);
  service->say(kResponse.substr(0, kResponse.size() - 1));
  client->hears(kResponse.substr(0, kResponse.size() - 1));
  EXPECT_TRUE(ended.empty());
  service->say(kResponse.substr(kResponse.size() - 1));
  client->hears(kResponse.substr(kResponse.size() - 1));
  client->hears_rst();
  EXPECT_EQ(ended, std::vector{kClient});
  auto& e = exchange();
  EXPECT_TRUE(e.fired);
  EXPECT_EQ(e.evidence, "process 42 was ended (SIGKILL) once it had the answer, 200");
  EXPECT_EQ(e.ending, Ending::answered);
}

TEST_F(Crash, does_not_come_after_an_error_of_the_services_own) {
  for (auto point : {Point::executed, Point::answered}) {
    director.plan(recorder.exchanges.size() + 1, {.name = trace::FaultName::crash, .point = point});
    auto [client, service] = connect();
    client->say(kRequest);
    service->hears(kRequest);
    service->say(kRefusal);
    client->hears(kRefusal);
    quiet();
    EXPECT_FALSE(recorder.exchanges.back().fired);
    EXPECT_EQ(recorder.exchanges.back().evidence,
              "not fired: the service's own answer is an error: nothing was executed");
  }
  EXPECT_TRUE(ended.empty());
}

TEST_F(Crash, lets_nothing_more_of_the_dead_reach_a_service) {
  plan(Point::before_request);
  auto [client, service] = connect();
  auto [other, there] = connect();
  client->say(kRequest);
  client->hears_rst();
  other->say(kRequest);
  other->hears_rst();
  there->hears_fin();
  EXPECT_EQ(recorder.exchanges.size(), 1u);
}

TEST_F(Crash, of_a_process_that_may_not_be_ended_is_said_not_to_have_come) {
  mortal = false;
  plan(Point::answered);
  auto [client, service] = connect();
  client->say(kRequest);
  service->hears(kRequest);
  service->say(kResponse);
  client->hears(kResponse);
  quiet();
  EXPECT_FALSE(exchange().fired);
  EXPECT_EQ(exchange().evidence, "not fired: the process that has sent it is not known, or not one of this run");
}

TEST_F(Crash, where_no_process_may_be_ended_passes_all) {
  start({});
  plan(Point::before_request);
  auto [client, service] = connect();
  client->say(kRequest);
  service->hears(kRequest);
  service->say(kResponse);
  client->hears(kResponse);
  quiet();
  EXPECT_EQ(exchange().evidence, "not fired: the process that has sent it is not known, or not one of this run");
}

}  // namespace
}  // namespace retrial::test
