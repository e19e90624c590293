#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace retrial::proxy {

// https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md, PROTOCOL-WEB.md

// By content type: application/grpc, application/grpc+proto, …; of gRPC-Web: application/grpc-web, and -text, which is
// base64.
enum class GrpcKind : std::uint8_t { none, grpc, web, web_text };
GrpcKind grpc_kind(std::string_view content_type);
// "100m": a number of at most 8 digits and H M S m u n. Nothing for anything else.
std::optional<Nanos> grpc_timeout(std::string_view value);
std::string grpc_message_encoded(std::string_view text);  // percent-encoded, as grpc-message has it
std::string grpc_message_decoded(std::string_view value);

// Counts the length-prefixed messages of one direction of a call as its bytes pass, in any pieces. Pure.
class GrpcReader {
 public:
  void begin(GrpcKind kind);
  void take(std::string_view piece);

  std::uint64_t messages() const { return messages_; }  // whole ones
  std::uint64_t largest() const { return largest_; }    // bytes, as the prefix of a message tells, whole or not
  bool at_boundary() const;                             // between messages
  // gRPC-Web: the lines of the frame that is marked as trailers, "grpc-status: 0\r\n…"; at most 64 KiB of them.
  const std::string& trailers() const { return trailers_; }

 private:
  void bytes(std::string_view piece);

  GrpcKind kind_ = GrpcKind::none;
  unsigned char prefix_[5] = {};
  unsigned have_ = 0;       // bytes of the prefix
  std::uint64_t left_ = 0;  // of the message
  bool trails_ = false;     // the frame under way is one of trailers
  std::string text_;        // base64 that is no whole group of four yet
  std::uint64_t messages_ = 0;
  std::uint64_t largest_ = 0;
  std::string trailers_;
};

}  // namespace retrial::proxy
