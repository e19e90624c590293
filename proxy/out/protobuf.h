#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace retrial::proxy {

// Protocol Buffers' wire format (https://protobuf.dev/programming-guides/encoding/), as far as OTLP needs it, appended
// to a text. Fields are written in any order; a message within another is written first, and then as its bytes.
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
    for (char c : text)
      if (static_cast<signed char>(c) < 0) return false;
    return true;
  }
  static std::string as_utf8(std::string_view text);

 private:
  void raw(std::uint64_t value) {
    char bytes[10];
    std::size_t size = 0;
    for (; value >= 0x80; value >>= 7) bytes[size++] = static_cast<char>(value | 0x80);
    bytes[size++] = static_cast<char>(value);
    out_.append(bytes, size);
  }
  std::string& out_;
};

// Reads such a message, field by field, whoever wrote it. Views into what it was given.
class ProtobufReader {
 public:
  explicit ProtobufReader(std::string_view message) : left_(message) {}
  // False at its end, and where it is broken (good() tells which). Of a varint and of fixed numbers `number` is set, of
  // all else `bytes`.
  bool next();
  bool good() const { return good_; }
  std::uint32_t field = 0;
  std::uint64_t number = 0;
  std::string_view bytes;

 private:
  std::uint64_t varint();
  std::string_view take(std::uint64_t size);
  std::string_view left_;
  bool good_ = true;
};

}  // namespace retrial::proxy
