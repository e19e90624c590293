#include "harness.h"

#include <event2/event.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "client.h"
#include "relay.h"

namespace retrial::test {
using proxy::Address;
namespace {
std::string host_of(int fd) {
  Address peer;
  socklen_t size = sizeof peer.storage_;
  getpeername(fd, peer.get(), &size);
  const auto text = peer.show();
  return text.substr(0, text.rfind(':'));
}

std::string read_all(int fd) {
  std::string all;
  char buffer[4096];
  for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0;) all.append(buffer, static_cast<std::size_t>(n));
  return all;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (const auto& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

class Collector final : public proxy::TreeEvents {
 public:
  Collector(proxy::Loop& loop, Outcome& outcome, const RunOptions& options)
      : loop_(loop), outcome_(outcome), options_(options) {}
  void connected(proxy::Captured c) override {
    outcome_.connections.push_back({c.original, c.pid, c.fault});
    relays_.push_back(std::make_unique<Relay>(loop_, c.client, c.service));
    if (options_.connected && tree) options_.connected(*tree);
  }
  proxy::ConnectDecision connecting(const Address&, pid_t) override {
    const auto n = static_cast<std::size_t>(outcome_.asked++);
    if (n == options_.faults.size() && options_.moved) loop_.clock_moved(options_.moved);
    return {n < options_.faults.size() ? options_.faults[n] : trace::FaultSpec{}};
  }
  void met(const Address& service, pid_t pid, const trace::FaultSpec& fault, std::string_view not_fired) override {
    outcome_.met.push_back({service, pid, fault, std::string(not_fired)});
  }
  void ended(int status) override {
    outcome_.status = status;
    loop_.stop();
  }
  proxy::Tree* tree = nullptr;

 private:
  proxy::Loop& loop_;
  Outcome& outcome_;
  const RunOptions& options_;
  std::vector<std::unique_ptr<Relay>> relays_;
};
}  // namespace

const std::vector<proxy::Way>& ways() {
  static const auto all = [] {
    std::vector<proxy::Way> good;
    for (const auto way : {proxy::Way::getfd, proxy::Way::rewrite}) {
      if (const auto well = proxy::try_way(way))
        good.push_back(way);
      else
        fprintf(stderr, "[ LEFT OUT ] %s\n", well.error().line().c_str());
    }
    return good;
  }();
  return all;
}
bool works(proxy::Way way) { return std::ranges::find(ways(), way) != ways().end(); }

Service::Service(const std::string& host, int backlog, bool open_now) {
  address_ = *Address::parse(host + ":0");
  listener_ = socket(address_.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  stop_ = eventfd(0, EFD_CLOEXEC);
  socklen_t size = address_.size();
  if (bind(listener_, address_.get(), size) != 0 || listen(listener_, backlog) != 0)
    ADD_FAILURE() << "cannot listen on " << host;
  getsockname(listener_, address_.get(), &size);
  if (open_now) open();
}
Service::~Service() {
  accepted();
  close(listener_);
  close(stop_);
}
void Service::open() {
  if (!thread_.joinable()) thread_ = std::thread([this] { serve(); });
}
int Service::accepted() const {
  const std::uint64_t ring = 1;
  if (thread_.joinable() && write(stop_, &ring, sizeof ring) == sizeof ring) thread_.join();
  return accepted_;
}
void Service::serve() {
  std::vector<pollfd> fds{{stop_, POLLIN, 0}, {listener_, POLLIN, 0}};
  while (poll(fds.data(), fds.size(), -1) > 0 && !fds[0].revents) {
    for (std::size_t i = fds.size(); i-- > 2;) {
      if (!fds[i].revents) continue;
      char line[256];
      const std::string answer = "hello " + host_of(fds[i].fd) + "\n";
      if (recv(fds[i].fd, line, sizeof line, 0) > 0) send(fds[i].fd, answer.data(), answer.size(), MSG_NOSIGNAL);
      close(fds[i].fd);
      fds.erase(fds.begin() + static_cast<std::ptrdiff_t>(i));
    }
    for (int client; fds[1].revents && (client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0; ++accepted_)
      fds.push_back({client, POLLIN, 0});
  }
  for (std::size_t i = 2; i < fds.size(); ++i) close(fds[i].fd);
}

std::string closed_port() {
  // Bound for as long as the program runs, and never listened on.
  static const std::uint16_t port = [] {
    const int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    Address any = *Address::parse("[::]:0");
    socklen_t size = any.size();
    if (bind(fd, any.get(), size) != 0) ADD_FAILURE() << "cannot bind";
    getsockname(fd, any.get(), &size);
    return any.port();
  }();
  return std::to_string(port);
}

Relay::Relay(proxy::Loop& loop, int client, int service) {
  const int fds[] = {client, service};
  for (int i = 0; i < 2; ++i) {
    sides_[i].fd = fds[i];
    sides_[i].readable = std::make_unique<proxy::Watch>(loop, fds[i], EV_READ, [this](short) { pump(); });
    sides_[i].writable = std::make_unique<proxy::Watch>(loop, fds[i], EV_WRITE, [this](short) { pump(); });
    sides_[i].writable->off();
  }
}
Relay::~Relay() { close_both(false); }

void Relay::close_both(bool reset) {
  const linger at_once{1, 0};
  for (auto& side : sides_) {
    side.readable.reset();
    side.writable.reset();
    if (side.fd < 0) continue;
    if (reset) setsockopt(side.fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(std::exchange(side.fd, -1));
  }
}

void Relay::pump() {
  for (int i = 0; i < 2; ++i) {
    Side &from = sides_[i], &to = sides_[1 - i];
    char buffer[16384];
    while (!from.ended && to.unsent.empty()) {
      const ssize_t n = recv(from.fd, buffer, sizeof buffer, 0);
      if (n < 0 && errno == EAGAIN) break;
      if (n < 0) return close_both(true);
      from.ended = n == 0;
      to.unsent.assign(buffer, static_cast<std::size_t>(n));
      const ssize_t sent = send(to.fd, to.unsent.data(), to.unsent.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno != EAGAIN) return close_both(true);
      to.unsent.erase(0, static_cast<std::size_t>(sent < 0 ? 0 : sent));
    }
    if (!to.unsent.empty()) {
      const ssize_t sent = send(to.fd, to.unsent.data(), to.unsent.size(), MSG_NOSIGNAL);
      to.unsent.erase(0, static_cast<std::size_t>(sent < 0 ? 0 : sent));
    }
    from.ended || !to.unsent.empty() ? from.readable->off() : from.readable->on();
    to.unsent.empty() ? to.writable->off() : to.writable->on();
    if (from.ended && to.unsent.empty() && !to.told) {
      shutdown(to.fd, SHUT_WR);
      to.told = true;
    }
  }
  if (sides_[0].told && sides_[1].told) close_both(false);
}

Outcome run_captured(proxy::Way way, const std::vector<std::string>& argv, const RunOptions& options) {
  Outcome outcome;
  int out[2];
  if (pipe2(out, O_CLOEXEC) != 0) return outcome;
  proxy::Loop loop;
  const SystemClock clock;
  Collector collector(loop, outcome, options);
  proxy::Command command;
  command.argv = argv;
  command.environment = client_environment();
  command.out = out[1];
  {
    auto tree = proxy::Tree::start(loop, clock, command, way, collector);
    close(out[1]);
    if (tree) {
      collector.tree = tree->get();
      outcome.pid = (*tree)->pid();
      proxy::Timer limit(loop, [&] {
        outcome.error = "cut off after a minute";
        (*tree)->kill();
      });
      limit.set(60 * kSecond);
      proxy::Timer each(loop, [&] {
        options.each_millisecond(**tree);
        each.set(kMillisecond);
      });
      if (options.each_millisecond) each.set(kMillisecond);
      loop.run();
      outcome.counts = (*tree)->counts();
      outcome.cpu_time = (*tree)->cpu_time();
    } else {
      outcome.error = tree.error().line();
    }
  }
  outcome.output = read_all(out[0]);
  close(out[0]);
  return outcome;
}

Outcome run_native(const std::vector<std::string>& argv) {
  Outcome outcome;
  int out[2];
  if (pipe2(out, O_CLOEXEC) != 0) return outcome;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  const auto environment = client_environment();
  const int refused = posix_spawnp(&outcome.pid, argv[0].c_str(), &actions, nullptr, pointers(argv).data(),
                                   pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  close(out[1]);
  if (refused)
    outcome.error = "cannot be run";
  else {
    outcome.output = read_all(out[0]);
    waitpid(outcome.pid, &outcome.status, 0);
  }
  close(out[0]);
  return outcome;
}

TEST(Harness, a_client_talks_to_the_service_without_us) {
  const Service service;
  const auto run = run_native(client({"seq", "127.0.0.1", service.port(), "3"}));
  EXPECT_EQ(run.output, "3 answered\n");
  EXPECT_EQ(service.accepted(), 3);
}

}  // namespace retrial::test
