#include "proxy/admin/connection.h"

#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <deque>
#include <sstream>
#include <utility>

#include "base/text.h"

namespace retrial::proxy::admin {
namespace {
namespace beast = boost::beast;
namespace http = beast::http;
using Plain = beast::basic_stream<asio::generic::stream_protocol>;
using Secure = beast::ssl_stream<Plain>;
using Text = std::shared_ptr<const std::string>;

constexpr auto kPatience = std::chrono::seconds(30);  // for a request, for its answer to be taken
constexpr auto kGrace = std::chrono::seconds(1);      // for the last answer, where a client still sends
constexpr std::uint32_t kLargestHead = 64u << 10;

std::string_view view(beast::string_view s) { return {s.data(), s.size()}; }

Plain& lowest(Plain& s) { return s; }
Plain& lowest(Secure& s) { return s.next_layer(); }

AdminResponse refusal(int status, std::string why) {
  for (auto& c : why)
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20) c = '\'';
  return {.status = status, .body = fmt::format(R"({{"error":"{}"}})", why)};
}

// What is answered to who sends no request that can be read; none: he has gone.
std::optional<AdminResponse> refusal_of(beast::error_code why) {
  using http::error;
  if (why == error::body_limit) return refusal(413, "expected at most 16 MiB");
  if (why == error::header_limit || why == error::buffer_overflow)
    return refusal(431, "expected a head of at most 64 KiB");
  bool gone = why == error::end_of_stream || why == error::partial_message;
  if (gone || why.category() != make_error_code(error::bad_method).category()) return {};
  return refusal(400, fmt::format("expected a request of HTTP/1.1: {}", why.message()));
}

// Also of HEAD, which is answered as GET is, without the body.
template <class Stream>
class Session final : public Connection, public std::enable_shared_from_this<Session<Stream>> {
 public:
  Session(std::shared_ptr<Connections> connections, Stream stream, std::string who)
      : connections_(std::move(connections)), stream_(std::move(stream)), who_(std::move(who)) {
    connections_->waits(this);
  }
  ~Session() override { connections_->left(this); }
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
  void close() override {
    connections_->left(this);
    beast::error_code unseen;
    lowest(stream_).socket().shutdown(asio::socket_base::shutdown_both, unseen);
    lowest(stream_).close();
  }

 private:
  auto then(void (Session::*next)()) {
    return [self = this->shared_from_this(), next](auto error, std::size_t) {
      if (!self->is_open()) return;  // it had to give way
      if (!error) return (self.get()->*next)();
      self->head_ = false;
      if (auto why = refusal_of(error)) self->answer(std::move(*why), false);
    };
  }
  bool is_open() { return lowest(stream_).socket().is_open(); }

  void read() {
    connections_->waits(this);
    parser_.emplace();
    parser_->header_limit(kLargestHead);
    parser_->body_limit(AdminServer::kLargestBody);
    lowest(stream_).expires_after(kPatience);
    http::async_read_header(stream_, buffer_, *parser_, then(&Session::let_in));
  }

  // Nothing of a body is read of who may not speak.
  void let_in() {
    auto& message = parser_->get();
    head_ = message.method() == http::verb::head;
    request_ = AdminRequest{.method = std::string(head_ ? "GET" : view(message.method_string())),
                            .if_match = std::string(view(message[http::field::if_match])),
                            .if_none_match = std::string(view(message[http::field::if_none_match])),
                            .user_agent = std::string(view(message[http::field::user_agent])),
                            .who = who_};
    auto target = view(message.target());
    auto question = target.find('?');
    request_.path = percent_decode(target.substr(0, question));
    request_.query = std::string(question == target.npos ? "" : target.substr(question + 1));
    Caller caller{.path = request_.path,
                  .host = view(message[http::field::host]),
                  .hosts = message.count(http::field::host),
                  .origin = view(message[http::field::origin]),
                  .origins = message.count(http::field::origin),
                  .fetch_site = view(message["Sec-Fetch-Site"]),
                  .authorization = view(message[http::field::authorization])};
    if (auto refused = connections_->settings.guard.refuses(caller)) {
      if (refused->wrong_token)
        connections_->log.say(Log::Level::warning, fmt::format("admin: a wrong token was sent by {}", who_));
      return answer(refusal(refused->status, refused->why), message.keep_alive() && parser_->is_done());
    }
    if (parser_->is_done()) return take();
    if (!beast::iequals(message[http::field::expect], "100-continue")) return read_body();
    asio::async_write(stream_, asio::buffer("HTTP/1.1 100 Continue\r\n\r\n", 25), then(&Session::read_body));
  }
  void read_body() { http::async_read(stream_, buffer_, *parser_, then(&Session::take)); }

