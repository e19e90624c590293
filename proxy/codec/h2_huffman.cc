#include "proxy/codec/h2_hpack.h"

namespace retrial::proxy {
namespace {

constexpr unsigned kLongest = 30;
constexpr std::uint16_t kEos = 256;

// How many bits each byte has, and EOS (RFC 7541 Appendix B). The code is canonical: of those with as many bits the
// lower byte has the lower code, and shorter ones come first. So this is all there is to know.
constexpr std::uint8_t kBits[257] = {
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28,
    28, 28, 28, 6,  10, 10, 12, 13, 6,  8,  11, 10, 10, 8,  11, 8,  6,  6,  6,  5,  5,  5,  6,  6,  6,  6,  6,  6,  6,
    7,  8,  15, 6,  12, 10, 13, 6,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,
    7,  8,  7,  8,  13, 19, 13, 14, 6,  15, 5,  6,  5,  6,  5,  6,  6,  6,  5,  7,  7,  6,  6,  6,  5,  6,  7,  6,  5,
    5,  6,  7,  7,  7,  7,  7,  15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24,
    24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22,
    23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26,
    27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23,
    22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30};

struct Short {
  std::uint8_t byte = 0, bits = 0;  // no bits: its code is longer than eight
};
struct Code {
  std::array<Short, 256> by_start{};       // by the next eight bits
  std::array<std::uint16_t, 257> order{};  // as the codes go
  std::array<std::uint32_t, 31> past{};    // of those with n bits: the code after the last, 32 bits wide
  std::array<std::uint32_t, 31> first{};   // the first one's code, and where it stands in `order`
  std::array<std::uint16_t, 31> at{};
};
constexpr Code kCode = [] {
  Code c;
  std::uint64_t code = 0;
  std::uint16_t n = 0;
  for (unsigned bits = 1; bits <= kLongest; bits++, code <<= 1) {
    c.first[bits] = static_cast<std::uint32_t>(code);
    c.at[bits] = n;
    for (std::uint16_t s = 0; s <= kEos; s++) {
      if (kBits[s] != bits) continue;
      if (bits <= 8)
        for (unsigned i = 0; i < 1u << (8 - bits); i++)
          c.by_start[(code << (8 - bits)) + i] = {static_cast<std::uint8_t>(s), static_cast<std::uint8_t>(bits)};
      c.order[n++] = s;
      code++;
    }
    auto past = code << (32 - bits);
    c.past[bits] = past > UINT32_MAX ? UINT32_MAX : static_cast<std::uint32_t>(past);
  }
  return c;
}();
static_assert(kCode.order[256] == kEos && kCode.past[30] == UINT32_MAX, "the code is complete");

}  // namespace

char* huffman_decode(std::string_view in, char* out) {
  std::uint64_t window = 0;  // its highest `have` bits are to be read
  unsigned have = 0;
  auto* at = in.data();
  auto* end = at + in.size();
  for (;;) {
    while (have <= 56 && at < end) {
      window |= std::uint64_t{static_cast<unsigned char>(*at++)} << (56 - have);
      have += 8;
    }
    auto known = kCode.by_start[window >> 56];
    unsigned bits = known.bits;
    if (bits == 0) {
      auto next = static_cast<std::uint32_t>(window >> 32);
      for (bits = 9; bits < kLongest && next >= kCode.past[bits];) bits++;
    }
    if (bits > have) break;
    if (known.bits == 0) {
      auto code = static_cast<std::uint32_t>(window >> (64 - bits));
      auto symbol = kCode.order[kCode.at[bits] + (code - kCode.first[bits])];
      if (symbol == kEos) return nullptr;
      known.byte = static_cast<std::uint8_t>(symbol);
    }
    *out++ = static_cast<char>(known.byte);
    window <<= bits;
    have -= bits;
  }
  // What is left is the beginning of EOS, ones, and less than a byte.
  if (have > 7 || (have > 0 && window >> (64 - have) != (1u << have) - 1)) return nullptr;
  return out;
}

}  // namespace retrial::proxy
