#include "tests/support/h2_end.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "base/text.h"
#include "policies/fault_plan.h"
#include "proxy/codec/h2_frames.h"
#include "trace/profiles/profile.h"

namespace retrial::test {
namespace {
using proxy::H2Type;
constexpr std::size_t kHead = proxy::kH2FrameHead;
constexpr std::uint32_t kWindow = 65535;

std::string_view word(std::string_view& text) {
  auto end = text.find(' ');
  auto first = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return first;
}
std::uint32_t number(std::string_view text) { return static_cast<std::uint32_t>(to_int(text).value_or(0)); }
std::uint32_t code_of(std::string_view name) {
  for (std::uint32_t code = 0; code < 14; code++)
    if (proxy::show_h2_error(code) == name) return code;
  return number(name);
}
std::string settings_of(std::string_view words) {
  std::string payload;
  while (!words.empty()) {
    auto one = word(words);
    auto equals = one.find('=');
    auto id = number(one.substr(0, equals));
    auto value = number(one.substr(equals + 1));
    payload += {static_cast<char>(id >> 8), static_cast<char>(id)};
    payload.resize(payload.size() + 4);
    proxy::h2_put_number(payload.data() + payload.size() - 4, value);
  }
  return payload;
}
}  // namespace

H2End::H2End(std::unique_ptr<Peer> peer, Role role) : peer_(std::move(peer)), role_(role) {
  nghttp2_hd_deflate_new(&deflater_, 4096);
  nghttp2_hd_inflate_new(&inflater_);
}
H2End::~H2End() {
  nghttp2_hd_deflate_del(deflater_);
  nghttp2_hd_inflate_del(inflater_);
}

void H2End::greets(std::string_view settings) {
  std::string text;
  if (role_ == Role::client) text = proxy::kH2Preface;
  proxy::h2_append(text, H2Type::settings, 0, 0, settings_of(settings));
  proxy::h2_append(text, H2Type::window_update, 0, 1u << 24);
  greeted_ = true;
  send(text + owed_);
}
void H2End::hears_greeting() {
  if (role_ == Role::service) peer_->hears(proxy::kH2Preface);
  EXPECT_TRUE(next().starts_with("SETTINGS"));
}

std::string H2End::bytes_of(std::string_view frames) {
  std::string out;
  while (!frames.empty()) {
    auto line = frames.substr(0, frames.find('\n'));
    frames.remove_prefix(std::min(frames.size(), line.size() + 1));
    auto name = word(line);
    if (name == "SETTINGS") {
      proxy::h2_append(out, H2Type::settings, 0, 0, settings_of(line));
      continue;
    }
    if (name == "PING") {
      bool ack = line.starts_with("ack ");
      proxy::h2_append(out, H2Type::ping, ack ? 1 : 0, 0, line.substr(ack ? 4 : 0));
      continue;
    }
    auto stream = number(word(line));
    if (name == "RST_STREAM") {
      proxy::h2_append(out, H2Type::rst_stream, stream, code_of(line));
    } else if (name == "WINDOW_UPDATE") {
      proxy::h2_append(out, H2Type::window_update, stream, number(line));
    } else if (name == "GOAWAY") {
      auto code = code_of(word(line));
      proxy::h2_append_goaway(out, stream, code, line);
    } else if (name == "DATA") {
      bool end = line == "end" || line.starts_with("end ");
      if (end) word(line);
      proxy::h2_append(out, H2Type::data, end, stream, line);
      sent_[stream] += static_cast<std::int64_t>(line.size());
      sent_[0] += static_cast<std::int64_t>(line.size());
    } else if (name == "HEADERS") {
      bool end = line.starts_with("end");
      if (end) word(line);
      std::vector<std::array<std::string, 2>> texts;
      std::vector<std::uint8_t> flags;
      while (line.starts_with("| ")) {
        line.remove_prefix(2);
        auto field = line.substr(0, line.find(" | "));
        line.remove_prefix(std::min(line.size(), field.size() + 1));
        flags.push_back(field.starts_with('!') ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE);
        if (field.starts_with('!')) field.remove_prefix(1);
        auto colon = field.find(": ", 1);
        texts.push_back({std::string(field.substr(0, colon)), std::string(field.substr(colon + 2))});
      }
      std::vector<nghttp2_nv> nvs;
      for (std::size_t i = 0; i < texts.size(); i++)
        nvs.push_back({reinterpret_cast<std::uint8_t*>(texts[i][0].data()),
                       reinterpret_cast<std::uint8_t*>(texts[i][1].data()), texts[i][0].size(), texts[i][1].size(),
                       flags[i]});
      std::string block(nghttp2_hd_deflate_bound(deflater_, nvs.data(), nvs.size()), '\0');
      auto size = nghttp2_hd_deflate_hd(deflater_, reinterpret_cast<std::uint8_t*>(block.data()), block.size(),
                                        nvs.data(), nvs.size());
      block.resize(static_cast<std::size_t>(size));
      auto type = H2Type::headers;
      for (std::string_view left = block; type == H2Type::headers || !left.empty(); type = H2Type::continuation) {
        auto piece = left.substr(0, proxy::kH2SmallestFrame);
        left.remove_prefix(piece.size());
        int bits = (left.empty() ? proxy::h2_flag::end_headers : 0) | (end && type == H2Type::headers ? 1 : 0);
        proxy::h2_append(out, type, static_cast<std::uint8_t>(bits), stream, piece);
      }
    } else {
      ADD_FAILURE() << "no frame: " << name;
    }
  }
  return out;
}
void H2End::say(std::string_view frames) { send(bytes_of(frames)); }
void H2End::send(std::string_view bytes) {
  out_.append(bytes);
  unsent();
}
std::size_t H2End::unsent() {
  out_.erase(0, peer_->say_what_fits(out_));
  return out_.size();
}

void H2End::data(std::uint32_t stream, std::string_view bytes, bool end) {
  std::string out;
  do {
    auto piece = bytes.substr(0, proxy::kH2SmallestFrame);
    bytes.remove_prefix(piece.size());
    proxy::h2_append(out, H2Type::data, end && bytes.empty(), stream, piece);
    sent_[stream] += static_cast<std::int64_t>(piece.size());
    sent_[0] += static_cast<std::int64_t>(piece.size());
  } while (!bytes.empty());
  send(out);
}
std::size_t H2End::data_that_fits(std::uint32_t stream, std::string_view bytes, bool end) {
  auto size = std::min(bytes.size(), static_cast<std::size_t>(std::max<std::int64_t>(0, room(stream))));
  if (size > 0) data(stream, bytes.substr(0, size), end && size == bytes.size());
  return size;
}

std::uint32_t H2End::setting(int number) const {
  auto it = theirs_.find(number);
  return it != theirs_.end() ? it->second : number == 4 ? kWindow : 0;
}
std::int64_t H2End::room(std::uint32_t stream) const {
  auto left = [this](std::uint32_t id, std::int64_t first) {
    auto sent = sent_.find(id);
    auto more = updates.find(id);
    return first + (more == updates.end() ? 0 : static_cast<std::int64_t>(more->second)) -
           (sent == sent_.end() ? 0 : sent->second);
  };
  return std::min(left(0, kWindow), left(stream, setting(4)));
}

std::string H2End::fields(std::string block) {
  std::string words;
  auto* at = reinterpret_cast<std::uint8_t*>(block.data());
  auto left = block.size();
  for (;;) {
    nghttp2_nv nv;
    int flags = 0;
    auto taken = nghttp2_hd_inflate_hd2(inflater_, &nv, &flags, at, left, 1);
    EXPECT_GE(taken, 0);
    if (taken < 0) break;
    at += taken;
    left -= static_cast<std::size_t>(taken);
    if (flags & NGHTTP2_HD_INFLATE_EMIT) {
      words += nv.flags & NGHTTP2_NV_FLAG_NO_INDEX ? " | !" : " | ";
      words.append(reinterpret_cast<const char*>(nv.name), nv.namelen).append(": ");
      words.append(reinterpret_cast<const char*>(nv.value), nv.valuelen);
    }
    if (flags & NGHTTP2_HD_INFLATE_FINAL) break;
  }
  nghttp2_hd_inflate_end_headers(inflater_);
  return words;
}

// Takes what has come; false: no whole frame, or a field section that is not whole.
bool H2End::frame() {
  unsent();
  if (auto come = peer_->waiting()) in_ += peer_->hears_some(come);
  std::size_t at = 0;
  for (;;) {
    if (in_.size() < at + kHead) return false;
    auto f = proxy::h2_frame(in_.data() + at);
    if (in_.size() < at + kHead + f.length) return false;
    bool section = f.is(H2Type::headers) || f.is(H2Type::continuation);
    if (!section || f.has(proxy::h2_flag::end_headers)) return true;
    at += kHead + f.length;
  }
}

// The next frame in words; "": it is none to be heard.
std::string H2End::read() {
  auto f = proxy::h2_frame(in_.data());
  std::string payload = in_.substr(kHead, f.length);
  in_.erase(0, kHead + f.length);
  auto word = [&](std::size_t from) { return proxy::h2_number(payload.data() + from); };
  bool end = f.has(proxy::h2_flag::end_stream);
  switch (static_cast<H2Type>(f.type)) {
    case H2Type::data: {
      if (end) ended_[f.stream] = true;
      if (gives_back_ && f.length > 0) {
        std::string out;
        proxy::h2_append(out, H2Type::window_update, 0, f.length);
        if (!end) proxy::h2_append(out, H2Type::window_update, f.stream, f.length);
        send(out);
      }
      return fmt::format("DATA {}{}{}{}", f.stream, end ? " end" : "", payload.empty() ? "" : " ", payload);
    }
    case H2Type::headers: {
      if (end) ended_[f.stream] = true;
      bool whole = f.has(proxy::h2_flag::end_headers);
      while (!whole) {
        auto more = proxy::h2_frame(in_.data());
        EXPECT_TRUE(more.is(H2Type::continuation) && more.stream == f.stream);
        whole = more.has(proxy::h2_flag::end_headers);
        payload += in_.substr(kHead, more.length);
        in_.erase(0, kHead + more.length);
      }
      return fmt::format("HEADERS {}{}{}", f.stream, end ? " end" : "", fields(std::move(payload)));
    }
    case H2Type::rst_stream:
      return fmt::format("RST_STREAM {} {}", f.stream, proxy::show_h2_error(word(0)));
    case H2Type::settings: {
      if (f.has(proxy::h2_flag::ack)) return {};
      std::string words = "SETTINGS";
      for (std::size_t i = 0; i + 6 <= payload.size(); i += 6) {
        auto id = static_cast<int>(word(i) >> 16);
        words += fmt::format(" {}={}", id, word(i + 2));
        theirs_[id] = word(i + 2);
      }
      std::string ack;
      proxy::h2_append(ack, H2Type::settings, proxy::h2_flag::ack, 0, {});
      if (greeted_)
        send(ack);
      else
        owed_ += ack;
      return words;
    }
    case H2Type::ping:
      return fmt::format("PING {}{}", f.has(proxy::h2_flag::ack) ? "ack " : "", payload);
    case H2Type::goaway:
      return fmt::format("GOAWAY {} {}{}{}", word(0), proxy::show_h2_error(word(4)), payload.size() > 8 ? " " : "",
                         payload.substr(8));
    case H2Type::window_update:
      updates[f.stream] += word(0);
      return {};
    default:
      return fmt::format("frame of type {} on stream {}", f.type, f.stream);
  }
}

std::string H2End::next() {
  for (;;) {
    while (!frame()) {
      auto size = in_.size() < kHead ? kHead - in_.size() : 1;
      auto more = peer_->hears_some(size);
      if (more.size() < size) {
        in_ += more;
        return {};
      }
      in_ += more;
    }
    if (auto words = read(); !words.empty()) return words;
  }
}
std::string H2End::next_if_any() {
  while (frame())
    if (auto words = read(); !words.empty()) return words;
  return {};
}
void H2End::hears(std::string_view frames) {
  while (!frames.empty()) {
    auto line = frames.substr(0, frames.find('\n'));
    frames.remove_prefix(std::min(frames.size(), line.size() + 1));
    auto heard = next();
    EXPECT_EQ(heard, line);
    if (heard.empty()) return;
  }
}
std::string H2End::hears_body(std::uint32_t stream) {
  std::string body;
  while (!ended_.contains(stream)) {
    auto heard = next();
    auto begins = fmt::format("DATA {}", stream);
    EXPECT_TRUE(heard.starts_with(begins)) << heard.substr(0, 200);
    if (!heard.starts_with(begins)) break;
    auto text = std::string_view(heard).substr(begins.size());
    if (text.starts_with(" end")) text.remove_prefix(4);
    if (!text.empty()) body += text.substr(1);
  }
  return body;
}
std::string H2End::heard_so_far(std::uint32_t stream) {
  std::string body;
  while (frame()) {
    auto heard = read();
    if (heard.empty()) continue;
    auto begins = fmt::format("DATA {}", stream);
    EXPECT_TRUE(heard.starts_with(begins)) << heard.substr(0, 200);
    auto text = std::string_view(heard).substr(std::min(heard.size(), begins.size()));
    if (text.starts_with(" end")) text.remove_prefix(4);
    if (!text.empty()) body += text.substr(1);
  }
  return body;
}
// Whatever is under way has come, and none of it is to be heard.
void H2End::settled() {
  for (int i = 0; i < 4; i++)
    while (frame()) EXPECT_EQ(read(), "");
  EXPECT_EQ(in_.size(), 0u) << "a frame is not whole";
}
void H2End::hears_nothing() {
  settled();
  peer_->hears_nothing();
}
void H2End::hears_fin() {
  settled();
  peer_->hears_fin();
}
void H2End::hears_rst() {
  settled();
  peer_->hears_rst();
}

std::string asks(std::uint32_t stream, std::string_view what, std::string_view more, bool end) {
  auto space = what.find(' ');
  return fmt::format("HEADERS {}{} | :method: {} | :scheme: http | :authority: h | :path: {}{}", stream,
                     end ? " end" : "", what.substr(0, space), what.substr(space + 1), more);
}
std::string calls(std::uint32_t stream, std::string_view more) {
  return asks(stream, "POST /pkg.Service/Method",
              " | te: trailers | content-type: application/grpc" + std::string(more), false);
}
std::string message(std::string_view text) {
  std::string out(5, '\0');
  proxy::h2_put_number(out.data() + 1, static_cast<std::uint32_t>(text.size()));
  return out.append(text);
}

void H2Conversation::meet(std::string_view client_settings, std::string_view service_settings) {
  auto line = connect();
  client = std::make_unique<H2End>(std::move(line.client), H2End::Role::client);
  service = std::make_unique<H2End>(std::move(line.service), H2End::Role::service);
  client->greets(client_settings);
  service->hears_greeting();
  service->greets(service_settings);
  client->hears_greeting();
}
void H2Conversation::plan(std::uint64_t n, std::string_view fault) {
  auto parsed = policies::parse_fault_plan(fault);
  ASSERT_TRUE(parsed) << parsed.error().line();
  auto spec = parsed->steps[0].fault;
  trace::Answer answer;
  if (spec.status != 0) {
    trace::Exchange e;
    e.grpc.is = spec.status >= 2000;
    auto* profile = trace::profile_named(e.grpc.is ? "grpc" : "generic");
    ASSERT_TRUE(profile);
    e.fault = spec;
    answer = profile->error(e, spec.status, "retrial-f1");
    answer.status = spec.status;
    if (auto wait = trace::pushback_of(spec); e.grpc.is && wait != trace::kNoPushback)
      answer.headers.push_back({"grpc-retry-pushback-ms", std::to_string(wait)});
  }
  director.plan(n, spec, std::move(answer));
}
void H2Conversation::passes(std::string_view frame) {
  client->say(frame);
  service->hears(frame);
}
void H2Conversation::passes_back(std::string_view frame) {
  service->say(frame);
  client->hears(frame);
}
void H2Conversation::goes_on(std::uint32_t stream, std::uint32_t at_service) {
  client->say(asks(stream, "GET /next"));
  service->hears(asks(at_service, "GET /next"));
  service->say(fmt::format("HEADERS {} end | :status: 204", at_service));
  client->hears(fmt::format("HEADERS {} end | :status: 204", stream));
}
const trace::Exchange& H2Conversation::over(std::uint64_t id) {
  static const trace::Exchange kNone;
  quiet();
  for (auto& e : recorder.exchanges)
    if (e.id == id) return e;
  ADD_FAILURE() << "exchange " << id << " is not over";
  return kNone;
}
void H2Conversation::fired(std::uint64_t id, std::string_view evidence, trace::Ending ending, int client_status,
                           int service_status) {
  auto& e = over(id);
  EXPECT_TRUE(e.fired);
  EXPECT_EQ(e.evidence, evidence);
  EXPECT_EQ(e.ending, ending);
  EXPECT_EQ(e.client_status, client_status);
  EXPECT_EQ(e.service_status, service_status);
  EXPECT_LE(e.fired_at, e.told);
}
void H2Conversation::spared(std::uint64_t id, std::string_view why) {
  auto& e = over(id);
  EXPECT_FALSE(e.fired);
  EXPECT_EQ(e.evidence, "not fired: " + std::string(why));
  EXPECT_EQ(e.ending, trace::Ending::answered);
}

}  // namespace retrial::test
