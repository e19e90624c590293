#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "trace/recording/encoder.h"

namespace retrial::proxy {

// Messages of Protocol Buffers as bytes (https://protobuf.dev/programming-guides/encoding/): fields by their numbers,
// without a schema. Pure. What is read are views into the message; nothing is copied, and nothing recurses.

struct ProtoField {
  std::uint32_t number = 0;
  enum class Wire : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 } wire = Wire::varint;
  std::uint64_t value = 0;  // of a number
  std::string_view bytes;   // of a text, or of a message within
  bool is(std::uint32_t n) const { return number == n && wire == Wire::varint; }
  bool holds(std::uint32_t n) const { return number == n && wire == Wire::bytes; }
};

// Goes through the fields of one message, in the order in which they stand. Groups, which proto3 has not, break it.
class ProtoReader {
 public:
  explicit ProtoReader(std::string_view message) : rest_(message) {}
  bool next(ProtoField& field);            // false: that was the last, or it is broken
  bool broken() const { return broken_; }  // what follows cannot be read

 private:
  bool varint(std::uint64_t& value);
  bool fixed(std::size_t size, std::uint64_t& value);
  bool wrong() {
    broken_ = true;
    return false;
  }
  std::string_view rest_;
  bool broken_ = false;
};

// The last field of that number in a message; empty: there is none.
std::string_view proto_bytes(std::string_view message, std::uint32_t number);
std::uint64_t proto_number(std::string_view message, std::uint32_t number);

// Writes fields where there is room for them.
struct ProtoInPlace {
  char* at;
  void raw(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) *at++ = static_cast<char>(value | 0x80);
    *at++ = static_cast<char>(value);
  }
  void length(std::uint32_t field, std::size_t size) {
    raw(field << 3 | 2);
    raw(size);
  }
  void bytes(std::uint32_t field, std::string_view value) {
    length(field, value.size());
    trace::record::copy(at, value.data(), value.size());
    at += value.size();
  }
};

// Appends a message's fields to a text. Fields are written in any order; a message within another is written first, and
// then as its bytes.
class Protobuf {
 public:
  explicit Protobuf(std::string& out) : out_(out) {}

  void varint(std::uint32_t field, std::uint64_t value) {
    raw(field << 3);
    raw(value);
  }
  void fixed64(std::uint32_t field, std::uint64_t value) {
    raw(field << 3 | 1);
    char bytes[8];
    std::memcpy(bytes, &value, sizeof bytes);  // little endian, as this machine is
    out_.append(bytes, sizeof bytes);
  }
  void bytes(std::uint32_t field, std::string_view value) {
    length(field, value.size());
    out_ += value;
  }
  // Receivers refuse a whole message for one text that is no UTF-8: what is none is replaced by U+FFFD.
  void text(std::uint32_t field, std::string_view value) {
    if (is_ascii(value))
      bytes(field, value);
    else
      bytes(field, as_utf8(value));
  }
  // What follows, `size` bytes, is the field's.
  void length(std::uint32_t field, std::size_t size) {
    raw(field << 3 | 2);
    raw(size);
  }

  static std::size_t size_of(std::uint64_t value) {  // as a varint
    std::size_t size = 1;
    for (; value >= 0x80; value >>= 7) size++;
    return size;
  }
  static bool is_ascii(std::string_view text) {
    constexpr std::uint64_t kHigh = 0x8080808080808080;
    std::uint64_t all = 0, word = 0;
    std::size_t at = 0;
    for (; at + sizeof word <= text.size(); at += sizeof word) {
      std::memcpy(&word, text.data() + at, sizeof word);
      all |= word;
    }
    for (; at < text.size(); at++) all |= static_cast<unsigned char>(text[at]);
    return (all & kHigh) == 0;
  }
  static std::string as_utf8(std::string_view text);

 private:
  void raw(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_ += static_cast<char>(value | 0x80);
    out_ += static_cast<char>(value);
  }
  std::string& out_;
};

// One field, behind what `out` holds. Numbers as varints; `bytes` as they are, also of a message within.
inline void proto_put(std::string& out, std::uint32_t number, std::uint64_t value) {
  Protobuf(out).varint(number, value);
}
inline void proto_put(std::string& out, std::uint32_t number, std::string_view bytes) {
  Protobuf(out).bytes(number, bytes);
}

}  // namespace retrial::proxy
