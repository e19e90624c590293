#include <cassert>

#include "proxy/codec/h2_state.h"

namespace retrial::proxy {

// --- settings

void H2Codec::start(const H2Settings& ours) { state_->start(ours); }
void H2Codec::settings(const H2Settings& ours) { state_->say(ours, false); }

void H2Codec::State::start(const H2Settings& wanted) {
  if (started) return;
  started = true;
  auto behind = std::move(held) + out;
  out.clear();
  if (!server()) out.append(kH2Preface);
  say(wanted, true);
  held_to.max_streams = ours.max_streams;
  h2_append(out, H2Type::window_update, 0, kConnectionWindow - 65535);
  receive_window += kConnectionWindow - 65535;
  out.append(behind);
}

// What allows the peer more holds at once, as it may use it before it says that it has read it.
void H2Codec::State::say(const H2Settings& wanted, bool preface) {
  auto next_ours = wanted;
  if (next_ours.initial_window == H2Settings{}.initial_window) next_ours.initial_window = limits.window;
  next_ours.header_table_size = std::min(next_ours.header_table_size, kLargestTable);
  next_ours.initial_window = std::min(next_ours.initial_window, kH2LargestWindow);
  next_ours.max_frame = std::clamp(next_ours.max_frame, kH2SmallestFrame, kH2LargestFrame);
  next_ours.connect_protocol |= ours.connect_protocol;
  if (!h2_append_settings(out, role, ours, next_ours, preface)) return;
  ours = next_ours;
  unacknowledged.push_back(ours);
  if (ours.initial_window > held_to.initial_window) {
    windows_change(static_cast<std::int64_t>(ours.initial_window) - held_to.initial_window);
    held_to.initial_window = ours.initial_window;
  }
}

void H2Codec::State::windows_change(std::int64_t by) {
  if (by != 0) streams.for_each([by](H2Stream& s) { s.receive_window += by; });
}

// --- field sections

std::uint32_t H2Codec::open() {
  auto& s = *state_;
  if (s.goaway_read || s.next > 0x7fffffff) return 0;
  auto id = s.next;
  s.next += 2;
  return id;
}

void H2Codec::head(std::uint32_t stream, std::span<const H2Field> fields, bool end) {
  auto& state = *state_;
  auto* s = state.streams.find(stream);
  if (state.server()) {
    if (!s || s->we_ended) return;
  } else {
    if (s || state.goaway_read || stream % 2 == 0 || stream >= state.next || stream <= state.past.highest()) return;
    state.past.open(stream);
    s = &state.streams.add(stream);
    s->told = true;
    s->send_window = peers_.initial_window;
    s->receive_window = state.held_to.initial_window;
    for (auto& f : fields) {
      if (f.name != ":method") continue;
      s->to_head = f.value == "HEAD";
      s->connect = f.value == "CONNECT";
      break;
    }
  }
  state.section(stream, fields, end);
  s->we_ended = end;
  state.ended(*s);
}

void H2Codec::trailers(std::uint32_t stream, std::span<const H2Field> fields) {
  auto* s = state_->streams.find(stream);
  if (!s || s->we_ended) return;
  state_->section(stream, fields, true);
  s->we_ended = true;
  state_->ended(*s);
}

void H2Codec::State::section(std::uint32_t id, std::span<const H2Field> fields, bool end) {
  auto from = out.size();
  out.resize_and_overwrite(from + kH2FrameHead + HpackWriter::bound(fields), [&](char* text, std::size_t) {
    return static_cast<std::size_t>(writer.write(fields, text + from + kH2FrameHead) - text);
  });
  auto size = out.size() - from - kH2FrameHead;
  auto last = static_cast<std::uint8_t>(end ? h2_flag::end_stream : 0);
  if (size <= peers.max_frame) {
    h2_put_frame(out.data() + from, size, H2Type::headers, last | h2_flag::end_headers, id);
    return;
  }
  auto block = out.substr(from + kH2FrameHead);
  out.resize(from);
  std::string_view left = block;
  for (auto type = H2Type::headers; !left.empty(); type = H2Type::continuation) {
    auto piece = left.substr(0, peers.max_frame);
    left.remove_prefix(piece.size());
    std::uint8_t flags = left.empty() ? h2_flag::end_headers : 0;
    if (type == H2Type::headers) flags |= last;
    h2_append(out, type, flags, id, piece);
  }
}

// --- data

std::size_t H2Codec::State::room(const H2Stream& s) const {
  if (s.we_ended) return 0;
  return static_cast<std::size_t>(std::max<std::int64_t>(0, std::min(send_window, s.send_window)));
}

std::size_t H2Codec::room(std::uint32_t stream) const {
  if (auto* s = state_->streams.find(stream)) return state_->room(*s);
  if (state_->server() || stream % 2 == 0 || stream <= state_->past.highest()) return 0;
  H2Stream unopened{.send_window = peers_.initial_window};
  return state_->room(unopened);
}

void H2Codec::data(std::uint32_t stream, std::string_view bytes, bool end) {
  auto* s = state_->streams.find(stream);
  if (s && !s->we_ended) state_->send_data(*s, bytes, end);
}

void H2Codec::State::send_data(H2Stream& s, std::string_view bytes, bool end) {
  assert(bytes.size() <= room(s));
  auto size = static_cast<std::int64_t>(bytes.size());
  s.send_window -= size;
  send_window -= size;
  while (!bytes.empty() || end) {
    auto piece = bytes.substr(0, peers.max_frame);
    bytes.remove_prefix(piece.size());
    bool last = end && bytes.empty();
    h2_append(out, H2Type::data, last ? h2_flag::end_stream : 0, s.id, piece);
    idle_frames.give(4);  // what is sent may be answered: WINDOW_UPDATE of stream and connection, PING
    if (last) break;
  }
  s.we_ended = end;
  ended(s);
}

void H2Codec::consumed(std::uint32_t stream, std::size_t bytes, std::uint32_t wider) {
  if (auto* s = state_->streams.find(stream)) state_->consume(*s, bytes, wider);
}

void H2Codec::State::consume(H2Stream& s, std::size_t bytes, std::uint32_t wider) {
  s.owed += static_cast<std::uint32_t>(bytes) + wider;
  s.wider += wider;
  if (s.they_ended || s.owed == 0 || s.owed < (held_to.initial_window + s.wider) / 2) return;
  h2_append(out, H2Type::window_update, s.id, s.owed);
  s.receive_window += s.owed;
  s.owed = 0;
}

// --- ends

void H2Codec::State::close(std::uint32_t id, H2Past::How how) {
  streams.remove(id);
  past.close(id, how);
}
void H2Codec::State::ended(H2Stream& s) {
  if (s.we_ended && s.they_ended) close(s.id, H2Past::ended);
}

void H2Codec::reset(std::uint32_t stream, std::uint32_t code) {
  if (!state_->streams.find(stream)) return;
  state_->rst(stream, code);
  state_->close(stream, H2Past::by_us);
}

void H2Codec::goaway(std::uint32_t last, std::uint32_t code, std::string_view debug) {
  auto& s = *state_;
  if (s.server()) s.sent_last = last = std::min(last, s.sent_last);
  h2_append_goaway(out_, last, code, debug);
  if (s.server()) s.close_above(last);
}

void H2Codec::State::close_above(std::uint32_t last) {
  std::vector<std::uint32_t> above;
  streams.for_each([&](H2Stream& s) {
    if (s.id > last) above.push_back(s.id);
  });
  for (auto id : above) close(id, H2Past::by_us);
}

}  // namespace retrial::proxy
