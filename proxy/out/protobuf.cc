#include "proxy/out/protobuf.h"

#include <nlohmann/json.hpp>

namespace retrial::proxy {

std::string Protobuf::as_utf8(std::string_view text) {
  using Json = nlohmann::json;
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

std::uint64_t ProtobufReader::varint() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (left_.empty()) break;
    auto byte = static_cast<unsigned char>(left_.front());
    left_.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  good_ = false;
  return 0;
}

std::string_view ProtobufReader::take(std::uint64_t size) {
  if (size > left_.size()) good_ = false;
  if (!good_) return {};
  auto taken = left_.substr(0, size);
  left_.remove_prefix(size);
  return taken;
}

bool ProtobufReader::next() {
  if (left_.empty() || !good_) return false;
  auto key = varint();
  field = static_cast<std::uint32_t>(key >> 3);
  number = 0;
  bytes = {};
  auto fixed = [&](std::size_t size) {
    auto taken = take(size);
    std::memcpy(&number, taken.data(), taken.size());
  };
  switch (key & 7) {
    case 0:
      number = varint();
      break;
    case 1:
      fixed(8);
      break;
    case 2:
      bytes = take(varint());
      break;
    case 5:
      fixed(4);
      break;
    default:
      good_ = false;
  }
  return good_ && field != 0;
}

}  // namespace retrial::proxy
