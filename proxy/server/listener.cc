#include "proxy/server/listener.h"

#include <event2/event.h>
#include <fmt/format.h>
#include <linux/netfilter_ipv4.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace retrial::proxy {
namespace {

constexpr int kBacklog = 4096;              // the kernel takes somaxconn at most
constexpr int kRound = 64;                  // accepted before others of the loop have their turn
constexpr Nanos kRest = 50 * kMillisecond;  // until it is tried again where descriptors have run out
constexpr int kIp6OriginalDst = 80;         // IP6T_SO_ORIGINAL_DST (linux/netfilter_ipv6/ip6_tables.h)

bool set(int fd, int level, int option) {
  int one = 1;
  return setsockopt(fd, level, option, &one, sizeof one) == 0;
}

Result<int> open_one(const Address& at, bool transparent, bool shared) {
  auto refuse = [&](const char* what, int error_number) {
    return fail_errno(what, error_number, at.show(), Blame::user);
  };
  int fd = socket(at.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return refuse("cannot listen", errno);
  set(fd, SOL_SOCKET, SO_REUSEADDR);
  set(fd, IPPROTO_TCP, TCP_NODELAY);  // what is accepted has it too
  if (at.family() == AF_INET6) set(fd, IPPROTO_IPV6, IPV6_V6ONLY);
  bool well = !shared || set(fd, SOL_SOCKET, SO_REUSEPORT);
  if (well && transparent &&
      !(at.family() == AF_INET6 ? set(fd, IPPROTO_IPV6, IPV6_TRANSPARENT) : set(fd, IPPROTO_IP, IP_TRANSPARENT))) {
    int error_number = errno;
    close(fd);
    return refuse("TPROXY needs the right CAP_NET_ADMIN", error_number);
  }
  if (well && bind(fd, at.get(), at.size()) == 0) return fd;
  int error_number = errno;
  close(fd);
  return refuse("cannot listen", error_number);
}

Address local_address(int fd) {
  Address at;
  socklen_t size = sizeof at.storage_;
  getsockname(fd, at.get(), &size);
  return at;
}

// Whether an address is one of this machine's (or network namespace's): the kernel binds to no other.
bool is_own(const Address& address) {
  int fd = socket(address.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  auto any_port = address.with_port(0);
  bool own = bind(fd, any_port.get(), any_port.size()) == 0;
  close(fd);
  return own;
}

}  // namespace

std::string_view show(Mode mode) {
  constexpr std::string_view kNames[] = {"reverse", "forward", "redirect", "tproxy", "envoy"};
  return kNames[static_cast<int>(mode)];
}

Result<std::vector<int>> open_listeners(const Address& at, bool transparent, int count) {
  // Sockets that share a port also share it with those of another process of this user: whoever holds it already is
  // seen by one that does not share.
  if (count > 1 && at.port() != 0) {
    auto alone = open_one(at, transparent, false);
    if (!alone) return std::unexpected(alone.error());
    close(*alone);
  }
  std::vector<int> fds;
  Address shared = at;
  Result<void> well;
  for (int i = 0; well && i < count; i++) {
    auto fd = open_one(shared, transparent, count > 1);
    if (!fd) {
      well = std::unexpected(fd.error());
      break;
    }
    fds.push_back(*fd);
    shared = local_address(*fd);
  }
  for (auto fd : fds)
    if (well && listen(fd, kBacklog) != 0) well = fail_errno("cannot listen", errno, at.show(), Blame::user);
  if (well) return fds;
  for (auto fd : fds) close(fd);
  return std::unexpected(well.error());
}

std::optional<Address> original_of(int client, Mode mode, const Address& listening) {
  Address local = local_address(client);
  if (mode == Mode::tproxy) return local.port() == listening.port() ? std::nullopt : std::optional(local);
  Address original;
  socklen_t size = sizeof original.storage_;
  bool known = local.family() == AF_INET6
                   ? getsockopt(client, IPPROTO_IPV6, kIp6OriginalDst, original.get(), &size) == 0
                   : getsockopt(client, IPPROTO_IP, SO_ORIGINAL_DST, original.get(), &size) == 0;
  if (!known || original == local) return std::nullopt;
  // It meant to go to this very listener, by another address of this machine: it would come back here for ever.
  bool loop = original.port() == listening.port() && is_own(original);
  return loop ? std::nullopt : std::optional(original);
}

Listener::Listener(Loop& loop, int fd, Mode mode, std::shared_ptr<const ListenerOptions> options, HasRoom has_room,
                   Take take, Log& log)
    : loop_(loop),
      fd_(fd),
      at_(local_address(fd)),
      mode_(mode),
      options_(std::move(options)),
      has_room_(std::move(has_room)),
      take_(std::move(take)),
      log_(log),
      watch_(loop, fd, EV_READ, [this](short) { accept_some(kRound); }),
      again_(loop, [this] { watch_.on(); }) {}

Listener::~Listener() {
  accept_some(kBacklog);
  close(fd_);
}

void Listener::lead(Mode mode, std::shared_ptr<const ListenerOptions> options) {
  mode_ = mode;
  options_ = std::move(options);
}

void Listener::accept_some(int most) {
  for (int i = 0; i < most; i++) {
    if (!has_room_()) return rest("as many are open as there may be");
    Incoming incoming;
    incoming.client = accept4(fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (incoming.client < 0) {
      if (errno == EINTR || errno == ECONNABORTED || errno == EPROTO) continue;  // that client is gone again
      if (errno != EAGAIN) rest(std::strerror(errno));
      return;
    }
    told_ = false;
    if (mode_ == Mode::redirect || mode_ == Mode::tproxy) {
      auto original = original_of(incoming.client, mode_, at_);
      if (!original) {
        log_.say(Log::Level::warning,
                 fmt::format("{}: a client connected here itself, and was not redirected: closed", at_.show()));
        close(incoming.client);
        continue;
      }
      incoming.original = *original;
    }
    incoming.listener = options_;
    take_(std::move(incoming));
  }
}

// A listening socket stays readable while nothing can be accepted: it is left alone for a while, and the clients wait.
void Listener::rest(std::string_view why) {
  if (!told_)
    log_.say(Log::Level::warning,
             fmt::format("{}: no connection can be accepted ({}): clients wait until one ends", at_.show(), why));
  told_ = true;
  watch_.off();
  again_.set(kRest);
}

}  // namespace retrial::proxy
