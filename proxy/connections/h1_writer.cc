#include "proxy/connections/h1_writer.h"

#include <algorithm>
#include <string>

#include "proxy/codec/intermediary.h"

namespace retrial::proxy {

std::size_t H1Writer::room(std::size_t wanted) {
  auto queued = socket_.queued();
  auto left = queued < limit_ ? limit_ - queued : 0;
  short_of_room_ |= left < wanted;
  return std::min(left, wanted);
}

bool H1Writer::has_room_again() {
  if (!short_of_room_ || socket_.queued() >= limit_) return false;
  short_of_room_ = false;
  return true;
}

void H1Writer::data(std::string_view bytes, bool end) {
  if (framing_ != Framing::chunked) return socket_.write(bytes);
  char room[20];
  if (!bytes.empty()) {
    socket_.write(chunk_begin(bytes.size(), room));
    socket_.write(bytes);
    socket_.write(kChunkEnd);
  }
  if (end) socket_.write(kLastChunk);
}

void H1Writer::trailers(std::string_view lines) {
  if (framing_ != Framing::chunked) return;
  std::string out = "0\r\n";
  pass_on_trailers(lines, out);
  socket_.write(out.append("\r\n"));
}

}  // namespace retrial::proxy
