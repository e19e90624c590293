#include "proxy/envoy/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "proxy/codec/grpc.h"
#include "proxy/connections/h2_service.h"
#include "proxy/envoy/log_call.h"

namespace retrial::proxy {
namespace {
constexpr std::uint32_t kAll = 0x7fffffff;  // no stream is left out (RFC 9113 6.8)
}  // namespace

EnvoyConnection::EnvoyConnection(Connections& context, Incoming incoming, std::uint64_t number)
    : context_(context),
      socket_(std::make_unique<Socket>(context.loop, incoming.client, static_cast<SocketEvents&>(*this))),
      services_(context, incoming.listener),
      codec_(H2Codec::Role::server, *this, codec_limits(context.options)),
      number_(number) {}
EnvoyConnection::~EnvoyConnection() = default;

void EnvoyConnection::start() {
  since_ = context_.now;
  context_.counts.http2++;
  auto limits = codec_limits(context_.options);
  H2Settings ours;
  ours.enable_push = false;
  ours.max_streams = kMostCalls;
  ours.initial_window = limits.window;
  ours.max_header_list = static_cast<std::uint32_t>(limits.head);
  codec_.start(ours);
  settle();
}

void EnvoyConnection::ready(Socket&) {
  if (!alive()) return;
  if (context_.may_read()) read();
  settle();
}

void EnvoyConnection::read() {
  auto& scratch = context_.scratch;
  auto [got, size] = socket_->read(scratch.data(), scratch.size());
  switch (got) {
    case Socket::Got::bytes: {
      if (phase_ == Phase::closing) return;
      if (!codec_.take({scratch.data(), size}, context_.now)) return fail();
      auto before = std::exchange(faults_, codec_.faults());
      if (faults_ == before) return;
      context_.counts.refused += faults_ - before;
      return context_.say(fmt::format("connection {}: {}: the stream was reset", number_, codec_.last_fault()));
    }
    case Socket::Got::nothing:
      return;
    case Socket::Got::fin:
      return envoy_ended(false);
    case Socket::Got::rst:
    case Socket::Got::failed:
      return envoy_ended(true);
  }
}

void EnvoyConnection::fail() {
  context_.counts.refused++;
  context_.say(codec_.speaks_h2()
                   ? fmt::format("connection {}: {}: it is closed", number_, codec_.failure())
                   : fmt::format("connection {}: this listener is for an Envoy's gRPC, and no HTTP/2 was spoken to it "
                                 "(typed_extension_protocol_options of its cluster): it is closed",
                                 number_));
  for (auto& [id, stream] : streams_) stream->call->gone();
  streams_.clear();
  leave();
}

// --- calls

EnvoyConnection::Stream* EnvoyConnection::find(std::uint32_t id) {
  auto it = streams_.find(id);
  return it == streams_.end() ? nullptr : it->second.get();
}

void EnvoyConnection::on_head(std::uint32_t id, const Head& head, bool end) {
  if (phase_ >= Phase::leaving) return codec_.reset(id, code_of(H2Error::refused_stream));
  if (head.too_large) return codec_.reset(id, code_of(H2Error::enhance_your_calm));
  if (!head.grpc) return refuse(id, "415", -1, "expected content-type application/grpc");
  bool process = head.target == kExtProc;
  if (!process && head.target != kAccessLog)
    return refuse(id, "200", kUnimplemented,
                  fmt::format("there is no {}: expected {} or {}", head.target.substr(0, 200), kExtProc, kAccessLog));
  if (!context_.may_hold()) return refuse(id, "200", kResourceExhausted, "short of memory");
  auto stream = std::make_unique<Stream>(kMostMessage);
  if (process) {
    if (spare_.empty()) {
      all_.push_back(std::make_unique<ProcessCall>(context_, services_, wire(), number_));
      spare_.push_back(all_.back().get());
    }
    stream->call = stream->process = spare_.back();
    spare_.pop_back();
    stream->process->begin(id, std::exchange(first_, false));
  } else {
    auto log = std::make_unique<LogCall>(context_, services_, wire(), number_);
    log->begin(id);
    stream->own = std::move(log);
    stream->call = stream->own.get();
  }
  auto* call = stream->call;
  streams_.emplace(id, std::move(stream));
  if (end) call->said_all();
}

// Without a call. `grpc_code` below 0: none is told.
void EnvoyConnection::refuse(std::uint32_t id, std::string_view http_status, int grpc_code, std::string_view why) {
  context_.counts.refused++;
  context_.say(fmt::format("connection {}: a call is refused: {}", number_, why));
  auto code = std::to_string(grpc_code), text = grpc_message_encoded(why);
  std::array<H2Field, 4> fields{
      {{":status", http_status}, {"content-type", "application/grpc"}, {"grpc-status", code}, {"grpc-message", text}}};
  codec_.head(id, std::span(fields).first(grpc_code < 0 ? 1 : 4), true);
  codec_.reset(id, code_of(H2Error::no_error));
}

void EnvoyConnection::on_data(std::uint32_t id, std::string_view data, bool end) {
  if (!data.empty()) codec_.consumed(id, data.size());
  auto* stream = find(id);
  if (!stream || stream->finished) return;
  heard(id, *stream, data);
  if (end && !stream->finished) stream->call->said_all();
}

void EnvoyConnection::heard(std::uint32_t id, Stream& stream, std::string_view data) {
  std::string_view message;
  while (!stream.finished && stream.messages.next(data, message)) stream.call->message(message);
  if (stream.finished || stream.messages.wrong() == GrpcMessages::Wrong::nothing) return;
  bool large = stream.messages.wrong() == GrpcMessages::Wrong::too_large;
  auto why = large ? "a message beyond 4 MiB" : "a message that is compressed, which nobody has asked for";
  context_.counts.refused++;
  context_.say(fmt::format("connection {}: a call is ended: {}", number_, why));
  stream.call->gone();
  finish(id, large ? kResourceExhausted : kUnimplemented, why);
}

void EnvoyConnection::on_trailers(std::uint32_t id, const Head&) {
  if (auto* stream = find(id); stream && !stream->finished) stream->call->said_all();
}

void EnvoyConnection::on_reset(std::uint32_t id, std::uint32_t, bool) {
  auto* stream = find(id);
  if (!stream) return;
  if (stream->answered) codec_.pardon_reset();  // so an Envoy ends a call of which it wants nothing more
  if (!stream->finished) stream->call->gone();
  stream->finished = true;
  stream->unheard.clear();
  stream->trailers.clear();
  done_.push_back(id);
}

void EnvoyConnection::on_room(std::uint32_t id) {
  if (auto* stream = id == 0 ? nullptr : find(id)) return send(id, *stream);
  if (id == 0)
    for (auto& [other, stream] : streams_) send(other, *stream);
}

void EnvoyConnection::say(std::uint32_t id, std::string_view message) {
  auto* stream = find(id);
  if (!stream || stream->finished) return;
  if (!std::exchange(stream->answered, true)) {
    static constexpr std::array<H2Field, 2> kHead{{{":status", "200"}, {"content-type", "application/grpc"}}};
    codec_.head(id, kHead, false);
  }
  grpc_put(stream->unheard, message);
  send(id, *stream);
  if (stream->unheard.size() <= kMostUnheard) return;
  context_.say(fmt::format("connection {}: an Envoy does not read what it is answered: its call is ended", number_));
  stream->call->gone();
  stream->finished = true;
  codec_.reset(id, code_of(H2Error::enhance_your_calm));
  done_.push_back(id);
}

void EnvoyConnection::finish(std::uint32_t id, int grpc_code, std::string_view why) {
  auto* stream = find(id);
  if (!stream || stream->finished) return;
  stream->finished = true;
  stream->trailers = std::to_string(grpc_code);
  stream->why = grpc_message_encoded(why);
  send(id, *stream);
}

// As much as its window has room for; and its end, once all of it has gone.
void EnvoyConnection::send(std::uint32_t id, Stream& stream) {
  if (!stream.unheard.empty()) {
    auto some = std::min(codec_.room(id), stream.unheard.size());
    if (some == 0) return;
    codec_.data(id, std::string_view(stream.unheard).substr(0, some), false);
    stream.unheard.erase(0, some);
    if (!stream.unheard.empty()) return;
  }
  if (!stream.finished || stream.trailers.empty()) return;
  std::array<H2Field, 4> fields{{{":status", "200"},
                                 {"content-type", "application/grpc"},
                                 {"grpc-status", stream.trailers},
                                 {"grpc-message", stream.why}}};
  auto count = stream.why.empty() ? 3u : 4u;
  if (stream.answered)
    codec_.trailers(id, std::span(fields).first(count).subspan(2));
  else
    codec_.head(id, std::span(fields).first(count), true);
  codec_.reset(id, code_of(H2Error::no_error));  // where it has not said all: nothing of it is wanted (RFC 9113 8.1)
  stream.trailers.clear();
  done_.push_back(id);
}

// Its call may be used again.
void EnvoyConnection::ended(std::uint32_t id) {
  auto it = streams_.find(id);
  if (it == streams_.end()) return;
  if (it->second->process) spare_.push_back(it->second->process);
  context_.loop.later_delete(std::move(it->second));
  streams_.erase(it);
}

// --- its own life

void EnvoyConnection::flush() {
  auto& out = codec_.out();
  if (!out.empty() && socket_->open()) {
    socket_->write(out);
    codec_.out_has_gone();
  }
  if (socket_->open()) socket_->flush();
}

void EnvoyConnection::settle() {
  if (settling_ || !alive()) return;
  settling_ = true;
  for (std::size_t i = 0; i < done_.size(); i++) ended(done_[i]);
  done_.clear();
  flush();
  if (socket_->open() && socket_->broken()) envoy_ended(true);
  if (phase_ == Phase::leaving && streams_.empty()) leave();
  if (phase_ == Phase::closing && socket_->ended() && socket_->queued() == 0) die(false);
  settling_ = false;
  if (alive()) socket_->listen(phase_ == Phase::closing || socket_->queued() < context_.options.buffer_limit);
}

void EnvoyConnection::envoy_ended(bool reset) {
  for (auto& [id, stream] : streams_) stream->call->gone();
  streams_.clear();
  if (reset || phase_ == Phase::closing) return die(reset);
  leave();
}

void EnvoyConnection::leave() {
  flush();
  socket_->finish();
  phase_ = Phase::closing;
  since_ = context_.now;
}

void EnvoyConnection::die(bool reset) {
  if (!alive()) return;
  for (auto& [id, stream] : streams_) stream->call->gone();
  reset ? socket_->reset() : socket_->close();
  phase_ = Phase::dead;
  context_.ended(*this);
}

void EnvoyConnection::end_run() {
  for (auto& [id, stream] : streams_) stream->call->end_run();
}

// A call that comes while our GOAWAY is on its way to it is served: none may be left out before it can have heard it.
void EnvoyConnection::drain() {
  if (phase_ != Phase::open) return;
  codec_.goaway(kAll, code_of(H2Error::no_error));
  phase_ = Phase::draining;
  since_ = context_.now;
  check(context_.now);
}

void EnvoyConnection::check(Nanos now) {
  if (!alive()) return;
  if (phase_ == Phase::closing && now - since_ > kLinger) return die(false);
  if (standstill_.lasts(now, socket_->queued(), context_.options.idle_timeout)) return die(true);
  if (phase_ == Phase::draining && now - since_ >= context_.options.drain_grace) {
    codec_.goaway(codec_.last_stream(), code_of(H2Error::no_error));
    phase_ = Phase::leaving;
    for (auto& [id, stream] : streams_)
      if (stream->call->endless() && !stream->finished) stream->call->said_all();
  }
  settle();
}

// What is held goes on: an Envoy that hears nothing more of a request fails it, unless failure_mode_allow is said.
void EnvoyConnection::shed(std::string_view why) {
  if (!alive()) return;
  context_.say(fmt::format("connection {}: {}: it is closed", number_, why));
  for (auto& [id, stream] : streams_) stream->call->let_go();
  codec_.goaway(codec_.last_stream(), code_of(H2Error::no_error), why);
  flush();
  die(false);
}

std::size_t EnvoyConnection::open() const {
  return static_cast<std::size_t>(std::ranges::count_if(streams_, [](auto& s) { return s.second->call->open(); }));
}
std::size_t EnvoyConnection::awaited(Nanos) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(streams_, [](auto& s) { return s.second->call->waits_for_service(); }));
}
std::size_t EnvoyConnection::waiting() const {
  auto all = socket_->queued() + codec_.out().size();
  for (auto& [id, stream] : streams_) all += stream->unheard.size();
  return all;
}
std::size_t EnvoyConnection::holds() const {
  constexpr std::size_t kItself = 8u << 10;
  auto all = kItself + socket_->holds() + codec_.holds() + waiting();
  for (auto& call : all_) all += call->holds();
  for (auto& [id, stream] : streams_) {
    all += sizeof *stream + stream->messages.holds() + stream->unheard.capacity();
    if (stream->own) all += stream->own->holds();
  }
  return all;
}

}  // namespace retrial::proxy
