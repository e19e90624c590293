#include "proxy/connections/h2_service.h"

#include <fmt/format.h>

#include <algorithm>

#include "proxy/connections/connections.h"
#include "proxy/connections/h2_fields.h"
#include "proxy/exchange/exchange.h"

namespace retrial::proxy {
namespace {

// For a client that hears nothing of HTTP/2.
std::string no_http2(std::string_view fault) {
  return fmt::format("gave an answer that cannot be read as HTTP/2: {}", fault);
}

}  // namespace

H2Service::H2Service(Connections& context, H2ServiceEvents& events, Accepted& accepted, bool unseen)
    : context_(context), events_(events), accepted_(accepted), windows_(context.options), unseen_(unseen) {}
H2Service::~H2Service() = default;

// --- the connection

void H2Service::connect() {
  codec_ = std::make_unique<H2Codec>(H2Codec::Role::client, codec_events(), codec_limits(context_.options));
  socket_ = std::move(accepted_.service);
  if (socket_) {
    socket_->hand_to(*this);
    begin();
    read();  // what has come before
    return events_.settle();
  }
  if (auto why = accepted_.pool->cannot_be_dialled()) return not_reached(why->what, status_of(*why));
  phase_ = Phase::dialling;
  reaching_ = accepted_.pool->dial({"h2"}, [this](std::expected<std::unique_ptr<Socket>, DialError> socket) {
    reaching_.reset();
    if (!socket) {
      not_reached(socket.error().what, status_of(socket.error()));
    } else {
      socket_ = std::move(*socket);
      socket_->hand_to(*this);
      socket_->pace(rate_.bytes_per_second, rate_.burst);
      begin();
    }
    events_.settle();
  });
}

// Prior knowledge, or ALPN: either way the preface goes first.
void H2Service::begin() {
  phase_ = Phase::greeting;
  since_ = context_.now;
  H2Settings ours;
  ours.enable_push = false;
  ours.initial_window = windows_.narrow();
  ours.max_header_list = static_cast<std::uint32_t>(context_.options.head_limit);
  codec_->start(ours);
}

void H2Service::ready(Socket&) {
  if (!socket_) return;
  if (context_.may_read()) read();
  events_.settle();
}

void H2Service::read() {
  auto& scratch = context_.scratch;
  auto [got, size] = socket_->read(scratch.data(), scratch.size());
  switch (got) {
    case Socket::Got::bytes: {
      auto& codec = *codec_;
      if (codec.take({scratch.data(), size}, context_.now) || &codec != codec_.get()) return;
      if (!codec.speaks_h2()) return speaks_http1();
      flush();
      context_.say(accepted_.service_name + ": " + codec.failure());
      return ended({Break::How::abort, code_of(H2Error::internal_error)}, no_http2(codec.failure()));
    }
    case Socket::Got::nothing:
      return;
    case Socket::Got::fin:
      return ended({Break::How::close});
    case Socket::Got::rst:
      return ended({Break::How::reset});
    case Socket::Got::failed:
      if (!established()) return not_reached(socket_->failure());
      return ended({Break::How::reset});
  }
}

void H2Service::drop(bool reset) {
  phase_ = Phase::none;
  reaching_.reset();
  if (socket_) {
    reset ? socket_->reset() : socket_->close();
    context_.loop.later_delete(std::move(socket_));
  }
  if (codec_) context_.loop.later_delete(std::move(codec_));
}

void H2Service::not_reached(const std::string& why, int status) {
  drop(false);
  auto waiting = std::exchange(waiting_, {});
  for (auto* exchange : waiting) exchange->unreached(why, status);
  events_.not_reached(why);
}

void H2Service::speaks_http1() {
  drop(false);
  auto waiting = std::exchange(waiting_, {});
  for (auto* exchange : waiting) exchange->unreached("it speaks HTTP/1.1");
  events_.speaks_http1();
}

void H2Service::ended(const Break& how, std::string_view did) {
  if (established()) {
    drop(how.how == Break::How::reset);
    return events_.service_ended(how, did);
  }
  // Some services of HTTP/1.1 only close where they are asked in HTTP/2.
  bool asked_unknown = accepted_.pool && !context_.options.pristine && !accepted_.pool->route().tls;
  if (asked_unknown && !accepted_.pool->route().http2) return speaks_http1();
  not_reached("it closed the connection");
}

void H2Service::give_up_after(Nanos limit, Nanos now) {
  if (phase_ == Phase::greeting && limit != 0 && now - since_ > limit) not_reached("it said nothing", 504);
}

void H2Service::end(bool reset) {
  waiting_.clear();
  if (phase_ == Phase::open || phase_ == Phase::leaving) flush();
  drop(reset);
}

void H2Service::flush() {
  while (socket_ && socket_->open() && codec_) {
    auto& out = codec_->out();
    if (!out.empty()) {
      socket_->write(out);
      codec_->out_has_gone();
    }
    socket_->flush();
    if (!short_of_room_ || queued() >= context_.options.buffer_limit) break;
    short_of_room_ = false;
    on_room(0);
  }
  if (phase_ == Phase::leaving && streams_.empty()) drop(false);
}

void H2Service::pace(const Rate& rate) {
  rate_ = rate;
  if (socket_) socket_->pace(rate.bytes_per_second, rate.burst);
}

void H2Service::goaway(std::uint32_t code, std::string_view debug) {
  if (codec_) codec_->goaway(0, code, debug);
}

std::size_t H2Service::queued() const { return socket_->queued() + codec_->out().size(); }

// --- exchanges

ServiceSide* H2Service::reach(Exchange& exchange) {
  if (phase_ == Phase::leaving && streams_.empty()) drop(false);
  if (phase_ == Phase::open || phase_ == Phase::leaving) {
    if (auto id = phase_ == Phase::open ? codec_->open() : 0; id != 0) return &open_stream(exchange, id);
    exchange.broken_off({Break::How::abort, code_of(H2Error::refused_stream), true});
    return nullptr;
  }
  if (phase_ == Phase::none && !accepted_.pool && !accepted_.service) {
    exchange.unreached("its connection has ended");
    return nullptr;
  }
  waiting_.push_back(&exchange);
  if (phase_ == Phase::none) connect();
  return nullptr;
}

std::string_view H2Service::spares() const {
  return accepted_.pool ? accepted_.pool->location().spares() : std::string_view();
}

void H2Service::give_up(Exchange& exchange) { std::erase(waiting_, &exchange); }

void H2Service::forget_ended() {
  std::erase_if(outlived_, [this](auto& left) {
    bool gone = left.first->waiting() == 0;
    if (gone) left.second.end(windows_);
    return gone;
  });
}

H2ServiceStream& H2Service::open_stream(Exchange& exchange, std::uint32_t id) {
  forget_ended();
  auto stream = spare_.empty() ? std::make_unique<H2ServiceStream>(*this) : std::move(spare_.back());
  if (!spare_.empty()) spare_.pop_back();
  stream->id = id;
  stream->exchange = &exchange;
  return *streams_.emplace(id, std::move(stream)).first->second;
}

std::uint32_t H2Service::stream_of(const Exchange& exchange) const {
  auto* side = static_cast<const H2ServiceStream*>(exchange.service());
  return side ? side->id : 0;
}

Exchange* H2Service::find(std::uint32_t stream) {
  auto it = streams_.find(stream);
  return it == streams_.end() ? nullptr : it->second->exchange;
}

// --- what it says

void H2Service::on_settings(const H2Settings& theirs) {
  bool first = phase_ == Phase::greeting;
  if (first) phase_ = Phase::open;
  events_.established(theirs);
  if (!first) return;
  auto waiting = std::exchange(waiting_, {});
  for (auto* exchange : waiting) {
    auto id = phase_ == Phase::open ? codec_->open() : 0;
    if (id == 0)
      exchange->unreached("it takes no more streams");
    else
      exchange->reached(open_stream(*exchange, id));
  }
}
void H2Service::on_head(std::uint32_t id, const Head& head, bool end) {
  if (auto* exchange = find(id)) exchange->response(head, end, context_.now);
}
void H2Service::on_data(std::uint32_t id, std::string_view data, bool end) {
  if (auto* exchange = find(id))
    exchange->response_data({data, {}}, end);
  else if (codec_)
    codec_->consumed(id, data.size());
}
void H2Service::on_trailers(std::uint32_t id, const Head& trailers) {
  if (auto* exchange = find(id)) exchange->response_trailers(trailers, {});
}
void H2Service::on_reset(std::uint32_t id, std::uint32_t code, bool ours) {
  if (ours) context_.say(accepted_.service_name + ": " + codec_->last_fault() + ": the stream was reset");
  if (auto* exchange = find(id))
    exchange->broken_off({Break::How::abort, code, code == code_of(H2Error::refused_stream)},
                         ours ? no_http2(codec_->last_fault()) : "");
}
void H2Service::on_room(std::uint32_t id) {
  if (id != 0) {
    if (auto* exchange = find(id)) exchange->service_room();
    return;
  }
  for (auto it = streams_.begin(); it != streams_.end();) (it++)->second->exchange->service_room();
}
void H2Service::on_goaway(std::uint32_t last, std::uint32_t code, std::string_view debug) {
  if (phase_ == Phase::open) phase_ = Phase::leaving;
  events_.going_away(last, code, debug);
}

// --- a stream

void H2ServiceStream::head(const Head& head, bool end, bool cut_short) {
  auto& context = connection_.context_;
  auto* pool = connection_.accepted_.pool.get();
  Onward how{context.options.keep_tags, !context.options.pristine};
  if (pool) {
    how.scheme = pool->route().tls ? "https" : "http";
    how.authority = pool->authority();
  }
  auto& fields = context.no_fields();
  request_fields(head, how, context.field_room, fields);
  connection_.codec_->head(id, fields, end && !cut_short);
}
std::size_t H2ServiceStream::room(std::size_t wanted) {
  wanted = std::min(wanted, connection_.codec_->room(id));
  auto limit = connection_.context_.options.buffer_limit, all = connection_.queued();
  auto left = all < limit ? limit - all : 0;
  connection_.short_of_room_ |= left < wanted;
  return std::min(left, wanted);
}
void H2ServiceStream::data(std::string_view bytes, bool end) { connection_.codec_->data(id, bytes, end); }
void H2ServiceStream::trailers(std::string_view lines) {
  auto& fields = connection_.context_.no_fields();
  line_fields(lines, connection_.context_.field_room, fields);
  connection_.codec_->trailers(id, fields);
}
void H2ServiceStream::consumed(std::size_t bytes) {
  if (connection_.codec_) connection_.codec_->consumed(id, bytes, window_.goes_on(bytes, connection_.windows_));
}
std::size_t H2ServiceStream::waiting() const { return connection_.socket_ ? connection_.queued() : 0; }
bool H2ServiceStream::waited() const { return connection_.unseen_ && id > 1; }
void H2ServiceStream::release(bool whole, const Break& how) {
  auto& connection = connection_;
  if (!whole && how.how != Break::How::goaway && connection.codec_) connection.codec_->reset(id, how.code);
  if (window_.wide() && exchange->waiting() > 0)
    connection.outlived_.emplace_back(exchange, std::exchange(window_, {}));
  else
    window_.end(connection.windows_);
  exchange = nullptr;
  auto it = connection.streams_.find(id);
  connection.spare_.push_back(std::move(it->second));
  connection.streams_.erase(it);
}

}  // namespace retrial::proxy
