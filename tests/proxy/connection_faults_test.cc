#include "proxy/faults/connection.h"

#include <gtest/gtest.h>

#include "trace/fault_name.h"
#include "trace/fault_table.h"

namespace retrial::proxy {
namespace {
using trace::FaultName;

TEST(ConnectionFaults, are_carried_by_the_next_request_of_that_process_to_that_service) {
  ConnectionFaults faults;
  trace::Exchange e;
  e.pid = 7;
  e.service = "a:1";
  EXPECT_TRUE(faults.empty());
  EXPECT_FALSE(faults.carried_by(e));
  faults.fired(7, "a:1", {.name = FaultName::refuse_connect}, 100);
  faults.fired(7, "a:1", {.name = FaultName::refuse_connect}, 200);
  faults.fired(7, "b:1", {.name = FaultName::connect_timeout}, 300);
  trace::Exchange other = e;
  other.pid = 8;
  EXPECT_FALSE(faults.carried_by(other));
  trace::Exchange own = e;
  own.fault.name = FaultName::error;
  EXPECT_FALSE(faults.carried_by(own));
  EXPECT_TRUE(faults.carried_by(e));
  EXPECT_EQ(e.fault.name, FaultName::refuse_connect);
  EXPECT_TRUE(e.fired);
  EXPECT_EQ(e.fired_at, 100);
  EXPECT_EQ(e.evidence, "the connection was refused, 2 times");
  e.fault = {};
  EXPECT_FALSE(faults.carried_by(e));
  e.service = "b:1";
  EXPECT_TRUE(faults.carried_by(e));
  EXPECT_EQ(e.evidence, "the connection was never answered");
  EXPECT_TRUE(faults.empty());
  ASSERT_EQ(faults.all().size(), 2u);
  EXPECT_EQ(faults.all()[0].times, 2u);
  EXPECT_EQ(faults.all()[0].at, 100);
  EXPECT_EQ(faults.all()[1].service, "b:1");
}
TEST(ConnectionFaults, what_nothing_carries_is_told_all_the_same) {
  ConnectionFaults faults;
  trace::Exchange e;
  e.id = 3;
  e.pid = 7;
  e.service = "a:1";
  faults.not_fired(7, "a:1", {.name = FaultName::tls_cut}, "nothing of TLS", 100);
  faults.not_fired(7, "a:1", {.name = FaultName::tls_cut}, "nothing of TLS", 200);
  EXPECT_FALSE(faults.carried_by(e));
  faults.fired(7, "a:1", {.name = FaultName::refuse_connect}, 300);
  ASSERT_EQ(faults.all().size(), 2u);
  EXPECT_FALSE(faults.all()[0].fired);
  EXPECT_EQ(faults.all()[0].evidence, "nothing of TLS");
  EXPECT_EQ(faults.all()[0].times, 2u);
  EXPECT_TRUE(faults.all()[1].fired);
  EXPECT_EQ(faults.all()[1].exchange, 0u);
  EXPECT_TRUE(faults.carried_by(e));
  EXPECT_EQ(faults.all()[1].exchange, 3u);
}
TEST(ConnectionFaults, are_kept_of_so_many_services_and_no_more) {
  constexpr auto kMost = ConnectionFaults::kMost;
  ConnectionFaults faults;
  trace::FaultSpec refused{.name = FaultName::refuse_connect};
  for (std::size_t i = 0; i < kMost + 10; i++) faults.fired(1, std::to_string(i), refused, 1);
  EXPECT_EQ(faults.all().size(), kMost);
  trace::Exchange e;
  e.pid = 1;
  e.service = std::to_string(kMost);
  EXPECT_FALSE(faults.carried_by(e));
  e.service = std::to_string(kMost - 1);
  EXPECT_TRUE(faults.carried_by(e));
}
TEST(ConnectionFaults, each_says_what_stood_on_the_wire) {
  for (auto& row : trace::fault_rows())
    EXPECT_EQ(!connection_evidence({.name = row.fault}).empty(), row.of_connection) << row.word;
  EXPECT_EQ(connection_evidence({.name = FaultName::slow_connect, .delay = 3 * kSecond}),
            "the connection was answered after 3.0 s");
}

}  // namespace
}  // namespace retrial::proxy
