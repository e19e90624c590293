#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "proxy/codec/h2_error.h"
#include "proxy/codec/head.h"

namespace retrial::proxy {

inline constexpr std::string_view kH2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";  // RFC 9113 3.4

// RFC 9113 6.5.2, RFC 8441 3. As they are before a peer has said anything.
struct H2Settings {
  std::uint32_t header_table_size = 4096;
  bool enable_push = true;
  std::uint32_t max_streams = UINT32_MAX;
  std::uint32_t initial_window = 65535;
  std::uint32_t max_frame = 16384;
  std::uint32_t max_header_list = UINT32_MAX;
  bool connect_protocol = false;
  bool operator==(const H2Settings&) const = default;
};

// A field to be sent. Names in lower case; pseudo-fields first. Views need to last as long as the call.
struct H2Field {
  std::string_view name, value;
  bool sensitive = false;  // never to be indexed, on any hop (RFC 7541 7.1.3)
};

// What a codec tells. Called from within take(); what is told may send, but not take(). After a stream's `end` nothing
// more is told of that direction; after on_reset nothing more of the stream.
class H2Events {
 public:
  virtual ~H2Events() = default;
  virtual void on_settings(const H2Settings& peers) = 0;  // each time: the first is the peer's preface
  // server role: a request; client role: a response, interim ones (1xx) too. A message that is malformed (RFC 9113
  // 8.1.1) never gets here: its stream is reset, and on_reset tells of it if the stream was told of before.
  virtual void on_head(std::uint32_t stream, const Head& head, bool end) = 0;
  virtual void on_data(std::uint32_t stream, std::string_view data, bool end) = 0;  // padding left out
  virtual void on_trailers(std::uint32_t stream, const Head& trailers) = 0;         // ends the message
  // By the peer; or by ourselves (`ours`), for a stream error of the peer's, where RST_STREAM stands in out() already.
  virtual void on_reset(std::uint32_t stream, std::uint32_t code, bool ours) = 0;
  // room() of the stream has grown from 0; stream 0: that of all of them may have.
  virtual void on_room(std::uint32_t stream) = 0;
  // Streams of ours above `last` were not and will not be executed: they are closed when this returns. open() has no
  // more numbers.
  virtual void on_goaway(std::uint32_t last, std::uint32_t code, std::string_view debug) = 0;
};

// One end of an HTTP/2 connection (RFC 9113, HPACK: RFC 7541). Pure: bytes in, events out, and what is to be sent is
// appended to out(). It answers SETTINGS and PING, refuses PUSH_PROMISE (push is off), ignores priorities and unknown
// frames, and keeps the states and windows of streams. The window of the connection is given back as DATA is read; that
// of a stream by consumed(), so that one stream that is not read stops no other.
//
//   stream state        how it comes                  what is told of it then
//   idle                higher than any before        a frame but HEADERS and PRIORITY: connection error
//   open                HEADERS                       all
//   half-closed, theirs their END_STREAM              HEADERS, DATA: stream error STREAM_CLOSED
//   half-closed, ours   our END_STREAM                all
//   closed              both, or RST_STREAM           of ours: what was on its way is taken and dropped. Else DATA and
//                                                     HEADERS are errors STREAM_CLOSED; RST_STREAM, WINDOW_UPDATE and
//                                                     PRIORITY are dropped
//
// Bounded (RFC 9113 10.5): bytes and fields of a field section and its CONTINUATION frames, streams open at once,
// streams reset and control or empty frames in a time; beyond it the connection ends with ENHANCE_YOUR_CALM.
class H2Codec {
 public:
  enum class Role { server, client };
  struct Limits {
    std::size_t head = 256u << 10;  // bytes of a field section as RFC 9113 10.5.1 counts them; beyond it a request is
                                    // told as too_large, a response is a stream error
    std::size_t fields = 1000;
    std::uint32_t window = 256u << 10;  // of each stream that the peer opens or that is opened to it, at first
  };

  H2Codec(Role role, H2Events& events, Limits limits);
  ~H2Codec();
  H2Codec(const H2Codec&) = delete;

  // Sends the preface (client role: its magic too). Once, before anything else is sent but after take() if need be:
  // what take() has to answer waits in out() behind it, in order.
  void start(const H2Settings& ours);
  // Other limits than were sent before: SETTINGS again. They hold for the peer once it has acknowledged them.
  void settings(const H2Settings& ours);

  // False: a connection error. GOAWAY stands in out(), nothing more may be handed in, and failure() says why in a line.
  // `now`: of any clock, for the rates.
  bool take(std::string_view bytes, Nanos now);
  const std::string& failure() const { return failure_; }
  std::uint32_t failure_code() const { return failure_code_; }
  bool speaks_h2() const;  // false: the very first bytes were no preface (failure() then says so)
  // Stream errors of the peer's, also on streams that were not told of; and why the last one was one, in a line.
  std::uint64_t faults() const;
  const std::string& last_fault() const;
  std::string& out() { return out_; }
  const std::string& out() const { return out_; }
  void out_has_gone();  // all of it; little room is kept

  const H2Settings& peers() const { return peers_; }
  std::size_t holds() const;    // bytes of memory, about
  std::size_t streams() const;  // that are not closed; a client keeps them within peers().max_streams

  // --- sending. A call on a stream that is closed does nothing.
  std::uint32_t open();  // client role: the next stream, idle yet; 0: there are no numbers left
  void head(std::uint32_t stream, std::span<const H2Field> fields, bool end);  // also 1xx
  void trailers(std::uint32_t stream, std::span<const H2Field> fields);        // ends it
  // How many bytes of DATA may be sent now: the least of the two windows, never below 0.
  std::size_t room(std::uint32_t stream) const;
  void data(std::uint32_t stream, std::string_view bytes, bool end);  // no more than room()
  void reset(std::uint32_t stream, std::uint32_t code);
  // Of its data, by whoever was told of it. `wider`: its window is that much larger from now on.
  void consumed(std::uint32_t stream, std::size_t bytes, std::uint32_t wider = 0);
  // Server role: streams above `last` are dropped from now on, unheard. May be sent again with a lower `last`.
  void goaway(std::uint32_t last, std::uint32_t code, std::string_view debug = {});
  // From within on_reset: that one was in order, and does not count among those that are too many.
  void pardon_reset();
  std::uint32_t last_stream() const;  // server role: the highest that was told of

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::string out_;
  H2Settings peers_;
  std::string failure_;
  std::uint32_t failure_code_ = 0;
};

}  // namespace retrial::proxy
