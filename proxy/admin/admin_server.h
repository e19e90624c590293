#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "proxy/admin/guard.h"
#include "proxy/admin/http.h"
#include "proxy/net/address.h"
#include "proxy/server/log.h"

namespace retrial::proxy {

// The way in for operators, on a thread of its own: nothing that forwards waits for it.
class AdminServer {
 public:
  struct Settings {
    std::string socket;            // path of a Unix socket, made with mode 0600; empty: `at`
    std::vector<Address> at;       // port 0: the kernel's choice
    Guard guard;                   // its hosts: beside those of the address
    std::string certificate, key;  // PEM files; empty: no TLS
  };
  static constexpr std::size_t kLargestBody = 16u << 20;
  static constexpr std::size_t kMostConnections = 64;  // beyond it who has waited for longest gives way to who comes
  static constexpr std::size_t kMostFeeds = 32;        // beside them; the oldest gives way
  static constexpr std::size_t kMostWaiting = 1000;    // events that a feed has not read yet; the oldest go

  // Called on the server's thread with a request that the guard has let in; `answer` may be called from any thread,
  // once.
  using Answer = std::function<void(AdminResponse)>;
  using Handle = std::function<void(AdminRequest, Answer answer)>;
  static Result<std::unique_ptr<AdminServer>> start(Settings settings, Handle handle, Log& log);
  ~AdminServer();  // what is open is cut
  AdminServer(const AdminServer&) = delete;

  const std::string& at() const;  // "unix:/path", "127.0.0.1:9900", "https://…"
  // To all feeds; `data` is one line. From any thread.
  void publish(std::string_view event, std::string_view data);
  bool watched() const;  // is there a feed? From any thread

 private:
  struct Impl;
  explicit AdminServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace retrial::proxy
