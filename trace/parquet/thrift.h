#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace retrial::trace {

// Thrift's compact protocol (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md), as far
// as Parquet's metadata needs it: structs whose fields are written in the order of their numbers.
class Thrift {
 public:
  explicit Thrift(std::string& out) : out_(out) {}

  void i32(int field, std::int32_t value) { header(field, kI32), signed_varint(value); }
  void i64(int field, std::int64_t value) { header(field, kI64), signed_varint(value); }
  void yes(int field, bool value) { header(field, value ? kTrue : kFalse); }
  void text(int field, std::string_view value) { header(field, kBinary), element(value); }
  // What follows until end() is the struct of that field.
  void begin(int field) { header(field, kStruct), begin(); }
  void begin() { last_.push_back(0); }  // of a list, or the outermost
  void end() {
    out_ += '\0';
    last_.pop_back();
  }
  // What follows are that many elements: structs by begin() and end(), or element().
  void structs(int field, std::size_t size) { list(field, kStruct, size); }
  void texts(int field, std::size_t size) { list(field, kBinary, size); }
  void i32s(int field, std::size_t size) { list(field, kI32, size); }
  void element(std::string_view value) {
    varint(value.size());
    out_ += value;
  }
  void element(std::int32_t value) { signed_varint(value); }

 private:
  enum Type : std::uint8_t { kTrue = 1, kFalse = 2, kI32 = 5, kI64 = 6, kBinary = 8, kList = 9, kStruct = 12 };
  void header(int field, Type type) {
    auto step = field - last_.back();  // 1 to 15 in all that Parquet has
    out_ += static_cast<char>(step << 4 | type);
    last_.back() = field;
  }
  void list(int field, Type of, std::size_t size) {
    header(field, kList);
    if (size < 15) {
      out_ += static_cast<char>(size << 4 | of);
    } else {
      out_ += static_cast<char>(0xf0 | of);
      varint(size);
    }
  }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_ += static_cast<char>(value | 0x80);
    out_ += static_cast<char>(value);
  }
  void signed_varint(std::int64_t value) {
    varint(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
  }
  std::string& out_;
  std::vector<int> last_;  // field of each struct that is open
};

}  // namespace retrial::trace
