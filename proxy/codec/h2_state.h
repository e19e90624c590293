#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "proxy/codec/h2_frames.h"
#include "proxy/codec/h2_head.h"
#include "proxy/codec/h2_rate.h"
#include "proxy/codec/h2_streams.h"

namespace retrial::proxy {

inline constexpr std::uint32_t kConnectionWindow = 16u << 20;
inline constexpr std::uint32_t kMostStreams = 10000;  // where our settings name no number

inline constexpr std::uint32_t kLargestTable = 64u << 10;  // of HPACK's, that we allow to the peer

// h2.cc cuts bytes into frames, h2_receive.cc and h2_section.cc do what they say, h2_send.cc sends.
struct H2Codec::State {
  State(H2Codec& codec, Role role, H2Events& events, Limits limits);
  bool server() const { return role == Role::server; }

  // --- bytes to frames. Each returns false on a connection error.
  bool take(std::string_view bytes);
  bool magic(std::string_view& bytes);
  bool no_preface(std::string_view bytes);
  std::uint32_t largest_frame() const { return std::max(held_to.max_frame, ours.max_frame); }
  bool frame(std::string_view payload);
  std::size_t needed(std::string_view begun);
  bool fail(H2Error code, std::string_view why);
  bool fail_frame(H2Error code, std::string_view why);  // the same; names the frame
  bool no_progress();                                   // a frame that brings nothing on: only so many of them
  bool stream_error(std::uint32_t id, H2Error code, std::string_view why);

  // --- frames
  bool data_begins(std::string_view payload);
  bool data_goes_on(std::string_view& bytes);
  bool priority(std::string_view payload);
  bool rst_stream(std::string_view payload);
  bool settings_frame(std::string_view payload);
  bool acknowledged();
  bool ping(std::string_view payload);
  bool goaway_frame(std::string_view payload);
  bool window_update(std::string_view payload);
  bool idle(std::uint32_t id) const;  // never opened; or a number that is not of this connection's

  // --- field sections
  enum class Fate : std::uint8_t { request, response, trailers, drop, fault };
  bool headers(std::string_view payload);
  bool continuation(std::string_view payload);
  bool choose_fate(std::uint32_t id);
  void found(H2Error code, std::string_view why);
  bool fragment(std::string_view bytes, bool last);
  bool section_ends();
  bool request_ends(std::uint32_t id);
  bool response_ends(H2Stream& s);
  bool trailers_end(H2Stream& s);

  // --- sending
  void start(const H2Settings& wanted);
  void say(const H2Settings& wanted, bool preface);
  void windows_change(std::int64_t by);  // those that the peer may send to
  void section(std::uint32_t id, std::span<const H2Field> fields, bool end);
  void send_data(H2Stream& s, std::string_view bytes, bool end);
  void consume(H2Stream& s, std::size_t bytes, std::uint32_t wider = 0);
  std::size_t room(const H2Stream& s) const;
  void rst(std::uint32_t id, std::uint32_t code) { h2_append(out, H2Type::rst_stream, id, code); }
  void close(std::uint32_t id, H2Past::How how);
  void ended(H2Stream& s);  // closes it if both have
  void close_above(std::uint32_t last);

  H2Events& events;
  std::string& out;
  H2Settings& peers;
  std::string& failure;
  std::uint32_t& failure_code;
  const Role role;
  const Limits limits;
  Nanos now = 0;

  // What was said before start() waits here.
  std::string held;
  bool started = false, failed = false, spoke_h2 = true;

  // Reading.
  std::size_t magic_left = 0;
  bool first = true;          // the peer's SETTINGS are awaited
  std::string begun;          // of a frame
  H2Frame at;                 // the frame under way
  std::size_t skip = 0;       // bytes of it to be dropped
  bool in_data = false;       // its DATA is being told
  std::size_t data_left = 0;  // of that, without padding
  std::uint64_t fault_count = 0;
  std::string last_fault;

  // A field section.
  H2HeadReader reader;
  std::uint32_t section_stream = 0;  // 0: none is under way
  bool section_end = false;          // END_STREAM
  Fate fate = Fate::drop;
  std::size_t section_bytes = 0, section_frames = 0;
  std::string_view section_fault;  // Fate::fault: the stream error
  H2Error section_error = H2Error::no_error;

  // Streams.
  H2Streams streams;
  H2Past past;
  std::uint32_t next = 1;                // client role: what open() gives
  std::uint32_t last_told = 0;           // server role
  std::uint32_t sent_last = UINT32_MAX;  // in GOAWAY
  bool goaway_read = false;
  std::int64_t send_window = 65535, receive_window = 65535;
  std::uint32_t receive_owed = 0;

  // Settings.
  H2Settings ours;     // as sent last
  H2Settings held_to;  // what the peer is held to
  std::vector<H2Settings> unacknowledged;

  // Sending.
  HpackWriter writer;

  H2Rate resets{1000, 100};
  H2Rate idle_frames{10000, 1000};
  bool clock_started = false;
};

}  // namespace retrial::proxy
