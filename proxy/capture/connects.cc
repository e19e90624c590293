#include "proxy/capture/connects.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "proxy/capture/processes.h"

namespace retrial::proxy::capture {
namespace {
constexpr std::size_t kLeastV6 = offsetof(sockaddr_in6, sin6_scope_id);  // what the kernel takes, by RFC 2133

constexpr std::uint16_t kDomain = 53;

// The source address that the client has bound, so that the service sees it; by rewrite it cannot be known.
std::optional<Address> bound_to(const ClientSocket& socket) {
  if (socket.duplicate < 0) return std::nullopt;
  Address own;
  socklen_t size = sizeof own.storage_;
  if (getsockname(socket.duplicate, own.get(), &size) != 0) return std::nullopt;
  const Address any = reached(own);
  if (!(any == own) || own.size() == 0) return std::nullopt;
  if (own.family() == AF_INET) return Address::v4(own.ip4(), 0);
  Address from = own;
  reinterpret_cast<sockaddr_in6&>(from.storage_).sin6_port = 0;
  return from;
}

// glibc looks there for a cache of names, which hardly a machine has: nothing of a service's.
bool is_name_cache(const Address& to) {
  sockaddr_un path{};
  std::memcpy(&path, &to.storage_, sizeof path);
  path.sun_path[sizeof path.sun_path - 1] = '\0';
  return std::string_view(path.sun_path).ends_with("/run/nscd/socket");
}
}  // namespace

Connects::Connects(Loop& loop, const Clock& clock, Way way, const RedirectParts& parts, TreeEvents& events,
                   std::function<void(int client, const Claim&)> arrived)
    : way_(way),
      parts_(parts),
      events_(events),
      redirect_(way == Way::getfd ? redirect_by_getfd(parts) : redirect_by_rewrite(parts)),
      misled_(loop, clock, parts, *redirect_, events, std::move(arrived)),
      dials_(loop, [this](ConnectPtr connect, Dials::Outcome outcome) { dialled(std::move(connect), outcome); }) {}

void Connects::trapped(std::unique_ptr<Notice> notice) {
  parts_.places.heard(notice->thread());
  auto connect = std::make_shared<Connect>(std::move(notice));
  const Next next = decide(connect);
  if (next == Next::pass) return redirect_->pass(std::move(connect));
  if (next == Next::done) return;
  const Address to = reached(connect->written);
  const auto from = bound_to(connect->socket);
  connect->fault = events_.connecting(to, connect->process).fault;
  if (Misled::is_for(connect->fault)) return misled_.begin(std::move(connect), from);
  dials_.begin(std::move(connect), to, from);
}

Connects::Next Connects::decide(const ConnectPtr& connect) {
  if (!read(*connect)) return Next::pass;
  if (const Next next = again(connect); next != Next::dial) return next;
  const Address to = reached(connect->written);
  if (!to.loopback()) parts_.ledger.beyond(to);
  const bool near = to.loopback() || to.is_private();
  if (near && same_network(connect->notice->thread())) return Next::dial;
  natives_.left(connect->process, connect->fd(), false, connect->written.show());
  parts_.ledger.outside(connect->written, near ? "in another network namespace" : "outside");
  return Next::pass;
}

bool Connects::read(Connect& connect) {
  auto& ledger = parts_.ledger;
  const pid_t thread = connect.notice->thread();
  if (!connect.memory.readable()) {
    if (connect.notice->alive()) ledger.unreadable(thread, "memory", connect.memory.error_number());
    return false;
  }
  auto& written = connect.written;
  const auto size = std::min<std::size_t>(connect.notice->argument(2), sizeof written.storage_);
  const ssize_t got = connect.memory.read(connect.place(), written.get(), size);
  if (got < static_cast<ssize_t>(sizeof written.storage_.ss_family)) return written = {}, false;
  const int family = written.family();
  if (family == AF_UNIX && !is_name_cache(written)) {
    ++ledger.counts().unix_socket;
    natives_.left(process_of(thread), connect.fd(), true, "a UNIX socket");
  }
  if (family != AF_INET && family != AF_INET6 && family != AF_UNSPEC) return false;

  connect.process = process_of(thread);
  auto& socket = connect.socket;
  look_at(socket, way_, thread, connect.process, connect.fd());
  if (!connect.notice->alive()) return false;
  using Kind = ClientSocket::Kind;
  if (socket.kind == Kind::unreadable) ledger.unreadable(thread, "socket", socket.error_number);
  if (socket.kind == Kind::other_socket && family != AF_UNSPEC) {
    ++ledger.counts().udp;
    if (const Address to = reached(written); written.port() == kDomain || !to.loopback()) ledger.beyond(to);
    if (written.port() == kDomain) natives_.left(connect.process, connect.fd(), false, "a name server");
  }
  if (socket.kind == Kind::tcp && family == AF_UNSPEC) {
    parts_.sockets.redirected.erase(socket.inode);
    parts_.sockets.native.erase(socket.inode);
  }
  if (family == AF_UNSPEC) return false;
  if (got < static_cast<ssize_t>(family == AF_INET ? sizeof(sockaddr_in) : kLeastV6)) return written = {}, false;
  if (const auto before = written_for(parts_, written)) written = *before;
  return socket.kind == Kind::tcp && socket.family == family && !(socket.only_v6 && written.mapped());
}

// connect() called again only asks how the first one went, and must never dial.
Connects::Next Connects::again(const ConnectPtr& connect) {
  const auto& socket = connect->socket;
  if (parts_.sockets.redirected.contains(socket.inode)) {
    const bool interrupted = !parts_.killable && way_ == Way::getfd && !socket.non_blocking;
    if (!interrupted) return Next::pass;
    connect->notice->answer(0, 0);  // begun again by the kernel, after we had connected it
    return Next::done;
  }
  if (parts_.sockets.refused.erase(socket.inode)) return Next::pass;
  if ((socket.duplicate >= 0 || parts_.sockets.native.contains(socket.inode)) &&
      begun(socket, connect->notice->thread()))
    return Next::pass;
  const Connect* running = dials_.running(socket.inode);
  if (!running) return Next::dial;
  if (running->notice->alive()) return Next::pass;  // another thread on the same socket: the kernel's matter
  dials_.take_over(connect);                        // an interrupted call that begins again goes on waiting
  return Next::done;
}

void Connects::dialled(ConnectPtr connect, Dials::Outcome outcome) {
  if (outcome.service >= 0) {
    parts_.ledger.reached(connect->written);
    return redirect_->redirect(std::move(connect), outcome.service);
  }
  if (!trace::is_pass(connect->fault))
    events_.met(reached(connect->written), connect->process, connect->fault, "the service was not reached");
  if (way_ == Way::rewrite) parts_.sockets.native.insert(connect->socket.inode);
  if (outcome.late) {
    natives_.left(connect->process, connect->fd(), false, connect->written.show());
    parts_.ledger.late(connect->written);
  } else {
    parts_.ledger.failed(connect->written, outcome.error_number);
  }
  redirect_->pass(std::move(connect));
}

}  // namespace retrial::proxy::capture
