#include "proxy/admin/admin_server.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <csignal>
#include <cstring>
#include <deque>
#include <set>
#include <thread>

#include "base/text.h"

namespace retrial::proxy {
namespace {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Plain = beast::basic_stream<asio::generic::stream_protocol>;
using Secure = beast::ssl_stream<Plain>;
using Text = std::shared_ptr<const std::string>;

constexpr auto kPatience = std::chrono::seconds(30);  // for a request, for its answer to be taken

std::string_view view(beast::string_view s) { return {s.data(), s.size()}; }

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

// A connection.
class Listening {
 public:
  virtual ~Listening() = default;
  virtual void tell(const Text& event) = 0;  // of one that is streamed to
  virtual void close() = 0;
};

struct Shared {
  AdminServer::Settings settings;
  AdminServer::Handle handle;
  Log& log;
  asio::io_context io{1};
  std::optional<asio::ssl::context> tls;
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work{asio::make_work_guard(io)};
  std::set<Listening*> all, streams;  // its own thread only
  std::atomic<std::size_t> watching{0}, connections{0};
  std::function<void()> freed;  // a connection has gone
};

Plain& lowest(Plain& s) { return s; }
Plain& lowest(Secure& s) { return s.next_layer(); }

template <class Stream>
class Session final : public Listening, public std::enable_shared_from_this<Session<Stream>> {
 public:
  Session(std::shared_ptr<Shared> shared, Stream stream, std::string who)
      : shared_(std::move(shared)), stream_(std::move(stream)), who_(std::move(who)) {
    shared_->connections++;
    shared_->all.insert(this);
  }
  ~Session() override {
    shared_->all.erase(this);
    if (shared_->streams.erase(this)) shared_->watching--;
    shared_->connections--;
    if (shared_->freed) shared_->freed();
  }
  void begin() {
    if constexpr (std::is_same_v<Stream, Secure>) {
      lowest(stream_).expires_after(kPatience);
      stream_.async_handshake(asio::ssl::stream_base::server, [self = this->shared_from_this()](auto error) {
        if (!error) self->read();
      });
    } else {
      read();
    }
  }
  void tell(const Text& event) override {
    if (waiting_.size() >= AdminServer::kMostWaiting) {
      waiting_.erase(waiting_.begin() + (writing_ ? 1 : 0));
      lost_++;
    }
    waiting_.push_back(event);
    write_events();
  }

 private:
  void read() {
    parser_.emplace();
    parser_->body_limit(AdminServer::kLargestBody);
    lowest(stream_).expires_after(kPatience);
    http::async_read(stream_, buffer_, *parser_, [self = this->shared_from_this()](auto error, std::size_t) {
      if (!error) return self->take();
      if (error == http::error::body_limit)
        self->answer({.status = 413, .body = R"({"error":"expected at most 16 MiB"})"}, false);
    });
  }

  void take() {
    auto& message = parser_->get();
    auto target = view(message.target());
    auto question = target.find('?');
    AdminRequest request{.method = std::string(view(message.method_string())),
                         .path = percent_decode(target.substr(0, question)),
                         .query = std::string(question == target.npos ? "" : target.substr(question + 1)),
                         .body = std::move(message.body()),
                         .if_match = std::string(view(message[http::field::if_match])),
                         .if_none_match = std::string(view(message[http::field::if_none_match])),
                         .user_agent = std::string(view(message[http::field::user_agent])),
                         .who = who_};
    Caller caller{.path = request.path,
                  .host = view(message[http::field::host]),
                  .origin = view(message[http::field::origin]),
                  .fetch_site = view(message["Sec-Fetch-Site"]),
                  .authorization = view(message[http::field::authorization])};
    bool keep = message.keep_alive();
    if (auto refusal = shared_->settings.guard.refuses(caller)) {
      if (refusal->wrong_token)
        shared_->log.say(Log::Level::warning, fmt::format("admin: a wrong token was sent by {}", who_));
      return answer({.status = refusal->status, .body = fmt::format(R"({{"error":"{}"}})", plain(refusal->why))}, keep);
    }
    lowest(stream_).expires_never();
    auto self = this->shared_from_this();
    shared_->handle(std::move(request), [self, keep](AdminResponse response) {
      asio::post(self->shared_->io,
                 [self, keep, response = std::move(response)]() mutable { self->answer(std::move(response), keep); });
    });
  }
  static std::string plain(std::string text) {
    for (auto& c : text)
      if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20) c = '\'';
    return text;
  }

