#include "policies/chance.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace retrial::policies {
namespace {
using u32 = std::uint32_t;
using u64 = std::uint64_t;
__extension__ using u128 = unsigned __int128;

constexpr double kLongestDelay = 3600.0 * kSecond;

double unit(u32 bits) { return (bits + 0.5) / 4294967296.0; }  // in (0, 1), never either
}  // namespace

Draw draw(u64 seed, u64 rule, u64 counter) {
  u32 c[4] = {static_cast<u32>(counter), static_cast<u32>(counter >> 32), static_cast<u32>(rule),
              static_cast<u32>(rule >> 32)};
  u32 key[2] = {static_cast<u32>(seed), static_cast<u32>(seed >> 32)};
  for (int round = 0; round < 10; round++) {
    u64 a = u64{0xD2511F53} * c[0], b = u64{0xCD9E8D57} * c[2];
    u32 next[4] = {static_cast<u32>(b >> 32) ^ c[1] ^ key[0], static_cast<u32>(b),
                   static_cast<u32>(a >> 32) ^ c[3] ^ key[1], static_cast<u32>(a)};
    std::copy(next, next + 4, c);
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return {u64{c[1]} << 32 | c[0], u64{c[3]} << 32 | c[2]};
}

bool happens(Share share, u64 bits) { return u128{bits} * kAlways < u128{share} << 64; }

trace::FaultSpec with_delay(trace::FaultSpec f, u64 bits) {
  if (f.spread == trace::Spread::fixed) return f;
  auto a = unit(static_cast<u32>(bits)), b = unit(static_cast<u32>(bits >> 32));
  auto base = static_cast<double>(f.base), width = static_cast<double>(f.width);
  double drawn = 0;
  switch (f.spread) {
    case trace::Spread::fixed:
      break;
    case trace::Spread::uniform:
      drawn = base + (width - base) * a;
      break;
    case trace::Spread::normal:  // Box and Muller
      drawn = base + width * std::sqrt(-2 * std::log(a)) * std::cos(2 * std::numbers::pi * b);
      break;
    case trace::Spread::pareto:
      drawn = base * std::pow(a, -1000.0 / static_cast<double>(f.shape));
      break;
  }
  f.delay = static_cast<Nanos>(std::clamp(drawn, 0.0, kLongestDelay));
  return f;
}

}  // namespace retrial::policies
