#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/exchange.h"

// Messages of RPCs as far as a sample holds them, and their fields by number: names are not on the wire
// (protobuf.dev/programming-guides/encoding).
namespace retrial::trace {

bool is_web_text(const Exchange& e);  // gRPC-Web in base64: its messages cannot be read here

// The first message of a body's sample, as far as it is there; nothing for one that is compressed or has not begun.
std::optional<std::string_view> first_message(const Exchange& e, std::string_view sample);
// All of them, without their prefixes. Nothing where one is compressed, or cut, or something else follows.
std::optional<std::vector<std::string_view>> whole_messages(const Exchange& e, std::string_view sample);

std::optional<std::uint64_t> take_varint(std::string_view& bytes);

// A value that is no message itself.
struct RpcField {
  enum class Kind : std::uint8_t { number, fixed, text, bytes };
  std::string path;  // "3"; of a message within field 3 "3.1". Fields that repeat have the same
  std::string value;
  Kind kind = Kind::number;
};
// In their order, kMostFields at most. Nothing where it cannot be read as such a message.
inline constexpr std::size_t kMostFields = 500;
std::optional<std::vector<RpcField>> fields_of(std::string_view message);
// Of all messages of a body's sample, one after another. Nothing where one of them cannot be read.
std::optional<std::vector<RpcField>> fields_of(const Exchange& e, std::string_view sample);

}  // namespace retrial::trace
