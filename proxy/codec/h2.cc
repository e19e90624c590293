#include "proxy/codec/h2.h"

#include <fmt/format.h>

#include "proxy/codec/h2_state.h"

namespace retrial::proxy {
namespace {

std::string_view type_name(std::uint8_t type) {
  static constexpr std::string_view kNames[] = {"DATA",         "HEADERS", "PRIORITY", "RST_STREAM",    "SETTINGS",
                                                "PUSH_PROMISE", "PING",    "GOAWAY",   "WINDOW_UPDATE", "CONTINUATION"};
  return type < std::size(kNames) ? kNames[type] : "a frame of no known type";
}

}  // namespace

H2Codec::State::State(H2Codec& codec, Role r, H2Events& e, Limits l)
    : events(e),
      out(codec.out_),
      peers(codec.peers_),
      failure(codec.failure_),
      failure_code(codec.failure_code_),
      role(r),
      limits(l),
      magic_left(r == Role::server ? kH2Preface.size() : 0),
      reader(l) {}

H2Codec::H2Codec(Role role, H2Events& events, Limits limits)
    : state_(std::make_unique<State>(*this, role, events, limits)) {}
H2Codec::~H2Codec() = default;

void H2Codec::out_has_gone() {
  constexpr std::size_t kMostKept = 64u << 10;  // what is read at once stands for about as much
  if (out_.capacity() > kMostKept) std::string().swap(out_);
  out_.clear();
}

std::size_t H2Codec::holds() const {
  return out_.capacity() + state_->held.capacity() + state_->begun.capacity() + state_->reader.holds();
}

bool H2Codec::take(std::string_view bytes, Nanos now) {
  auto& s = *state_;
  if (s.failed) return false;
  s.now = now;
  if (!s.clock_started) {
    s.clock_started = true;
    s.resets.start(now);
    s.idle_frames.start(now);
  }
  bool ok = s.take(bytes);
  if (!s.started) {
    s.held.append(out_);
    out_.clear();
  }
  return ok;
}
bool H2Codec::speaks_h2() const { return state_->spoke_h2; }
std::uint64_t H2Codec::faults() const { return state_->fault_count; }
const std::string& H2Codec::last_fault() const { return state_->last_fault; }
std::size_t H2Codec::streams() const { return state_->streams.size(); }
void H2Codec::pardon_reset() { state_->resets.give(1); }
std::uint32_t H2Codec::last_stream() const { return state_->last_told; }

bool H2Codec::State::fail(H2Error code, std::string_view why) {
  if (!started) start({});
  failed = true;
  failure = why;
  failure_code = static_cast<std::uint32_t>(code);
  h2_append_goaway(out, std::min(last_told, sent_last), failure_code, why);
  return false;
}
bool H2Codec::State::fail_frame(H2Error code, std::string_view why) {
  return fail(code, fmt::format("{} on stream {}: {}", type_name(at.type), at.stream, why));
}
bool H2Codec::State::no_progress() {
  return idle_frames.take(now) || fail(H2Error::enhance_your_calm, "too many frames that bring nothing on");
}
bool H2Codec::State::stream_error(std::uint32_t id, H2Error code, std::string_view why) {
  fault_count++;
  last_fault = fmt::format("{} on stream {}: {}", type_name(at.type), id, why);
  if (!resets.take(now)) return fail(H2Error::enhance_your_calm, "too many streams were reset: " + last_fault);
  auto* s = streams.find(id);
  bool told = s && s->told;
  rst(id, static_cast<std::uint32_t>(code));
  close(id, H2Past::by_us);
  if (told) events.on_reset(id, static_cast<std::uint32_t>(code), true);
  return true;
}

bool H2Codec::State::take(std::string_view bytes) {
  if (magic_left > 0 && !magic(bytes)) return false;
  for (;;) {
    if (in_data && !data_goes_on(bytes)) return false;
    if (skip > 0) {
      auto n = std::min(skip, bytes.size());
      bytes.remove_prefix(n);
      skip -= n;
    }
    if (bytes.empty()) return true;
    auto need = begun.empty() ? needed(bytes) : 0;
    std::string_view there = bytes;
    if (begun.empty() && need <= bytes.size()) {
      bytes.remove_prefix(need);
    } else {
      while ((need = needed(begun)) > begun.size()) {
        auto more = bytes.substr(0, need - begun.size());
        if (more.empty()) return true;
        begun.append(more);
        bytes.remove_prefix(more.size());
      }
      there = begun;
    }
    bool ok = need < kH2FrameHead ? no_preface(there) : frame(there.substr(kH2FrameHead, need - kH2FrameHead));
    begun.clear();
    if (!ok) return false;
  }
}

bool H2Codec::State::magic(std::string_view& bytes) {
  auto n = std::min(magic_left, bytes.size());
  if (bytes.substr(0, n) != kH2Preface.substr(kH2Preface.size() - magic_left, n)) {
    spoke_h2 = false;
    return fail(H2Error::protocol_error, "the client's first bytes are not the preface of HTTP/2");
  }
  magic_left -= n;
  bytes.remove_prefix(n);
  return true;
}

bool H2Codec::State::no_preface(std::string_view bytes) {
  spoke_h2 = false;
  return fail(H2Error::protocol_error, bytes.starts_with("HTTP") ? "the service answered with HTTP/1, not HTTP/2"
                                                                 : "the service's first bytes are not HTTP/2");
}

// How many bytes of a frame must be there before anything can be done: its head, and its payload unless that is told in
// pieces, dropped or refused. Reads the head into `at`.
std::size_t H2Codec::State::needed(std::string_view bytes) {
  if (first && !server()) {  // an answer in HTTP/1 is known by less than a frame's head
    if (bytes.size() < 4) return 4;
    if (h2_number(bytes, 0) >> 8 > kH2SmallestFrame || bytes[3] != static_cast<char>(H2Type::settings)) return 4;
  }
  if (bytes.size() < kH2FrameHead) return kH2FrameHead;
  at = h2_frame(&bytes[0]);
  if (at.length > largest_frame()) return kH2FrameHead;
  if (at.is(H2Type::data)) return kH2FrameHead + (at.has(h2_flag::padded) && at.length > 0 ? 1 : 0);
  if (at.type > static_cast<std::uint8_t>(H2Type::continuation)) return kH2FrameHead;
  return kH2FrameHead + at.length;
}

// `payload`: as much as needed() asked for.
bool H2Codec::State::frame(std::string_view payload) {
  if (section_stream != 0 && (!at.is(H2Type::continuation) || at.stream != section_stream))
    return fail_frame(H2Error::protocol_error, "in the middle of a field section");
  if (first && (!at.is(H2Type::settings) || at.has(h2_flag::ack)))
    return fail_frame(H2Error::protocol_error, "before SETTINGS");
  if (at.length > largest_frame()) return fail_frame(H2Error::frame_size_error, "larger than it may be");
  switch (static_cast<H2Type>(at.type)) {
    case H2Type::data:
      return data_begins(payload);
    case H2Type::headers:
      return headers(payload);
    case H2Type::priority:
      return priority(payload);
    case H2Type::rst_stream:
      return rst_stream(payload);
    case H2Type::settings:
      return settings_frame(payload);
    case H2Type::push_promise:
      return fail_frame(H2Error::protocol_error, "push is off");
    case H2Type::ping:
      return ping(payload);
    case H2Type::goaway:
      return goaway_frame(payload);
    case H2Type::window_update:
      return window_update(payload);
    case H2Type::continuation:
      return continuation(payload);
  }
  skip = at.length;  // RFC 9113 5.5
  return no_progress();
}

}  // namespace retrial::proxy
