#include "proxy/net/ares_channel.h"

#include <ares.h>
#include <arpa/nameser.h>
#include <event2/event.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace retrial::proxy {

// Sockets of our own making: close-on-exec from their birth, as programs are started by other threads. And c-ares
// (1.18) says ARES_ECONNREFUSED also where there was no socket to be had and where all servers answered with a failure:
// here that can be seen.
struct AresChannel::Sockets {
  static ares_socket_t open(int family, int type, int protocol, void* self) {
    int fd = ::socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
    static_cast<AresChannel*>(self)->no_socket_ = fd < 0 ? errno : 0;
    return fd;
  }
  static int close(ares_socket_t fd, void*) { return ::close(fd); }
  static int connect(ares_socket_t fd, const sockaddr* to, ares_socklen_t size, void*) {
    return ::connect(fd, to, size);
  }
  static ares_ssize_t receive(ares_socket_t fd, void* into, std::size_t size, int flags, sockaddr* from,
                              ares_socklen_t* from_size, void* self) {
    auto got = ::recvfrom(fd, into, size, flags, from, from_size);
    auto* packet = static_cast<const unsigned char*>(into);
    static_cast<AresChannel*>(self)->rcode_ = got > 3 ? packet[3] & 0x0f : 0;  // RFC 1035 4.1.1
    return got;
  }
  static ares_ssize_t send(ares_socket_t fd, const iovec* parts, int count, void*) {
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(parts);
    message.msg_iovlen = static_cast<std::size_t>(count);
    auto sent = ::sendmsg(fd, &message, MSG_NOSIGNAL);
    // UDP tells of what became of the datagram before, once, and c-ares would take it for this one's fate and wait in
    // vain for the other's. The next reading tells it again, for both.
    if (sent < 0 && errno == ECONNREFUSED) sent = ::sendmsg(fd, &message, MSG_NOSIGNAL);
    return sent;
  }
  static constexpr ares_socket_functions kAll{open, close, connect, receive, send};
};

// What c-ares is given to call back with.
struct AresChannel::Asked {
  AresChannel& channel;
  std::shared_ptr<Lookup> lookup;
  std::uint16_t port;

  static void answered(void* arg, int status, int, ares_addrinfo* found) {
    std::unique_ptr<Asked> asked(static_cast<Asked*>(arg));
    auto& lookup = *asked->lookup;
    lookup.pending = false;
    lookup.status = status == ARES_ECONNREFUSED ? asked->channel.failure() : status;
    for (auto* node = found ? found->nodes : nullptr; node; node = node->ai_next) {
      Address address;
      if (node->ai_addrlen > sizeof address.storage_) continue;
      std::memcpy(address.get(), node->ai_addr, node->ai_addrlen);
      lookup.found.push_back(address.with_port(asked->port));
    }
    if (found) ares_freeaddrinfo(found);
    if (!lookup.answered) return;
    asked->channel.awaited_--;
    std::exchange(lookup.answered, {})();
  }
};

AresChannel::AresChannel(Loop& loop)
    : loop_(loop), timer_(loop, [this] { process(ARES_SOCKET_BAD, ARES_SOCKET_BAD); }) {}
AresChannel::~AresChannel() {
  if (channel_) ares_destroy(channel_);
}