  void answer(AdminResponse response, bool keep) {
    if (response.events) return begin_events(std::move(response));
    response_.emplace(http::int_to_status(static_cast<unsigned>(response.status)), 11);
    fill(response);
    response_->keep_alive(keep);
    response_->body() = std::move(response.body);
    response_->prepare_payload();
    lowest(stream_).expires_after(kPatience);
    http::async_write(stream_, *response_, [self = this->shared_from_this(), keep](auto error, std::size_t) {
      if (!error && keep) return self->read();
      self->close();
    });
  }
  template <class Response = http::response<http::string_body>>
  void fill(const AdminResponse& response) {
    auto& r = *response_;
    r.set(http::field::server, "retrial");
    if (!response.type.empty()) r.set(http::field::content_type, response.type);
    r.set(http::field::cache_control, "no-store");
    r.set("X-Content-Type-Options", "nosniff");
    r.set("Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-ancestors 'none'; "
          "base-uri 'none'; form-action 'none'");
    if (!response.etag.empty()) r.set(http::field::etag, response.etag);
    if (!response.allow.empty()) r.set(http::field::allow, response.allow);
    if (response.status == 401) r.set(http::field::www_authenticate, "Bearer");
  }

  // Ends with its connection: nobody knows its length.
  void begin_events(AdminResponse response) {
    response_.emplace(http::status::ok, 11);
    response.type = "text/event-stream";
    fill(response);
    response_->keep_alive(false);
    std::ostringstream head;
    head << response_->base() << std::move(response.body);
    shared_->streams.insert(this);
    shared_->watching++;
    waiting_.push_back(std::make_shared<const std::string>(std::move(head).str()));
    write_events();
    notice_end();
  }
  void write_events() {
    if (writing_ || waiting_.empty()) return;
    writing_ = true;
    lowest(stream_).expires_after(kPatience);
    asio::async_write(
        stream_, asio::buffer(*waiting_.front()), [self = this->shared_from_this()](auto error, std::size_t) {
          self->writing_ = false;
          self->waiting_.pop_front();
          if (error) return self->leave();
          if (auto lost = std::exchange(self->lost_, 0))
            self->waiting_.push_front(
                std::make_shared<const std::string>(fmt::format("event: lost\ndata: {{\"events\":{}}}\n\n", lost)));
          self->write_events();
        });
  }
  // Whatever a listener sends is not read but for its end.
  void notice_end() {
    lowest(stream_).expires_never();
    stream_.async_read_some(asio::buffer(ignored_), [self = this->shared_from_this()](auto error, std::size_t) {
      if (error) return self->leave();
      self->notice_end();
    });
  }
  void leave() {
    if (shared_->streams.erase(this)) shared_->watching--;
    close();
  }
  void close() override {
    beast::error_code unseen;
    lowest(stream_).socket().shutdown(asio::socket_base::shutdown_both, unseen);
    lowest(stream_).close();
  }

  std::shared_ptr<Shared> shared_;
  Stream stream_;
  std::string who_;
  beast::flat_buffer buffer_{AdminServer::kLargestBody + (64u << 10)};
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::string_body>> response_;
  std::deque<Text> waiting_;
  bool writing_ = false;
  std::uint64_t lost_ = 0;
  char ignored_[256];
};

// One listening socket.
class Acceptor : public std::enable_shared_from_this<Acceptor> {
 public:
  Acceptor(std::shared_ptr<Shared> shared, int fd, int family)
      : shared_(std::move(shared)), listening_(shared_->io, fd), family_(family) {}

