#pragma once
#include <openssl/ssl.h>

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace retrial::proxy {

struct FreeSession {
  void operator()(SSL_SESSION* session) const { SSL_SESSION_free(session); }
};

// Sessions to be resumed, by the service's name. A TLS 1.3 ticket is used once (RFC 8446 C.4). Any thread.
class Sessions {
 public:
  void put(const std::string& name, SSL_SESSION* session);                  // takes it over
  std::unique_ptr<SSL_SESSION, FreeSession> take(const std::string& name);  // the newest; null: none

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::deque<std::unique_ptr<SSL_SESSION, FreeSession>>> by_name_;
};

}  // namespace retrial::proxy
