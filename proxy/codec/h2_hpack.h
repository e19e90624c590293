#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/codec/field_name.h"
#include "proxy/codec/h2.h"

namespace retrial::proxy {

// HPACK (RFC 7541). docs/decisions/0013 says why it is ours.

// A field as it was decoded. What is known of it is kept in the tables with it, so that a field that comes again is
// looked at once. `line`: "name: value\r\n", where it stands in a table. Valid until the next field.
struct HpackField {
  std::string_view name, value, line;
  FieldName known = FieldName::other;
  bool never_indexed = false;
  std::string_view wrong;  // why no message may hold it (RFC 9113 8.2.1); empty: nothing
};
// Fills in `known` and `wrong`.
void judge(HpackField& field);

std::span<const HpackField> hpack_static_table();  // RFC 7541 Appendix A; index 1 is the first

// Huffman's code (RFC 7541 5.2). `out` has room for 8 bytes for each 5 of `in`. Null: not of the code; else the end.
char* huffman_decode(std::string_view in, char* out);

// The dynamic table (RFC 7541 2.3.2, 4), either side's. Entries lie whole, as lines, in a ring of bytes.
class HpackTable {
 public:
  struct Entry {
    std::uint32_t at = 0, name = 0, value = 0;  // where its line begins, and how long both are
    FieldName known = FieldName::other;
    std::string_view wrong;
  };
  void resize(std::uint32_t most);
  std::uint32_t most() const { return most_; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(inserted_ - evicted_); }
  std::uint64_t inserted() const { return inserted_; }  // since the beginning; the newest is entry inserted() - 1
  bool holds(std::uint64_t n) const { return n >= evicted_ && n < inserted_; }
  HpackField entry(std::uint64_t n) const {
    auto& e = entries_[n & (entries_.size() - 1)];
    auto* line = bytes_.get() + e.at;
    return {.name = {line, e.name},
            .value = {line + e.name + 2, e.value},
            .line = {line, e.name + e.value + std::size_t{4}},
            .known = e.known,
            .wrong = e.wrong};
  }
  bool same(std::uint64_t n, std::string_view name, std::string_view value) const {
    auto& e = entries_[n & (entries_.size() - 1)];
    auto* line = bytes_.get() + e.at;
    return e.name == name.size() && e.value == value.size() && std::memcmp(line, name.data(), name.size()) == 0 &&
           std::memcmp(line + e.name + 2, value.data(), value.size()) == 0;
  }
  std::uint64_t add(const HpackField& field);  // its bytes may be those of an entry

 private:
  static constexpr std::uint32_t size(const Entry& e) { return e.name + e.value + 32; }
  void evict(std::uint32_t most);

  std::uint32_t most_ = 0, used_ = 0;
  std::unique_ptr<char[]> bytes_;  // twice `room_`, so that there is a place for a line whatever was before
  std::uint32_t room_ = 0, end_ = 0;
  std::vector<Entry> entries_;  // a ring
  std::uint64_t inserted_ = 0, evicted_ = 0;
};

class HpackReader {
 public:
  HpackReader() { table_.resize(4096); }
  // Our SETTINGS_HEADER_TABLE_SIZE, once acknowledged. If it is less than the table is, the next block begins with a
  // smaller one.
  void limit(std::uint32_t bytes);
  // A whole block; it must stay until its end.
  void begin(std::string_view block);
  enum class Step : std::uint8_t { field, end, broken };
  Step next(HpackField& field);

 private:
  bool number(unsigned bits, std::uint32_t& n);
  bool text(std::string_view& out);
  bool entry(std::uint32_t index, HpackField& field) const;
  bool size_update();

  std::span<const HpackField> fixed_ = hpack_static_table();
  HpackTable table_;
  std::uint32_t limit_ = 4096;
  bool must_shrink_ = false;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  bool first_ = true;  // no field was read of this block
  std::unique_ptr<char[]> scratch_;
  std::size_t scratch_room_ = 0;
  char* free_ = nullptr;
};

// Writes blocks. A field goes into the table when it comes the second time: what is different each time drives nothing
// out. Strings are written as they are: fewer bytes are worth less here than the time to make them fewer.
class HpackWriter {
 public:
  HpackWriter() { table_.resize(kMost); }
  void limit(std::uint32_t bytes);  // the peer's SETTINGS_HEADER_TABLE_SIZE
  static std::size_t bound(std::span<const H2Field> fields);
  char* write(std::span<const H2Field> fields, char* out);  // has room for bound()

 private:
  static constexpr std::uint32_t kMost = 4096;
  char* field(const H2Field& field, char* out);

  HpackTable table_;
  std::uint32_t least_ = kMost;  // since the last block
  bool changed_ = false;
  // By hash: the newest entry, and what was seen once. Another with the same place takes it.
  struct Place {
    std::uint64_t entry = UINT64_MAX;
    std::uint64_t seen = 0;
  };
  std::array<Place, 256> places_{};
};

}  // namespace retrial::proxy
