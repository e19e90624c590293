#include "proxy/exchange/h1_services.h"

#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "proxy/codec/h1_facts.h"
#include "proxy/codec/tags.h"
#include "proxy/exchange/h2_fields.h"
#include "proxy/exchange/stream.h"

namespace retrial::proxy {

// One stream's connection to the service.
class H1Service final : private SocketEvents {
 public:
  H1Service(H1Services& all, Stream& stream)
      : all_(all),
        stream_(&stream),
        codec_(H1Codec::Side::response, tap_, {all.house_.options.head_limit, all.house_.options.field_limit}) {}

  void request(const H2Head& head, bool end);
  std::size_t room(std::size_t wanted) const;
  void data(std::string_view bytes, bool end);
  void trailers(std::string_view lines);
  void consumed(std::size_t bytes) {
    owed_ -= std::min(owed_, bytes);
    if (socket_) socket_->listen(owed_ < all_.house_.options.buffer_limit);
  }
  void flush();
  void pace(std::uint64_t rate, std::uint64_t burst) {
    if (socket_) socket_->pace(rate, burst);
  }
  void leave();  // the stream has what it wants, or wants no more

 private:
  void ready(Socket& socket) override;
  void connect();
  void dialled(const Result<Address>& address);
  void failed(const std::string& what);
  void broke_off();
  void read();
  void take(std::string_view bytes);
  void head();
  void piece(std::string_view bytes, bool end);

  H1Services& all_;
  Stream* stream_;  // null: it is not told any more
  BodyTap tap_{false};
  H1Codec codec_;
  std::unique_ptr<Socket> socket_;
  std::unique_ptr<Resolver::Query> query_;
  std::string waiting_;  // for the connection
  std::size_t owed_ = 0;
  mutable bool blocked_ = false;  // there was no room for all of a piece
  bool chunked_ = false;          // the request
  bool sent_ = false;             // the request, whole
  bool began_ = false;            // the final response's head was read
  bool done_ = false;             // the response, whole
};

namespace {
// The service's head in the words of HTTP/2.
struct Translated {
  std::string raw;
  std::vector<H1Field> fields;
  H2Head head;

  explicit Translated(const H1Head& h) {
    std::string_view hops;
    for (auto& f : h.fields)
      if (f.known == FieldName::connection) hops = h.value(f);
    raw.reserve(h.raw.size());
    for (auto& f : h.fields) {
      switch (f.known) {
        case FieldName::connection:
        case FieldName::keep_alive:
        case FieldName::proxy_connection:
        case FieldName::upgrade:
        case FieldName::transfer_encoding:
          continue;
        default:
          if (!h.names_hops || !lists(hops, h.name(f))) add(h.name(f), h.value(f), f.known);
      }
    }
    head.head = h;
    end();
  }
  explicit Translated(std::string_view trailers) {
    while (!trailers.empty()) {
      auto line = trailers.substr(0, trailers.find("\r\n"));
      auto colon = line.find(':');
      add(line.substr(0, colon), trim(line.substr(colon + 1)), FieldName::other);
      trailers.remove_prefix(line.size() + 2);
    }
    end();
  }

