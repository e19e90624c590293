#include "tests/support/conversation.h"

#include <arpa/inet.h>
#include <event2/event.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace retrial::test {
namespace {
constexpr Nanos kPatience = 20 * kSecond;

// Loopback delivers within the call that sends: a few rounds without waiting bring everything to rest.
void rounds(proxy::Loop& loop, int n = 6) {
  for (int i = 0; i < n; i++) loop.round(false);
}
bool until(proxy::Loop& loop, const std::function<bool()>& so) {
  auto began = SystemClock().now();
  while (!so()) {
    if (SystemClock().now() - began > kPatience) return false;
    loop.round(false);
  }
  return true;
}
// What is said arrives at once.
int undelayed(int fd) {
  int one = 1;
  if (fd >= 0) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return fd;
}
std::string shown(std::string_view bytes) {
  return bytes.size() > 400 ? std::string(bytes.substr(0, 400)) + "..." : std::string(bytes);
}
// As main() does for the proxy: what the kernel moves to a socket raises it as write(2) does.
[[maybe_unused]] const auto kSigpipe = std::signal(SIGPIPE, SIG_IGN);

std::pair<int, int> tcp_pair(int buffers) {  // the one that connected, the one that was accepted
  int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  if (buffers) setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &buffers, sizeof buffers);
  if (::bind(listener, reinterpret_cast<sockaddr*>(&at), size) || ::listen(listener, 1) ||
      getsockname(listener, reinterpret_cast<sockaddr*>(&at), &size))
    throw std::runtime_error("no listener on loopback");
  int connected = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (buffers) setsockopt(connected, SOL_SOCKET, SO_RCVBUF, &buffers, sizeof buffers);
  if (::connect(connected, reinterpret_cast<sockaddr*>(&at), size))
    throw std::runtime_error("no connection on loopback");
  int accepted = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  ::close(listener);
  for (int fd : {connected, accepted}) {
    undelayed(fd);
    if (buffers) setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffers, sizeof buffers);
    fcntl(fd, F_SETFL, O_NONBLOCK);
  }
  return {connected, accepted};
}
}  // namespace

