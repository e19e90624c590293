#pragma once
#include <gtest/gtest.h>

#include "proxy/codec/h2.h"
#include "proxy/codec/h2_frames.h"

namespace retrial::proxy::h2_test {

using namespace std::string_literals;
using Role = H2Codec::Role;

inline std::string frame(H2Type type, std::uint8_t flags, std::uint32_t stream, std::string_view payload = {}) {
  std::string out;
  h2_append(out, type, flags, stream, payload);
  return out;
}
inline std::string number(std::uint32_t n) {
  std::string out(4, 0);
  h2_put_number(out.data(), n);
  return out;
}
inline std::string setting(std::uint16_t id, std::uint32_t value) {
  return std::string{static_cast<char>(id >> 8), static_cast<char>(id)} + number(value);
}
inline std::string goaway(std::uint32_t last, H2Error code, std::string_view debug) {
  return frame(H2Type::goaway, 0, 0, number(last) + number(static_cast<std::uint32_t>(code)) + std::string(debug));
}
inline std::string rst(std::uint32_t stream, H2Error code) {
  return frame(H2Type::rst_stream, 0, stream, number(static_cast<std::uint32_t>(code)));
}
inline std::string window(std::uint32_t stream, std::uint32_t by) {
  return frame(H2Type::window_update, 0, stream, number(by));
}

// Field lines as literals that are not indexed (RFC 7541 6.2.2), nothing compressed.
using Fields = std::vector<std::pair<std::string, std::string>>;
inline std::string literal(std::string_view text) {
  std::string out;
  if (text.size() < 127) {
    out += static_cast<char>(text.size());
  } else {
    out += '\x7f';
    auto n = text.size() - 127;
    for (; n >= 128; n >>= 7) out += static_cast<char>(n | 128);
    out += static_cast<char>(n);
  }
  return out.append(text);
}
inline std::string block(const Fields& fields) {
  std::string out;
  for (auto& [name, value] : fields) out += "\0"s + literal(name) + literal(value);
  return out;
}
inline Fields get(const Fields& more = {}) {
  Fields all{{":method", "GET"}, {":scheme", "http"}, {":path", "/"}, {":authority", "a"}};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}
inline Fields post(const Fields& more = {}) {
  auto all = get(more);
  all[0].second = "POST";
  return all;
}
constexpr std::uint8_t kEndStream = h2_flag::end_stream, kEndHeaders = h2_flag::end_headers,
                       kWhole = kEndStream | kEndHeaders;
inline std::string headers(std::uint32_t stream, const Fields& fields, std::uint8_t flags = kWhole) {
  return frame(H2Type::headers, flags, stream, block(fields));
}
inline std::string data(std::uint32_t stream, std::string_view bytes, bool end = false) {
  return frame(H2Type::data, end ? kEndStream : 0, stream, bytes);
}

// What a codec told, line by line; pieces of DATA are one line.
struct End : H2Events {
  explicit End(Role role, H2Codec::Limits limits = {}, H2Settings ours = {}) : codec(role, *this, limits) {
    codec.start(ours);
  }
  void on_settings(const H2Settings&) override { told.push_back("settings"); }
  void on_head(std::uint32_t stream, const Head& h, bool end) override {
    auto& head = h;
    auto line = std::to_string(stream) + " ";
    if (head.status)
      line += std::to_string(head.status);
    else
      line += std::string(head.method) + " " + std::string(head.target) + " " + std::string(head.host);
    told.push_back(line + lines(head) + (h.too_large ? " too large" : "") + (end ? " end" : ""));
  }
  void on_data(std::uint32_t stream, std::string_view bytes, bool end) override {
    auto begin = std::to_string(stream) + " data ";
    if (told.empty() || !told.back().starts_with(begin) || told.back().ends_with(" end")) told.push_back(begin);
    told.back().append(bytes).append(end ? " end" : "");
    if (consumes) codec.consumed(stream, bytes.size());
  }
  void on_trailers(std::uint32_t stream, const Head& trailers) override {
    told.push_back(std::to_string(stream) + " trailers" + lines(trailers));
  }
  void on_reset(std::uint32_t stream, std::uint32_t code, bool ours) override {
    told.push_back(std::to_string(stream) + " reset " + show_h2_error(code) + (ours ? " by us" : ""));
  }
  void on_room(std::uint32_t stream) override { told.push_back(std::to_string(stream) + " room"); }
  void on_goaway(std::uint32_t last, std::uint32_t code, std::string_view debug) override {
    told.push_back("goaway " + std::to_string(last) + " " + show_h2_error(code) + " " + std::string(debug));
  }
  static std::string lines(const Head& head) {
    std::string all;
    for (auto& f : head.fields) {
      all.append(" ").append(head.name(f)).append("=").append(head.value(f));
      EXPECT_EQ(f.known, field_name(head.name(f)));
    }
    EXPECT_TRUE(head.raw.ends_with("\r\n"));
    return all;
  }
  std::string sent() { return std::exchange(codec.out(), {}); }
  std::vector<std::string> heard() { return std::exchange(told, {}); }

