#include "proxy/exchange/h2_session.h"

#include <fmt/format.h>

#include <algorithm>

#include "proxy/exchange/h1_services.h"
#include "proxy/exchange/h2_service.h"

namespace retrial::proxy {
namespace {
constexpr std::uint32_t kMostStreams = 1000;     // where every connection is our own to look after (serve)
constexpr std::uint32_t kMostConnections = 100;  // of HTTP/1, one for each stream
constexpr std::size_t kMostWaiting = 16u << 20;  // of requests; beyond it their client is not read
constexpr std::uint32_t kAll = 0x7fffffff;       // no stream is left out (RFC 9113 6.8)

H2Codec::Limits limits(const Options& o) {
  return {o.head_limit, o.field_limit, static_cast<std::uint32_t>(std::min<std::size_t>(o.buffer_limit, kAll))};
}
}  // namespace

H2Session::H2Session(House& house, Ends ends)
    : house_(house), ends_(std::move(ends)), client_codec_(H2Codec::Role::server, *this, limits(house.options)) {
  ends_.client->hand_to(*this);
}
H2Session::~H2Session() = default;

void H2Session::start() {
  now_ = since_ = house_.clock.now();
  house_.counts.http2++;
  ends_.client->listen(false);
  if (!ends_.service && !ends_.pool) {  // a forward proxy is asked in HTTP/1.1
    service_ = std::make_unique<H1Services>(house_, events(), ends_);
    return client_failed("a forward proxy takes HTTP/2 only inside CONNECT", H2Error::http_1_1_required);
  }
  if (ends_.pool && ends_.pool->speaks_http1()) return speaks_http1();
  service_ = std::make_unique<H2Service>(house_, events(), ends_, limits(house_.options));
  static_cast<H2Service&>(*service_).start();
}

void H2Session::ready(Socket&) {
  if (!alive()) return;
  wakes();
  read_client();
  settle();
}

void H2Session::wakes() {
  now_ = house_.clock.now();
  house_.active(now_);
}

void H2Session::read_client() {
  auto& scratch = house_.scratch;
  auto [got, size] = ends_.client->read(scratch.data(), scratch.size());
  switch (got) {
    case Socket::Got::bytes:
      if (phase_ == Phase::closing) return;
      if (!ends_.distrust.empty()) house_.distrust().asked(std::exchange(ends_.distrust, {}));
      if (!client_codec_.take({scratch.data(), size}, now_))
        return client_failed(client_codec_.failure(), static_cast<H2Error>(client_codec_.failure_code()));
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

Stream& H2Session::fresh_stream() {
  if (spare_.empty()) {
    all_.push_back(std::make_unique<Stream>(*this));
    return *all_.back();
  }
  auto* stream = spare_.back();
  spare_.pop_back();
  return *stream;
}

Stream* H2Session::find(std::uint32_t stream) {
  auto it = streams_.find(stream);
  return it == streams_.end() ? nullptr : it->second;
}

template <class Call>
void H2Session::each(Call call) {
  for (std::size_t i = 0; i < all_.size(); i++)
    if (!all_[i]->dead()) call(*all_[i]);
}

void H2Session::on_head(std::uint32_t id, const H2Head& head, bool end) {
  if (id >= left_out_ || phase_ >= Phase::closing) return;
  auto& stream = fresh_stream();
  streams_.emplace(id, &stream);
  stream.begin(id, std::exchange(first_, false));
  if (head.too_large) return stream.refuse(head, 431, "the request's head is beyond the limit");
  if (!unreached_.empty()) return stream.refuse(head, 502, "could not be reached: " + unreached_);
  stream.request_head(head, end);
}
void H2Session::on_data(std::uint32_t id, std::string_view data, bool end) {
  if (auto* stream = find(id))
    stream->request_data(data, end);
  else
    client_codec_.consumed(id, data.size());
}
void H2Session::on_trailers(std::uint32_t id, const H2Head& trailers) {
  if (auto* stream = find(id)) stream->request_trailers(trailers);
}
// Streams that broke HTTP/2, also those that were never told of.
void H2Session::tell_of_faults() {
  auto before = std::exchange(faults_, client_codec_.faults());
  if (faults_ == before) return;
  house_.counts.refused += faults_ - before;
  house_.say(fmt::format("connection {}: {}: the stream was reset", ends_.connection, client_codec_.last_fault()));
}
void H2Session::on_reset(std::uint32_t id, std::uint32_t reset, bool) {
  if (auto* stream = find(id)) stream->client_reset(reset);
}
void H2Session::on_room(std::uint32_t id) {
  if (id == 0)
    each([](Stream& s) { s.client_room(); });
  else if (auto* stream = find(id))
    stream->client_room();
}
void H2Session::on_goaway(std::uint32_t, std::uint32_t why, std::string_view debug) {
  if (service_) service_->goaway(why, debug);
}

void H2Session::client_ended(bool reset) {
  each([](Stream& s) { s.client_left(); });
  auto pair = std::exchange(ends_.distrust, {});
  if (!pair.empty()) house_.distrust().left(pair);
  if (phase_ == Phase::closing || reset || streams_.empty()) return die(reset);
  // What is withheld is read to its end.
  phase_ = Phase::leaving;
}

void H2Session::client_failed(std::string_view why, H2Error error) {
  house_.counts.refused++;
  house_.say(fmt::format("connection {}: {}: answered {}", ends_.connection, why, show_h2_error(code_of(error))));
  if (client_codec_.failure().empty()) {
    greet();
    client_codec_.goaway(client_codec_.last_stream(), code_of(error));
  }
  all_over(trace::Ending::closed);
  leave();
}

// --- what the service says

void H2Session::established(const H2Settings& theirs) {
  ours_.connect_protocol = theirs.connect_protocol;
  ours_.max_streams = pristine() ? theirs.max_streams : std::min(theirs.max_streams, kMostStreams);
  greet();
}

// Our SETTINGS: the service's limits as ours, where there is one.
void H2Session::greet() {
  if (phase_ == Phase::closing || phase_ == Phase::dead) return;
  ours_.enable_push = false;
  ours_.initial_window = limits(house_.options).window;
  ours_.max_header_list = static_cast<std::uint32_t>(house_.options.head_limit);
  if (std::exchange(greeted_, true)) return client_codec_.settings(ours_);
  client_codec_.start(ours_);
  if (phase_ == Phase::reaching) phase_ = Phase::open;
  hears_ = true;  // what was read before it was known what it is
}

void H2Session::speaks_http1() {
  if (!ends_.pool || pristine())
    return client_failed(ends_.service_name + " speaks HTTP/1.1, and was asked in HTTP/2", H2Error::http_1_1_required);
  ends_.pool->speaks_http1(true);
  go_by_http1();
}

void H2Session::go_by_http1() {
  if (service_) house_.loop.later_delete(std::move(service_));
  service_ = std::make_unique<H1Services>(house_, events(), ends_);
  ours_.max_streams = kMostConnections;
  greet();
  settle();
}

void H2Session::not_reached(const std::string& why) {
  house_.say(fmt::format("{} could not be reached: {}", ends_.service_name, why));
  if (!ends_.entrance || ends_.entrance->entry == Entry::transparent) {
    house_.counts.unreachable++;
    all_over(trace::Ending::reset);
    return die(true);
  }
  unreached_ = why;
  greet();
  settle();
}

// What the client may know: streams above the last that counts were not executed. A stream that is lower and was
// refused all the same (we have not passed all on) is told by itself.
void H2Session::going_away(std::uint32_t last, std::uint32_t why, std::string_view debug) {
  auto highest = std::uint32_t{0};
  if (last >= kAll) {
    highest = kAll;
  } else {
    each([&](Stream& s) {
      if (s.service_id == 0 || s.service_id <= last) highest = std::max(highest, s.id());
    });
    highest = std::max(highest, last_over_);
    each([&](Stream& s) {
      if (s.service_id <= last) return;
      if (s.id() < highest)
        s.service_reset(code_of(H2Error::refused_stream), true);
      else
        s.left_out(trace::Exchange::Aborted::by_service, why);
    });
    phase_ = Phase::leaving;
  }
  client_codec_.goaway(highest, why, debug);
}

void H2Session::service_ended(trace::Ending ending) {
  if (phase_ == Phase::reaching) {
    // Some services of HTTP/1.1 only close where they are asked in HTTP/2.
    if (ends_.pool && !pristine() && !ends_.pool->route().tls) return go_by_http1();
    return not_reached("it closed the connection");
  }
  // The end of the client's connection tells of it; but not where a stream keeps that open.
  bool stays = std::ranges::any_of(streams_, [](auto& s) { return s.second->outlives(); });
  each([&](Stream& s) {
    if (stays && !s.outlives())
      s.service_reset(code_of(H2Error::internal_error), false);
    else
      s.lost(ending);
  });
  if (phase_ == Phase::closing || !alive()) return;
  if (stays) client_codec_.goaway(client_codec_.last_stream(), code_of(H2Error::no_error));
  ends_by_reset_ = ending == trace::Ending::reset;
  phase_ = Phase::leaving;
  settle();
}

void H2Session::service_failed(const std::string& why) {
  house_.say(fmt::format("{}: {}", ends_.service_name, why));
  each([](Stream& s) { s.service_reset(code_of(H2Error::internal_error), false); });
  if (greeted_) client_codec_.goaway(client_codec_.last_stream(), code_of(H2Error::internal_error));
  phase_ = Phase::leaving;
  settle();
}

// --- for streams

std::size_t H2Session::client_budget(std::size_t wanted) const {
  auto queued = ends_.client->queued() + const_cast<H2Codec&>(client_codec_).out().size();
  auto limit = house_.options.buffer_limit;
  auto left = queued < limit ? limit - queued : 0;
  blocked_ |= left < wanted;
  return std::min(left, wanted);
}

void H2Session::watch(Stream& stream) { watched_.push_back(&stream); }

void H2Session::ended(Stream& stream) {
  last_over_ = std::max(last_over_, stream.id());
  streams_.erase(stream.id());
  done_.push_back(&stream);
}

void H2Session::cut(Stream& by, bool reset) {
  auto ending = reset ? trace::Ending::reset : trace::Ending::closed;
  if (reset) {
    flush();
    ends_.client->reset();
    by.over(ending);
    all_over(ending);
    return die(false);
  }
  by.over(ending);
  all_over(ending);
  leave();
}

void H2Session::refuse_from(Stream& stream, std::uint32_t why) {
  left_out_ = stream.id();
  client_codec_.goaway(left_out_ > 1 ? left_out_ - 2 : 0, why);  // the one before it
  each([&](Stream& s) {
    if (s.id() >= left_out_) s.left_out(trace::Exchange::Aborted::by_us, why);
  });
  phase_ = Phase::leaving;
}

void H2Session::pace(std::uint64_t bytes_per_second, std::uint64_t burst) {
  ends_.client->pace(bytes_per_second, burst);
  if (service_) service_->pace(bytes_per_second, burst);
}

// --- its own life

void H2Session::flush() {
  auto& out = client_codec_.out();
  if (greeted_ && !out.empty() && ends_.client->open()) {
    ends_.client->write(out);
    out.clear();
  }
  if (ends_.client->open()) ends_.client->flush();
}

// The end of an event: what has come together goes out, what it told is over, and what may be read next is said.
void H2Session::settle() {
  if (settling_ || !alive()) return;
  settling_ = true;
  if (std::exchange(hears_, false)) read_client();
  do {
    if (service_) service_->flush();
    flush();
    while (blocked_ && client_budget(1) > 0) {
      blocked_ = false;
      each([](Stream& s) { s.client_room(); });
      if (service_) service_->flush();
      flush();
    }
    if (ends_.client->queued() == 0) {
      looked_.swap(watched_);
      for (auto* stream : looked_) {
        if (stream->dead()) continue;
        stream->look();
        if (alive() && !stream->dead()) watched_.push_back(stream);
      }
      looked_.clear();
    }
    spare_.insert(spare_.end(), done_.begin(), done_.end());
    done_.clear();
    if (alive() && ends_.client->open() && ends_.client->broken()) client_ended(true);
    if (alive() && phase_ == Phase::leaving && streams_.empty()) {
      if (ends_.client->ended()) {
        die(false);
      } else if (ends_by_reset_) {
        flush();
        die(true);
      } else {
        leave();
      }
    }
  } while (alive() && phase_ != Phase::closing && greeted_ && !client_codec_.out().empty());
  settling_ = false;
  if (!alive()) return;
  if (phase_ == Phase::closing && ends_.client->ended() && ends_.client->queued() == 0) return die(false);
  auto limit = house_.options.buffer_limit;
  bool full = ends_.client->queued() >= limit || (streams_.size() * limit > kMostWaiting && waiting() > kMostWaiting);
  ends_.client->listen(phase_ != Phase::reaching && (phase_ == Phase::closing || !full));
}

std::size_t H2Session::waiting() const {
  std::size_t all = 0;
  for (auto& [id, stream] : streams_) all += stream->waiting();
  return all;
}

void H2Session::all_over(trace::Ending ending) {
  each([&](Stream& s) { s.over(ending); });
}

// Our FIN, behind what is on its way.
void H2Session::leave() {
  flush();
  ends_.client->finish();
  if (service_) service_->end(false);
  phase_ = Phase::closing;
  since_ = now_;
}

void H2Session::die(bool reset) {
  if (!alive()) return;
  all_over(trace::Ending::closed);
  if (reset)
    ends_.client->reset();
  else
    ends_.client->close();
  if (service_) service_->end(reset);
  phase_ = Phase::dead;
  house_.ended(*this);
}

void H2Session::end_run() {
  each([](Stream& s) { s.end_run(); });
}

void H2Session::check(Nanos now) {
  now_ = now;
  auto idle = house_.options.idle_timeout;
  if (phase_ == Phase::closing && now - since_ > kLinger) return die(false);
  if (!streams_.empty()) since_ = now;
  if (phase_ == Phase::open && idle != 0 && now - since_ >= idle) drain();
  if (auto limit = house_.options.head_timeout; phase_ == Phase::reaching && limit != 0 && now - since_ > limit)
    not_reached("it said nothing");
}

void H2Session::drain() {
  if (phase_ != Phase::open) return;
  client_codec_.goaway(client_codec_.last_stream(), code_of(H2Error::no_error));
  phase_ = Phase::leaving;
  settle();
}

std::size_t H2Session::open() const {
  std::size_t n = 0;
  for (auto& [id, stream] : streams_) n += stream->open();
  return n;
}
std::size_t H2Session::held() const {
  std::size_t n = 0;
  for (auto& [id, stream] : streams_) n += stream->held();
  return n;
}
std::size_t H2Session::awaited() const {
  if (ends_.client->paced_out()) return 0;
  std::size_t n = 0;
  for (auto& [id, stream] : streams_) n += stream->awaited();
  return n;
}
Nanos H2Session::held_since() const {
  Nanos oldest = 0;
  for (auto& [id, stream] : streams_)
    if (auto since = stream->held_since(); since != 0 && (oldest == 0 || since < oldest)) oldest = since;
  return oldest;
}

}  // namespace retrial::proxy