void Peer::say(std::string_view bytes) {
  bool went = until(loop_, [&] {
    bytes.remove_prefix(say_what_fits(bytes));
    return bytes.empty();
  });
  EXPECT_TRUE(went) << "nobody read what was said: " << bytes.size() << " bytes are left";
}
std::size_t Peer::say_what_fits(std::string_view bytes) {
  std::size_t all = 0;
  while (all < bytes.size()) {
    auto n = ::send(fd_, bytes.data() + all, bytes.size() - all, MSG_NOSIGNAL);
    if (n <= 0) break;
    all += static_cast<std::size_t>(n);
  }
  return all;
}
void Peer::finish() { ::shutdown(fd_, SHUT_WR); }
void Peer::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}
void Peer::reset() {
  linger hard{1, 0};
  setsockopt(fd_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  close();
}

void Peer::listen() {
  char buffer[65536];
  while (end_ == End::none) {
    auto n = ::recv(fd_, buffer, sizeof buffer, 0);
    if (n > 0) {
      heard_.append(buffer, static_cast<std::size_t>(n));
      if (static_cast<std::size_t>(n) == sizeof buffer) return;
    } else if (n == 0) {
      end_ = End::fin;
    } else {
      if (errno != EAGAIN) end_ = End::rst;
      return;
    }
  }
}
std::size_t Peer::waiting() {
  rounds(loop_, 2);
  listen();
  return heard_.size();
}
std::string Peer::take() {
  listen();
  return std::exchange(heard_, {});
}
std::string_view Peer::how_it_ended() {
  listen();
  if (end_ == End::fin && was_reset()) end_ = End::rst;
  return end_ == End::none ? "" : end_ == End::fin ? "FIN" : "RST";
}
std::string Peer::hears_some(std::size_t size) {
  until(loop_, [&] {
    listen();
    return heard_.size() >= size || end_ != End::none;
  });
  auto some = heard_.substr(0, size);
  heard_.erase(0, size);
  return some;
}
void Peer::hears(std::string_view bytes) {
  auto some = hears_some(bytes.size());
  EXPECT_EQ(shown(some), shown(bytes));
  EXPECT_TRUE(some == bytes);
}
void Peer::hears_fin() {
  EXPECT_TRUE(until(loop_, [&] { return listen(), end_ != End::none; })) << "no FIN came";
  EXPECT_EQ(shown(heard_), "");
  EXPECT_EQ(end_, End::fin) << "an RST came";
  rounds(loop_);
  EXPECT_FALSE(was_reset()) << "an RST came after the FIN";
}
// After a FIN recv says 0 for ever: then an RST shows at the socket only.
bool Peer::was_reset() const {
  pollfd p{fd_, 0, 0};
  return ::poll(&p, 1, 0) == 1 && (p.revents & POLLERR);
}
void Peer::hears_rst() {
  EXPECT_TRUE(until(loop_, [&] {
    if (end_ == End::fin && was_reset()) end_ = End::rst;
    return listen(), end_ == End::rst;
  })) << "no RST came";
  EXPECT_EQ(shown(heard_), "");
}
bool Peer::has_ended() {
  listen();
  return end_ != End::none;
}
void Peer::hears_nothing() {
  auto before = end_;
  rounds(loop_);
  listen();
  EXPECT_EQ(shown(heard_), "");
  EXPECT_EQ(end_, before) << "the connection ended";
}

Listener::Listener(proxy::Loop& loop)
    : loop_(loop), fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  auto at = proxy::Address::v4(INADDR_LOOPBACK, 0);
  socklen_t size = at.size();
  EXPECT_EQ(::bind(fd_, at.get(), size), 0);
  EXPECT_EQ(::listen(fd_, 100), 0);
  EXPECT_EQ(getsockname(fd_, at.get(), &size), 0);
  port_ = at.port();
}
Listener::~Listener() { ::close(fd_); }
std::string Listener::authority() const { return "127.0.0.1:" + std::to_string(port_); }
std::unique_ptr<Peer> Listener::accepts() {
  int fd = -1;
  EXPECT_TRUE(until(loop_, [&] { return (fd = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0; }))
      << "nobody connected";
  return std::make_unique<Peer>(loop_, undelayed(fd));
}
std::unique_ptr<Peer> Listener::accepts_if_any() {
  int fd = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  return fd < 0 ? nullptr : std::make_unique<Peer>(loop_, undelayed(fd));
}
void Listener::accepts_nobody() {
  rounds(loop_);
  EXPECT_FALSE(accepts_if_any()) << "somebody connected";
}

void PlannedDirector::plan(std::uint64_t exchange, trace::FaultSpec fault, trace::Answer answer) {
  proxy::Decision d;
  d.fault = fault;
  d.answer = std::move(answer);
  d.fault_id = "f1";
  plans_[exchange] = std::move(d);
}
proxy::Decision PlannedDirector::at_head(const trace::Exchange& head) {
  heads.push_back(head);
  auto d = plans_[head.id];
  d.call = head.id;
  d.attempt = 1;
  d.profile = "generic";
  d.operation = "any";
  d.test = "the running test";
  d.phase = trace::Phase::test;
  return d;
}
proxy::ConnectDecision PlannedDirector::at_connect(const proxy::Connecting&) {
  if (connections.empty()) return {};
  proxy::ConnectDecision decision{connections.front()};
  connections.erase(connections.begin());
  return decision;
}
void PlannedDirector::over(const trace::Exchange& exchange) { ended.push_back(exchange.id); }

void KeepingRecorder::note(std::string_view what, const trace::Exchange& e) {
  order.push_back(std::string(what) + " " + std::to_string(e.id));
}
void KeepingRecorder::over(const trace::Exchange& e) {
  note("over", e);
  exchanges.push_back(e);
}

Conversation::Line Conversation::connect() {
  auto [client, ours] = tcp_pair(buffers);
  auto [dialled, service] = tcp_pair(buffers);
  proxy->take({ours, dialled, proxy::Address::v4(INADDR_LOOPBACK, 8080), 42});
  return {std::make_unique<Peer>(loop, client), std::make_unique<Peer>(loop, service)};
}
std::unique_ptr<Peer> Conversation::enter(std::shared_ptr<const proxy::ListenerOptions> options,
                                          const proxy::Address& original) {
  auto [client, ours] = tcp_pair(buffers);
  proxy->take({.client = ours, .listener = std::move(options), .original = original, .pid = 42});
  return std::make_unique<Peer>(loop, client);
}
void Conversation::start(proxy::Options options) {
  proxy = std::make_unique<proxy::Proxy>(loop, clock, director, recorder, options);
}
void Conversation::run_until(const std::function<bool()>& so) { EXPECT_TRUE(until(loop, so)); }
void Conversation::quiet() { rounds(loop); }
const trace::Exchange& Conversation::exchange(std::size_t n) {
  static const trace::Exchange kNone;
  quiet();
  EXPECT_GE(recorder.exchanges.size(), n) << "exchange " << n << " is not over";
  return recorder.exchanges.size() >= n ? recorder.exchanges[n - 1] : kNone;
}

}  // namespace retrial::test