  void wait() {
    if (waiting_ || shared_->connections >= AdminServer::kMostConnections) return;
    waiting_ = true;
    listening_.async_wait(asio::posix::stream_descriptor::wait_read, [self = shared_from_this()](auto error) {
      self->waiting_ = false;
      if (error) return;
      self->take();
      self->wait();
    });
  }

  void close() { listening_.close(); }

 private:
  void take() {
    int fd = accept4(listening_.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    auto who = peer_of(fd);
    asio::generic::stream_protocol::socket socket(
        shared_->io, asio::generic::stream_protocol(family_, family_ == AF_UNIX ? 0 : IPPROTO_TCP), fd);
    Plain stream(std::move(socket));
    if (shared_->tls)
      std::make_shared<Session<Secure>>(shared_, Secure(std::move(stream), *shared_->tls), who)->begin();
    else
      std::make_shared<Session<Plain>>(shared_, std::move(stream), who)->begin();
  }

  std::shared_ptr<Shared> shared_;
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
  std::shared_ptr<Shared> shared;
  std::vector<std::shared_ptr<Acceptor>> acceptors;
  std::string at;
  std::thread thread;
};

AdminServer::AdminServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<AdminServer>> AdminServer::start(Settings settings, Handle handle, Log& log) {
  auto impl = std::make_unique<Impl>();
  impl->shared = std::make_shared<Shared>(std::move(settings), std::move(handle), log);
  auto& shared = *impl->shared;
  auto& said = shared.settings;
  if (!said.certificate.empty()) {
    auto& context = shared.tls.emplace(asio::ssl::context::tls_server);
    SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
    if (SSL_CTX_use_certificate_chain_file(context.native_handle(), said.certificate.c_str()) != 1)
      return fail("expected a PEM file with a certificate", said.certificate, Blame::user);
    if (SSL_CTX_use_PrivateKey_file(context.native_handle(), said.key.c_str(), SSL_FILETYPE_PEM) != 1)
      return fail("expected a PEM file with the certificate's private key", said.key, Blame::user);
  }
  auto take = [&](int fd, int family) {
    impl->acceptors.push_back(std::make_shared<Acceptor>(impl->shared, fd, family));
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
    if (impl->at.empty()) impl->at = (shared.tls ? "https://" : "") + bound.show();
    auto name = bound.show();
    said.guard.hosts.push_back(name.substr(0, name.rfind(':')));
  }
  if (!said.at.empty())
    for (auto own : {"localhost", "127.0.0.1", "[::1]"}) said.guard.hosts.emplace_back(own);
  // A connection that goes may make room for one that waits.
  shared.freed = [impl = impl.get()] {
    for (auto& acceptor : impl->acceptors) acceptor->wait();
  };
  for (auto& acceptor : impl->acceptors) acceptor->wait();
  sigset_t all, before;
  sigfillset(&all);
  for (int own : {SIGBUS, SIGSEGV, SIGFPE, SIGILL}) sigdelset(&all, own);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  impl->thread = std::thread([shared = impl->shared] {
    pthread_setname_np(pthread_self(), "retrial-admin");
    shared->io.run();
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return std::unique_ptr<AdminServer>(new AdminServer(std::move(impl)));
}

AdminServer::~AdminServer() {
  asio::post(impl_->shared->io, [impl = impl_.get()] {
    impl->shared->freed = nullptr;
    for (auto& acceptor : impl->acceptors) acceptor->close();
    for (auto* one : std::set(impl->shared->all)) one->close();
    impl->shared->work.reset();
  });
  impl_->thread.join();
  impl_->acceptors.clear();
  if (!impl_->shared->settings.socket.empty()) unlink(impl_->shared->settings.socket.c_str());
}

const std::string& AdminServer::at() const { return impl_->at; }

void AdminServer::publish(std::string_view event, std::string_view data) {
  if (!watched()) return;
  auto text = std::make_shared<const std::string>(fmt::format("event: {}\ndata: {}\n\n", event, data));
  asio::post(impl_->shared->io, [shared = impl_->shared, text] {
    for (auto* stream : std::set(shared->streams)) stream->tell(text);
  });
}
bool AdminServer::watched() const { return impl_->shared->watching > 0; }

}  // namespace retrial::proxy
