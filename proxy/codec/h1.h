#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/codec/chunks.h"
#include "proxy/codec/field_name.h"
#include "proxy/codec/tap.h"

namespace retrial::proxy {

class HeadParser;

// Where a header field stands in its head's raw bytes.
struct H1Field {
  std::uint32_t name = 0;
  std::uint32_t name_end = 0;
  std::uint32_t value = 0;
  std::uint32_t value_end = 0;  // without white space at its end; a folded value keeps its folds
  FieldName known = FieldName::other;
  bool sensitive = false;  // HTTP/2: never to be indexed, on any hop (RFC 7541 7.1.3)
};

// A message's head. Views are valid until the next message begins.
struct H1Head {
  std::string_view raw;     // as it was sent, empty line included
  std::string_view method;  // requests
  std::string_view target;
  int status = 0;  // responses
  int minor = 1;   // HTTP/1.minor
  std::span<const H1Field> fields;
  bool keep_alive = false;
  bool bodiless = false;     // the message ends with its head
  bool until_close = false;  // a response that ends with its connection
  bool sized = false;        // Content-Length says where it ends
  bool chunked = false;
  bool folded = false;            // a value goes on in a second line (RFC 9112 5.2)
  bool expects_continue = false;  // Expect: 100-continue
  bool encoded = false;           // Content-Encoding, whatever it says
  bool structured = true;         // its body may be JSON, XML or a form, by Content-Type
  bool grpc = false;              // Content-Type begins with application/grpc
  bool unknown = false;           // there are fields of names that are not known (FieldName::other)
  bool names_hops = false;        // Connection names other fields than itself
  bool upgrades = false;          // Upgrade, and Connection names it
  std::uint64_t length = 0;       // Content-Length
  std::string_view host;          // the first Host field's value, and how many there are:
  int hosts = 0;
  // Why another reader could find another end of it, or other fields (RFC 9112 2.2, 5, 6, 11.2); empty: none could.
  std::string_view ambiguous;
  std::string_view invalid;  // why else a server must refuse it (RFC 9112 3.2); empty: nothing

  std::string_view name(const H1Field& f) const { return raw.substr(f.name, f.name_end - f.name); }
  std::string_view value(const H1Field& f) const { return raw.substr(f.value, f.value_end - f.value); }
  // The line of field n, its end of line and folds included.
  std::string_view line(std::size_t n) const;
};

// How a body is handed on.
enum class Framing : std::uint8_t {
  as_sent,  // byte by byte
  chunked,  // in chunks of our own, extensions left out, and no trailer that could change the message (RFC 9110 6.5.1)
  plain,    // without framing
};

// Reads one direction of an HTTP/1 connection, message by message (RFC 9112), strictly. Pure: bytes in,
// and for each stretch what it is. Every byte handed in is either taken, and then stands in a head or in a stretch of
// body, or refused: what arrives can be passed on byte by byte as it was sent.
class H1Codec {
 public:
  enum class Side { request, response };
  enum class Step {
    more,     // taken into a head that is not yet whole
    head,     // taken; head() is whole, and is the end as well if it is bodiless
    body,     // taken: bytes of the body as sent, chunk framing and trailers included
    end,      // the same (perhaps no byte), and the message ends with them
    refused,  // not taken: this is no HTTP/1 that we read. Nothing more may be handed in
  };
  struct Taken {
    Step step;
    std::size_t bytes;
  };
  struct Limits {
    std::size_t head = 256u << 10;  // bytes
    std::size_t fields = 1000;
  };
  enum class Refusal { unreadable, head_too_large };

  // `tap` gets the decoded body, and is reset at each head. Both must outlive the codec.
  H1Codec(Side side, BodyTap& tap, Limits limits);
  ~H1Codec();
  H1Codec(const H1Codec&) = delete;

  // Takes bytes up to the next boundary: a whole head, the end of a message or of `bytes`. Call it again with the rest.
  Taken take(std::string_view bytes);
  const H1Head& head() const { return head_; }
  // The bytes of a head that is not yet whole (or was refused in a later piece).
  std::string_view unfinished() const { return in_head() && !fresh_ ? std::string_view(raw_) : std::string_view(); }
  bool at_start() const { return fresh_; }  // between messages: no byte of the next one has been taken
  Refusal refusal() const { return refusal_; }

  // Responses: whether the next ones answer a HEAD request.
  void answers_head(bool yes) { answers_head_ = yes; }

  // How the body of the message whose head was just read is handed on: as_sent unless this is called. `framed` is what
  // stands for the bytes of the last take().
  void hand_on(Framing framing) { framing_ = framing; }
  Framing framing() const { return framing_; }
  std::string_view framed() const { return framed_; }
  // Of a chunked body that has ended: its trailers that may be passed on, as lines.
  std::string_view trailers() const {
    return head_.chunked ? std::string_view(chunks_.trailers()) : std::string_view();
  }
  // Between messages; the next byte begins another stream (another service connection).
  void restart();

 private:
  bool in_head() const { return !body_; }
  Taken take_head(std::string_view bytes);
  Taken take_chunks(std::string_view bytes);
  void content(std::string_view piece);
  Step end();
  Taken refuse(Refusal why);
  void finish_head();

  Side side_;
  BodyTap& tap_;
  Limits limits_;
  std::unique_ptr<HeadParser> parser_;
  std::string raw_;
  std::string framed_;
  std::string valid_host_;
  std::vector<H1Field> fields_;
  ChunkReader chunks_;
  std::uint64_t left_ = 0;  // bytes of a sized body
  H1Head head_;
  Framing framing_ = Framing::as_sent;
  Refusal refusal_ = Refusal::unreadable;
  bool fresh_ = true;  // the next byte begins a message
  bool body_ = false;
  bool answers_head_ = false;
};

}  // namespace retrial::proxy
