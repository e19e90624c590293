#include <gtest/gtest.h>

#include <set>

#include "client.h"
#include "harness.h"

namespace retrial::test {
using proxy::Way;
namespace {
// What a client prints must be the same with and without us.
void expect_as_natively(const std::vector<std::string>& role) {
  const auto native = run_native(client(role));
  for (const Way way : ways()) {
    SCOPED_TRACE(show(way));
    const auto run = run_captured(way, client(role));
    EXPECT_EQ(run.output, native.output);
    EXPECT_EQ(run.status, native.status);
    EXPECT_EQ(run.error, "");
  }
}

TEST(Connects, many_connects_are_all_seen_and_each_reaches_the_service_once) {
  for (const Way way : ways()) {
    SCOPED_TRACE(show(way));
    const Service service;
    const auto run = run_captured(way, client({"seq", "127.0.0.1", service.port(), "2000"}));
    EXPECT_EQ(run.output, "2000 answered\n");
    EXPECT_EQ(run.counts.seen, 2000u);
    ASSERT_EQ(run.connections.size(), 2000u);
    EXPECT_EQ(service.accepted(), 2000);
    EXPECT_EQ(run.connections.back().original, service.address());
    EXPECT_EQ(run.connections.back().pid, run.pid);
    EXPECT_TRUE(run.counts.not_seen.empty());
  }
}

TEST(Connects, threads_that_share_one_address_never_cross) {
  for (const Way way : ways()) {
    SCOPED_TRACE(show(way));
    for (const std::string host : {"127.0.0.1", "::1"}) {
      const Service service(host == "::1" ? "[::1]" : host);
      const auto run = run_captured(way, client({"parallel", host, service.port(), "200"}));
      EXPECT_EQ(run.output, "200 answered, 0 not\n");
      EXPECT_EQ(run.counts.seen, 200u);
      EXPECT_EQ(run.connections.size(), 200u);
      EXPECT_EQ(service.accepted(), 200);
      std::set<pid_t> pids;
      for (const auto& connection : run.connections) pids.insert(connection.pid);
      EXPECT_EQ(pids, std::set<pid_t>{run.pid}) << "a thread is told as its process";
    }
  }
}

TEST(Connects, threads_that_share_one_address_do_not_cross_when_some_dials_are_late) {
  for (const Way way : ways()) {
    SCOPED_TRACE(show(way));
    // Its queue holds few, so that some dials are answered at once and others not within their limit.
    Service service("127.0.0.1", 20, false);
    RunOptions options;
    options.each_millisecond = [&](proxy::Tree& tree) {
      if (tree.counts().late > 20) service.open();
    };
    const auto run = run_captured(way, client({"parallel", "127.0.0.1", service.port(), "100"}), options);
    EXPECT_EQ(run.output, "100 answered, 0 not\n");
    EXPECT_GT(run.counts.late, 0u);
    EXPECT_EQ(run.counts.seen + run.counts.late, 100u);
    EXPECT_EQ(run.connections.size(), run.counts.seen);
    EXPECT_EQ(service.accepted(), 100);
    EXPECT_EQ(run.counts.not_seen, std::vector<std::string>{service.address().show() + " (late)"});
    EXPECT_EQ(run.counts.missed, std::set<std::string>{service.address().show()});
    EXPECT_EQ(run.counts.reached, run.counts.missed);
  }
}

TEST(Connects, a_service_whose_queue_is_full_for_a_moment_is_dialled_anew) {
  for (const Way way : ways()) {
    SCOPED_TRACE(show(way));
    Service service("127.0.0.1", 20, false);
    RunOptions options;
    int milliseconds = 0;
    options.each_millisecond = [&](proxy::Tree& tree) {
      if (tree.counts().reached.contains(service.address().show()) && ++milliseconds == 60) service.open();
    };
    const auto run = run_captured(way, client({"parallel", "127.0.0.1", service.port(), "100"}), options);
    EXPECT_EQ(run.output, "100 answered, 0 not\n");
    EXPECT_EQ(run.counts.late, 0u);
    EXPECT_EQ(run.counts.seen, 100u);
    EXPECT_EQ(service.accepted(), 100);
  }
}

TEST(Connects, a_non_blocking_connect_is_as_natively) {
  const Service service, six("[::1]");
  expect_as_natively({"nb", "127.0.0.1", service.port()});
  expect_as_natively({"nb", "::1", six.port()});
  expect_as_natively({"nb", "::ffff:127.0.0.1", service.port()});
}

TEST(Connects, getpeername_answers_the_original_and_nothing_before) {
  const Service service, six("[::1]");
  expect_as_natively({"blocking", "127.0.0.1", service.port()});
  expect_as_natively({"blocking", "::1", six.port()});
  const auto run = run_captured(Way::rewrite, client({"blocking", "127.0.0.1", service.port()}));
  EXPECT_EQ(run.output, "before ENOTCONN\nconnect ok\npeer " + service.address().show() + "\nanswer hello 127.0.0.1\n");
}

TEST(Connects, sockets_of_every_kind_of_ipv6_are_as_natively) {
  const Service service, six("[::1]");
  expect_as_natively({"blocking", "::1", six.port(), "v6only"});
  expect_as_natively({"blocking", "::1", six.port(), "bind", "::1"});
  expect_as_natively({"blocking", "::ffff:127.0.0.1", service.port()});
  expect_as_natively({"blocking", "::ffff:127.0.0.1", service.port(), "v6only"});
  expect_as_natively({"blocking", "::ffff:127.0.0.1", service.port(), "bind", "::ffff:127.0.0.1"});
  expect_as_natively({"blocking", "::ffff:127.0.0.1", service.port(), "bind", "::1"});
}

TEST(Connects, the_wildcard_address_is_this_host) {
  const Service service, six("[::1]");
  expect_as_natively({"blocking", "0.0.0.0", service.port()});
  expect_as_natively({"blocking", "::", six.port()});
  for (const Way way : ways()) {
    const auto run = run_captured(way, client({"blocking", "0.0.0.0", service.port()}));
    ASSERT_EQ(run.connections.size(), 1u);
    EXPECT_EQ(run.connections[0].original, service.address());
  }
}

TEST(Connects, a_source_address_that_was_bound_is_kept_where_it_can_be_known) {
  const Service service;
  const std::vector<std::string> role{"blocking", "127.0.0.1", service.port(), "bind", "127.0.0.9"};
  EXPECT_NE(run_native(client(role)).output.find("answer hello 127.0.0.9\n"), std::string::npos);
  if (works(Way::getfd)) {
    EXPECT_NE(run_captured(Way::getfd, client(role)).output.find("answer hello 127.0.0.9\n"), std::string::npos);
  }
  EXPECT_NE(run_captured(Way::rewrite, client(role)).output.find("answer hello 127.0.0.1\n"), std::string::npos);
}

TEST(Connects, a_refused_connect_gives_its_native_errno_and_is_named) {
  for (const std::string host : {"127.0.0.1", "::1"}) {
    expect_as_natively({"blocking", host, closed_port()});
    expect_as_natively({"nb", host, closed_port()});
  }
  for (const Way way : ways()) {
    const auto run = run_captured(way, client({"blocking", "127.0.0.1", closed_port()}));
    EXPECT_EQ(run.output, "before ENOTCONN\nconnect ECONNREFUSED\n");
    EXPECT_EQ(run.counts.failed, 1u);
    EXPECT_EQ(run.counts.seen, 0u);
    EXPECT_EQ(run.counts.not_seen, std::vector<std::string>{"127.0.0.1:" + closed_port() + " (Connection refused)"});
  }
}

TEST(Connects, a_second_connect_on_a_socket_never_dials) {
  for (const Way way : ways()) {
    SCOPED_TRACE(show(way));
    const Service service;
    const auto run = run_captured(way, client({"again", "127.0.0.1", service.port()}));
    EXPECT_EQ(run.output,
              "first ok\nsecond EISCONN\nanswer hello 127.0.0.1\nfirst ok\nunspec ok\npeer ENOTCONN\nagain ok\n"
              "answer hello 127.0.0.1\n");
    EXPECT_EQ(service.accepted(), 3);
    EXPECT_EQ(run.counts.seen, 3u);
  }
}

TEST(Connects, what_the_kernel_refuses_by_itself_is_left_to_it) {
  const Service service;
  expect_as_natively({"wrong", "127.0.0.1", service.port()});
  EXPECT_EQ(service.accepted(), 0) << "and nothing was dialled";
}

TEST(Connects, unix_sockets_and_udp_pass_and_are_counted_and_io_uring_is_not_there) {
  for (const Way way : ways()) {
    SCOPED_TRACE(show(way));
    const auto run = run_captured(way, client({"other"}));
    EXPECT_EQ(run.output, "unix ok\nudp ok\npeer as it was given: yes\nsent 1\nreceived 1\nio_uring ENOSYS\n");
    EXPECT_EQ(run.counts.unix_socket, 1u);
    EXPECT_EQ(run.counts.udp, 1u);
    EXPECT_EQ(run.counts.seen, 0u);
  }
}

TEST(Connects, an_address_outside_is_never_dialled_and_named) {
  // TEST-NET-1 and link-local: nothing answers there, and nobody of ours may ask.
  for (const Way way : ways())
    for (const std::string host : {"192.0.2.1", "169.254.169.254"}) {
      const auto run = run_captured(way, client({"outside", host, "80"}));
      EXPECT_EQ(run.counts.outside, 1u);
      EXPECT_EQ(run.counts.failed + run.counts.late + run.counts.seen, 0u);
      EXPECT_EQ(run.counts.not_seen, std::vector<std::string>{host + ":80 (outside)"});
    }
}

TEST(Connects, another_network_namespace_is_left_alone) {
  const Service service;
  const auto native = run_native(client({"elsewhere", "127.0.0.1", service.port()}));
  if (native.output == "not allowed\n") GTEST_SKIP() << "network namespaces are not allowed here";
  for (const Way way : ways()) {
    SCOPED_TRACE(show(way));
    const auto run = run_captured(way, client({"elsewhere", "127.0.0.1", service.port()}));
    EXPECT_EQ(run.output, native.output);
    EXPECT_EQ(run.counts.seen, 0u);
    EXPECT_EQ(run.counts.outside, 1u);
  }
  EXPECT_EQ(service.accepted(), 0);
}

TEST(Connects, an_address_in_read_only_memory_works_and_one_that_cannot_be_replaced_stays_native) {
  const Service service;
  const std::string all = "connect ok\nanswer hello 127.0.0.1\nconnect ok\nanswer hello 127.0.0.1\n";
  if (works(Way::getfd)) {
    const auto by_getfd = run_captured(Way::getfd, client({"read-only", service.port()}));
    EXPECT_EQ(by_getfd.output, all);
    EXPECT_EQ(by_getfd.counts.seen, 2u);
  }
  const auto by_rewrite = run_captured(Way::rewrite, client({"read-only", service.port()}));
  EXPECT_EQ(by_rewrite.output, all);
  EXPECT_EQ(by_rewrite.counts.seen, 1u);
  EXPECT_EQ(by_rewrite.counts.unreadable, 1u);
  EXPECT_EQ(by_rewrite.counts.not_seen,
            std::vector<std::string>{service.address().show() + " (its address could not be replaced)"});
}

TEST(Connects, children_of_every_kind_are_captured) {
  for (const Way way : ways()) {
    SCOPED_TRACE(show(way));
    const Service service;
    const auto run = run_captured(way, client({"children", "127.0.0.1", service.port()}));
    EXPECT_EQ(run.output, "fork 0\nvfork 0\n1 answered\nposix_spawn 0\n");
    EXPECT_EQ(run.counts.seen, 3u);
    std::set<pid_t> pids;
    for (const auto& connection : run.connections) pids.insert(connection.pid);
    EXPECT_EQ(pids.size(), 3u);
    EXPECT_FALSE(pids.contains(run.pid));
  }
}

TEST(Connects, connects_that_a_signal_met_before_us_are_counted_one_by_one) {
  for (const Way way : ways()) {
    SCOPED_TRACE(show(way));
    const Service service;
    int lost = 0;
    for (int round = 0; round < 10 && lost == 0; ++round) {
      const auto run = run_captured(way, client({"interrupted", service.port(), "500"}));
      lost = std::stoi(run.output);
      EXPECT_EQ(run.counts.interrupted, static_cast<std::uint64_t>(lost));
      EXPECT_EQ(run.counts.seen, 500u - static_cast<unsigned>(lost));
    }
  }
}

TEST(Connects, two_trees_at_once_do_not_meet) {
  const Service one, two;
  RunOptions options;
  bool nested = false;
  options.connected = [&](proxy::Tree&) {
    if (std::exchange(nested, true)) return;
    const auto inner = run_captured(Way::rewrite, client({"seq", "127.0.0.1", two.port(), "20"}));
    EXPECT_EQ(inner.output, "20 answered\n");
    EXPECT_EQ(inner.counts.seen, 20u);
  };
  const auto run = run_captured(ways().front(), client({"seq", "127.0.0.1", one.port(), "20"}), options);
  EXPECT_EQ(run.output, "20 answered\n");
  EXPECT_EQ(run.counts.seen, 20u);
  EXPECT_EQ(two.accepted(), 20);
  EXPECT_EQ(one.accepted(), 20);
}
}  // namespace
}  // namespace retrial::test