Result<std::shared_ptr<AresChannel>> AresChannel::open(Loop& loop, const ResolverSettings& settings) {
  static const int library = ares_library_init(ARES_LIB_INIT_ALL);
  std::shared_ptr<AresChannel> made(new AresChannel(loop));
  auto path = settings.resolv_conf;
  char lookups[] = "b";  // name servers, no hosts file
  ares_options options{};
  options.timeout = static_cast<int>(std::max<Nanos>(1, settings.timeout / kMillisecond));
  options.tries = settings.tries;
  options.lookups = lookups;
  options.resolvconf_path = path.data();
  options.sock_state_cb = [](void* self, ares_socket_t fd, int read, int write) {
    static_cast<AresChannel*>(self)->watch(fd, read != 0, write != 0);
  };
  options.sock_state_cb_data = made.get();
  errno = 0;
  int status = library;
  if (status == ARES_SUCCESS)
    status = ares_init_options(
        &made->channel_, &options,
        ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_LOOKUPS | ARES_OPT_RESOLVCONF | ARES_OPT_SOCK_STATE_CB);
  if (status == ARES_EFILE && errno != 0) return fail_errno("open", errno, path);
  if (status == ARES_SUCCESS && !settings.servers.empty())
    status = ares_set_servers_ports_csv(made->channel_, settings.servers.c_str());
  ares_options read{};
  int mask = 0;
  if (status == ARES_SUCCESS) status = ares_save_options(made->channel_, &read, &mask);
  if (status != ARES_SUCCESS) return fail(std::string("the resolver cannot be set up: ") + ares_strerror(status), path);
  made->domains_.assign(read.domains, read.domains + read.ndomains);
  made->dots_ = read.ndots;
  ares_destroy_options(&read);
  ares_set_socket_functions(made->channel_, &Sockets::kAll, made.get());
  return made;
}

std::shared_ptr<Lookup> AresChannel::ask(const std::string& name, int family, std::uint16_t port,
                                         std::function<void()> answered) {
  auto lookup = std::make_shared<Lookup>();
  lookup->answered = std::move(answered);
  awaited_++;
  rcode_ = ns_r_noerror;
  ares_addrinfo_hints hints{};
  hints.ai_family = family;
  hints.ai_socktype = SOCK_STREAM;
  ares_getaddrinfo(channel_, name.c_str(), nullptr, &hints, Asked::answered, new Asked{*this, lookup, port});
  set_timer();
  return lookup;
}

void AresChannel::abandon(Lookup& lookup) {
  if (!std::exchange(lookup.answered, {}) || --awaited_ > 0) return;
  ares_cancel(channel_);
  set_timer();
}

std::vector<std::string> AresChannel::search_list(const std::string& name) const {
  if (name.ends_with('.')) return {name};
  std::vector<std::string> list;
  for (auto& domain : domains_)
    if (domain != ".") list.push_back(fmt::format("{}.{}{}", name, domain, domain.ends_with('.') ? "" : "."));
  bool first = std::ranges::count(name, '.') >= dots_;
  list.insert(first ? list.begin() : list.end(), name + ".");
  return list;
}

Error AresChannel::error_of(int status, const std::string& name) const {
  bool none_left = no_socket_ == EMFILE || no_socket_ == ENFILE;
  if (status == ARES_ECONNREFUSED && none_left) return fail_errno("socket to a name server", no_socket_, name).error();
  return {std::string("name resolution: ") + ares_strerror(status), name, Blame::network};
}

void AresChannel::watch(int fd, bool read, bool write) {
  watches_.erase(fd);  // of a socket that was closed, or watched for something else
  if (!read && !write) return;
  auto events = static_cast<short>((read ? EV_READ : 0) | (write ? EV_WRITE : 0));
  watches_[fd] = std::make_unique<Watch>(loop_, fd, events, [this, fd](short what) {
    process(what & EV_READ ? fd : ARES_SOCKET_BAD, what & EV_WRITE ? fd : ARES_SOCKET_BAD);
  });
}

int AresChannel::failure() const {
  switch (rcode_) {
    case ns_r_servfail:
      return ARES_ESERVFAIL;
    case ns_r_notimpl:
      return ARES_ENOTIMP;
    case ns_r_refused:
      return ARES_EREFUSED;
    default:
      return ARES_ECONNREFUSED;
  }
}

void AresChannel::process(int readable, int writable) {
  rcode_ = ns_r_noerror;
  ares_process_fd(channel_, readable, writable);
  set_timer();
}

void AresChannel::set_timer() {
  timeval left{};
  if (ares_timeout(channel_, nullptr, &left))
    timer_.set(left.tv_sec * kSecond + left.tv_usec * 1000);
  else
    timer_.cancel();
}

}  // namespace retrial::proxy
