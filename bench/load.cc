// retrial_load PORT PATH CONNECTIONS COUNT: that many GETs over that many keep-alive connections, each sending its next
// one when its answer is whole. Prints "ANSWERS BODY-BYTES SECONDS"; exit status 1 if an answer was missing or was no
// 200.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

struct Connection {
  int fd = -1;
  std::string head;
  long long body_left = 0;
  bool in_body = false;
};
std::string request;
long long to_send = 0, answers = 0, body_bytes = 0;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "retrial_load: %s after %lld answers\n", what, answers);
  std::exit(1);
}
void ask(Connection& c) {
  if (to_send == 0) return;
  to_send--;
  if (::send(c.fd, request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size()))
    fail("a request could not be sent");
}
void hear(Connection& c, std::string_view bytes) {
  while (!bytes.empty()) {
    if (!c.in_body) {
      auto before = c.head.size();
      c.head.append(bytes);
      auto end = c.head.find("\r\n\r\n", before < 3 ? 0 : before - 3);
      if (end == std::string::npos) return;
      bytes.remove_prefix(end + 4 - before);
      auto length = c.head.find("ontent-Length: ");
      if (!c.head.starts_with("HTTP/1.1 200") || length == std::string::npos || length > end)
        fail("an answer is no 200 of known length");
      c.body_left = std::atoll(c.head.c_str() + length + 15);
      c.in_body = true;
      c.head.clear();
    }
    auto some = std::min<long long>(c.body_left, static_cast<long long>(bytes.size()));
    c.body_left -= some;
    body_bytes += some;
    bytes.remove_prefix(static_cast<std::size_t>(some));
    if (c.body_left > 0) return;
    c.in_body = false;
    answers++;
    ask(c);
  }
}
}  // namespace

int main(int count, char** args) {
  if (count != 5) {
    std::fprintf(stderr, "usage: retrial_load PORT PATH CONNECTIONS COUNT\n");
    return 2;
  }
  request = std::string("GET ") + args[2] + " HTTP/1.1\r\nHost: 127.0.0.1:" + args[1] +
            "\r\nUser-Agent: retrial-load/1.0\r\nAccept: */*\r\n\r\n";
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(std::atoi(args[1])));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto all = to_send = std::atoll(args[4]);
  std::vector<Connection> connections(static_cast<std::size_t>(std::atoi(args[3])));
  std::vector<pollfd> polls;
  auto began = std::chrono::steady_clock::now();
  for (auto& c : connections) {
    c.fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(c.fd, reinterpret_cast<sockaddr*>(&to), sizeof to)) fail("no connection");
    int one = 1;
    setsockopt(c.fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    polls.push_back({c.fd, POLLIN, 0});
    ask(c);
  }
  std::vector<char> buffer(256 << 10);
  while (answers < all) {
    if (::poll(polls.data(), polls.size(), 60'000) <= 0) fail("nothing came for a minute");
    for (std::size_t i = 0; i < polls.size(); i++) {
      if (!polls[i].revents) continue;
      auto n = ::recv(connections[i].fd, buffer.data(), buffer.size(), 0);
      if (n <= 0) fail("a connection ended");
      hear(connections[i], {buffer.data(), static_cast<std::size_t>(n)});
    }
  }
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::printf("%lld %lld %.3f\n", answers, body_bytes, took.count());
}
