#pragma once
#include <cstdint>
#include <string>
#include <string_view>

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

// One field, behind what `out` holds. Numbers as varints; `bytes` as they are, also of a message within.
void proto_put(std::string& out, std::uint32_t number, std::uint64_t value);
void proto_put(std::string& out, std::uint32_t number, std::string_view bytes);

}  // namespace retrial::proxy
