// retrial_handshakes PORT SECONDS [CLIENTS]: that many clients (4), each a loop of TCP connect, full TLS 1.3 handshake
// (no session is kept), one GET with `Connection: close`, its answer. Prints JSON: connections that were answered 200,
// and those that failed.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {
constexpr int kReceiveTimeout = 10;  // seconds

bool answered(SSL_CTX* context, sockaddr_in to) {
  int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  timeval limit{kReceiveTimeout, 0};
  int one = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  SSL* ssl = SSL_new(context);
  SSL_set_fd(ssl, fd);
  SSL_set_tlsext_host_name(ssl, "localhost");
  std::string answer;
  if (::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0 && SSL_connect(ssl) == 1 &&
      !SSL_session_reused(ssl)) {
    constexpr char kRequest[] = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    SSL_write(ssl, kRequest, sizeof kRequest - 1);
    char buffer[16384];
    for (int n; (n = SSL_read(ssl, buffer, sizeof buffer)) > 0;) answer.append(buffer, static_cast<std::size_t>(n));
    SSL_shutdown(ssl);
  }
  SSL_free(ssl);
  ::close(fd);
  return answer.starts_with("HTTP/1.1 200") && answer.size() > 1024;
}
}  // namespace

int main(int count, char** args) {
  if (count < 3) {
    std::fprintf(stderr, "usage: retrial_handshakes PORT SECONDS [CLIENTS]\n");
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(std::atoi(args[1])));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  SSL_CTX* context = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);

  auto began = std::chrono::steady_clock::now();
  auto end = began + std::chrono::duration<double>(std::atof(args[2]));
  std::atomic<std::uint64_t> good = 0, bad = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < (count > 3 ? std::atoi(args[3]) : 4); i++)
    clients.emplace_back([&] {
      while (std::chrono::steady_clock::now() < end) (answered(context, to) ? good : bad)++;
    });
  for (auto& client : clients) client.join();
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::printf("{\"requests\":%lu,\"failed\":%lu,\"rate\":%.1f}\n", good.load(), bad.load(),
              static_cast<double>(good) / took.count());
}