 private:
  void add(std::string_view name, std::string_view value, FieldName known) {
    H1Field to{.known = known};
    to.name = static_cast<std::uint32_t>(raw.size());
    raw += lower(name);
    to.name_end = static_cast<std::uint32_t>(raw.size());
    raw += ": ";
    to.value = static_cast<std::uint32_t>(raw.size());
    for (char c : value) raw += c == '\r' || c == '\n' ? ' ' : c;  // of a folded one (RFC 9112 5.2)
    to.value_end = static_cast<std::uint32_t>(raw.size());
    raw += "\r\n";
    fields.push_back(to);
  }
  void end() {
    raw += "\r\n";
    head.head.raw = raw;
    head.head.fields = fields;
  }
};
}  // namespace

void H1Service::request(const H2Head& head, bool end) {
  auto& h = head.head;
  auto& options = all_.house_.options;
  waiting_.append(h.method).append(" ").append(h.target).append(" HTTP/1.1\r\n");
  auto host = head.authority.empty() ? h.host : head.authority;
  waiting_.append("Host: ").append(host.empty() ? all_.ends_.pool->authority() : host).append("\r\n");
  std::string cookies;
  bool sized = false;
  for (auto& f : h.fields) {
    auto name = h.name(f);
    if (f.known == FieldName::host || f.known == FieldName::te || (!options.keep_tags && is_tag(name))) continue;
    sized |= f.known == FieldName::content_length;
    if (name == "cookie") {  // RFC 9113 8.2.3
      cookies.append(cookies.empty() ? "" : "; ").append(h.value(f));
      continue;
    }
    waiting_.append(name).append(": ").append(h.value(f)).append("\r\n");
  }
  if (!cookies.empty()) waiting_.append("cookie: ").append(cookies).append("\r\n");
  chunked_ = !end && !sized;
  if (chunked_) waiting_.append("Transfer-Encoding: chunked\r\n");
  waiting_.append("Via: 2.0 retrial\r\n\r\n");
  sent_ = end;
  codec_.answers_head(h.method == "HEAD");
  connect();
}

void H1Service::connect() {
  auto& pool = *all_.ends_.pool;
  socket_ = pool.take();
  if (socket_) {
    socket_->hand_to(*this);
    socket_->listen(true);
    socket_->write(std::exchange(waiting_, {}));
    return;
  }
  if (auto& address = pool.address()) return dialled(*address);
  auto& route = pool.route();
  query_ = all_.house_.resolver().resolve(route.host, route.port, [this](Result<Address> found) {
    if (!stream_) return;
    dialled(found);
    all_.events_.service_event();
  });
}

void H1Service::dialled(const Result<Address>& address) {
  auto& pool = *all_.ends_.pool;
  auto socket = address ? pool.dial(*address, *this, all_.house_.security_of(pool.route()))
                        : Result<std::unique_ptr<Socket>>(std::unexpected(address.error()));
  if (!socket) return failed("could not be reached: " + socket.error().what);
  socket_ = std::move(*socket);
  if (all_.rate_) socket_->pace(all_.rate_, all_.burst_);
  socket_->write(std::exchange(waiting_, {}));
}

void H1Service::failed(const std::string& what) {
  if (auto* stream = std::exchange(stream_, nullptr)) {
    all_.house_.say(all_.ends_.service_name + " " + what);
    stream->unanswered(what);
  }
}

void H1Service::broke_off() {
  if (auto* stream = std::exchange(stream_, nullptr))
    stream->service_reset(done_ ? code_of(H2Error::no_error) : code_of(H2Error::internal_error), false);
}

std::size_t H1Service::room(std::size_t wanted) const {
  auto limit = all_.house_.options.buffer_limit;
  auto queued = waiting_.size() + (socket_ ? socket_->queued() : 0);
  auto left = queued < limit ? limit - queued : 0;
  blocked_ |= left < wanted;
  return std::min(left, wanted);
}

void H1Service::flush() {
  while (socket_ && socket_->open()) {
    socket_->flush();
    if (!blocked_ || !stream_ || room(1) == 0) return;
    blocked_ = false;
    stream_->service_room();
  }
}

void H1Service::data(std::string_view bytes, bool end) {
  std::string out;
  if (chunked_ && !bytes.empty()) {
    char size[20];
    auto n = std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
    out.append(size, static_cast<std::size_t>(n)).append(bytes).append("\r\n");
  } else if (!chunked_) {
    out.append(bytes);
  }
  if (chunked_ && end) out.append("0\r\n\r\n");
  sent_ |= end;
  if (socket_)
    socket_->write(out);
  else
    waiting_.append(out);
}

void H1Service::trailers(std::string_view lines) {
  sent_ = true;
  if (!chunked_) return;
  auto out = "0\r\n" + std::string(lines) + "\r\n";
  if (socket_)
    socket_->write(out);
  else
    waiting_.append(out);
}

void H1Service::ready(Socket&) {
  if (!stream_) return;
  all_.events_.service_woke();
  read();
  all_.events_.service_event();
}

void H1Service::read() {
  if (!socket_->failure().empty()) return failed("could not be reached: " + socket_->failure());
  auto& scratch = all_.house_.scratch;
  auto [got, size] = socket_->read(scratch.data(), scratch.size());
  bool answering = codec_.at_start() == false && stream_;
  switch (got) {
    case Socket::Got::bytes:
      return take({scratch.data(), size});
    case Socket::Got::nothing:
      return;
    case Socket::Got::fin:
      if (answering && began_ && codec_.head().until_close) return piece({}, true);
      [[fallthrough]];
    case Socket::Got::rst:
    case Socket::Got::failed:
      if (!began_) return failed("closed the connection without an answer");
      return broke_off();
  }
}

void H1Service::take(std::string_view bytes) {
  while (!bytes.empty() && stream_ && !done_) {
    auto [step, size] = codec_.take(bytes);
    auto wire = bytes.substr(0, size);
    bytes.remove_prefix(size);
    switch (step) {
      case H1Codec::Step::more:
        break;
      case H1Codec::Step::head:
        head();
        break;
      case H1Codec::Step::body:
      case H1Codec::Step::end:
        piece(codec_.framing() == Framing::as_sent ? wire : codec_.framed(), step == H1Codec::Step::end);
        break;
      case H1Codec::Step::refused:
        if (!began_) return failed("answered what cannot be read as HTTP/1.1");
        return broke_off();
    }
  }
  if (!bytes.empty() && socket_) socket_->reset();  // more than was asked for
}

void H1Service::head() {
  auto& h = codec_.head();
  if (!h.ambiguous.empty() || h.status == 101) return failed("answered what cannot be passed on in HTTP/2");
  if (!h.bodiless) codec_.hand_on(h.chunked ? Framing::plain : Framing::as_sent);
  Translated translated(h);
  if (h.status >= 200) began_ = true;
  bool end = h.bodiless && h.status >= 200;
  done_ = end;
  stream_->response_head(translated.head, end);
}

void H1Service::piece(std::string_view bytes, bool end) {
  done_ |= end;
  owed_ += bytes.size();
  if (owed_ >= all_.house_.options.buffer_limit) socket_->listen(false);
  if (!end) return stream_->response_data(bytes, false);
  auto lines = codec_.trailers();
  if (lines.empty()) return stream_->response_data(bytes, true);
  if (!bytes.empty()) stream_->response_data(bytes, false);
  if (!stream_) return;
  stream_->response_trailers(Translated(lines).head);
}

void H1Service::leave() {
  stream_ = nullptr;
  if (!socket_) return;
  auto& h = codec_.head();
  bool whole = done_ && sent_ && codec_.at_start() && h.keep_alive && !h.until_close && socket_->open() &&
               socket_->queued() == 0 && !socket_->ended() && !socket_->finished() && !socket_->broken();
  if (whole) {
    socket_->listen(true);
    all_.ends_.pool->keep(std::move(socket_));
  } else if (done_ && sent_) {
    socket_->close();
  } else {
    socket_->reset();
  }
}

H1Services::H1Services(House& house, ServiceSideEvents& events, Ends& ends)
    : house_(house), events_(events), ends_(ends) {}
H1Services::~H1Services() = default;
H1Service& H1Services::of(const Stream& stream) const { return *services_[stream.service_id - 1]; }

void H1Services::request(Stream& stream, const H2Head& head, bool end) {
  if (head.head.method == "CONNECT") return stream.unanswered("speaks HTTP/1.1, and opens no tunnel");
  auto free = std::ranges::find_if(services_, [](auto& s) { return !s; });
  if (free == services_.end()) free = services_.insert(free, nullptr);
  *free = std::make_unique<H1Service>(*this, stream);
  stream.service_id = static_cast<std::uint32_t>(free - services_.begin()) + 1;
  (*free)->request(head, end);
}
std::size_t H1Services::room(const Stream& stream, std::size_t wanted) const { return of(stream).room(wanted); }
void H1Services::data(Stream& stream, std::string_view bytes, bool end) { of(stream).data(bytes, end); }
void H1Services::trailers(Stream& stream, std::string_view lines) { of(stream).trailers(lines); }
void H1Services::consumed(Stream& stream, std::size_t bytes) {
  if (stream.service_id != 0) of(stream).consumed(bytes);
}
void H1Services::abort(Stream& stream, std::uint32_t) { forget(stream); }
void H1Services::forget(Stream& stream) {
  auto& service = services_[std::exchange(stream.service_id, 0) - 1];
  service->leave();
  house_.loop.later_delete(std::move(service));
}
void H1Services::flush() {
  for (auto& service : services_)
    if (service) service->flush();
}
void H1Services::pace(std::uint64_t bytes_per_second, std::uint64_t burst) {
  rate_ = bytes_per_second;
  burst_ = burst;
  for (auto& service : services_)
    if (service) service->pace(bytes_per_second, burst);
}
void H1Services::end(bool) {
  for (auto& service : services_) {
    if (!service) continue;
    service->leave();
    house_.loop.later_delete(std::move(service));
  }
}

}  // namespace retrial::proxy
