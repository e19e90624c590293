#pragma once
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "trace/run.h"
#include "trace/segment.h"

// How records stand in a segment. A segment is a SegmentHead and then records, each a RecordHead and its payload,
// padded to 8 bytes; a length of 0 ends it. A payload is a fixed part and then texts, each its length (4 bytes) and its
// bytes.
namespace retrial::trace::record {

inline constexpr char kMagic[8] = {'R', 'T', 'R', 'L', 'S', 'E', 'G', '\n'};
inline constexpr std::uint32_t kVersion = 1;

struct SegmentHead {
  char magic[8];
  std::uint32_t version;
  std::uint32_t zero;
};
struct RecordHead {
  std::uint32_t length;  // of the payload, written last of all; 0: nothing here yet
  std::uint32_t crc;     // crc32c of everything after it: kind, zero, run, payload
  std::uint32_t kind;
  std::uint32_t zero;
  std::uint64_t run;
};
static_assert(sizeof(RecordHead) == 24);
inline constexpr std::size_t kChecked = 8;  // where the crc's bytes begin in a record
inline constexpr std::size_t padded(std::size_t n) { return (n + 7) & ~std::size_t{7}; }

// Writes into memory that is there already. Past its end it only counts, so that `size` says how much room would have
// done.
class Encoder {
 public:
  Encoder(char* begin, std::size_t room) : begin_(begin), room_(room) {}
  void raw(const void* bytes, std::size_t n) {
    if (at_ + n <= room_) std::memcpy(begin_ + at_, bytes, n);
    at_ += n;
  }
  template <class T>
  void pod(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>,
                  "no padding may reach the disk");
    raw(&value, sizeof value);
  }
  void text(std::string_view s) {
    pod(static_cast<std::uint32_t>(s.size()));
    raw(s.data(), s.size());
  }
  std::size_t size() const { return at_; }
  bool fits() const { return at_ <= room_; }

 private:
  char* begin_;
  std::size_t room_;
  std::size_t at_ = 0;
};

void encode_run(Encoder& out, const Run& run);  // kinds run and end
void encode_head(Encoder& out, const Exchange& e);
void encode_answer(Encoder& out, const Exchange& e);
void encode_fired(Encoder& out, const Exchange& e);
void encode_over(Encoder& out, const Exchange& e);

// False for a payload that no encoder wrote: a length past its end, an unknown word. `run` and `e` are then not to be
// used.
bool decode_run(std::string_view payload, Run& run);  // all but its exchanges
bool decode_head(std::string_view payload, Exchange& e);
// The exchange that an answer, fired or over record is about; 0 where it cannot be read.
std::uint64_t exchange_of(std::string_view payload);
bool decode_answer(std::string_view payload, Exchange& e);
bool decode_fired(std::string_view payload, Exchange& e);
bool decode_over(std::string_view payload, Exchange& e);

}  // namespace retrial::trace::record
