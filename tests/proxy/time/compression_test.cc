// Real programs under the real executor. What is asserted is client time and outcome, never how long it took.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <sstream>
#include <thread>

#include "campaign/workload/execution.h"
#include "policies/fault_plan.h"
#include "tests/support/folder.h"
#include "tests/support/sockets.h"
#include "trace/comparing/jumps.h"

namespace retrial::campaign {
namespace {

class Compression : public ::testing::Test {
 protected:
  // Runs the command with the fault, "{}" in it being the service's address.
  trace::Run run(std::vector<std::string> argv, const std::string& fault, RunSpec spec = {}) {
    auto capture = choose_capture("", {});
    EXPECT_TRUE(capture) << capture.error().line();
    auto executor =
        Executor::open({.folder = folder_.path() / "campaign", .capture = *capture, .real_time = real_time_}, clock_);
    EXPECT_TRUE(executor) << executor.error().line();
    for (auto& word : argv)
      for (auto at = word.find("{}"); at != word.npos; at = word.find("{}")) word.replace(at, 2, origin_.at().show());
    spec.launch.argv = std::move(argv);
    spec.only_test = "command";
    if (!fault.empty()) {
      auto plan = policies::parse_fault_plan(fault);
      EXPECT_TRUE(plan) << plan.error().line();
      spec.aims = {Aim{{}, *plan, 1}};
      spec.kind = trace::RunKind::with_fault;
    }
    auto run = (*executor)->execute(spec);
    EXPECT_TRUE(run) << run.error().line();
    said_ = test::contents((*executor)->log_of(1));
    return run ? std::move(*run) : trace::Run{};
  }
  trace::Run python(const std::string& text, const std::string& fault, RunSpec spec = {}) {
    return run({"python3", "-c", kTools + text}, fault, std::move(spec));
  }

  static constexpr const char* kTools = R"(
import time, urllib.request, urllib.error, threading, subprocess, sys
def get(timeout=None):
    try:
        with urllib.request.urlopen("http://{}/", timeout=timeout) as answer:
            return answer.status
    except urllib.error.HTTPError as e:
        return e.code
    except Exception as e:
        return type(getattr(e, "reason", e)).__name__
)";
  test::Folder folder_;
  test::Origin origin_{"origin"};
  SystemClock clock_;
  bool real_time_ = false;
  std::string said_;  // the command's output
};

TEST_F(Compression, each_gap_of_a_ladder_is_as_long_as_the_client_has_waited) {
  auto run = python(R"(
for i in range(7):
    get()
    if i < 6: time.sleep(2 ** i)
)",
                    "error(503)");
  ASSERT_EQ(run.exchanges.size(), 7u) << said_;
  Nanos moved = 0;
  for (std::size_t i = 0; i < 6; i++) {
    auto from = run.exchanges[i].told, to = run.exchanges[i + 1].begun;
    auto wanted = static_cast<Nanos>(1u << i) * kSecond;
    EXPECT_GE(to - from, wanted - wanted / 50);  // the client may have read it before we have looked at the clock
    EXPECT_LE(to - from, wanted + std::max(wanted / 50, kSecond / 2));  // a loaded machine's share
    moved += trace::waited(run, from, to);
  }
  EXPECT_GE(moved, 56 * kSecond);  // of 63: on a loaded machine a short one may pass in real time
  EXPECT_TRUE(run.compressed);
  EXPECT_TRUE(run.real_time.empty()) << run.real_time[0];
  EXPECT_EQ(run.stop, trace::Stop::exited);
}

TEST_F(Compression, every_way_to_wait_agrees_with_every_clock) {
  auto run = this->run({RETRIAL_WAITS, "{}"}, "error(503)");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_NE(said_.find("\n0 wrong\n"), said_.npos) << said_;
  EXPECT_EQ(said_.find(" wrong:"), said_.npos) << said_;
  EXPECT_GT(trace::jumped(run), 40 * kSecond);
}

