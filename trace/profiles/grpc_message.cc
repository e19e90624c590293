#include "trace/profiles/grpc_message.h"

#include <algorithm>
#include <iterator>

namespace retrial::trace {
namespace {

constexpr std::size_t kPrefix = 5;

std::size_t length_of(std::string_view prefix) {
  std::size_t length = 0;
  for (char c : prefix.substr(1, 4)) length = length << 8 | static_cast<unsigned char>(c);
  return length;
}

// No control character but white space: what it is else, bytes or a message within, has some.
bool is_text(std::string_view value) {
  return std::ranges::none_of(value, [](char c) {
    auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\t' && c != '\r') || byte == 0x7f;
  });
}

constexpr int kMostNested = 8;

bool read(std::string_view message, const std::string& within, int depth, std::vector<RpcField>& out) {
  constexpr std::uint64_t kLastNumber = (1ULL << 29) - 1;
  using Kind = RpcField::Kind;
  while (!message.empty()) {
    if (out.size() >= kMostFields) return true;
    auto tag = take_varint(message);
    if (!tag || *tag >> 3 == 0 || *tag >> 3 > kLastNumber) return false;
    auto path = within + std::to_string(*tag >> 3);
    auto kind = *tag & 7;
    if (kind == 0) {
      auto value = take_varint(message);
      if (!value) return false;
      out.push_back({std::move(path), std::to_string(*value), Kind::number});
      continue;
    }
    if (kind != 1 && kind != 2 && kind != 5) return false;
    std::optional<std::uint64_t> length = kind == 1 ? 8 : 4;
    if (kind == 2) length = take_varint(message);
    if (!length || *length > message.size()) return false;
    auto value = message.substr(0, *length);
    message.remove_prefix(*length);
    if (kind != 2) {
      out.push_back({std::move(path), std::string(value), Kind::fixed});
      continue;
    }
    auto before = out.size();
    bool text = is_text(value);
    if (!text && depth < kMostNested && read(value, path + ".", depth + 1, out)) continue;
    out.resize(before);
    out.push_back({std::move(path), std::string(value), text ? Kind::text : Kind::bytes});
  }
  return true;
}

}  // namespace

bool is_web_text(const Exchange& e) {
  return find(e.request_headers, "content-type").starts_with("application/grpc-web-text");
}

std::optional<std::string_view> first_message(const Exchange& e, std::string_view sample) {
  if (sample.size() < kPrefix || sample[0] != 0 || is_web_text(e)) return {};
  return sample.substr(kPrefix, length_of(sample));
}

std::optional<std::vector<std::string_view>> whole_messages(const Exchange& e, std::string_view sample) {
  std::vector<std::string_view> out;
  while (!sample.empty()) {
    auto message = first_message(e, sample);
    if (!message || message->size() != length_of(sample)) return {};
    out.push_back(*message);
    sample.remove_prefix(kPrefix + message->size());
  }
  return out;
}

std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned at = 0; at < bytes.size() && at < 10; at++) {
    auto byte = static_cast<unsigned char>(bytes[at]);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << (7 * at);
    if (byte & 0x80) continue;
    bytes.remove_prefix(at + 1);
    return value;
  }
  return {};
}

std::optional<std::vector<RpcField>> fields_of(std::string_view message) {
  std::vector<RpcField> out;
  if (!read(message, "", 0, out)) return {};
  return out;
}

std::optional<std::vector<RpcField>> fields_of(const Exchange& e, std::string_view sample) {
  auto messages = whole_messages(e, sample);
  if (!messages) return {};
  std::vector<RpcField> out;
  for (auto message : *messages) {
    auto fields = fields_of(message);
    if (!fields) return {};
    std::ranges::move(*fields, std::back_inserter(out));
  }
  return out;
}

}  // namespace retrial::trace
