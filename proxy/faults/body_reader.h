#pragma once
#include <cstdint>
#include <string_view>

namespace retrial::proxy {

// Tells content from framing in a body as it is sent (RFC 9112 7.1). For bytes that a codec has read already: what is
// no chunked coding is taken for framing.
class BodyReader {
 public:
  explicit BodyReader(bool chunked) : place_(chunked ? Place::size : Place::plain) {}

  struct Piece {
    std::string_view bytes;
    bool content = false;
  };
  // Takes the longest piece of one kind off the front of `wire`, which is not empty.
  Piece next(std::string_view& wire);

 private:
  enum class Place : std::uint8_t { plain, size, extension, data, data_end, trailers };
  Place place_;
  std::uint64_t left_ = 0;  // of the chunk
};

}  // namespace retrial::proxy
