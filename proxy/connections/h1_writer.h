#pragma once
#include <cstddef>
#include <string_view>

#include "proxy/net/socket.h"

namespace retrial::proxy {

// Writes the body of one HTTP/1 message after another, framed as its head has said (RFC 9112 6).
class H1Writer {
 public:
  enum class Framing : std::uint8_t { as_sent, sized, chunked, until_close };
  // `limit`: bytes that may wait in the socket before it takes no more.
  H1Writer(Socket& socket, std::size_t limit) : socket_(socket), limit_(limit) {}

  void begin(Framing framing) { framing_ = framing; }
  Framing framing() const { return framing_; }
  std::size_t room(std::size_t wanted);
  bool has_room_again();  // after room() gave less than was wanted; said once
  void data(std::string_view bytes, bool end);
  void trailers(std::string_view lines);
  Socket* takes_moved() { return framing_ != Framing::chunked && socket_.takes_moved() ? &socket_ : nullptr; }

 private:
  Socket& socket_;
  std::size_t limit_;
  Framing framing_ = Framing::as_sent;
  bool short_of_room_ = false;
};

}  // namespace retrial::proxy
