#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace retrial::proxy {

// Where something is that speaks HTTP to us: "unix:/path", "/path", "127.0.0.1:9900", "https://host:9900".
struct HttpAddress {
  std::string path;  // of a Unix socket; else empty
  std::string host;  // without brackets
  std::string port;
  bool tls = false;
  std::string show() const;
};
Result<HttpAddress> http_address_of(const std::string& text);

// One request at a time, in HTTP/1.1, each on a connection of its own. Blocks; every step takes at most `timeout`. For
// commands and exporters, never for what is forwarded.
class HttpClient {
 public:
  struct Options {
    HttpAddress at;
    std::string token;  // empty: none is sent
    std::string ca;     // PEM file that its certificate is verified by; empty: the system's
    Nanos timeout = 5 * kSecond;
    std::string content_type = "application/json";  // of bodies that are sent
  };
  explicit HttpClient(Options options);

  struct Answer {
    int status = 0;
    std::string etag;
    std::string body;
  };
  // An error says in one line why nothing came. An answer of any status is none. `more_headers` are whole lines.
  Result<Answer> ask(std::string_view method, std::string_view target, std::string_view body = {},
                     std::string_view more_headers = {}) const;
  // The body as it comes, line by line, until it ends or `line` gives false. The time between two lines has no bound.
  Result<Answer> follow(std::string_view target, const std::function<bool(std::string_view line)>& line) const;
  // From another thread: what is being asked fails now, and whatever is asked from now on.
  void give_up() const;

 private:
  struct Connection;
  struct Asking;
  Result<std::unique_ptr<Connection>> connect() const;
  Options options_;
  std::shared_ptr<Asking> asking_;
};

// Only whether somebody accepts connections there.
Result<void> accepts_connections(const HttpAddress& at, Nanos timeout);

}  // namespace retrial::proxy
