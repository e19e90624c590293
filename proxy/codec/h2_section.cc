#include "proxy/codec/h2_state.h"

namespace retrial::proxy {

bool H2Codec::State::headers(std::string_view payload) {
  if (at.stream % 2 == 0) return fail_frame(H2Error::protocol_error, "not of a stream of the client's");
  std::size_t padding = 0;
  if (at.has(h2_flag::padded)) {
    if (payload.empty()) return fail_frame(H2Error::frame_size_error, "no length of padding");
    padding = static_cast<unsigned char>(payload[0]);
    payload.remove_prefix(1);
  }
  bool on_itself = false;
  if (at.has(h2_flag::priority)) {
    if (payload.size() < 5) return fail_frame(H2Error::frame_size_error, "no priority");
    on_itself = (h2_number(payload, 0) & 0x7fffffff) == at.stream;
    payload.remove_prefix(5);
  }
  if (padding > payload.size()) return fail_frame(H2Error::protocol_error, "more padding than payload");
  payload.remove_suffix(padding);

  if (!choose_fate(at.stream)) return false;
  if (on_itself && fate != Fate::drop && fate != Fate::fault) found(H2Error::protocol_error, "depends on itself");
  section_stream = at.stream;
  section_end = at.has(h2_flag::end_stream);
  section_bytes = section_frames = 0;
  auto kind = fate == Fate::request    ? H2HeadReader::Kind::request
              : fate == Fate::response ? H2HeadReader::Kind::response
              : fate == Fate::trailers ? H2HeadReader::Kind::trailers
                                       : H2HeadReader::Kind::dropped;
  reader.begin(kind, ours.connect_protocol);
  return fragment(payload, at.has(h2_flag::end_headers));
}

bool H2Codec::State::continuation(std::string_view payload) {
  if (section_stream == 0) return fail_frame(H2Error::protocol_error, "of no field section");
  return fragment(payload, at.has(h2_flag::end_headers));
}

void H2Codec::State::found(H2Error code, std::string_view why) {
  fate = Fate::fault;
  section_error = code;
  section_fault = why;
}

// Whatever becomes of it, a section is read: the table of HPACK is the connection's. So a stream error waits for its
// end, a connection error does not.
bool H2Codec::State::choose_fate(std::uint32_t id) {
  if (auto* s = streams.find(id)) {
    if (s->they_ended)
      found(H2Error::stream_closed, "after its end");
    else if (s->tunnel)
      found(H2Error::protocol_error, "in a tunnel");
    else
      fate = server() || s->answered ? Fate::trailers : Fate::response;
    return true;
  }
  switch (past.how(id)) {
    case H2Past::idle:
      if (!server()) return fail_frame(H2Error::protocol_error, "the stream is idle");
      past.open(id);
      if (id > sent_last) {
        past.close(id, H2Past::by_us);
        fate = Fate::drop;
      } else if (streams.size() >= std::min(held_to.max_streams, kMostStreams)) {
        found(H2Error::refused_stream, "more streams than may be open");
      } else {
        fate = Fate::request;
      }
      return true;
    case H2Past::skipped:
      return fail_frame(H2Error::protocol_error, "a higher stream was opened before");
    case H2Past::ended:
      return fail_frame(H2Error::stream_closed, "it has ended");
    case H2Past::by_us:
      fate = Fate::drop;
      return true;
    default:
      found(H2Error::stream_closed, "it is closed");
      return true;
  }
}

bool H2Codec::State::fragment(std::string_view bytes, bool last) {
  section_bytes += bytes.size();
  section_frames++;
  if (section_bytes > 2 * limits.head || section_frames > 32 + limits.head / 1024)
    return fail_frame(H2Error::enhance_your_calm, "a field section that is far too large");
  switch (reader.take(bytes, last)) {
    case H2HeadReader::Step::ok: {
      bool well = !last || section_ends();
      if (last) reader.keep_little();
      return well;
    }
    case H2HeadReader::Step::not_hpack:
      return fail_frame(H2Error::compression_error, "the field section cannot be decoded");
    case H2HeadReader::Step::too_much:
      return fail_frame(H2Error::enhance_your_calm, "the fields are far too large");
  }
  return true;
}

bool H2Codec::State::section_ends() {
  auto id = section_stream;
  section_stream = 0;
  if (fate == Fate::drop) return true;
  if (fate == Fate::fault) return stream_error(id, section_error, section_fault);
  if (auto why = reader.malformed(section_end); !why.empty()) return stream_error(id, H2Error::protocol_error, why);
  idle_frames.give(1);
  if (fate == Fate::request) return request_ends(id);
  auto& s = *streams.find(id);  // no other frame came between
  if (reader.head().too_large) return stream_error(id, H2Error::enhance_your_calm, "more fields than are taken");
  return fate == Fate::response ? response_ends(s) : trailers_end(s);
}

bool H2Codec::State::request_ends(std::uint32_t id) {
  auto& head = reader.head();
  bool connect = head.method == "CONNECT";
  if (section_end && head.length > 0 && !connect)
    return stream_error(id, H2Error::protocol_error, "the body has not the length that was said");
  auto& s = streams.add(id);
  s.told = true;
  s.they_ended = section_end;
  s.tunnel = connect;
  s.sized = head.sized && !connect;
  s.left = head.length;
  s.send_window = peers.initial_window;
  s.receive_window = held_to.initial_window;
  last_told = id;
  events.on_head(id, reader.head(), section_end);
  return true;
}

bool H2Codec::State::response_ends(H2Stream& s) {
  auto& head = reader.head();
  if (head.status >= 200) {
    s.answered = true;
    s.tunnel = s.connect && head.status < 300;
    bool none = s.to_head || head.status == 204 || head.status == 304;  // RFC 9110 6.4.1
    if (section_end && head.length > 0 && !none && !s.tunnel)
      return stream_error(s.id, H2Error::protocol_error, "the body has not the length that was said");
    s.sized = none || (head.sized && !s.tunnel);
    s.left = none ? 0 : head.length;
  }
  auto id = s.id;
  if (section_end) {
    s.they_ended = true;
    ended(s);
  }
  events.on_head(id, reader.head(), section_end);
  return true;
}

bool H2Codec::State::trailers_end(H2Stream& s) {
  if (s.sized && s.left > 0)
    return stream_error(s.id, H2Error::protocol_error, "the body has not the length that was said");
  auto id = s.id;
  s.they_ended = true;
  ended(s);
  events.on_trailers(id, reader.head());
  return true;
}

}  // namespace retrial::proxy
