#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/codec/chunks.h"
#include "proxy/codec/head.h"

namespace retrial::proxy {

class HeadParser;

// Reads one direction of an HTTP/1 connection, message by message (RFC 9112), strictly. Pure: bytes in,
// and for each stretch what it is. Every byte handed in is either taken, and then stands in a head or in a stretch of
// body, or refused: what arrives can be passed on byte by byte as it was sent.
class H1Codec {
 public:
  enum class Side { request, response };
  enum class Step {
    more,     // taken into a head that is not yet whole
    head,     // taken; head() is whole, and is the end as well if it is bodiless
    body,     // taken: bytes of the body as sent, framing included, that end in a stretch of content
    end,      // the same (perhaps no content), and the message ends with them
    refused,  // not taken: this is no HTTP/1 that we read. Nothing more may be handed in
  };
  struct Taken {
    Step step;
    std::size_t bytes;
    std::string_view content = {};  // of the body, without framing: the last of these bytes, as far as they are any
  };
  struct Limits {
    std::size_t head = 256u << 10;  // bytes
    std::size_t fields = 1000;
  };
  enum class Refusal { unreadable, head_too_large };

  H1Codec(Side side, Limits limits);
  ~H1Codec();
  H1Codec(const H1Codec&) = delete;

  // Takes bytes up to the next boundary: a whole head, the end of a stretch of content, of a message or of `bytes`.
  // Call it again with the rest.
  Taken take(std::string_view bytes);
  const Head& head() const { return head_; }
  // The bytes of a head that is not yet whole (or was refused in a later piece).
  std::string_view unfinished() const {
    return in_head() && !fresh_ ? std::string_view(raws_[turn_]) : std::string_view();
  }
  // Between messages: what is kept for the next is little from now on, and head() is gone where it was large.
  void keep_little();
  std::size_t holds() const;                // bytes of memory, about
  bool at_start() const { return fresh_; }  // between messages: no byte of the next one has been taken
  Refusal refusal() const { return refusal_; }
  const std::string& why() const { return why_; }  // what was refused, and where: for a log

  // Responses: whether the next ones answer a HEAD request.
  void answers_head(bool yes) { answers_head_ = yes; }

  // Of the body that is being read: bytes that follow, all of them content; UINT64_MAX: until the connection ends; 0:
  // that cannot be said. And such bytes have passed by otherwise.
  std::uint64_t plain_left() const;
  Step passed_by(std::uint64_t bytes);
  // Of a chunked body that has ended: its trailers that may be passed on (RFC 9110 6.5.1); `raw` is empty where there
  // are none.
  const Head& trailers() const { return trailers_; }

 private:
  bool in_head() const { return !body_; }
  Taken take_head(std::string_view bytes);
  Taken take_chunks(std::string_view bytes);
  Step end();
  Taken refuse(Refusal refusal, std::string why);
  void finish_head();
  void finish_trailers();

  Side side_;
  Limits limits_;
  std::unique_ptr<HeadParser> parser_;
  std::string raws_[2];  // of this head, and of the one before it
  std::string valid_host_;
  std::vector<Field> fields_[2];  // the same
  std::size_t turn_ = 0;
  ChunkReader chunks_;
  std::uint64_t left_ = 0;  // bytes of a sized body
  Head head_, trailers_;
  std::string trailer_text_;
  std::vector<Field> trailer_fields_;
  Refusal refusal_ = Refusal::unreadable;
  std::string why_;
  bool fresh_ = true;   // the next byte begins a message
  bool whole_ = false;  // a head was read to its end
  bool body_ = false;
  bool answers_head_ = false;
};

}  // namespace retrial::proxy
