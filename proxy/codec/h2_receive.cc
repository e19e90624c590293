#include "proxy/codec/h2_state.h"

namespace retrial::proxy {

bool H2Codec::State::idle(std::uint32_t id) const { return id % 2 == 0 || past.how(id) == H2Past::idle; }

// What is wrong is found before anything of the frame is told, so that it does not matter in what pieces it comes.
bool H2Codec::State::data_begins(std::string_view payload) {
  if (at.stream == 0 || idle(at.stream)) return fail_frame(H2Error::protocol_error, "the stream is idle");
  skip = at.length - payload.size();
  std::size_t padding = 0;
  if (at.has(h2_flag::padded)) {
    if (payload.empty()) return fail_frame(H2Error::frame_size_error, "no length of padding");
    padding = static_cast<unsigned char>(payload[0]) + 1u;
    if (padding > at.length) return fail_frame(H2Error::protocol_error, "more padding than payload");
  }
  auto size = at.length - padding;
  bool end = at.has(h2_flag::end_stream);
  if (size > 0)
    idle_frames.give(1);
  else if (!end && !no_progress())
    return false;

  if (at.length > receive_window) return fail_frame(H2Error::flow_control_error, "beyond the connection's window");
  receive_window -= at.length;
  receive_owed += at.length;
  if (started && receive_owed >= kConnectionWindow / 2) {
    h2_append(out, H2Type::window_update, 0, receive_owed);
    receive_window += receive_owed;
    receive_owed = 0;
  }

  auto* s = streams.find(at.stream);
  if (!s)
    return past.how(at.stream) == H2Past::by_us || stream_error(at.stream, H2Error::stream_closed, "it is closed");
  if (s->they_ended) return stream_error(s->id, H2Error::stream_closed, "after its end");
  if (!server() && !s->answered) return stream_error(s->id, H2Error::protocol_error, "before the response's head");
  // An end without data passes even where settings have made the window negative.
  if (at.length > 0 && at.length > s->receive_window)
    return stream_error(s->id, H2Error::flow_control_error, "beyond its window");
  if (s->sized && (size > s->left || (end && size < s->left)))
    return stream_error(s->id, H2Error::protocol_error, "the body has not the length that was said");
  s->left -= s->sized ? size : 0;
  s->receive_window -= at.length;
  if (padding > 0) consume(*s, padding);
  in_data = true;
  data_left = size;
  skip -= size;
  return true;
}

bool H2Codec::State::data_goes_on(std::string_view& bytes) {
  auto* s = streams.find(at.stream);
  if (!s) {
    skip += data_left;
    in_data = false;
    return true;
  }
  auto piece = bytes.substr(0, data_left);
  if (piece.empty() && data_left > 0) return true;
  bytes.remove_prefix(piece.size());
  data_left -= piece.size();
  in_data = data_left > 0;
  bool end = !in_data && at.has(h2_flag::end_stream);
  if (piece.empty() && !end) return true;
  if (end) {
    s->they_ended = true;
    ended(*s);
  }
  events.on_data(at.stream, piece, end);
  return true;
}

bool H2Codec::State::priority(std::string_view payload) {
  if (at.stream == 0) return fail_frame(H2Error::protocol_error, "of no stream");
  std::string_view why;
  auto code = H2Error::protocol_error;
  if (payload.size() != 5) {
    code = H2Error::frame_size_error;
    why = "not of 5 bytes";
  } else if ((h2_number(payload, 0) & 0x7fffffff) == at.stream) {
    why = "depends on itself";
  }
  if (why.empty()) return no_progress();
  return idle(at.stream) ? fail_frame(code, why) : stream_error(at.stream, code, why);
}

bool H2Codec::State::rst_stream(std::string_view payload) {
  if (payload.size() != 4) return fail_frame(H2Error::frame_size_error, "not of 4 bytes");
  if (at.stream == 0 || idle(at.stream)) return fail_frame(H2Error::protocol_error, "the stream is idle");
  auto* s = streams.find(at.stream);
  if (!s) return no_progress();
  // Of our own streams a service may reset as many as it likes.
  if (server() && !resets.take(now))
    return fail(H2Error::enhance_your_calm, "too many streams were reset by the client");
  bool told = s->told;
  close(at.stream, H2Past::by_them);
  if (told) events.on_reset(at.stream, h2_number(payload, 0), false);
  return true;
}

bool H2Codec::State::settings_frame(std::string_view payload) {
  if (at.stream != 0) return fail_frame(H2Error::protocol_error, "not of stream 0");
  if (payload.size() % 6 != 0) return fail_frame(H2Error::frame_size_error, "not of 6 bytes each");
  if (at.has(h2_flag::ack)) {
    if (!payload.empty()) return fail_frame(H2Error::frame_size_error, "an acknowledgement with a payload");
    return acknowledged();
  }
  if (!first && !no_progress()) return false;
  bool grown = false;
  for (; !payload.empty(); payload.remove_prefix(6)) {
    auto id = static_cast<std::uint16_t>(h2_number(payload, 0) >> 16);
    auto value = h2_number(payload, 2);
    auto before = peers;
    if (auto error = h2_set(peers, id, value, role); error != H2Error::no_error)
      return fail_frame(error, "a value that it may not have");
    if (id == kH2HeaderTableSize) writer.limit(value);  // each: a lower one in between empties the table
    auto by = static_cast<std::int64_t>(peers.initial_window) - before.initial_window;
    if (by == 0) continue;
    bool overflow = false;
    streams.for_each([&](H2Stream& s) { overflow |= (s.send_window += by) > kH2LargestWindow; });
    if (overflow) return fail_frame(H2Error::flow_control_error, "a stream's window grows beyond 2^31-1");
    grown |= by > 0;
  }
  first = false;
  h2_append(out, H2Type::settings, h2_flag::ack, 0, {});
  events.on_settings(peers);
  if (grown && streams.size() > 0) events.on_room(0);
  return true;
}

bool H2Codec::State::acknowledged() {
  if (unacknowledged.empty()) return no_progress();
  auto now_held = unacknowledged.front();
  unacknowledged.erase(unacknowledged.begin());
  if (now_held.header_table_size != held_to.header_table_size) reader.table_size(now_held.header_table_size);
  windows_change(static_cast<std::int64_t>(now_held.initial_window) - held_to.initial_window);
  held_to = now_held;
  return true;
}

bool H2Codec::State::ping(std::string_view payload) {
  if (at.stream != 0) return fail_frame(H2Error::protocol_error, "not of stream 0");
  if (payload.size() != 8) return fail_frame(H2Error::frame_size_error, "not of 8 bytes");
  if (!at.has(h2_flag::ack)) h2_append(out, H2Type::ping, h2_flag::ack, 0, payload);
  return no_progress();
}

bool H2Codec::State::goaway_frame(std::string_view payload) {
  if (at.stream != 0) return fail_frame(H2Error::protocol_error, "not of stream 0");
  if (payload.size() < 8) return fail_frame(H2Error::frame_size_error, "less than 8 bytes");
  if (!no_progress()) return false;
  auto last = h2_number(payload, 0) & 0x7fffffff;
  if (!server()) goaway_read = true;
  events.on_goaway(last, h2_number(payload, 4), payload.substr(8));
  if (!server()) close_above(last);
  return true;
}

bool H2Codec::State::window_update(std::string_view payload) {
  if (payload.size() != 4) return fail_frame(H2Error::frame_size_error, "not of 4 bytes");
  auto by = h2_number(payload, 0) & 0x7fffffff;
  if (!no_progress()) return false;
  if (at.stream == 0) {
    if (by == 0) return fail_frame(H2Error::protocol_error, "by nothing");
    bool was_none = send_window <= 0;
    send_window += by;
    if (send_window > kH2LargestWindow) return fail_frame(H2Error::flow_control_error, "beyond 2^31-1");
    if (was_none && send_window > 0) events.on_room(0);
    return true;
  }
  if (idle(at.stream)) return fail_frame(H2Error::protocol_error, "the stream is idle");
  auto* s = streams.find(at.stream);
  if (!s) return true;
  if (by == 0) return stream_error(s->id, H2Error::protocol_error, "by nothing");
  bool was_none = room(*s) == 0;
  s->send_window += by;
  if (s->send_window > kH2LargestWindow) return stream_error(s->id, H2Error::flow_control_error, "beyond 2^31-1");
  if (was_none && room(*s) > 0) events.on_room(s->id);
  return true;
}

}  // namespace retrial::proxy
