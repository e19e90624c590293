#include "proxy/codec/protobuf.h"

#include <nlohmann/json.hpp>

namespace retrial::proxy {

bool ProtoReader::varint(std::uint64_t& value) {
  value = 0;
  for (std::size_t i = 0; i < rest_.size() && i < 10; i++) {
    auto byte = static_cast<unsigned char>(rest_[i]);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << (7 * i);
    if (byte & 0x80) continue;
    rest_.remove_prefix(i + 1);
    return true;
  }
  return wrong();
}

bool ProtoReader::fixed(std::size_t size, std::uint64_t& value) {
  if (rest_.size() < size) return wrong();
  value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(rest_[i]);
  rest_.remove_prefix(size);
  return true;
}

bool ProtoReader::next(ProtoField& field) {
  if (broken_ || rest_.empty()) return false;
  std::uint64_t tag = 0;
  if (!varint(tag)) return false;
  if (tag >> 3 == 0 || tag >> 3 > 0x1fffffff) return wrong();
  field.number = static_cast<std::uint32_t>(tag >> 3);
  field.wire = static_cast<ProtoField::Wire>(tag & 7);
  field.bytes = {};
  switch (field.wire) {
    case ProtoField::Wire::varint:
      return varint(field.value);
    case ProtoField::Wire::fixed64:
      return fixed(8, field.value);
    case ProtoField::Wire::fixed32:
      return fixed(4, field.value);
    case ProtoField::Wire::bytes:
      if (!varint(field.value)) return false;
      if (field.value > rest_.size()) return wrong();
      field.bytes = rest_.substr(0, field.value);
      rest_.remove_prefix(field.value);
      return true;
  }
  return wrong();
}

std::string_view proto_bytes(std::string_view message, std::uint32_t number) {
  std::string_view found;
  ProtoReader reader(message);
  for (ProtoField f; reader.next(f);)
    if (f.holds(number)) found = f.bytes;
  return found;
}

std::uint64_t proto_number(std::string_view message, std::uint32_t number) {
  std::uint64_t found = 0;
  ProtoReader reader(message);
  for (ProtoField f; reader.next(f);)
    if (f.number == number && f.wire != ProtoField::Wire::bytes) found = f.value;
  return found;
}

std::string Protobuf::as_utf8(std::string_view text) {
  using Json = nlohmann::json;
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

}  // namespace retrial::proxy