  void take() {
    bool keep = parser_->get().keep_alive();
    request_.body = std::move(parser_->get().body());
    lowest(stream_).expires_never();
    connections_->is_answered(this);
    auto self = this->shared_from_this();
    connections_->handle(std::move(request_), [self, keep](AdminResponse response) {
      asio::post(self->connections_->io,
                 [self, keep, response = std::move(response)]() mutable { self->answer(std::move(response), keep); });
    });
  }

  void answer(AdminResponse response, bool keep) {
    if (!is_open()) return;
    bool feed = response.events;
    if (feed && !head_) return begin_events(std::move(response));
    connections_->waits(this);
    fill(response);
    response_->keep_alive(keep_ = keep && !feed);
    response_->body() = std::move(response.body);
    if (!feed) response_->prepare_payload();
    lowest(stream_).expires_after(kPatience);
    serializer_.emplace(*response_);
    auto sent = [self = this->shared_from_this()](auto error, std::size_t) {
      if (error || !self->is_open()) return self->close();
      return self->keep_ ? self->read() : self->end();
    };
    if (head_)
      http::async_write_header(stream_, *serializer_, sent);
    else
      http::async_write(stream_, *serializer_, sent);
  }
  void fill(const AdminResponse& response) {
    auto& r = response_.emplace(http::int_to_status(static_cast<unsigned>(response.status)), 11);
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

  // What a client still sends is taken until he has read the answer: bytes that nobody has read reset a connection.
  void end() {
    beast::error_code unseen;
    lowest(stream_).socket().shutdown(asio::socket_base::shutdown_send, unseen);
    lowest(stream_).expires_after(kGrace);
    drop();
  }
  // Whatever is sent is not looked at, but for its end.
  void drop() {
    stream_.async_read_some(asio::buffer(ignored_), [self = this->shared_from_this()](auto error, std::size_t) {
      if (error) return self->close();
      self->drop();
    });
  }

  // Ends with its connection: nobody knows its length.
  void begin_events(AdminResponse response) {
    response.status = 200;
    response.type = "text/event-stream";
    fill(response);
    response_->keep_alive(false);
    std::ostringstream head;
    head << response_->base() << std::move(response.body);
    connections_->feeds_on(this);
    waiting_.push_back(std::make_shared<const std::string>(std::move(head).str()));
    write_events();
    lowest(stream_).expires_never();
    drop();
  }
  void write_events() {
    if (writing_ || waiting_.empty()) return;
    writing_ = true;
    lowest(stream_).expires_after(kPatience);
    asio::async_write(
        stream_, asio::buffer(*waiting_.front()), [self = this->shared_from_this()](auto error, std::size_t) {
          self->writing_ = false;
          self->waiting_.pop_front();
          if (error) return self->close();
          if (auto lost = std::exchange(self->lost_, 0))
            self->waiting_.push_front(
                std::make_shared<const std::string>(fmt::format("event: lost\ndata: {{\"events\":{}}}\n\n", lost)));
          self->write_events();
        });
  }

  std::shared_ptr<Connections> connections_;
  Stream stream_;
  std::string who_;
  beast::flat_buffer buffer_{AdminServer::kLargestBody + kLargestHead};
  std::optional<http::request_parser<http::string_body>> parser_;
  AdminRequest request_;
  bool head_ = false, keep_ = false;
  std::optional<http::response<http::string_body>> response_;
  std::optional<http::response_serializer<http::string_body>> serializer_;
  std::deque<Text> waiting_;
  bool writing_ = false;
  std::uint64_t lost_ = 0;
  char ignored_[4096];
};

}  // namespace

void begin(std::shared_ptr<Connections> connections, Socket socket, std::string who) {
  Plain stream(std::move(socket));
  if (auto& tls = connections->tls)
    std::make_shared<Session<Secure>>(connections, Secure(std::move(stream), *tls), std::move(who))->begin();
  else
    std::make_shared<Session<Plain>>(connections, std::move(stream), std::move(who))->begin();
}

}  // namespace retrial::proxy::admin
