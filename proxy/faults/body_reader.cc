#include "proxy/faults/body_reader.h"

#include <algorithm>

namespace retrial::proxy {
namespace {
int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = static_cast<char>(c | 32);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}
}  // namespace

BodyReader::Piece BodyReader::next(std::string_view& wire) {
  auto take = [&](std::size_t n, bool content) {
    Piece piece{wire.substr(0, n), content};
    wire.remove_prefix(piece.bytes.size());
    return piece;
  };
  if (place_ == Place::plain) return take(wire.size(), true);
  if (place_ == Place::data) {
    auto piece = take(static_cast<std::size_t>(std::min<std::uint64_t>(left_, wire.size())), true);
    left_ -= piece.bytes.size();
    if (left_ == 0) place_ = Place::data_end;
    return piece;
  }
  std::size_t n = 0;
  while (n < wire.size() && place_ != Place::data) {
    char c = wire[n++];
    switch (place_) {
      case Place::size:
        if (int d = digit(c); d >= 0)
          left_ = left_ << 4 | static_cast<unsigned>(d);
        else if (c != '\n')
          place_ = Place::extension;
        else
          place_ = left_ ? Place::data : Place::trailers;
        break;
      case Place::extension:
        if (c == '\n') place_ = left_ ? Place::data : Place::trailers;
        break;
      case Place::data_end:
        if (c == '\n') place_ = Place::size;
        break;
      default:
        break;
    }
  }
  return take(n, false);
}

}  // namespace retrial::proxy
