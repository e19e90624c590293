#include "proxy/server/server.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <future>

#include "tests/support/sockets.h"
#include "trace/recording/segment.h"

namespace retrial::proxy {
namespace {
namespace fs = std::filesystem;
using test::Client;
using test::KeptLog;
using test::Origin;

policies::FaultPlan plan(std::string_view text) {
  auto parsed = policies::parse_fault_plan(text);
  EXPECT_TRUE(parsed) << parsed.error().line();
  return *parsed;
}
ListenerSettings reverse(const Origin& origin, Address at = Address::v4(INADDR_LOOPBACK, 0)) {
  ListenerSettings l{.mode = Mode::reverse, .at = at};
  l.service.host = origin.at().family() == AF_INET6 ? "::1" : "127.0.0.1";
  l.service.port = origin.at().port();
  return l;
}
ServerSettings settings_for(std::vector<ListenerSettings> listeners, int loops = 2) {
  ServerSettings settings{.listeners = std::move(listeners), .loops = loops};
  settings.options.pristine = false;
  settings.options.pooled = true;
  settings.options.tunnel_unreadable = false;
  return settings;
}
bool ends_with(const std::string& answer, std::string_view body) { return answer.ends_with(body); }

class ServerOnSockets : public ::testing::Test {
 protected:
  void start(ServerSettings settings) {
    auto made = Server::start(std::move(settings), clock, log);
    ASSERT_TRUE(made) << made.error().line();
    server = std::move(*made);
  }
  Address at(std::size_t n = 0) { return server->listening().at(n); }
  // Drains, and waits until the last connection has gone.
  void drained() { draining->get_future().wait(); }
  void drain() {
    draining = std::make_shared<std::promise<void>>();
    server->drain([p = draining] { p->set_value(); });
  }
  SystemClock clock;
  KeptLog log;
  Origin origin{"one"};
  std::shared_ptr<std::promise<void>> draining;
  std::unique_ptr<Server> server;
};

TEST_F(ServerOnSockets, answers_from_the_service_behind_the_listener) {
  start(settings_for({reverse(origin)}));
  Client client(at());
  EXPECT_TRUE(ends_with(client.get("/a"), "\r\n\r\none 1"));
  EXPECT_TRUE(ends_with(client.get("/b"), "\r\n\r\none 2")) << "on the same connection";
}

TEST_F(ServerOnSockets, listens_on_ipv6_too) {
  Origin six("six", Address::v6(in6addr_loopback, 0));
  start(settings_for({reverse(six, Address::v6(in6addr_loopback, 0))}));
  EXPECT_EQ(at().family(), AF_INET6);
  Client client(at());
  EXPECT_TRUE(ends_with(client.get("/"), "six 1"));
}

TEST_F(ServerOnSockets, spreads_connections_over_its_loops_and_counts_them_together) {
  start(settings_for({reverse(origin)}, 2));
  EXPECT_EQ(server->loops(), 2);
  std::vector<Client> clients;
  for (int i = 0; i < 64; i++) {
    clients.emplace_back(at());
    EXPECT_NE(clients.back().get("/"), "");
  }
  EXPECT_EQ(server->state().counts.connections, 64u);
  EXPECT_EQ(server->state().connections, 64u);
}

TEST_F(ServerOnSockets, follows_a_call_whose_attempts_come_on_connections_of_different_loops) {
  auto settings = settings_for({reverse(origin)}, 2);
  settings.rules.push_back({{.path = "/pay"}, plan("error(503) x 20, then pass")});
  start(std::move(settings));
  for (int i = 0; i < 20; i++) {
    Client fresh(at());
    EXPECT_TRUE(fresh.get("/pay").starts_with("HTTP/1.1 503 ")) << "attempt " << i + 1;
  }
  Client last(at());
  EXPECT_TRUE(last.get("/pay").starts_with("HTTP/1.1 200 "));
  EXPECT_EQ(origin.requests(), 1);
  EXPECT_TRUE(last.get("/other").starts_with("HTTP/1.1 200 "));
}

TEST_F(ServerOnSockets, a_keep_alive_connection_goes_on_over_a_reload) {
  start(settings_for({reverse(origin)}));
  Client client(at());
  EXPECT_NE(client.get("/"), "");
  auto own = client.own();
  Origin other("two");
  auto changed = settings_for({reverse(other, at())});
  auto before = at();
  ASSERT_TRUE(server->reload(changed));
  EXPECT_EQ(at(), before);
  for (int i = 0; i < 20; i++) EXPECT_TRUE(ends_with(client.get("/"), "one " + std::to_string(i + 2)));
  EXPECT_EQ(client.own(), own);
  server->state();  // the change has reached every loop
  Client later(at());
  EXPECT_TRUE(ends_with(later.get("/"), "two 1"));
}

TEST_F(ServerOnSockets, no_client_is_turned_away_while_it_reloads) {
  start(settings_for({reverse(origin)}));
  auto same = settings_for({reverse(origin, at())});
  std::atomic<bool> stop{false};
  std::atomic<int> failed{0}, good{0};
  std::thread busy([&, to = at()] {
    while (!stop) {
      Client client(to);
      (client.get("/").starts_with("HTTP/1.1 200 ") ? good : failed)++;
    }
  });
  for (int i = 0; i < 50; i++) {
    ASSERT_TRUE(server->reload(same));
    server->state();
  }
  while (good < 50 && failed == 0) std::this_thread::yield();
  stop = true;
  busy.join();
  EXPECT_EQ(failed, 0);
}

TEST_F(ServerOnSockets, a_reload_opens_what_is_new_and_closes_what_is_gone) {
  start(settings_for({reverse(origin)}));
  auto gone = at();
  Client kept(gone);
  EXPECT_NE(kept.get("/"), "");
  Origin other("two");
  ASSERT_TRUE(server->reload(settings_for({reverse(other, Address::v6(in6addr_loopback, 0))})));
  server->state();
  EXPECT_NE(at(), gone);
  Client fresh(at());
  EXPECT_TRUE(ends_with(fresh.get("/"), "two 1"));
  Client late(gone);
  EXPECT_FALSE(late.connected());
  EXPECT_TRUE(ends_with(kept.get("/"), "one 2")) << "what is open goes on";
}

TEST_F(ServerOnSockets, a_reload_that_cannot_be_changes_nothing) {
  auto settings = settings_for({reverse(origin)});
  settings.rules.push_back({{}, plan("error(503)")});
  start(std::move(settings));
  auto listening = server->listening();
  auto wrong = settings_for({reverse(origin, at()), reverse(origin, origin.at())});  // the second is in use
  auto refused = server->reload(wrong);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().line().find("in use"), std::string::npos) << refused.error().line();
  EXPECT_EQ(server->listening(), listening);
  Client client(at());
  EXPECT_TRUE(client.get("/").starts_with("HTTP/1.1 503 "));
}

TEST_F(ServerOnSockets, rules_change_with_a_reload_on_open_connections_as_well) {
  start(settings_for({reverse(origin)}));
  Client client(at());
  EXPECT_TRUE(client.get("/").starts_with("HTTP/1.1 200 "));
  auto changed = settings_for({reverse(origin, at())});
  changed.rules.push_back({{}, plan("error(418)")});
  ASSERT_TRUE(server->reload(changed));
  server->state();
  EXPECT_TRUE(client.get("/").starts_with("HTTP/1.1 418 "));
}

TEST_F(ServerOnSockets, draining_lets_an_answer_under_way_come_to_its_end) {
  start(settings_for({reverse(origin)}));
  auto to = at();
  Client idle(to);
  auto busy = std::make_unique<Client>(to);
  EXPECT_NE(idle.get("/"), "");
  origin.hold();
  busy->say("GET /slow HTTP/1.1\r\nHost: s\r\n\r\n");
  while (origin.requests() < 2) std::this_thread::yield();
  drain();
  server->state();  // every loop has heard of it
  EXPECT_TRUE(idle.hears_end());
  Client late(to);
  EXPECT_FALSE(late.connected()) << "nothing listens any more";
  origin.release();
  EXPECT_TRUE(ends_with(busy->hears_answer(), "one 2"));
  busy.reset();
  drained();
  EXPECT_EQ(server->state().connections, 0u);
}

TEST_F(ServerOnSockets, a_port_in_use_is_one_line) {
  for (int loops : {1, 2}) {
    auto refused = Server::start(settings_for({reverse(origin, origin.at())}, loops), clock, log);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().line(), origin.at().show() + ": cannot listen: Address already in use");
    EXPECT_EQ(refused.error().blame, Blame::user);
  }
  start(settings_for({reverse(origin)}, 2));
  auto again = Server::start(settings_for({reverse(origin, at())}, 2), clock, log);
  ASSERT_FALSE(again) << "not shared with another server, though both could";
}

