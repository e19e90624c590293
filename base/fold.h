#pragma once
#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>

namespace retrial {

// One number of many texts, in 64 bits, for tables of this process: what it begins with is drawn anew by each, so that
// whoever sends texts cannot make two of them meet. Where a text ends counts ("ab", "c" is not "a", "bc").
class Fold {
 public:
  void add(std::uint64_t word) { value_ = mixed(value_ ^ word); }
  void add(std::string_view text) {
    auto* at = text.data();
    auto left = text.size();
    add(left);
    for (; left >= 8; left -= 8, at += 8) add(read<std::uint64_t>(at));
    if (left >= 4)
      add(std::uint64_t{read<std::uint32_t>(at)} << 32 | read<std::uint32_t>(at + left - 4));
    else if (left)
      add(byte(at[0]) << 16 | byte(at[left / 2]) << 8 | byte(at[left - 1]));
  }
  std::uint64_t value() const { return value_; }

 private:
  __extension__ using Wide = unsigned __int128;
  template <class T>
  static T read(const char* at) {
    T word;
    std::memcpy(&word, at, sizeof word);
    return word;
  }
  static std::uint64_t byte(char c) { return static_cast<unsigned char>(c); }
  static std::uint64_t drawn() {
    std::random_device source;
    return std::uint64_t{source()} << 32 | source() | 1;
  }
  static std::uint64_t mixed(std::uint64_t word) {
    auto product = static_cast<Wide>(word) * kBy;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  static inline const std::uint64_t kBegin = drawn(), kBy = drawn();
  std::uint64_t value_ = kBegin;
};

}  // namespace retrial
