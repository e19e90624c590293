#include "proxy/admin/http_client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/beast/http.hpp>
#include <cerrno>
#include <cstring>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "base/text.h"

namespace retrial::proxy {
namespace http = boost::beast::http;
namespace {

constexpr std::size_t kLargest = 64u << 20;  // of an answer

timeval as_timeval(Nanos time) {
  return {.tv_sec = time / kSecond, .tv_usec = static_cast<suseconds_t>(time % kSecond / 1000)};
}

// Connected within the time, or errno.
bool connected(int fd, const sockaddr* at, socklen_t size, Nanos timeout) {
  fcntl(fd, F_SETFL, O_NONBLOCK);
  if (connect(fd, at, size) != 0 && errno != EINPROGRESS) return false;
  pollfd ready{.fd = fd, .events = POLLOUT, .revents = 0};
  int got = poll(&ready, 1, static_cast<int>(timeout / kMillisecond));
  if (got <= 0) return errno = ETIMEDOUT, false;
  int error = 0;
  socklen_t length = sizeof error;
  getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
  if (error) return errno = error, false;
  fcntl(fd, F_SETFL, 0);
  auto time = as_timeval(timeout);
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
  return true;
}

// `watch` is told of a socket before it waits for anything; false: it is not to be waited for.
using Watch = std::function<bool(int fd)>;

Result<int> dial(const HttpAddress& at, Nanos timeout, const Watch& watch) {
  auto failed = [&](int error) { return fail_errno("cannot be reached", error, at.show(), Blame::user); };
  if (!at.path.empty()) {
    sockaddr_un name{.sun_family = AF_UNIX, .sun_path = {}};
    if (at.path.size() >= sizeof name.sun_path) return failed(ENAMETOOLONG);
    std::memcpy(name.sun_path, at.path.data(), at.path.size());
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (watch(fd) && connected(fd, reinterpret_cast<sockaddr*>(&name), sizeof name, timeout)) return fd;
    auto error = errno;
    watch(-1);
    close(fd);
    return failed(error);
  }
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  if (int error = getaddrinfo(at.host.c_str(), at.port.c_str(), &hints, &found); error)
    return fail(fmt::format("cannot be found: {}", gai_strerror(error)), at.show(), Blame::user);
  int error = ECONNREFUSED, fd = -1;
  for (auto* one = found; one; one = one->ai_next) {
    fd = socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (watch(fd) && connected(fd, one->ai_addr, one->ai_addrlen, timeout)) break;
    error = errno;
    watch(-1);
    close(std::exchange(fd, -1));
  }
  freeaddrinfo(found);
  return fd < 0 ? Result<int>(failed(error)) : fd;
}

// The value of a field of a head, or nothing.
std::optional<std::string> field(std::string_view head, std::string_view name) {
  for (auto line : split(head, '\n')) {
    auto colon = line.find(':');
    if (colon != line.npos && iequals(line.substr(0, colon), name)) return std::string(trim(line.substr(colon + 1)));
  }
  return {};
}

}  // namespace

std::string HttpAddress::show() const {
  if (!path.empty()) return "unix:" + path;
  bool six = host.find(':') != host.npos;
  return fmt::format("{}{}{}{}:{}", tls ? "https://" : "", six ? "[" : "", host, six ? "]" : "", port);
}

Result<HttpAddress> http_address_of(const std::string& text) {
  HttpAddress at;
  std::string_view rest = text;
  auto wrong = [&] {
    return fail("expected unix:PATH, HOST:PORT or https://HOST:PORT", text.empty() ? "\"\"" : text, Blame::user);
  };
  if (rest.starts_with("unix:")) rest.remove_prefix(5);
  if (rest.starts_with('/') || rest.size() < text.size() || rest.starts_with("./")) {
    at.path = rest;
    if (at.path.empty()) return wrong();
    return at;
  }
  at.tls = rest.starts_with("https://");
  for (std::string_view scheme : {"https://", "http://"})
    if (rest.starts_with(scheme)) rest.remove_prefix(scheme.size());
  if (rest.ends_with('/')) rest.remove_suffix(1);
  auto colon = rest.rfind(':');
  auto port = colon == rest.npos ? std::nullopt : to_int(rest.substr(colon + 1));
  if (!port || *port < 1 || *port > 65535) return wrong();
  at.port = rest.substr(colon + 1);
  auto host = rest.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  at.host = host.empty() ? "127.0.0.1" : host;
  if (at.host.find('/') != at.host.npos) return wrong();
  return at;
}

// What one thread asks, and another may give up.
struct HttpClient::Asking {
  std::mutex mutex;
  int fd = -1;
  bool given_up = false;
  bool at(int socket) {
    std::lock_guard lock(mutex);
    fd = socket;
    return errno = ECANCELED, !given_up;
  }
};

HttpClient::HttpClient(Options options) : options_(std::move(options)), asking_(std::make_shared<Asking>()) {}

void HttpClient::give_up() const {
  std::lock_guard lock(asking_->mutex);
  asking_->given_up = true;
  if (asking_->fd >= 0) shutdown(asking_->fd, SHUT_RDWR);
}

struct HttpClient::Connection {
  explicit Connection(Asking& to) : asking(to) {}
  Asking& asking;
  int fd = -1;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context{nullptr, SSL_CTX_free};
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl{nullptr, SSL_free};
  ~Connection() {
    ssl.reset();
    asking.at(-1);
    if (fd >= 0) close(fd);
  }
  bool send(std::string_view bytes, bool more = false) {
    while (!bytes.empty()) {
      auto put = ssl ? SSL_write(ssl.get(), bytes.data(), static_cast<int>(bytes.size()))
                     : ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | (more ? MSG_MORE : 0));
      if (put <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
  }
  // 0: it has ended; below: it failed.
  ssize_t receive(char* into, std::size_t size) {
    if (!ssl) return recv(fd, into, size, 0);
    auto got = SSL_read(ssl.get(), into, static_cast<int>(size));
    if (got > 0) return got;
    return SSL_get_error(ssl.get(), got) == SSL_ERROR_ZERO_RETURN ? 0 : -1;
  }
  // Up to the end of the head, which is taken off `rest`.
  std::optional<std::string> head(std::string& rest) {
    for (char buffer[16384];;) {
      if (auto end = rest.find("\r\n\r\n"); end != rest.npos) {
        auto head = rest.substr(0, end);
        rest.erase(0, end + 4);
        return head;
      }
      auto got = receive(buffer, sizeof buffer);
      if (got <= 0 || rest.size() > kLargest) return {};
      rest.append(buffer, static_cast<std::size_t>(got));
    }
  }
};

Result<std::unique_ptr<HttpClient::Connection>> HttpClient::connect() const {
  auto made = std::make_unique<Connection>(*asking_);
  auto fd = dial(options_.at, options_.timeout, [this](int socket) { return asking_->at(socket); });
  if (!fd) return std::unexpected(fd.error());
  made->fd = *fd;
  if (!options_.at.tls) return made;
  made->context.reset(SSL_CTX_new(TLS_client_method()));
  auto* context = made->context.get();
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  bool trusted = options_.ca.empty() ? SSL_CTX_set_default_verify_paths(context) == 1
                                     : SSL_CTX_load_verify_file(context, options_.ca.c_str()) == 1;
  if (!trusted) return fail("expected a PEM file with certificates", options_.ca, Blame::user);
  made->ssl.reset(SSL_new(context));
  auto& host = options_.at.host;
  auto* param = SSL_get0_param(made->ssl.get());
  if (X509_VERIFY_PARAM_set1_ip_asc(param, host.c_str()) != 1) {
    SSL_set1_host(made->ssl.get(), host.c_str());
    SSL_set_tlsext_host_name(made->ssl.get(), host.c_str());
  }
  SSL_set_fd(made->ssl.get(), made->fd);
  if (SSL_connect(made->ssl.get()) == 1) return made;
  auto why = SSL_get_verify_result(made->ssl.get());
  return fail(why == X509_V_OK ? "the TLS handshake failed"
                               : fmt::format("its certificate is not trusted: {}", X509_verify_cert_error_string(why)),
              options_.at.show(), Blame::user);
}

Result<HttpClient::Answer> HttpClient::ask(std::string_view method, std::string_view target, std::string_view body,
                                           std::string_view more_headers) const {
  std::string whole;
  auto answer = [&]() -> Result<Answer> {
    auto made = connect();
    if (!made) return std::unexpected(made.error());
    auto& connection = **made;
    auto host = options_.at.path.empty() ? options_.at.host : "localhost";
    auto request =
        fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{}{}", method, target,
                    host.find(':') == host.npos ? host : "[" + host + "]",
                    options_.token.empty() ? "" : "Authorization: Bearer " + options_.token + "\r\n", more_headers);
    if (!body.empty())
      request += fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n", options_.content_type, body.size());
    request += "\r\n";
    auto silent = [&](const char* what) { return fail(what, options_.at.show(), Blame::user); };
    if (!connection.send(request, !body.empty()) || !connection.send(body)) return silent("the connection was lost");
    http::response_parser<http::string_body> parser;
    parser.eager(true);
    parser.skip(method == "HEAD");
    parser.body_limit(kLargest);
    std::string rest;
    char buffer[16384];
    for (boost::system::error_code error; !parser.is_done();) {
      auto size = connection.receive(buffer, sizeof buffer);
      if (size == 0 && parser.got_some()) parser.put_eof(error);
      if (size < 0 || (size == 0 && (error || !parser.is_done())))
        return silent(parser.got_some() ? "its answer was cut off" : "no answer came");
      rest.append(buffer, static_cast<std::size_t>(size));
      if (!parser.is_done()) rest.erase(0, parser.put(boost::asio::buffer(rest), error));
      if (error && error != http::error::need_more)
        return silent(parser.is_header_done() ? "its answer cannot be read" : "what answers there does not speak HTTP");
    }
    auto& message = parser.get();
    auto etag = message[http::field::etag];
    Answer got{.status = static_cast<int>(message.result_int()), .etag = {etag.data(), etag.size()}, .body = {}};
    got.body = std::move(message.body());
    return got;
  };
  return answer();
}

Result<HttpClient::Answer> HttpClient::follow(std::string_view target,
                                              const std::function<bool(std::string_view)>& line) const {
  auto made = connect();
  if (!made) return std::unexpected(made.error());
  auto& connection = **made;
  auto token = options_.token.empty() ? "" : "Authorization: Bearer " + options_.token + "\r\n";
  connection.send(fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\n{}\r\n", target,
                              options_.at.path.empty() ? options_.at.host : "localhost", token));
  std::string rest;
  auto head = connection.head(rest);
  if (!head) return fail("no answer came", options_.at.show(), Blame::user);
  Answer got{.status = static_cast<int>(to_int(head->substr(9, 3)).value_or(0)), .etag = {}, .body = {}};
  auto forever = as_timeval(0);
  setsockopt(connection.fd, SOL_SOCKET, SO_RCVTIMEO, &forever, sizeof forever);
  char buffer[16384];
  for (ssize_t size = 0;;) {
    if (got.status == 200)
      for (std::size_t end; (end = rest.find('\n')) != rest.npos; rest.erase(0, end + 1))
        if (!line(std::string_view(rest).substr(0, end))) return got;
    auto length = to_int(field(*head, "content-length").value_or(""));
    if (length && std::ssize(rest) >= *length) break;
    size = connection.receive(buffer, sizeof buffer);
    if (size <= 0 || rest.size() > kLargest) break;
    rest.append(buffer, static_cast<std::size_t>(size));
  }
  got.body = std::move(rest);
  return got;
}

Result<void> accepts_connections(const HttpAddress& at, Nanos timeout) {
  auto fd = dial(at, timeout, [](int) { return true; });
  if (!fd) return std::unexpected(fd.error());
  close(*fd);
  return {};
}

}  // namespace retrial::proxy
