#include "proxy/connections/h2_client.h"

#include <fmt/format.h>

#include <algorithm>

#include "proxy/connections/connections.h"
#include "proxy/connections/h1_services.h"

namespace retrial::proxy {
namespace {
constexpr std::uint32_t kMostStreams = 1000;     // where every connection is our own to look after (serve)
constexpr std::uint32_t kMostConnections = 100;  // of HTTP/1, one for each stream
constexpr std::size_t kMostSpare = 100;          // streams that have ended and are kept for the next
constexpr std::uint32_t kAll = 0x7fffffff;       // no stream is left out (RFC 9113 6.8)

}  // namespace

H2Client::H2Client(Connections& context, Accepted accepted)
    : context_(context),
      accepted_(std::move(accepted)),
      codec_(H2Codec::Role::server, *this, codec_limits(context.options)),
      windows_(context.options) {
  accepted_.client->hand_to(*this);
}
H2Client::~H2Client() = default;

void H2Client::start() {
  since_ = context_.now = context_.clock.now();
  context_.counts.http2++;
  accepted_.client->listen(false);
  if (accepted_.forward()) {  // is asked in HTTP/1.1
    services_ = std::make_unique<H1Services>(context_, accepted_, [] {});
    client_failed("a forward proxy takes HTTP/2 only inside CONNECT", H2Error::http_1_1_required);
  } else if (accepted_.pool && accepted_.pool->speaks_http1()) {
    speaks_http1();
  } else {
    auto h2 = std::make_unique<H2Service>(context_, service_events(), accepted_);
    h2_ = h2.get();
    services_ = std::move(h2);
    h2_->connect();
  }
  settle();
}

void H2Client::ready(Socket&) {
  if (!alive()) return;
  if (context_.may_read()) read();
  settle();
}

void H2Client::read() {
  auto& scratch = context_.scratch;
  auto [got, size] = accepted_.client->read(scratch.data(), scratch.size());
  switch (got) {
    case Socket::Got::bytes:
      if (phase_ == Phase::closing) return;
      if (!accepted_.distrust.empty()) context_.trusted(std::exchange(accepted_.distrust, {}));
      if (!codec_.take({scratch.data(), size}, context_.now))
        return client_failed(codec_.failure(), static_cast<H2Error>(codec_.failure_code()));
      return tell_of_faults();
    case Socket::Got::nothing:
      return;
    case Socket::Got::fin:
      return client_ended(false);
    case Socket::Got::rst:
    case Socket::Got::failed:
      return client_ended(true);
  }
}

// --- what the client says

H2ClientStream& H2Client::fresh_stream() {
  if (spare_.empty()) {
    all_.push_back(std::make_unique<H2ClientStream>(*this, context_, accepted_));
    return *all_.back();
  }
  auto* stream = spare_.back();
  spare_.pop_back();
  return *stream;
}

H2ClientStream* H2Client::find(std::uint32_t stream) {
  auto it = streams_.find(stream);
  return it == streams_.end() ? nullptr : it->second;
}

template <class Call>
void H2Client::each(Call call) {
  for (std::size_t i = 0; i < all_.size(); i++)
    if (all_[i]->live()) call(*all_[i]);
}

void H2Client::on_head(std::uint32_t id, const Head& head, bool) {
  if (id >= left_out_ || phase_ >= Phase::closing) return;
  if (!context_.may_hold()) return refuse_head(id);
  auto& stream = fresh_stream();
  streams_.emplace(id, &stream);
  stream.begin(id, std::exchange(first_, false));
  if (head.too_large)
    stream.exchange().refuse(head, 431, "the request's head is beyond the limit");
  else if (head.method == "CONNECT" && !h2_)
    stream.exchange().refuse(head, 502, "speaks HTTP/1.1, and opens no tunnel");
  else
    stream.exchange().request(head, !head.expects_continue, *services_);
}
// It has said more in one breath than there is memory for.
void H2Client::refuse_head(std::uint32_t id) {
  context_.counts.refused++;
  context_.say(fmt::format("connection {}: short of memory: a request was answered {}, and is not recorded",
                           accepted_.connection, show_h2_error(code_of(H2Error::enhance_your_calm))));
  codec_.reset(id, code_of(H2Error::enhance_your_calm));
}
void H2Client::on_data(std::uint32_t id, std::string_view data, bool end) {
  if (auto* stream = find(id))
    stream->exchange().request_data({data, {}}, end);
  else
    codec_.consumed(id, data.size());
}
void H2Client::on_trailers(std::uint32_t id, const Head& trailers) {
  if (auto* stream = find(id)) stream->exchange().request_trailers(trailers, {});
}
// Streams that broke HTTP/2, also those that were never told of.
void H2Client::tell_of_faults() {
  auto before = std::exchange(faults_, codec_.faults());
  if (faults_ == before) return;
  context_.counts.refused += faults_ - before;
  context_.say(fmt::format("connection {}: {}: the stream was reset", accepted_.connection, codec_.last_fault()));
}
void H2Client::on_reset(std::uint32_t id, std::uint32_t code, bool) {
  auto* stream = find(id);
  if (stream && stream->exchange().client_left(code)) stream->ended();
}
void H2Client::on_room(std::uint32_t id) {
  if (id == 0)
    each([](H2ClientStream& s) { s.exchange().client_room(); });
  else if (auto* stream = find(id))
    stream->exchange().client_room();
}
void H2Client::on_goaway(std::uint32_t, std::uint32_t code, std::string_view debug) {
  if (h2_) h2_->goaway(code, debug);
}

void H2Client::client_ended(bool reset) {
  each([](H2ClientStream& s) {
    if (s.exchange().client_left({})) s.ended();
  });
  if (auto pair = std::exchange(accepted_.distrust, {}); !pair.empty()) context_.left_unasked(pair);
  if (phase_ == Phase::closing || reset || streams_.empty()) return die(reset);
  phase_ = Phase::leaving;  // what is withheld is read to its end
}

void H2Client::client_failed(std::string_view why, H2Error error) {
  context_.counts.refused++;
  context_.say(fmt::format("connection {}: {}: answered {}", accepted_.connection, why, show_h2_error(code_of(error))));
  if (codec_.failure().empty()) {
    greet();
    codec_.goaway(codec_.last_stream(), code_of(error));
  }
  cut_all(trace::Ending::closed);
  leave();
}

// --- what the service says

void H2Client::established(const H2Settings& theirs) {
  ours_.connect_protocol = theirs.connect_protocol;
  ours_.max_streams = context_.options.pristine ? theirs.max_streams : std::min(theirs.max_streams, kMostStreams);
  greet();
}

// Our SETTINGS: the service's limits as ours, where there is one.
void H2Client::greet() {
  if (phase_ == Phase::closing || phase_ == Phase::dead) return;
  auto limits = codec_limits(context_.options);
  ours_.enable_push = false;
  ours_.initial_window = limits.window;
  ours_.max_header_list = static_cast<std::uint32_t>(limits.head);
  if (std::exchange(greeted_, true)) return codec_.settings(ours_);
  codec_.start(ours_);
  if (phase_ == Phase::reaching) phase_ = Phase::open;
  hears_ = true;  // what was read before it was known what it is
}

void H2Client::speaks_http1() {
  if (!accepted_.pool || context_.options.pristine)
    return client_failed(accepted_.service_name + " speaks HTTP/1.1, and was asked in HTTP/2",
                         H2Error::http_1_1_required);
  if (accepted_.pool->route().http2) return not_reached("it speaks HTTP/1.1");
  accepted_.pool->speaks_http1(true);
  if (services_) context_.loop.later_delete(std::move(services_));
  h2_ = nullptr;
  services_ = std::make_unique<H1Services>(context_, accepted_, [] {});
  ours_.max_streams = kMostConnections;
  greet();
}

void H2Client::not_reached(const std::string& why) {
  if (phase_ != Phase::reaching) return;
  context_.say(fmt::format("{} could not be reached: {}", accepted_.service_name, why));
  if (accepted_.transparent()) {
    context_.counts.unreachable++;
    cut_all(trace::Ending::reset);
    return die(true);
  }
  greet();
}

// What the client may know: streams above the last that counts were not executed. A stream that is lower and was
// refused all the same (we have not passed all on) is told by itself.
void H2Client::going_away(std::uint32_t last, std::uint32_t code, std::string_view debug) {
  auto highest = std::uint32_t{0};
  if (last >= kAll) {
    highest = kAll;
  } else {
    auto its = [this](H2ClientStream& s) { return h2_->stream_of(s.exchange()); };
    each([&](H2ClientStream& s) {
      if (its(s) <= last) highest = std::max(highest, s.id());
    });
    highest = std::max(highest, last_over_);
    each([&](H2ClientStream& s) {
      if (its(s) <= last) return;
      if (s.id() < highest) return s.exchange().broken_off({Break::How::abort, code_of(H2Error::refused_stream), true});
      s.exchange().left_out(trace::Exchange::Aborted::by_service, code);
      s.ended();
    });
    phase_ = Phase::leaving;
  }
  codec_.goaway(highest, code, debug);
}

// The end of the client's connection tells of it; but not where a stream keeps that open.
void H2Client::service_ended(const Break& how, std::string_view) {
  bool failed = how.how == Break::How::abort;
  bool stays = failed || std::ranges::any_of(streams_, [](auto& s) { return s.second->exchange().outlives_service(); });
  ends_with_service_ = !stays;
  auto sign = stays ? Break{Break::How::abort, code_of(H2Error::internal_error)} : how;
  each([&](H2ClientStream& s) {
    auto& exchange = s.exchange();
    exchange.broken_off(exchange.response_is_whole() ? Break{Break::How::close, code_of(H2Error::no_error)} : sign);
  });
  if (phase_ == Phase::closing || !alive()) return;
  if (stays) codec_.goaway(codec_.last_stream(), failed ? sign.code : code_of(H2Error::no_error));
  phase_ = Phase::leaving;
  if (!stays && streams_.empty()) cut(how.how == Break::How::reset);
}

// --- for streams

std::size_t H2Client::room(std::size_t wanted) {
  auto all = queued(), limit = context_.options.buffer_limit;
  auto left = all < limit ? limit - all : 0;
  short_of_room_ |= left < wanted;
  return std::min(left, wanted);
}

void H2Client::let_go_of_spare() {
  if (h2_) h2_->forget_ended();
  std::erase_if(watched_, [](auto* stream) { return !stream->live(); });
  spare_.resize(kMostSpare / 2);
  std::ranges::sort(spare_);
  std::erase_if(all_,
                [&](auto& stream) { return !stream->live() && !std::ranges::binary_search(spare_, stream.get()); });
}

void H2Client::watch(H2ClientStream& stream) { watched_.push_back(&stream); }

void H2Client::ended(H2ClientStream& stream) {
  last_over_ = std::max(last_over_, stream.id());
  streams_.erase(stream.id());
  done_.push_back(&stream);
  if (streams_.empty() && phase_ != Phase::parting) since_ = context_.now;
}

void H2Client::cut(bool reset) {
  if (!alive()) return;
  flush();
  if (reset) accepted_.client->reset();
  cut_all(reset ? trace::Ending::reset : trace::Ending::closed);
  reset ? die(false) : leave();
}

void H2Client::refuse_from(H2ClientStream& stream, std::uint32_t code) {
  left_out_ = stream.id();
  codec_.goaway(left_out_ > 1 ? left_out_ - 2 : 0, code);  // the one before it
  each([&](H2ClientStream& s) {
    if (s.id() < left_out_) return;
    s.exchange().left_out(trace::Exchange::Aborted::by_us, code);
    s.ended();
  });
  phase_ = Phase::leaving;
}

void H2Client::pace(const Rate& rate) {
  accepted_.client->pace(rate.bytes_per_second, rate.burst);
  services_->pace(rate);
}
bool H2Client::paced_out() const { return accepted_.client->paced_out() || services_->paced_out(); }

// --- its own life

void H2Client::flush() {
  auto& out = codec_.out();
  if (greeted_ && !out.empty() && accepted_.client->open()) {
    accepted_.client->write(out);
    codec_.out_has_gone();
  }
  if (accepted_.client->open()) accepted_.client->flush();
}

// The end of an event: what has come together goes out, what it told is over, and what may be read next is said.
void H2Client::settle() {
  if (settling_ || !alive()) return;
  settling_ = true;
  if (std::exchange(hears_, false)) read();
  do {
    services_->flush();
    flush();
    while (short_of_room_ && accepted_.client->queued() < context_.options.buffer_limit) {
      short_of_room_ = false;
      each([](H2ClientStream& s) { s.exchange().client_room(); });
      services_->flush();
      flush();
    }
    if (accepted_.client->queued() == 0 && codec_.out().empty()) look_at_watched();
    spare_.insert(spare_.end(), done_.begin(), done_.end());
    done_.clear();
    if (spare_.size() > kMostSpare) let_go_of_spare();
    if (alive() && accepted_.client->open() && accepted_.client->broken()) client_ended(true);
    if (alive() && phase_ == Phase::leaving && streams_.empty()) accepted_.client->ended() ? die(false) : leave();
  } while (alive() && phase_ != Phase::closing && greeted_ && !codec_.out().empty());
  settling_ = false;
  if (!alive()) return;
  if (phase_ == Phase::closing && accepted_.client->ended() && accepted_.client->queued() == 0) return die(false);
  bool full = accepted_.client->queued() >= context_.options.buffer_limit;
  accepted_.client->listen(phase_ != Phase::reaching && (phase_ == Phase::closing || !full));
}

void H2Client::look_at_watched() {
  looked_.swap(watched_);
  for (auto* stream : looked_)
    if (alive() && stream->live() && !stream->exchange().drained()) watched_.push_back(stream);
  looked_.clear();
}

void H2Client::cut_all(trace::Ending ending) {
  each([&](H2ClientStream& s) {
    s.exchange().cut(ending);
    s.ended();
  });
}

// Our FIN, behind what is on its way.
void H2Client::leave() {
  flush();
  accepted_.client->finish();
  services_->end(false);
  phase_ = Phase::closing;
  since_ = context_.now;
}

void H2Client::die(bool reset) {
  if (!alive()) return;
  cut_all(trace::Ending::closed);
  reset ? accepted_.client->reset() : accepted_.client->close();
  services_->end(reset);
  phase_ = Phase::dead;
  context_.ended(*this);
}

void H2Client::end_run() {
  each([](H2ClientStream& s) { s.exchange().end_run(); });
}

void H2Client::check(Nanos now) {
  auto& o = context_.options;
  if (phase_ == Phase::closing && now - since_ > kLinger) return die(false);
  if (h2_) h2_->give_up_after(o.head_timeout, now);
  if (!alive() || phase_ == Phase::closing) return;
  if (standstill_.lasts(now, accepted_.client->queued(), o.idle_timeout)) return die(true);
  each([&](H2ClientStream& s) {
    if (s.exchange().starves(now)) s.exchange().refuse_rest(408, "nothing more came of the request's body");
  });
  // A window that stays shut.
  each([&](H2ClientStream& s) {
    if (!s.exchange().stuck(now, 0)) return;
    codec_.reset(s.id(), code_of(H2Error::cancel));
    s.exchange().cut(trace::Ending::reset);
    s.ended();
  });
  if (!streams_.empty() && phase_ != Phase::parting) since_ = now;
  bool idle = o.idle_timeout != 0 && now - since_ >= o.idle_timeout;
  if (phase_ == Phase::open && (idle || context_.draining)) drain();
  if (phase_ == Phase::parting && now - since_ >= o.drain_grace) part();
  settle();
}

std::size_t H2Client::holds() const {
  constexpr std::size_t kItself = 16u << 10, kStream = 3u << 10;
  auto all = kItself + kStream * all_.size() + accepted_.client->holds() + codec_.holds() + waiting();
  for (auto& stream : all_) all += stream->exchange().holds();
  return all;
}

void H2Client::shed(std::string_view why) {
  if (!alive()) return;
  auto code = code_of(H2Error::enhance_your_calm);
  context_.say(fmt::format("connection {}: {}: answered {}", accepted_.connection, why, show_h2_error(code)));
  if (phase_ != Phase::closing) {
    greet();
    codec_.goaway(codec_.last_stream(), code, why);
    each([&](H2ClientStream& s) {
      s.exchange().shed(code);
      s.ended();
    });
    flush();
  }
  die(false);
}

// A request that is on its way when the client hears of the end is answered all the same: the first GOAWAY leaves none
// out, the second comes when none is on its way any more.
void H2Client::drain() {
  if (phase_ != Phase::open) return;
  if (context_.options.drain_grace == 0) return part();
  codec_.goaway(kAll, code_of(H2Error::no_error));
  phase_ = Phase::parting;
  since_ = context_.now;
  settle();
}
void H2Client::part() {
  codec_.goaway(codec_.last_stream(), code_of(H2Error::no_error));
  phase_ = Phase::leaving;
  settle();
}

std::size_t H2Client::open() const {
  return static_cast<std::size_t>(std::ranges::count_if(streams_, [](auto& s) { return s.second->exchange().open(); }));
}
std::size_t H2Client::held() const {
  return static_cast<std::size_t>(std::ranges::count_if(streams_, [](auto& s) { return s.second->exchange().held(); }));
}
std::size_t H2Client::awaited(Nanos) const {
  if (paced_out()) return 0;
  return static_cast<std::size_t>(
      std::ranges::count_if(streams_, [](auto& s) { return s.second->exchange().awaited(); }));
}
std::size_t H2Client::streaming() const {
  if (paced_out()) return 0;
  return static_cast<std::size_t>(
      std::ranges::count_if(streams_, [](auto& s) { return s.second->exchange().streams(); }));
}
std::size_t H2Client::waiting() const {
  auto all = accepted_.client->queued() + codec_.out().size() + (services_ ? services_->waiting() : 0);
  for (auto& [id, stream] : streams_) all += stream->exchange().waiting();
  return all;
}
Nanos H2Client::held_since() const {
  Nanos oldest = 0;
  for (auto& [id, stream] : streams_)
    if (auto since = stream->exchange().held_since(); since != 0 && (oldest == 0 || since < oldest)) oldest = since;
  return oldest;
}

}  // namespace retrial::proxy
