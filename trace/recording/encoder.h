#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace retrial::trace::record {

// Copies n bytes without a call where they are few: most texts of a head are.
inline void copy(char* to, const char* from, std::size_t n) {
  auto move = [to, from]<class T>(T word, std::size_t at) {
    std::memcpy(&word, from + at, sizeof word);
    std::memcpy(to + at, &word, sizeof word);
  };
  if (n > 32) {
    std::memcpy(to, from, n);
  } else if (n >= 16) {
    std::memcpy(to, from, 16);
    std::memcpy(to + n - 16, from + n - 16, 16);
  } else if (n >= 8) {
    move(std::uint64_t{}, 0);
    move(std::uint64_t{}, n - 8);
  } else if (n >= 4) {
    move(std::uint32_t{}, 0);
    move(std::uint32_t{}, n - 4);
  } else {
    for (std::size_t i = 0; i < n; i++) to[i] = from[i];
  }
}

// Are n bytes the same? Without a call where they are few, as above.
inline bool same(const char* a, const char* b, std::size_t n) {
  auto differ = [a, b]<class T>(T one, std::size_t at) {
    T other;
    std::memcpy(&one, a + at, sizeof one);
    std::memcpy(&other, b + at, sizeof other);
    return one ^ other;
  };
  if (n > 64) return std::memcmp(a, b, n) == 0;
  if (n >= 8) {
    for (std::size_t at = 0; at < n - 8; at += 8)
      if (differ(std::uint64_t{}, at)) return false;
    return differ(std::uint64_t{}, n - 8) == 0;
  }
  if (n >= 4) return (differ(std::uint32_t{}, 0) | differ(std::uint32_t{}, n - 4)) == 0;
  for (std::size_t i = 0; i < n; i++)
    if (a[i] != b[i]) return false;
  return true;
}

// Writes into memory that is there already. Past its end it only counts, so that `size` says how much room would have
// done.
class Encoder {
 public:
  Encoder(char* begin, std::size_t room) : begin_(begin), at_(begin), end_(begin + room) {}
  template <class T>
  void pod(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>,
                  "no padding may reach the disk");
    if (takes(sizeof value)) {
      std::memcpy(at_, &value, sizeof value);
      at_ += sizeof value;
    }
  }
  void text(std::string_view s) {
    auto length = static_cast<std::uint32_t>(s.size());
    if (!takes(sizeof length + s.size())) return;
    std::memcpy(at_, &length, sizeof length);
    copy(at_ + sizeof length, s.data(), s.size());
    at_ += sizeof length + s.size();
  }
  std::size_t size() const { return static_cast<std::size_t>(at_ - begin_) + beyond_; }
  bool fits() const { return beyond_ == 0; }

 private:
  bool takes(std::size_t n) {
    if (beyond_ == 0 && n <= static_cast<std::size_t>(end_ - at_)) [[likely]]
      return true;
    beyond_ += n;
    return false;
  }
  char* begin_;
  char* at_;
  char* end_;
  std::size_t beyond_ = 0;
};

}  // namespace retrial::trace::record
