#include "certs/jks.h"

#include <cstdint>

namespace retrial::certs {
namespace {

constexpr std::uint32_t kMagic = 0xfeedfeed;
constexpr std::uint32_t kPrivateKey = 1, kTrusted = 2;

// Big-endian fields off the front. Once something is missing, everything is.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : bytes_(bytes) {}
  std::string_view take(std::size_t size) {
    if (size > bytes_.size()) {
      cut_ = true;
      bytes_ = {};
      return {};
    }
    auto out = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return out;
  }
  std::uint32_t number(std::size_t size) {
    std::uint32_t out = 0;
    for (char c : take(size)) out = out << 8 | static_cast<unsigned char>(c);
    return out;
  }
  std::string_view text() { return take(number(2)); }   // DataOutput.writeUTF
  std::string_view block() { return take(number(4)); }  // a length and as many bytes
  bool cut() const { return cut_; }

 private:
  std::string_view bytes_;
  bool cut_ = false;
};

std::string_view certificate(Fields& in, std::uint32_t version) {
  if (version == 2) in.text();  // its type, "X.509"; version 1 has no other
  return in.block();
}

}  // namespace

std::optional<std::vector<Root>> read_jks(std::string_view bytes) {
  Fields in(bytes);
  if (in.number(4) != kMagic) return {};
  auto version = in.number(4);
  if (version != 1 && version != 2) return {};
  std::vector<Root> roots;
  for (auto left = in.number(4); left && !in.cut(); left--) {
    auto tag = in.number(4);
    auto alias = in.text();
    in.take(8);  // date
    if (tag == kTrusted) {
      auto der = certificate(in, version);
      if (!in.cut()) roots.push_back({std::string(alias), std::string(der)});
    } else if (tag == kPrivateKey) {
      in.block();
      for (auto chain = in.number(4); chain && !in.cut(); chain--) certificate(in, version);
    } else {
      return {};
    }
  }
  if (in.cut()) return {};
  return roots;
}

}  // namespace retrial::certs