TEST_F(Compression, a_limit_on_a_stalled_exchange_comes_when_the_client_has_set_it) {
  auto run = python("began = time.monotonic(); print(get(30), round(time.monotonic() - began))", "stall");
  EXPECT_EQ(said_, "TimeoutError 30\n");
  ASSERT_EQ(run.exchanges.size(), 1u);
  EXPECT_EQ(run.exchanges[0].ending, trace::Ending::client_left);
}

TEST_F(Compression, a_client_without_a_limit_is_held_as_long_as_was_asked_for_in_its_own_time) {
  RunSpec spec;
  spec.hold = 310 * kSecond;
  auto run = python("get()", "stall", spec);
  EXPECT_EQ(run.stop, trace::Stop::held);
  EXPECT_GE(run.ended - run.began, 310 * kSecond);
}

// Python's serve_forever looks twice a second whether it is to end.
TEST_F(Compression, a_server_in_the_client_that_looks_for_connections_makes_no_jump_of_each_look) {
  RunSpec spec;
  spec.hold = 2 * 3600 * kSecond;
  auto run = python(R"(
import http.server
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
threading.Thread(target=server.serve_forever, daemon=True).start()
get()
)",
                    "stall", spec);
  EXPECT_EQ(run.stop, trace::Stop::held);
  EXPECT_GE(run.ended - run.began, spec.hold);
  EXPECT_LT(run.jumps.size(), 400u);  // 14,400 looks; each jump is a tenth of those before it
}

TEST_F(Compression, a_limit_that_is_kept_by_looking_for_connections_comes_a_tenth_late_at_most) {
  auto run = python(R"(
import http.server
get()
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
server.timeout = 0.1
began = time.monotonic()
while time.monotonic() < began + 60: server.handle_request()
print(60 <= time.monotonic() - began <= 66.5)
)",
                    "error(503)");
  EXPECT_EQ(said_, "True\n");
}

TEST_F(Compression, what_a_fault_delays_is_delayed_in_the_clients_time) {
  auto run = python("began = time.monotonic(); print(get(), int(time.monotonic() - began))", "delay(20s)");
  EXPECT_EQ(said_, "200 20\n");
}

TEST_F(Compression, pauses_of_a_drip_take_no_time_of_ours) {
  auto run = python("urllib.request.urlopen(\"http://{}/\").read()", "drip(20, 30s)");
  ASSERT_EQ(run.exchanges.size(), 1u) << said_;
  auto took = run.exchanges[0].told - run.exchanges[0].begun;
  Nanos jumped = 0;
  for (auto& jump : run.jumps) jumped += jump.by;
  EXPECT_GE(took, 30 * kSecond);
  EXPECT_GT(jumped, took / 4 * 3);
}
TEST_F(Compression, a_service_that_thinks_has_all_the_time_it_needs) {
  origin_.hold();
  std::jthread releases([this] {
    while (origin_.requests() == 0) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    origin_.release();
  });
  auto run = python("print(get(), get(15))", "error(503) x 1, then pass");
  EXPECT_EQ(said_, "503 200\n");
}

TEST_F(Compression, code_that_computes_sees_nothing_of_it) {
  auto run = python(R"(
get()
threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
began = time.monotonic_ns()
while time.monotonic_ns() - began < 3e8: pass
print(began, time.monotonic_ns())
)",
                    "error(503)");
  Nanos from = 0, to = 0;
  ASSERT_TRUE(std::istringstream(said_) >> from >> to) << said_;
  EXPECT_EQ(trace::waited(run, from, to), 0);
}

TEST_F(Compression, nothing_jumps_past_the_end_of_a_sleep_that_cannot_be_moved_and_the_process_is_named) {
  auto run = python("get()\ntry: print(subprocess.run(['" RETRIAL_NAPS
                    "', '1000'], timeout=1000).returncode)\n"
                    "except subprocess.TimeoutExpired: print('jumped past it')",
                    "error(503)");
  EXPECT_EQ(said_, "0\n");
  ASSERT_EQ(run.real_time.size(), 1u);
  EXPECT_TRUE(run.real_time[0].starts_with("naps[")) << run.real_time[0];
  EXPECT_NE(run.real_time[0].find("(static)"), std::string::npos) << run.real_time[0];
}

