#pragma once
#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "trace/exchange.h"
#include "trace/recording/encoder.h"
#include "trace/recording/header_lines.h"
#include "trace/stored_fault.h"

// What records of several kinds hold (record.h), as they are written and read.
namespace retrial::trace::record {
static_assert(std::endian::native == std::endian::little);

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

// Stands in a record only where a fault was planned; its header follows.
struct FaultFixed {
  i64 delay, base, width, bytes, burst, pushback;
  i32 status, retry_after, nth;
  u32 code;
  u8 name, telling, point, spread, retry, part, of_message;
  u8 zero[1];
};

// As lines, whichever of the two there is.
inline void put_headers(Encoder& out, const std::string& lines, const std::vector<Header>& headers) {
  if (!lines.empty() || headers.empty()) return out.text(lines);
  std::string made;
  for (auto& h : headers) made.append(h.name).append(": ").append(h.value).append("\r\n");
  out.text(made);
}
inline void put_fault(Encoder& out, const FaultSpec& f) {
  out.pod(FaultFixed{.delay = f.delay,
                     .base = f.base,
                     .width = f.*stored_width(f.spread),
                     .bytes = f.*stored_bytes(f.name),
                     .burst = f.burst,
                     .pushback = f.pushback,
                     .status = f.status,
                     .retry_after = f.retry_after,
                     .nth = f.nth,
                     .code = f.code,
                     .name = static_cast<u8>(f.name),
                     .telling = static_cast<u8>(f.telling),
                     .point = static_cast<u8>(f.point),
                     .spread = static_cast<u8>(f.spread),
                     .retry = static_cast<u8>(f.retry),
                     .part = static_cast<u8>(f.part),
                     .of_message = static_cast<u8>(f.of_message),
                     .zero = {}});
  out.text(f.header);
}
inline void put_texts(Encoder& out, const std::vector<std::string>& texts) {
  out.pod(static_cast<u32>(texts.size()));
  for (auto& t : texts) out.text(t);
}

// Reads what an Encoder wrote. Once something is not there, or is no word that there is, nothing after it is read.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : left_(bytes) {}
  template <class T>
  T pod() {
    T value{};
    if (left_.size() < sizeof value) {
      good_ = false;
    } else {
      left_.copy(reinterpret_cast<char*>(&value), sizeof value);
      left_.remove_prefix(sizeof value);
    }
    return value;
  }
  void text(std::string& to) { take(to, pod<u32>()); }
  // How many things follow: no more than there are bytes for, `least` each.
  std::size_t count(std::size_t least) {
    auto n = pod<u32>();
    if (n > left_.size() / least) good_ = false;
    return good_ ? n : 0;
  }
  void headers(std::vector<Header>& to) {
    auto size = pod<u32>();
    if (size > left_.size()) good_ = false;
    if (!good_) return;
    good_ = read_header_lines(left_.substr(0, size), to);
    left_.remove_prefix(size);
  }
  void texts(std::vector<std::string>& to) {
    to.resize(count(4));
    for (auto& t : to) text(t);
  }
  template <class E>
  E word(u8 value, E last) {
    if (value > static_cast<u8>(last)) good_ = false;
    return good_ ? static_cast<E>(value) : E{};
  }
  void fault(FaultSpec& to) {
    auto f = pod<FaultFixed>();
    to.name = word(f.name, last_fault());
    to.telling = word(f.telling, Telling::error);
    to.status = f.status;
    to.delay = f.delay;
    to.point = word(f.point, Point::answered);
    to.spread = word(f.spread, Spread::pareto);
    to.retry = word(f.retry, RetryAfter::date);
    to.part = word(f.part, Malformed::chunk);
    to.retry_after = f.retry_after;
    to.base = f.base;
    to.*stored_width(to.spread) = f.width;
    to.*stored_bytes(to.name) = f.bytes;
    to.burst = f.burst;
    to.code = f.code;
    to.of_message = word(f.of_message, OfMessage::corrupt);
    to.nth = f.nth;
    to.pushback = f.pushback;
    text(to.header);
  }
  bool good() const { return good_; }
  bool done() const { return good_ && left_.empty(); }

 private:
  void take(std::string& to, std::size_t n) {
    if (n > left_.size()) good_ = false;
    if (!good_) return;
    to.resize_and_overwrite(n, [n, from = left_.data()](char* at, std::size_t) {  // libstdc++ 12 may say more than n
      copy(at, from, n);
      return n;
    });
    left_.remove_prefix(n);
  }
  std::string_view left_;
  bool good_ = true;
};

}  // namespace retrial::trace::record