TEST_F(ServerOnSockets, where_descriptors_run_out_clients_wait_and_are_served_later) {
  start(settings_for({reverse(origin)}, 1));
  std::vector<Client> served;
  served.emplace_back(at());
  EXPECT_NE(served.back().get("/"), "");
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  Client waits(at());  // its descriptor is there before there are none
  EXPECT_NE(waits.get("/"), "");
  auto next = std::make_unique<Client>(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  int highest = ::dup(0);
  ::close(highest);
  rlimit few{static_cast<rlim_t>(highest), before.rlim_max};
  int connected = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  ASSERT_EQ(::connect(connected, at().get(), at().size()), 0);
  while (log.count("no connection can be accepted") == 0) std::this_thread::yield();
  EXPECT_NE(waits.get("/"), "") << "the others go on";
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  Client late(connected);
  EXPECT_TRUE(late.get("/").starts_with("HTTP/1.1 200 "));
  EXPECT_EQ(log.count("no connection can be accepted"), 1) << "said once";
}

TEST_F(ServerOnSockets, where_all_that_may_be_open_are_busy_clients_wait_and_are_served_later) {
  auto settings = settings_for({reverse(origin)}, 1);
  settings.most_connections = 1;
  start(std::move(settings));
  auto busy = std::make_unique<Client>(at());
  EXPECT_NE(busy->get("/"), "");
  Client next(at());
  next.say("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  while (log.count("as many are open as there may be") == 0) EXPECT_NE(busy->get("/"), "");
  EXPECT_EQ(origin.connections(), 1);
  busy.reset();
  EXPECT_TRUE(next.hears_answer().starts_with("HTTP/1.1 200 "));
  EXPECT_EQ(log.count("as many are open as there may be"), 1) << "said once";
}

TEST_F(ServerOnSockets, how_often_a_line_was_left_out_of_the_log_is_told_at_the_end_of_all_loops_together) {
  auto settings = settings_for({reverse(origin)}, 2);
  settings.listeners[0].service.port = 1;  // nobody listens there
  start(std::move(settings));
  for (int i = 0; i < 30; i++) {
    Client client(at());
    EXPECT_TRUE(client.get("/").starts_with("HTTP/1.1 502 "));
  }
  EXPECT_EQ(log.count("could not be reached"), 1);
  server.reset();
  EXPECT_EQ(log.count("could not be reached"), 2);
  EXPECT_EQ(log.count("could not be reached: connect: Connection refused (and 28 times before)"), 1);
}

class ServerWithATrace : public ServerOnSockets {
 protected:
  ServerWithATrace() {
    std::string name = (fs::temp_directory_path() / "retrial-serve-XXXXXX").string();
    folder = ::mkdtemp(name.data());
  }
  ~ServerWithATrace() override {
    server.reset();
    fs::remove_all(folder);
  }
  fs::path folder;
};

TEST_F(ServerWithATrace, every_exchange_of_every_loop_is_in_it) {
  auto settings = settings_for({reverse(origin)}, 2);
  settings.recording = Recording{.folder = folder};
  start(std::move(settings));
  for (int i = 0; i < 50; i++) {
    Client client(at());
    EXPECT_NE(client.get("/" + std::to_string(i)), "");
  }
  server.reset();
  auto runs = trace::read_segments(folder);
  ASSERT_TRUE(runs) << runs.error().line();
  ASSERT_EQ(runs->size(), 1u);
  auto& run = runs->front();
  EXPECT_EQ(run.incomplete, "");
  EXPECT_NE(run.ended, 0);
  ASSERT_EQ(run.exchanges.size(), 50u);
  std::set<std::string> targets;
  for (auto& e : run.exchanges) {
    targets.insert(e.target);
    EXPECT_EQ(e.client_status, 200);
    EXPECT_EQ(e.service, origin.at().show());
  }
  EXPECT_EQ(targets.size(), 50u);
}

TEST_F(ServerWithATrace, is_never_larger_than_what_is_kept_however_many_loops_there_are) {
  constexpr std::uint64_t kKeep = 1u << 20;
  auto settings = settings_for({reverse(origin)}, 8);
  settings.recording = Recording{.folder = folder, .keep = kKeep};
  start(std::move(settings));
  auto bytes = [&] {
    std::uint64_t all = 0;
    for (auto& file : fs::directory_iterator(folder)) all += file.file_size();
    return all;
  };
  std::string large(100'000, 'x');
  for (int i = 0; i < 40; i++) {
    Client client(at());
    for (int n = 0; n < 50; n++)
      EXPECT_TRUE(client.get("/", "X: " + large.substr(n % 10 ? 99'000 : 0) + "\r\n").starts_with("HTTP/1.1 200 "));
    ASSERT_LE(bytes(), kKeep) << "after " << i << " connections";
  }
  EXPECT_GT(bytes(), kKeep / 2);
  server.reset();
  EXPECT_LE(bytes(), kKeep);
  auto runs = trace::read_segments(folder);
  ASSERT_TRUE(runs) << runs.error().line();
  EXPECT_EQ(runs->front().exchanges.back().target, "/");
}

TEST_F(ServerWithATrace, too_little_to_be_kept_is_one_line_that_says_the_least) {
  auto settings = settings_for({reverse(origin)}, 32);
  settings.recording = Recording{.folder = folder, .keep = 1u << 20};
  auto refused = Server::start(settings, clock, log);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().line(),
            "keep = \"1MiB\": expected at least \"2MiB\" with 32 loops: 64KiB for each, and four times head_size");
  EXPECT_EQ(refused.error().blame, Blame::user);
  EXPECT_TRUE(fs::is_empty(folder));
  settings.loops = 1;
  settings.options.head_limit = 1u << 20;
  refused = Server::start(settings, clock, log);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().line().find("at least \"4MiB\" with 1 loop:"), std::string::npos) << refused.error().line();
  settings.recording->keep = 4u << 20;
  EXPECT_TRUE(Server::start(settings, clock, log));
}

TEST_F(ServerWithATrace, a_full_disk_is_said_once_and_forwarding_goes_on) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, SIG_IGN);
  auto settings = settings_for({reverse(origin)}, 1);
  settings.recording = Recording{.folder = folder, .segment_bytes = 8192};
  start(std::move(settings));
  rlimit small{4096, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  Client client(at());
  for (int i = 0; i < 100; i++) EXPECT_TRUE(client.get("/").starts_with("HTTP/1.1 200 ")) << i;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  server.reset();
  EXPECT_EQ(log.count("the trace could not be written"), 1);
  auto runs = trace::read_segments(folder);
  ASSERT_TRUE(runs) << runs.error().line();
  ASSERT_EQ(runs->size(), 1u);
  EXPECT_NE(runs->front().incomplete, "");
}

TEST_F(ServerWithATrace, a_segment_that_another_process_cuts_is_said_and_recording_goes_on_in_another) {
  auto settings = settings_for({reverse(origin)}, 2);
  settings.recording = Recording{.folder = folder};
  start(std::move(settings));
  auto ask = [&](int times) {  // on connections of both loops
    for (int i = 0; i < times; i++) {
      Client client(at());
      for (int n = 0; n < 10; n++) EXPECT_TRUE(client.get("/").starts_with("HTTP/1.1 200 ")) << i;
    }
  };
  ask(10);
  std::vector<fs::path> segments(fs::directory_iterator(folder), {});
  ASSERT_EQ(segments.size(), 2u);
  fs::resize_file(segments[0], 0);
  ask(20);
  fs::resize_file(segments[1], 100);
  ask(20);
  server.reset();
  for (auto& segment : segments) EXPECT_EQ(log.count("the trace could not be written: " + segment.string() + ": "), 1);
  EXPECT_GE(log.count("the trace is written again; records lost so far: 1"), 1);
  auto runs = trace::read_segments(folder);
  ASSERT_TRUE(runs) << runs.error().line();
  ASSERT_EQ(runs->size(), 1u);
  EXPECT_GT(runs->front().exchanges.size(), 200u);
  EXPECT_NE(runs->front().incomplete, "");
}

TEST_F(ServerWithATrace, what_one_loop_could_not_record_makes_the_whole_run_incomplete) {
  auto settings = settings_for({reverse(origin)}, 4);
  settings.recording = Recording{.folder = folder};
  start(std::move(settings));
  fs::resize_file(fs::directory_iterator(folder)->path(), 0);
  while (log.count("the trace could not be written") == 0) {
    Client client(at());
    EXPECT_TRUE(client.get("/").starts_with("HTTP/1.1 200 "));
  }
  server.reset();
  auto runs = trace::read_segments(folder);
  ASSERT_TRUE(runs) << runs.error().line();
  ASSERT_EQ(runs->size(), 1u);
  EXPECT_NE(runs->front().ended, 0);
  EXPECT_NE(runs->front().incomplete.find("the trace could not be written"), std::string::npos)
      << runs->front().incomplete;
}

TEST_F(ServerWithATrace, a_segment_cut_after_its_last_record_makes_the_run_incomplete_too) {
  auto settings = settings_for({reverse(origin)}, 4);
  settings.recording = Recording{.folder = folder};
  start(std::move(settings));
  Client client(at());
  EXPECT_TRUE(client.get("/").starts_with("HTTP/1.1 200 "));
  std::set<fs::path> segments(fs::directory_iterator(folder), {});
  fs::resize_file(*segments.rbegin(), (2u << 20) - 1);  // of the loop that ends last
  server.reset();
  EXPECT_EQ(log.count("the trace could not be ended"), 1);
  auto runs = trace::read_segments(folder);
  ASSERT_TRUE(runs) << runs.error().line();
  ASSERT_EQ(runs->size(), 1u);
  EXPECT_NE(runs->front().incomplete, "");
}

}  // namespace
}  // namespace retrial::proxy