  std::vector<std::string> told;
  bool consumes = false;
  H2Codec codec;
};

using Told = std::vector<std::string>;

// An end whose preface is read and whose own is acknowledged.
struct Greeted : End {
  explicit Greeted(Role role, H2Codec::Limits limits = {}, H2Settings ours = {}, std::string_view settings = {})
      : End(role, limits, ours) {
    std::string hello = role == Role::server ? std::string(kH2Preface) : "";
    hello += frame(H2Type::settings, 0, 0, settings) + frame(H2Type::settings, h2_flag::ack, 0);
    EXPECT_TRUE(codec.take(hello, 1));
    sent();
    heard();
  }
  bool take(std::string_view bytes) { return codec.take(bytes, 1); }
  std::uint32_t request(std::string_view method = "GET", bool end = true) {
    auto stream = codec.open();
    H2Field fields[] = {{":method", method}, {":scheme", "http"}, {":path", "/"}, {":authority", "a"}};
    codec.head(stream, fields, end);
    sent();
    return stream;
  }
  void answer(std::uint32_t stream, bool end) {
    H2Field fields[] = {{":status", "200"}};
    codec.head(stream, fields, end);
    sent();
  }
};

// Everything that comes of `bytes`, whichever way they are cut.
struct Outcome {
  Told told;
  std::string out, failure;
  std::uint32_t code = 0;
  bool ok = true, speaks_h2 = true;
  std::string last_fault;
  bool operator==(const Outcome&) const = default;
};
inline Outcome outcome(Role role, std::string_view bytes, std::size_t piece, unsigned requests = 0) {
  End end(role);
  for (unsigned i = 0; i < requests; i++) {
    H2Field fields[] = {{":method", "GET"}, {":scheme", "http"}, {":path", "/"}, {":authority", "a"}};
    end.codec.head(end.codec.open(), fields, true);
  }
  end.sent();
  Outcome o;
  for (std::size_t from = 0; o.ok && from < bytes.size(); from += piece)
    o.ok = end.codec.take(bytes.substr(from, piece), 1);
  o.told = end.heard();
  o.out = end.sent();
  o.failure = end.codec.failure();
  o.code = end.codec.failure_code();
  o.speaks_h2 = end.codec.speaks_h2();
  o.last_fault = end.codec.last_fault();
  return o;
}
inline Outcome in_all_pieces(Role role, std::string_view bytes, unsigned requests = 0) {
  auto whole = outcome(role, bytes, bytes.size() + 1, requests);
  for (std::size_t piece = 1; piece <= bytes.size(); piece++)
    EXPECT_EQ(outcome(role, bytes, piece, requests), whole) << "in pieces of " << piece;
  return whole;
}
inline std::string client_hello() { return std::string(kH2Preface) + frame(H2Type::settings, 0, 0); }
inline std::string service_hello() { return frame(H2Type::settings, 0, 0); }
inline std::string settings_ack() { return frame(H2Type::settings, h2_flag::ack, 0); }

}  // namespace retrial::proxy::h2_test