TEST_F(Compression, a_go_program_that_idles_and_connects_to_nothing_holds_up_no_jump_and_is_not_named) {
  auto run = python(R"(
idler = subprocess.Popen([")" RETRIAL_GO_LIKE R"("])
get()
began = time.monotonic_ns()
time.sleep(500)
print(began, time.monotonic_ns())
idler.kill()
)",
                    "error(503)");
  Nanos from = 0, to = 0;
  ASSERT_TRUE(std::istringstream(said_) >> from >> to) << said_;
  EXPECT_GE(trace::waited(run, from, to), 490 * kSecond);
  EXPECT_TRUE(run.real_time.empty()) << run.real_time[0];
}

TEST_F(Compression, a_peer_on_a_unix_socket_outside_the_tree_has_all_the_time_it_needs_and_is_named) {
  auto path = (folder_.path() / "peer").string();
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un at{.sun_family = AF_UNIX, .sun_path = {}};
  path.copy(at.sun_path, sizeof at.sun_path - 1);
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  std::jthread peer([listener] {
    int fd = accept(listener, nullptr, nullptr);
    char byte = 0;
    if (read(fd, &byte, 1) == 1) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_EQ(write(fd, "x", 1), 1);
    close(fd);
    close(listener);
  });
  auto run = python("import socket; get(); s = socket.socket(socket.AF_UNIX); s.settimeout(15); s.connect('" + path +
                        "'); s.send(b'?'); print(s.recv(1))",
                    "error(503)");
  EXPECT_EQ(said_, "b'x'\n");
  ASSERT_EQ(run.real_time.size(), 1u);
  EXPECT_NE(run.real_time[0].find("(connected to a UNIX socket)"), std::string::npos) << run.real_time[0];
}

TEST_F(Compression, a_child_that_was_forked_and_one_that_was_executed_wait_in_the_same_time) {
  auto run = python(R"(
import os
get()
began = time.monotonic()
if os.fork() == 0:
    time.sleep(20)
    os._exit(0)
os.wait()
subprocess.run(["sleep", "20"])
print(int(time.monotonic() - began))
)",
                    "error(503)", {.deadline = 60 * kSecond});
  EXPECT_EQ(said_, "40\n");
}

TEST_F(Compression, a_call_that_goes_on_for_longer_than_the_limit_is_capped) {
  auto run = python("while get() == 503: time.sleep(60)", "error(503)", {.client_time_limit = 1800 * kSecond});
  EXPECT_EQ(run.stop, trace::Stop::capped);
  EXPECT_GE(run.exchanges.size(), 31u);
  EXPECT_LE(run.exchanges.size(), 33u);
}

TEST_F(Compression, a_tree_that_waits_for_nothing_of_ours_hangs_after_hours_of_its_own_time) {
  auto run = python("get()\nwhile True: time.sleep(10)", "error(503)");
  EXPECT_EQ(run.stop, trace::Stop::hung);
  EXPECT_GE(run.ended - run.began, 7200 * kSecond);
}

TEST_F(Compression, nothing_jumps_before_a_fault) {
  auto run = python("get()\ntime.sleep(0.2)\nget()", "pass x 1, then error(503)");
  for (auto& jump : run.jumps) EXPECT_GE(jump.at, run.exchanges[1].begun);
}

TEST_F(Compression, real_time_leaves_the_command_alone) {
  real_time_ = true;
  auto run = python("import os; get(); print(os.environ.get('LD_PRELOAD'))", "error(503)");
  EXPECT_EQ(said_.find("retrial_time"), std::string::npos) << said_;
  EXPECT_FALSE(run.compressed);
  EXPECT_TRUE(run.jumps.empty());
}

}  // namespace
}  // namespace retrial::campaign
