#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace retrial::trace {

bool is_utf16(std::string_view text);

// A text with the escapes of JSON, URLs and XML read, in whatever they are nested: {\"pass\u0077ord\":\"a\"} in a
// string reads as {"password":"a"}. Each character knows where it stood, and how often it was escaped: a quote that is
// escaped once more than the one before it does not end what that one began.
class Unfolded {
 public:
  explicit Unfolded(std::string_view text);  // which outlives it
  Unfolded(const Unfolded&) = delete;

  std::string_view text() const { return view_; }
  std::size_t size() const { return view_.size(); }
  char operator[](std::size_t n) const { return n < view_.size() ? view_[n] : '\0'; }
  int depth(std::size_t n) const { return n < depths_.size() ? depths_[n] & ~kPercent : 0; }
  bool percent(std::size_t n) const {
    return n < depths_.size() && (depths_[n] & kPercent);
  }  // %XX: data, never syntax
  bool whole() const { return whole_; }  // false: there are escapes below the deepest that are read
  std::size_t from(std::size_t n) const { return from_.empty() ? n : from_[n]; }  // n: up to size()

 private:
  static constexpr std::uint8_t kPercent = 0x80;
  static constexpr int kDeepest = 10;  // JSON in JSON needs 2^n - 1 backslashes at depth n
  struct Escape {
    std::size_t size = 0;  // 0: none
    char stands_for = 0;
  };
  Escape escape_at(std::size_t n) const;
  bool fold_out();

  std::string_view view_;
  std::string text_;  // empty where there are no escapes
  std::vector<std::uint8_t> depths_;
  std::vector<std::uint32_t> from_;
  bool whole_ = true;
};

}  // namespace retrial::trace
