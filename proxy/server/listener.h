#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "proxy/proxy.h"
#include "proxy/server/log.h"
#include "proxy/server/settings.h"

namespace retrial::proxy {

// `count` listening sockets on one address, among which the kernel spreads what comes (SO_REUSEPORT, where there are
// several). Port 0 is chosen by the kernel, the same for all. An error says in one line what is in the way: a port in
// use, an address that is not ours, a right that is missing.
Result<std::vector<int>> open_listeners(const Address& at, bool transparent, int count);

// Where a redirected connection meant to go: SO_ORIGINAL_DST of netfilter (IPv4 and IPv6), or by TPROXY its local
// address. Nothing for one that was not redirected: it would lead back to us.
std::optional<Address> original_of(int client, Mode mode, const Address& listening);

// One listening socket on one loop: takes in what comes and hands it on, with the options that stands then.
class Listener {
 public:
  using Take = std::function<void(Incoming)>;
  using HasRoom = std::function<bool()>;  // for one more; clients wait until there is
  Listener(Loop& loop, int fd, Mode mode, std::shared_ptr<const ListenerOptions> options, HasRoom has_room, Take take,
           Log& log);
  ~Listener();  // what has already connected is still handed on
  Listener(const Listener&) = delete;

  void lead(Mode mode, std::shared_ptr<const ListenerOptions> options);  // from now on
  const Address& at() const { return at_; }

 private:
  void accept_some(int most);
  void rest(std::string_view why);

  Loop& loop_;
  int fd_;
  Address at_;
  Mode mode_;
  std::shared_ptr<const ListenerOptions> options_;
  HasRoom has_room_;
  Take take_;
  Log& log_;
  Watch watch_;
  Timer again_;
  bool told_ = false;  // that clients wait
};

}  // namespace retrial::proxy
