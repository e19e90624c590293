#include "proxy/codec/grpc.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace retrial::proxy {
namespace {

constexpr std::size_t kMostTrailers = 64u << 10;
constexpr unsigned char kTrailers = 0x80;  // PROTOCOL-WEB.md: the high bit of a frame's flags

constexpr auto kBase64 = [] {
  std::array<signed char, 256> value{};
  value.fill(-1);
  signed char n = 0;
  for (char c : std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"))
    value[static_cast<unsigned char>(c)] = n++;
  return value;
}();

// A group of four, perhaps with '=' at its end; whoever writes in pieces pads each of them.
std::string_view group(const char* text, std::array<char, 3>& bytes) {
  std::uint32_t word = 0;
  std::size_t digits = 0;
  for (; digits < 4 && text[digits] != '='; digits++)
    word |= static_cast<std::uint32_t>(kBase64[static_cast<unsigned char>(text[digits])]) << (18 - 6 * digits);
  bytes = {static_cast<char>(word >> 16), static_cast<char>(word >> 8), static_cast<char>(word)};
  return {bytes.data(), digits < 2 ? 0 : digits - 1};
}

}  // namespace

GrpcKind grpc_kind(std::string_view content_type) {
  constexpr std::string_view kGrpc = "application/grpc", kWeb = "-web", kText = "-text";
  auto begins = [&](std::string_view with) {
    if (!iequals(content_type.substr(0, with.size()), with)) return false;
    content_type.remove_prefix(with.size());
    return true;
  };
  if (!begins(kGrpc)) return GrpcKind::none;
  auto kind = !begins(kWeb) ? GrpcKind::grpc : !begins(kText) ? GrpcKind::web : GrpcKind::web_text;
  content_type = content_type.substr(0, content_type.find(';'));
  return content_type.starts_with('+') || trim(content_type).empty() ? kind : GrpcKind::none;
}

std::optional<Nanos> grpc_timeout(std::string_view value) {
  if (value.size() < 2 || value.size() > 9) return {};
  Nanos unit = 0;
  switch (value.back()) {
    case 'H':
      unit = 3600 * kSecond;
      break;
    case 'M':
      unit = 60 * kSecond;
      break;
    case 'S':
      unit = kSecond;
      break;
    case 'm':
      unit = kMillisecond;
      break;
    case 'u':
      unit = 1000;
      break;
    case 'n':
      unit = 1;
      break;
    default:
      return {};
  }
  Nanos number = 0;
  for (char c : value.substr(0, value.size() - 1)) {
    if (c < '0' || c > '9') return {};
    number = number * 10 + (c - '0');
  }
  return number > INT64_MAX / unit ? INT64_MAX : number * unit;  // 8 digits of hours are more than there are
}

std::string grpc_message_encoded(std::string_view text) {
  std::string encoded;
  for (char c : text) {
    if (c >= 0x20 && c < 0x7f && c != '%') {
      encoded += c;
      continue;
    }
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    auto byte = static_cast<unsigned char>(c);
    encoded += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return encoded;
}

std::string grpc_message_decoded(std::string_view value) { return percent_decode(value); }

void GrpcReader::begin(GrpcKind kind) {
  *this = {};
  kind_ = kind;
}

void GrpcReader::take(std::string_view piece) {
  if (kind_ == GrpcKind::none) return;
  if (kind_ != GrpcKind::web_text) return bytes(piece);
  std::array<char, 3> three;
  for (char c : piece) {
    if (kBase64[static_cast<unsigned char>(c)] < 0 && c != '=') continue;
    text_ += c;
    if (text_.size() < 4) continue;
    bytes(group(text_.data(), three));
    text_.clear();
  }
}

void GrpcReader::bytes(std::string_view piece) {
  while (!piece.empty()) {
    if (have_ < sizeof prefix_) {
      prefix_[have_++] = static_cast<unsigned char>(piece.front());
      piece.remove_prefix(1);
      if (have_ < sizeof prefix_) continue;
      left_ = std::uint64_t{prefix_[1]} << 24 | prefix_[2] << 16 | prefix_[3] << 8 | prefix_[4];
      trails_ = kind_ != GrpcKind::grpc && (prefix_[0] & kTrailers);
      if (!trails_) largest_ = std::max(largest_, left_);
    } else {
      auto part = piece.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left_, piece.size())));
      if (trails_ && prefix_[0] == kTrailers)  // not compressed
        trailers_.append(part.substr(0, kMostTrailers - std::min(kMostTrailers, trailers_.size())));
      piece.remove_prefix(part.size());
      left_ -= part.size();
    }
    if (left_ > 0) continue;
    have_ = 0;
    messages_ += trails_ ? 0 : 1;
  }
}

bool GrpcReader::at_boundary() const { return have_ == 0 && text_.empty(); }

}  // namespace retrial::proxy
