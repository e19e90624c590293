#include <fmt/format.h>
#include <gtest/gtest.h>

#include "client.h"
#include "harness.h"
#include "trace/fault_name.h"

namespace retrial::test {
using proxy::Way;
using trace::FaultName;
using trace::FaultSpec;
namespace {
const FaultSpec kNone{}, kRefuse{.name = FaultName::refuse_connect}, kTimeout{.name = FaultName::connect_timeout},
    kSlow{.name = FaultName::slow_connect, .delay = 20 * kMillisecond};
const std::vector<std::string> kHosts{"127.0.0.1", "::1", "::ffff:127.0.0.1"};

std::string service_at(const std::string& host) { return host == "::1" ? "[::1]" : "127.0.0.1"; }
RunOptions with(std::vector<FaultSpec> faults) { return {{}, {}, std::move(faults)}; }

TEST(Misled, a_refused_connect_is_refused_as_by_a_closed_port) {
  for (const Way way : ways())
    for (const auto& host : kHosts)
      for (const std::string role : {"blocking", "nb"}) {
        SCOPED_TRACE(fmt::format("{} {} {}", show(way), role, host));
        const Service service(service_at(host));
        const auto run = run_captured(way, client({role, host, service.port()}), with({kRefuse}));
        EXPECT_EQ(run.output, run_native(client({role, host, closed_port()})).output);
        EXPECT_EQ(service.accepted(), 0);
        ASSERT_EQ(run.met.size(), 1u);
        EXPECT_EQ(run.met[0].fault, kRefuse);
        EXPECT_EQ(run.met[0].not_fired, "");
        EXPECT_EQ(run.met[0].service.show(), service.address().show());
        EXPECT_EQ(run.met[0].pid, run.pid);
        EXPECT_EQ(run.counts.failed + run.counts.seen, 0u);
      }
}

TEST(Misled, a_socket_that_was_refused_goes_on_as_natively) {
  for (const Way way : ways()) {
    SCOPED_TRACE(show(way));
    const Service service;
    const auto run = run_captured(way, client({"stubborn", "127.0.0.1", service.port()}),
                                  with({kRefuse, kRefuse, kNone, kRefuse, kNone}));
    // The third of the non-blocking one is the first that connects again: the second only hears of the first.
    EXPECT_EQ(run.output,
              "ECONNREFUSED ECONNREFUSED ok hello 127.0.0.1\nEINPROGRESS ECONNREFUSED EINPROGRESS hello 127.0.0.1\n");
    EXPECT_EQ(run.asked, 5);
    EXPECT_EQ(run.counts.seen, 2u);
    EXPECT_EQ(service.accepted(), 2);
  }
}

TEST(Misled, a_refused_address_is_used_again_for_the_next_connect) {
  for (const Way way : ways())
    for (const auto& host : kHosts) {
      SCOPED_TRACE(fmt::format("{} {}", show(way), host));
      const Service service(service_at(host));
      const auto run =
          run_captured(way, client({"seq", host, service.port(), "5"}), with({kRefuse, kNone, kRefuse, kRefuse}));
      EXPECT_EQ(run.output, "2 answered\n");
      EXPECT_EQ(service.accepted(), 2);
      EXPECT_EQ(run.met.size(), 3u);
    }
}

TEST(Misled, threads_that_share_one_address_do_not_cross_when_some_are_refused) {
  for (const Way way : ways()) {
    SCOPED_TRACE(show(way));
    const Service service;
    std::vector<FaultSpec> faults;
    for (int i = 0; i < 100; ++i) faults.push_back(i % 3 == 0 ? kRefuse : kNone);
    const auto run = run_captured(way, client({"mixed", "127.0.0.1", service.port(), "100"}), with(faults));
    EXPECT_EQ(run.output, "66 answered, 34 refused, 0 not\n");
    EXPECT_EQ(run.counts.seen, 66u);
    EXPECT_EQ(run.met.size(), 34u);
  }
}

TEST(Misled, a_connect_that_is_never_answered_waits_for_as_long_as_its_client_does) {
  for (const Way way : ways())
    for (const auto& host : kHosts) {
      SCOPED_TRACE(fmt::format("{} {}", show(way), host));
      const Service service(service_at(host));
      auto run =
          run_captured(way, client({"patient", host, service.port(), "non-blocking", "2"}), with({kTimeout, kTimeout}));
      const std::string silent = "connect EINPROGRESS, silent, peer ENOTCONN, -\n";
      EXPECT_EQ(run.output, silent + silent);
      EXPECT_EQ(run.met.size(), 2u);
      run = run_captured(way, client({"patient", host, service.port(), "blocking", "2"}), with({kTimeout}));
      // By getfd the kernel's answer is that of a connect that was under way.
      EXPECT_EQ(run.output, "connect " + std::string(way == Way::getfd ? "EALREADY" : "EINPROGRESS") +
                                ", peer ENOTCONN, -\nconnect ok, peer " + service.address().show() + ", hello " +
                                service.address().show().substr(0, service.address().show().rfind(':')) + "\n");
      EXPECT_EQ(service.accepted(), 1);
      EXPECT_EQ(run.counts.seen, 1u);
    }
}

TEST(Misled, it_is_told_for_how_long_a_connect_has_not_been_answered) {
  for (const Way way : ways()) {
    SCOPED_TRACE(show(way));
    const Service service;
    auto options = with({kTimeout});
    Nanos since = 0;
    options.each_millisecond = [&](proxy::Tree& tree) {
      if (since == 0) since = tree.unanswered_since();
      if (since != 0) tree.kill();
    };
    const auto run = run_captured(way, client({"blocking", "127.0.0.1", service.port()}), options);
    EXPECT_GT(since, 0);
    EXPECT_EQ(run.error, "");
    EXPECT_EQ(service.accepted(), 0);
  }
}

TEST(Misled, a_connect_that_is_answered_late_is_the_service_s_then) {
  for (const Way way : ways())
    for (const auto& host : kHosts)
      for (const std::string role : {"blocking", "nb"}) {
        SCOPED_TRACE(fmt::format("{} {} {}", show(way), role, host));
        const Service service(service_at(host));
        const SystemClock clock;
        const auto began = clock.now();
        const auto run = run_captured(way, client({role, host, service.port()}), with({kSlow}));
        EXPECT_EQ(run.output, run_native(client({role, host, service.port()})).output);
        EXPECT_GE(clock.now() - began, kSlow.delay);
        EXPECT_EQ(service.accepted(), 2);
        EXPECT_EQ(run.counts.seen, 1u);
        ASSERT_EQ(run.connections.size(), 1u);
        EXPECT_EQ(run.connections[0].original.show(), service.address().show());
        EXPECT_EQ(run.connections[0].pid, run.pid);
        EXPECT_EQ(run.met.size(), 1u);
      }
}

TEST(Misled, many_are_answered_late_at_once) {
  for (const Way way : ways()) {
    SCOPED_TRACE(show(way));
    const Service service;
    const auto run = run_captured(way, client({"parallel", "127.0.0.1", service.port(), "200"}),
                                  with(std::vector<FaultSpec>(200, kSlow)));
    EXPECT_EQ(run.output, "200 answered, 0 not\n");
    EXPECT_EQ(run.counts.seen, 200u);
    EXPECT_EQ(service.accepted(), 200);
  }
}

// By rewrite most of them have not begun when their time is up.
TEST(Misled, a_client_that_begins_after_its_time_is_answered) {
  const FaultSpec at_once{.name = FaultName::slow_connect, .delay = 1};
  for (const Way way : ways()) {
    SCOPED_TRACE(show(way));
    const Service service;
    const auto run = run_captured(way, client({"parallel", "127.0.0.1", service.port(), "200"}),
                                  with(std::vector<FaultSpec>(200, at_once)));
    EXPECT_EQ(run.error, "");
    EXPECT_EQ(run.output, "200 answered, 0 not\n");
    EXPECT_EQ(run.counts.seen, 200u);
  }
}

TEST(Misled, a_client_that_does_not_wait_for_a_late_answer_reaches_no_service) {
  for (const Way way : ways()) {
    SCOPED_TRACE(show(way));
    const Service service;
    const FaultSpec later{.name = FaultName::slow_connect, .delay = 3600 * kSecond};
    auto options = with({later, kTimeout});
    options.moved = later.delay;
    const auto run = run_captured(way, client({"patient", "127.0.0.1", service.port(), "non-blocking", "3"}), options);
    const std::string silent = "connect EINPROGRESS, silent, peer ENOTCONN, -\n";
    EXPECT_EQ(run.output, silent + silent + "connect EINPROGRESS, ready, SO_ERROR 0, peer " + service.address().show() +
                              ", hello 127.0.0.1\n");
    EXPECT_EQ(service.accepted(), 1);
    EXPECT_EQ(run.connections.size(), 1u);
  }
}

TEST(Misled, a_service_that_is_not_there_when_a_late_answer_is_due_is_a_reset) {
  for (const Way way : ways()) {
    SCOPED_TRACE(show(way));
    const auto run = run_captured(way, client({"nb", "127.0.0.1", closed_port()}), with({kSlow}));
    EXPECT_EQ(run.output.substr(0, 20), "connect EINPROGRESS\n");
    EXPECT_EQ(run.output.find("hello"), run.output.npos);
    EXPECT_EQ(run.connections.size(), 0u);
    EXPECT_EQ(run.counts.failed, 1u);
  }
}

TEST(Misled, other_connects_go_on_while_one_waits) {
  for (const Way way : ways()) {
    SCOPED_TRACE(show(way));
    const Service service;
    // The first of them is answered only once the others have been.
    auto options = with({kTimeout});
    options.connected = [seen = 0](proxy::Tree& tree) mutable {
      if (++seen == 19) tree.kill();
    };
    const auto run = run_captured(way, client({"parallel", "127.0.0.1", service.port(), "20"}), options);
    EXPECT_EQ(run.counts.seen, 19u);
    EXPECT_EQ(run.error, "");
  }
}

TEST(Misled, a_fault_of_the_handshake_goes_with_the_connection_or_is_told_to_have_met_none) {
  const FaultSpec cut{.name = FaultName::tls_cut};
  for (const Way way : ways()) {
    SCOPED_TRACE(show(way));
    const Service service;
    auto run = run_captured(way, client({"seq", "127.0.0.1", service.port(), "2"}), with({cut}));
    ASSERT_EQ(run.connections.size(), 2u);
    EXPECT_EQ(run.connections[0].fault, cut);
    EXPECT_EQ(run.connections[1].fault, kNone);
    EXPECT_EQ(run.met.size(), 0u);
    run = run_captured(way, client({"seq", "127.0.0.1", closed_port(), "1"}), with({cut}));
    ASSERT_EQ(run.met.size(), 1u);
    EXPECT_EQ(run.met[0].not_fired, "the service was not reached");
  }
}
}  // namespace
}  // namespace retrial::test
