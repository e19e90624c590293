#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace retrial::proxy {

// Takes the length-prefixed messages of one direction of a gRPC call out of its bytes, in whatever pieces these come
// (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md). Pure. Holds one message at most.
class GrpcMessages {
 public:
  enum class Wrong : std::uint8_t { nothing, compressed, too_large };
  explicit GrpcMessages(std::size_t most) : most_(most) {}  // bytes of a message

  // A whole message, a view into `piece` or into what is held, that lasts until the next call; and what is left of
  // `piece` is shortened by what was read. False: there is none yet, or (wrong()) never will be.
  bool next(std::string_view& piece, std::string_view& message);
  Wrong wrong() const { return wrong_; }
  bool at_boundary() const { return held_.empty(); }
  std::size_t holds() const { return held_.capacity(); }

 private:
  bool sized(std::string_view prefix, std::size_t& size);
  std::size_t most_;
  std::string held_;   // prefix and message, not whole yet
  bool told_ = false;  // what is held was handed out
  Wrong wrong_ = Wrong::nothing;
};

// A message with its prefix, behind what `out` holds.
void grpc_put(std::string& out, std::string_view message);

}  // namespace retrial::proxy
