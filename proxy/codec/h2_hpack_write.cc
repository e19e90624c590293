#include "proxy/codec/h2_hpack.h"

namespace retrial::proxy {
namespace {

constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15ull;

// Its length, its first and last bytes: enough to find what is compared then. Twice for each field: a call costs as
// much.
[[gnu::always_inline]] inline std::uint64_t hash(std::string_view text) {
  std::uint64_t first = 0, last = 0;
  auto* at = text.data();
  auto size = text.size();
  if (size >= 8) {
    std::memcpy(&first, at, 8);
    std::memcpy(&last, at + size - 8, 8);
  } else if (size >= 4) {
    std::memcpy(&first, at, 4);
    std::memcpy(&last, at + size - 4, 4);
  } else if (size > 0) {
    first = static_cast<unsigned char>(at[0]) | static_cast<unsigned char>(at[size / 2]) << 8 |
            static_cast<unsigned char>(at[size - 1]) << 16;
  }
  auto h = (first ^ size) * kMix;
  return ((h ^ h >> 29) + last) * kMix;
}
std::uint64_t both(std::uint64_t name, std::uint64_t value) {
  auto h = name ^ value * 3;
  return (h ^ h >> 32) | 1;
}
// The same bytes? Of one size.
bool same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

char* number(char* out, unsigned form, unsigned bits, std::uint32_t n) {
  auto most = (1u << bits) - 1;
  if (n < most) {
    *out++ = static_cast<char>(form | n);
    return out;
  }
  *out++ = static_cast<char>(form | most);
  for (n -= most; n >= 128; n >>= 7) *out++ = static_cast<char>(n | 128);
  *out++ = static_cast<char>(n);
  return out;
}
char* text(char* out, std::string_view bytes) {
  out = number(out, 0, 7, static_cast<std::uint32_t>(bytes.size()));
  if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
  return out + bytes.size();
}

// The first index of each name of the static table, by hash; 0: none.
struct Names {
  std::array<std::uint8_t, 512> first{};
  std::span<const HpackField> fixed = hpack_static_table();
  Names() {
    for (std::size_t i = fixed.size(); i-- > 0;) {
      auto at = hash(fixed[i].name) >> 55;
      while (first[at] && fixed[first[at] - 1u].name != fixed[i].name) at = (at + 1) % first.size();
      first[at] = static_cast<std::uint8_t>(i + 1);
    }
  }
  std::uint32_t find(std::string_view name, std::uint64_t hashed) const {
    for (auto at = hashed >> 55; first[at]; at = (at + 1) % first.size())
      if (same(fixed[first[at] - 1u].name, name)) return first[at];
    return 0;
  }
};
const Names kNames;

}  // namespace

void HpackWriter::limit(std::uint32_t bytes) {
  auto most = std::min(bytes, kMost);
  if (most == table_.most() && !changed_) return;
  least_ = changed_ ? std::min(least_, most) : most;
  changed_ = true;
  table_.resize(most);
}

std::size_t HpackWriter::bound(std::span<const H2Field> fields) {
  std::size_t bytes = 12;  // two changes of the table's size
  for (auto& f : fields) bytes += f.name.size() + f.value.size() + 18;
  return bytes;
}

char* HpackWriter::write(std::span<const H2Field> fields, char* out) {
  if (changed_) {  // RFC 7541 4.2: the smallest it was, and what it is
    if (least_ < table_.most()) out = number(out, 0x20, 5, least_);
    out = number(out, 0x20, 5, table_.most());
    changed_ = false;
  }
  for (auto& f : fields) out = field(f, out);
  return out;
}

char* HpackWriter::field(const H2Field& f, char* out) {
  auto fixed = kNames.fixed;
  auto name = hash(f.name);
  if (f.sensitive) {
    auto index = kNames.find(f.name, name);
    out = number(out, 0x10, 4, index);
    if (index == 0) out = text(out, f.name);
    return text(out, f.value);
  }
  auto h = both(name, hash(f.value));
  auto& place = places_[h >> 8 & 255];
  if (table_.holds(place.entry) && table_.same(place.entry, f.name, f.value))
    return number(out, 0x80, 7, static_cast<std::uint32_t>(fixed.size() + table_.inserted() - place.entry));
  auto index = kNames.find(f.name, name);
  for (auto i = index; i > 0 && i <= fixed.size() && same(fixed[i - 1].name, f.name); i++)
    if (same(fixed[i - 1].value, f.value)) return number(out, 0x80, 7, i);

  bool add = place.seen == h && f.name.size() + f.value.size() + 32 <= table_.most() / 2;
  place.seen = h;
  out = add ? number(out, 0x40, 6, index) : number(out, 0, 4, index);
  if (index == 0) out = text(out, f.name);
  if (add) place.entry = table_.add({.name = f.name, .value = f.value});
  return text(out, f.value);
}

}  // namespace retrial::proxy
