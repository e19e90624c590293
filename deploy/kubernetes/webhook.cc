#include "deploy/kubernetes/webhook.h"

#include <fmt/format.h>
#include <openssl/ssl.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <chrono>
#include <csignal>

#include "certs/leaf_store.h"
#include "deploy/kubernetes/review.h"

namespace retrial::deploy {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;
using Failed = beast::error_code;

constexpr std::size_t kMostConnections = 256;
constexpr std::size_t kLargestReview = 3u << 20;  // the API server's own bound of an object
constexpr std::chrono::seconds kLongest{10};

struct Shared {
  InjectSettings inject;
  Webhook::Log log;
  bool ending = false;
  std::size_t open = 0;
};

// One connection, alive as long as an operation of it is under way.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, asio::ssl::context& tls, Shared& shared)
      : stream_(std::move(socket), tls), shared_(shared) {
    shared_.open++;
  }
  ~Session() { shared_.open--; }
  Session(const Session&) = delete;

  void start() {
    beast::get_lowest_layer(stream_).expires_after(kLongest);
    stream_.async_handshake(asio::ssl::stream_base::server, [self = shared_from_this()](Failed failed) {
      if (failed) return self->shared_.log(fmt::format("a TLS handshake failed: {}", failed.message()));
      self->read();
    });
  }

 private:
  void read() {
    parser_.emplace();
    parser_->body_limit(kLargestReview);
    beast::get_lowest_layer(stream_).expires_after(kLongest);
    http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](Failed failed, std::size_t) {
      if (failed == http::error::body_limit)
        return self->answer(http::status::payload_too_large, "a review has at most 3 MiB\n", false);
      if (failed) return self->close();
      self->asked();
    });
  }

  void asked() {
    auto& request = parser_->get();
    auto target = request.target().substr(0, request.target().find('?'));  // the API server adds ?timeout=
    bool keep = request.keep_alive() && !shared_.ending;
    if (target == "/healthz" && request.method() == http::verb::get) return answer(http::status::ok, "ok\n", keep);
    if (target != "/inject") return answer(http::status::not_found, "there are /inject and /healthz\n", keep);
    if (request.method() != http::verb::post) return answer(http::status::method_not_allowed, "expected POST\n", keep);
    auto reviewed = review(request.body(), shared_.inject);
    if (!reviewed) {
      shared_.log("refused: " + reviewed.error().line());
      return answer(http::status::bad_request, reviewed.error().line() + "\n", keep);
    }
    shared_.log(reviewed->said);
    answer(http::status::ok, std::move(reviewed->body), keep, "application/json");
  }

  void answer(http::status status, std::string body, bool keep, const char* type = "text/plain") {
    response_ = http::response<http::string_body>(status, 11, std::move(body));
    response_.set(http::field::content_type, type);
    if (status == http::status::method_not_allowed) response_.set(http::field::allow, "POST");
    response_.keep_alive(keep);
    response_.prepare_payload();
    http::async_write(stream_, response_, [self = shared_from_this(), keep](Failed failed, std::size_t) {
      if (failed || !keep) return self->close();
      self->read();
    });
  }

  void close() {
    beast::get_lowest_layer(stream_).expires_after(kLongest);
    stream_.async_shutdown([self = shared_from_this()](Failed) {});
  }

  beast::ssl_stream<beast::tcp_stream> stream_;
  Shared& shared_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> response_;
};

}  // namespace

struct Webhook::Impl {
  Impl(certs::Authority authority, const Clock& clock, std::string called)
      : store(std::move(authority), clock, {called}), name(std::move(called)) {}

  // A certificate for whom the client asks for, anew for each handshake: they are renewed as they run out.
  static int choose(SSL* ssl, void* of) {
    auto& self = *static_cast<Impl*>(of);
    auto* asked = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
    auto leaf = self.store.leaf(asked ? asked : self.name);
    return leaf && SSL_use_certificate(ssl, leaf->certificate.get()) == 1 &&
           SSL_use_PrivateKey(ssl, leaf->key.get()) == 1;
  }

  void accept() {
    acceptor.async_accept([this](Failed failed, tcp::socket socket) {
      if (shared.ending) return;
      if (!failed && shared.open < kMostConnections) std::make_shared<Session>(std::move(socket), tls, shared)->start();
      if (failed) shared.log("no connection can be accepted: " + failed.message());
      if (!failed) return accept();
      again.expires_after(std::chrono::milliseconds(100));  // descriptors have run out, say
      again.async_wait([this](Failed ended) {
        if (!ended) accept();
      });
    });
  }

  asio::io_context io{1};
  certs::LeafStore store;
  std::string name;
  Shared shared;
  asio::ssl::context tls{asio::ssl::context::tls_server};
  tcp::acceptor acceptor{io};
  asio::steady_timer again{io};
  asio::signal_set signals{io};
};

Webhook::Webhook(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Webhook::~Webhook() = default;

Result<std::unique_ptr<Webhook>> Webhook::start(const WebhookSettings& settings, certs::Authority authority,
                                                const Clock& clock, Log log) {
  auto impl = std::make_unique<Impl>(std::move(authority), clock, settings.name);
  impl->shared.inject = settings.inject;
  impl->shared.log = std::move(log);
  auto on = fmt::format("{}:{}", settings.listen, settings.port);
  if (auto leaf = impl->store.leaf(settings.name); !leaf) return std::unexpected(leaf.error());
  SSL_CTX_set_min_proto_version(impl->tls.native_handle(), TLS1_2_VERSION);
  SSL_CTX_set_cert_cb(impl->tls.native_handle(), Impl::choose, impl.get());
  Failed failed;
  auto address = asio::ip::make_address(settings.listen, failed);
  if (failed) return fail("expected an address to listen on, such as 0.0.0.0 or ::", on, Blame::user);
  tcp::endpoint at(address, settings.port);
  impl->acceptor.open(at.protocol(), failed);
  if (!failed) impl->acceptor.set_option(asio::socket_base::reuse_address(true), failed);
  if (!failed) impl->acceptor.bind(at, failed);
  if (!failed) impl->acceptor.listen(asio::socket_base::max_listen_connections, failed);
  if (failed) return fail("cannot listen: " + failed.message(), on, Blame::user);
  return std::unique_ptr<Webhook>(new Webhook(std::move(impl)));
}

std::uint16_t Webhook::port() const { return impl_->acceptor.local_endpoint().port(); }

void Webhook::run() {
  impl_->signals.add(SIGTERM);
  impl_->signals.add(SIGINT);
  impl_->signals.async_wait([this](Failed failed, int) {
    if (failed) return;
    impl_->shared.ending = true;
    impl_->acceptor.close();
    impl_->again.cancel();
  });
  impl_->accept();
  impl_->io.run();  // until the last connection has gone, which is 10 s at most
}

}  // namespace retrial::deploy
