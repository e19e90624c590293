// A client connection in HTTP/1: what the client says, and what its service's connection does.
#include "proxy/connections/h1_client.h"

#include <fmt/format.h>

#include "base/text.h"
#include "proxy/codec/intermediary.h"
#include "proxy/connections/connections.h"
#include "proxy/connections/route.h"
#include "proxy/connections/tunnel.h"
#include "proxy/exchange/answer.h"

namespace retrial::proxy {

H1Client::H1Client(Connections& context, Accepted accepted)
    : context_(context),
      accepted_(std::move(accepted)),
      socket_(std::move(accepted_.client)),
      codec_(H1Codec::Side::request, {context.options.head_limit, context.options.field_limit}),
      writer_(*socket_, context.options.buffer_limit),
      exchange_(context, *this, accepted_, false) {
  socket_->hand_to(*this);
  if (accepted_.pool && accepted_.pool->route().http2) {
    auto h2 = std::make_unique<H2Service>(context, service_events(), accepted_, true);
    h2_ = h2.get();
    services_ = std::move(h2);
    return;
  }
  auto h1 = std::make_unique<H1Services>(context, accepted_, [this] { service_unasked(); });
  h1_ = h1.get();
  services_ = std::move(h1);
}
H1Client::~H1Client() = default;

bool H1Client::pristine() const { return context_.options.pristine; }
bool H1Client::refuses() const { return accepted_.listener && !context_.options.tunnel_unreadable; }

void H1Client::start() {
  since_ = context_.now = context_.clock.now();
  if (socket_->ended()) finished_ = true;
  read();
  settle();
}

void H1Client::ready(Socket&) {
  if (phase_ == Phase::dead) return;
  if (context_.may_read()) read();
  settle();
}

// Sends what has come together, ends what is told, goes on with what had to wait, and says what is to be read next.
void H1Client::settle() {
  while (phase_ != Phase::dead) {
    socket_->flush();
    services_->flush();
    if (socket_->open() && socket_->broken()) {
      reset();
      continue;
    }
    if (writer_.has_room_again()) {
      exchange_.client_room();
      continue;
    }
    if (std::exchange(watches_, false)) {
      if (socket_->queued() == 0 && exchange_.drained()) continue;
      watches_ = true;
    }
    if (phase_ != Phase::open || pending_.empty() || !takes_request()) break;
    if (owed_ >= context_.options.buffer_limit) break;
    auto waited = std::exchange(pending_, {});
    auto taken = parse(waited);
    if (phase_ == Phase::open) pending_.assign(waited, taken);
    if (finished_ && phase_ == Phase::open && exchange_.state() == State::request_head) finished();  // half of one
    if (taken == 0) break;
  }
  if (phase_ == Phase::dead || phase_ == Phase::silent) return;
  pass_fins();
  if (phase_ != Phase::dead) socket_->listen(reads());
}

// Captured, each side's FIN is the other's; else the client's ends the connection once nothing can follow.
void H1Client::pass_fins() {
  auto* own = h1_ ? h1_->own() : nullptr;
  bool flushed = socket_->queued() == 0 || socket_->gone();
  if (phase_ == Phase::closing) return finished_ && flushed ? die(false) : void();
  if (!own) {
    bool over = exchange_.idle() || (exchange_.state() == State::request_rest && exchange_.has_told());
    return finished_ && over && pending_.empty() ? die(!exchange_.idle()) : void();
  }
  if (!own->open()) return exchange_.idle() ? die(false) : void();
  auto& service = own->socket();
  // Behind all that is on its way, of which the exchange may hold a part.
  bool passes = !exchange_.held() && exchange_.state() != State::striking && exchange_.waiting() == 0;
  if (passes && finished_ && pending_.empty() && exchange_.response_goes()) service.finish_as(*socket_);
  if (passes && service.ended()) socket_->finish_as(service);
  if (finished_ && service.ended() && socket_->finished() && flushed && service.queued() == 0) die(false);
}

bool H1Client::reads() const {
  auto limit = context_.options.buffer_limit;
  if (phase_ == Phase::closing || exchange_.hears_nothing()) return true;  // and it is thrown away
  return pending_.size() < limit && owed_ < limit;
}

void H1Client::read() {
  if (!reads()) return;
  bool worth = codec_.plain_left() >= kWorthMoving && pending_.empty();
  auto* to = worth ? exchange_.request_moves_to() : nullptr;
  auto most = std::min<std::uint64_t>(context_.options.buffer_limit - owed_, codec_.plain_left());
  auto read = to ? socket_->move_to(*to, most) : Socket::Read{Socket::Got::nothing};
  if (read.got == Socket::Got::bytes) {
    owed_ += read.bytes;
    return exchange_.request_moved(read.bytes, codec_.passed_by(read.bytes) == H1Codec::Step::end);
  }
  if (read.got == Socket::Got::nothing) read = socket_->read(context_.scratch.data(), context_.scratch.size());
  switch (read.got) {
    case Socket::Got::bytes:
      return take({context_.scratch.data(), read.bytes});
    case Socket::Got::nothing:
      return;
    case Socket::Got::fin:
      return finished();
    case Socket::Got::rst:
    case Socket::Got::failed:
      return reset();
  }
}

void H1Client::take(std::string_view bytes) {
  if (!accepted_.distrust.empty()) context_.trusted(std::exchange(accepted_.distrust, {}));
  if (pending_.empty()) bytes.remove_prefix(parse(bytes));
  if (bytes.empty() || phase_ != Phase::open) return;
  if (exchange_.hears_nothing()) return exchange_.client_stirs();  // behind a request that gets no answer
  if (pending_.empty()) pending_came_ = context_.now;
  pending_.append(bytes);
}

// Reads as much of a request as there is room for, and says how much that was.
std::size_t H1Client::parse(std::string_view bytes) {
  Unread::Scope scope(unread_, bytes);
  while (!unread_.empty() && phase_ == Phase::open && takes_request()) {
    // Empty lines between requests are passed on with the next one (RFC 9112 2.2), but do not begin it.
    bool begins = unread_.front() != '\r' && unread_.front() != '\n';
    if (exchange_.idle() && (begins || unread_.view().find_first_not_of("\r\n") != bytes.npos)) {
      exchange_.begin(pending_came_ != 0 ? pending_came_ : context_.now, std::exchange(first_, false), 0);
      since_ = context_.now;
    }
    auto [step, size, content] = codec_.take(unread_.view());
    Body body{content, unread_.take(size)};
    bool end = step == H1Codec::Step::end;
    switch (step) {
      case H1Codec::Step::more:
        break;
      case H1Codec::Step::head:
        request(codec_.head());
        break;
      case H1Codec::Step::body:
      case H1Codec::Step::end:
        owed_ += content.size();
        if (end && !codec_.trailers().raw.empty())
          exchange_.request_trailers(codec_.trailers(), body);
        else
          exchange_.request_data(body, end);
        break;
      case H1Codec::Step::refused:
        unreadable();
        break;
    }
  }
  pending_came_ = 0;
  return bytes.size() - unread_.size();
}

void H1Client::request(const Head& head) {
  if (!acceptable(head) || !destined(head)) return;
  leaves_ = !pristine() && (!head.keep_alive || context_.draining);
  exchange_.request(head, !unread_.empty() || !pending_.empty() || !head.expects_continue, *services_);
}

// What can be read in one way only, and has what it must have.
bool H1Client::acceptable(const Head& head) {
  auto limit = context_.options.body_limit;
  if (!refuses()) {
    if (!head.ambiguous.empty()) pass_unread(head.raw);
    return head.ambiguous.empty();
  }
  if (!head.ambiguous.empty())
    refuse(400, head.ambiguous);
  else if (!head.invalid.empty())
    refuse(400, head.invalid);
  else if (limit != 0 && head.length > limit)
    refuse(413, "the request's body is beyond the limit");
  else
    return true;
  return false;
}

// A forward listener's clients say where each request goes.
bool H1Client::destined(const Head& head) {
  if (!accepted_.forward()) return true;
  bool connect = head.method == "CONNECT";
  auto target = absolute(head.target);
  bool tls = iequals(target.scheme, "https");
  auto route = connect                                 ? route_of(head.target, 0, false)
               : tls || iequals(target.scheme, "http") ? route_of(target.authority, tls ? 443 : 80, tls)
                                                       : std::nullopt;
  if (!route) {
    refuse(400, connect ? "CONNECT needs host:port"
                        : "a forward proxy needs the whole URL of an http:// service, or CONNECT");
    return false;
  }
  learn(*route, route->host, *accepted_.listener);
  route->only = accepted_.listener->to;
  auto pool = context_.pool_for(*route);
  if (!pool->located()) {
    locate(head, *pool);
    return false;
  }
  exchange_.records().serves(pool->service());
  if (auto& why = pool->location().barred(); !why.empty()) {
    context_.say(fmt::format("{}: {}: answered 403", pool->service(), why));
    exchange_.refuse(head, 403, fmt::format("{}: {}", pool->service(), why));
    return false;
  }
  if (connect) {
    tunnel_to(std::move(pool), head);
    return false;
  }
  accepted_.pool = std::move(pool);
  h1_->use(accepted_.pool);
  return true;
}

// It waits until it is known where its service is.
void H1Client::locate(const Head& head, ServicePool& pool) {
  kept_head_ = std::make_unique<KeptHead>(head);
  look_ = pool.locate([this] {
    look_.reset();
    request(std::exchange(kept_head_, nullptr)->head());
    settle();
  });
}

// What speaks inside a CONNECT is set up like any other connection.
void H1Client::tunnel_to(std::shared_ptr<ServicePool> pool, const Head& head) {
  Accepted inside;
  auto& e = exchange_.record();
  inside.connect = std::make_unique<AskedConnect>(head, e.begun, e.fresh);
  exchange_.forget();
  inside.client = std::move(socket_);
  inside.client->put_back(pending_);
  inside.client->put_back(unread_.take_all());
  inside.pool = std::move(pool);
  auto listener = std::make_shared<ListenerOptions>(*accepted_.listener);
  listener->mode = ListenMode::reverse;  // all that follows is for this one service
  listener->route = inside.pool->route();
  inside.listener = std::move(listener);
  inside.pid = accepted_.pid;
  inside.connection = accepted_.connection;
  services_->end(false);
  phase_ = Phase::dead;
  context_.counts.upgraded++;
  context_.ended(*this);
  context_.open_inside(std::move(inside));
}

void H1Client::unreadable() {
  exchange_.body_is_unreadable();
  // Where this request ends cannot be told, and its first bytes were not passed on: what is done to it is done now.
  if (exchange_.decided() && !exchange_.request_goes()) {
    unread_.take_all();
    leaves_ = true;
    return exchange_.request_is_unreadable();
  }
  if (!refuses()) return pass_unread({});
  bool large = codec_.refusal() == H1Codec::Refusal::head_too_large;
  refuse(large ? 431 : 400, large ? fmt::format("the request's head is beyond the limit of {}", codec_.why())
                                  : "the request cannot be read as HTTP/1.1: " + codec_.why());
}

// Answers what is not passed on, and ends the connection.
void H1Client::refuse(int status, std::string_view why) {
  unread_.take_all();
  context_.counts.refused++;
  context_.say(fmt::format("connection {}: {}: answered {}", accepted_.connection, why, status));
  leaves_ = true;
  if (exchange_.decided() && !exchange_.head_sent()) return exchange_.refuse_rest(status, why);
  bool answered = exchange_.decided() || socket_->queued() != 0;
  if (!answered) socket_->write(bytes_of(own_answer(status, why)));
  exchange_.cut(trace::Ending::closed);
  leave(true);
}

// --- its end

void H1Client::finished() {
  finished_ = true;
  never_asked();
  bool head = exchange_.state() == State::request_head && !look_;
  bool captured = h1_ && h1_->own();
  if (head && !refuses() && captured) return pass_unread({});  // it will never be a request: what there is passes
  if (exchange_.idle() || look_ || phase_ != Phase::open) return;
  bool cut_off = exchange_.service() && !exchange_.request_is_whole() && !exchange_.held();
  if (exchange_.client_finished(captured && pristine())) die(cut_off);
}

void H1Client::reset() {
  finished_ = true;
  never_asked();
  if (exchange_.client_left({})) return die(true);
  socket_->close();  // the response that is withheld is read to its end all the same
}

// Unless the service left first.
void H1Client::never_asked() {
  auto pair = std::exchange(accepted_.distrust, {});
  auto* own = h1_ ? h1_->own() : nullptr;
  bool service_left = own && (!own->open() || own->socket().ended() || own->socket().gone());
  if (!pair.empty() && !service_left) context_.left_unasked(pair);
}

void H1Client::leave(bool reset_service) {
  pending_.clear();
  look_.reset();
  socket_->finish();
  services_->end(reset_service);
  since_ = context_.now;
  phase_ = Phase::closing;
}

void H1Client::die(bool reset_service) {
  if (phase_ == Phase::dead) return;
  phase_ = Phase::dead;
  look_.reset();
  exchange_.cut(trace::Ending::closed, {reset_service ? Break::How::reset : Break::How::close});
  socket_->close();
  services_->end(reset_service);
  context_.ended(*this);
}

std::size_t H1Client::holds() const {
  constexpr std::size_t kItself = 6u << 10;  // objects, events and the kernel's side of it left out
  return kItself + pending_.capacity() + codec_.holds() + exchange_.holds() + socket_->holds() + services_->waiting() +
         (kept_head_ ? kept_head_->holds() : 0);
}

// Told of it, where nothing of an answer has gone; else what has gone must not look whole.
void H1Client::shed(std::string_view why) {
  if (phase_ == Phase::dead) return;
  bool begun = phase_ == Phase::open && !exchange_.idle();
  if (begun && !exchange_.head_sent() && !exchange_.held() && socket_->queued() == 0) {
    refuse(503, why);
    settle();
  }
  if (phase_ == Phase::dead) return;
  bool midway = !exchange_.idle() || phase_ == Phase::silent;
  exchange_.shed(code_of(H2Error::enhance_your_calm));
  if (midway) socket_->reset();
  die(true);
}

void H1Client::drain() {
  if (phase_ == Phase::silent) socket_->reset();
  bool idle = exchange_.idle() && pending_.empty();
  if (phase_ == Phase::silent || (idle && context_.drains_idle())) return die(false);
  // Who has been told that the connection goes on has the same grace after this answer.
  if (!idle && (!exchange_.head_sent() || context_.drains_idle())) leaves_ = true;
}

void H1Client::check(Nanos now) {
  auto& o = context_.options;
  auto waited = now - since_;
  if (phase_ == Phase::closing && waited > kLinger) return die(false);
  if (h2_) h2_->give_up_after(o.head_timeout, now), settle();
  if (phase_ != Phase::open) return;
  bool told = h1_ && h1_->own();  // the service, by a FIN of its own
  if (exchange_.stuck(now, socket_->queued()) || (!told && exchange_.abandoned(now))) {
    exchange_.cut(trace::Ending::reset, {Break::How::reset});
    socket_->reset();  // a FIN could look like the end of the response
    return die(true);
  }
  switch (exchange_.state()) {
    case State::request_head:
      if (o.head_timeout == 0 || waited < o.head_timeout) return;
      refuse(408, "the request's head did not come in time");
      return settle();
    case State::request_body:
      if (exchange_.starves(now)) refuse(408, "nothing more came of the request's body"), settle();
      return;
    case State::idle:
      if (pending_.empty() && (context_.drains_idle() || (o.idle_timeout != 0 && waited >= o.idle_timeout))) die(false);
      return;
    default:
      return;
  }
}

// --- its service's connection

// Captured, and no exchange is on it.
void H1Client::service_unasked() {
  if (phase_ != Phase::open) return;
  auto& service = h1_->own()->socket();
  if (!exchange_.idle() && exchange_.state() != State::request_head) return service.listen(false);  // until it is over
  auto [got, size] = service.read(context_.scratch.data(), context_.scratch.size());
  switch (got) {
    case Socket::Got::nothing:
      return;
    case Socket::Got::bytes:
      if (refuses()) return die(true);
      service.put_back({context_.scratch.data(), size});
      return pass_unread({});
    case Socket::Got::fin:
      return settle();
    case Socket::Got::rst:
    case Socket::Got::failed:
      socket_->flush();
      socket_->reset();
      return die(false);
  }
}

void H1Client::speaks_http1() { context_.say(accepted_.service_name + " was asked in HTTP/2, and speaks HTTP/1.1"); }

// A request above the last that counts was not executed (RFC 9113 6.8).
void H1Client::going_away(std::uint32_t last, std::uint32_t code, std::string_view) {
  if (h2_->stream_of(exchange_) > last)
    exchange_.broken_off({Break::How::abort, code_of(H2Error::refused_stream), true},
                         fmt::format("left the request out: GOAWAY ({})", show_h2_error(code)));
}

void H1Client::service_ended(const Break& how, std::string_view did) { exchange_.broken_off(how, did); }

}  // namespace retrial::proxy
