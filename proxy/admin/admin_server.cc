#include "proxy/admin/admin_server.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <csignal>
#include <cstring>
#include <thread>

#include "proxy/admin/connection.h"

namespace retrial::proxy {
namespace {
namespace asio = boost::asio;
using admin::Connections;

std::string peer_of(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  Address at;
  socklen_t length = sizeof at.storage_;
  if (getpeername(fd, at.get(), &length) == 0 && at.family() != AF_UNIX) return at.show();
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0)
    return fmt::format("uid {} (pid {})", peer.uid, peer.pid);
  return "unknown";
}

// One listening socket.
class Acceptor : public std::enable_shared_from_this<Acceptor> {
 public:
  Acceptor(std::shared_ptr<Connections> connections, int fd, int family)
      : connections_(std::move(connections)), listening_(connections_->io, fd), family_(family) {}

  void wait() {
    if (waiting_ || !connections_->has_room()) return;
    waiting_ = true;
    listening_.async_wait(asio::posix::stream_descriptor::wait_read, [self = shared_from_this()](auto error) {
      self->waiting_ = false;
      if (error) return;
      if (self->connections_->has_room()) self->take();
      self->wait();
    });
  }

  void close() { listening_.close(); }

 private:
  void take() {
    int fd = accept4(listening_.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    auto who = peer_of(fd);
    connections_->make_room();
    admin::begin(connections_,
                 admin::Socket(connections_->io,
                               asio::generic::stream_protocol(family_, family_ == AF_UNIX ? 0 : IPPROTO_TCP), fd),
                 std::move(who));
  }

  std::shared_ptr<Connections> connections_;
  asio::posix::stream_descriptor listening_;
  int family_;
  bool waiting_ = false;
};

// Another's socket file is left alone; one that nobody listens at any more is replaced.
Result<int> listen_at_path(const std::string& path) {
  sockaddr_un name{.sun_family = AF_UNIX, .sun_path = {}};
  if (path.size() >= sizeof name.sun_path) return fail("expected a shorter path", "unix:" + path, Blame::user);
  std::memcpy(name.sun_path, path.data(), path.size());
  auto* at = reinterpret_cast<sockaddr*>(&name);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  struct stat is{};
  if (lstat(path.c_str(), &is) == 0 && S_ISSOCK(is.st_mode) && connect(fd, at, sizeof name) != 0 &&
      errno == ECONNREFUSED)
    unlink(path.c_str());
  auto before = umask(0177);
  bool ok = bind(fd, at, sizeof name) == 0;
  auto error = errno;
  umask(before);
  if (ok && listen(fd, 128) == 0) return fd;
  close(fd);
  return fail_errno("cannot listen", ok ? errno : error, "unix:" + path, Blame::user);
}

Result<int> listen_at(const Address& at) {
  int fd = socket(at.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), yes = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (at.family() == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
  if (fd >= 0 && bind(fd, at.get(), at.size()) == 0 && listen(fd, 128) == 0) return fd;
  auto error = errno;
  close(fd);
  return fail_errno("cannot listen", error, at.show(), Blame::user);
}

}  // namespace

struct AdminServer::Impl {
  std::shared_ptr<Connections> connections;
  std::vector<std::shared_ptr<Acceptor>> acceptors;
  std::string at;
  std::thread thread;
};

AdminServer::AdminServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<AdminServer>> AdminServer::start(Settings settings, Handle handle, Log& log) {
  auto impl = std::make_unique<Impl>();
  impl->connections = std::make_shared<Connections>(std::move(settings), std::move(handle), log);
  auto& connections = *impl->connections;
  auto& said = connections.settings;
  if (!said.certificate.empty()) {
    auto& context = connections.tls.emplace(asio::ssl::context::tls_server);
    SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
    if (SSL_CTX_use_certificate_chain_file(context.native_handle(), said.certificate.c_str()) != 1)
      return fail("expected a PEM file with a certificate", said.certificate, Blame::user);
    if (SSL_CTX_use_PrivateKey_file(context.native_handle(), said.key.c_str(), SSL_FILETYPE_PEM) != 1)
      return fail("expected a PEM file with the certificate's private key", said.key, Blame::user);
  }
  auto take = [&](int fd, int family) {
    impl->acceptors.push_back(std::make_shared<Acceptor>(impl->connections, fd, family));
  };
  if (!said.socket.empty()) {
    auto fd = listen_at_path(said.socket);
    if (!fd) return std::unexpected(fd.error());
    take(*fd, AF_UNIX);
    impl->at = "unix:" + said.socket;
  }
  std::uint16_t port = 0;
  for (auto& address : said.at) {
    auto fd = listen_at(port ? address.with_port(port) : address);
    if (!fd) return std::unexpected(fd.error());
    take(*fd, address.family());
    Address bound;
    socklen_t size = sizeof bound.storage_;
    getsockname(*fd, bound.get(), &size);
    port = bound.port();
    if (impl->at.empty()) impl->at = (connections.tls ? "https://" : "") + bound.show();
    auto name = bound.show();
    said.guard.hosts.push_back(name.substr(0, name.rfind(':')));
  }
  if (!said.at.empty())
    for (auto own : {"localhost", "127.0.0.1", "[::1]"}) said.guard.hosts.emplace_back(own);
  connections.freed = [impl = impl.get()] {
    for (auto& acceptor : impl->acceptors) acceptor->wait();
  };
  for (auto& acceptor : impl->acceptors) acceptor->wait();
  sigset_t all, before;
  sigfillset(&all);
  for (int own : {SIGBUS, SIGSEGV, SIGFPE, SIGILL}) sigdelset(&all, own);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  impl->thread = std::thread([connections = impl->connections] {
    pthread_setname_np(pthread_self(), "retrial-admin");
    connections->io.run();
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return std::unique_ptr<AdminServer>(new AdminServer(std::move(impl)));
}

AdminServer::~AdminServer() {
  asio::post(impl_->connections->io, [impl = impl_.get()] {
    impl->connections->freed = nullptr;
    for (auto& acceptor : impl->acceptors) acceptor->close();
    for (auto* one : std::list(impl->connections->all)) one->close();
    impl->connections->work.reset();
  });
  impl_->thread.join();
  impl_->acceptors.clear();
  if (!impl_->connections->settings.socket.empty()) unlink(impl_->connections->settings.socket.c_str());
}

const std::string& AdminServer::at() const { return impl_->at; }

void AdminServer::publish(std::string_view event, std::string_view data) {
  if (!watched()) return;
  auto text = std::make_shared<const std::string>(fmt::format("event: {}\ndata: {}\n\n", event, data));
  asio::post(impl_->connections->io, [connections = impl_->connections, text] {
    for (auto* feed : std::list(connections->feeds)) feed->tell(text);
  });
}
bool AdminServer::watched() const { return impl_->connections->watched; }

}  // namespace retrial::proxy
