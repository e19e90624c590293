#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "trace/recording/segment.h"
#include "trace/run.h"

// How records stand in a segment. A segment is a SegmentHead and then records, each a RecordHead and its payload,
// padded to 8 bytes; a length of 0 ends it. A payload is a fixed part and then texts, each its length (4 bytes) and its
// bytes.
//
// While a segment is written its newest records stand in its window, at the end of the file, and only there: they
// belong where the first of them says, in place of what stands there (segment_file.h). A file may have been another
// segment before: what is left of that stands beyond the records, and is of no place in this one.
namespace retrial::trace::record {

inline constexpr char kMagic[8] = {'R', 'T', 'R', 'L', 'S', 'E', 'G', '\n'};
inline constexpr std::uint32_t kVersion = 14, kOldest = 7;  // written; read

struct SegmentHead {
  char magic[8];
  std::uint32_t version;
  std::uint32_t number;    // of the segment among those of its folder
  std::uint64_t window;    // where the window begins; 0: the segment is finished
  std::uint32_t previous;  // the number of its writer's segment before it; 0: it is the first, or of version 8
  std::uint32_t reserved;

  bool is_ours() const { return std::memcmp(magic, kMagic, sizeof magic) == 0; }
  bool can_be_read() const { return is_ours() && version >= kOldest && version <= kVersion; }
  std::size_t size() const;  // where the first record begins
};
struct RecordHead {
  std::uint32_t length;  // of the payload, written last of all; 0: nothing here yet
  std::uint32_t crc;     // crc32c of everything after it: kind, place, run, payload
  std::uint32_t kind;
  std::uint32_t place;  // place_of() the segment and the record's offset in it
  std::uint64_t run;
};
static_assert(sizeof(SegmentHead) == 32 && sizeof(RecordHead) == 24);

inline std::size_t SegmentHead::size() const {
  return version < 9 ? offsetof(SegmentHead, previous) : sizeof(SegmentHead);
}
// Of a segment's first bytes; 0 where there are none.
inline SegmentHead head_of(std::string_view bytes) {
  SegmentHead head{};
  std::memcpy(&head, bytes.data(), std::min(bytes.size(), sizeof head));
  if (head.size() < sizeof head) head.previous = head.reserved = 0;
  return head;
}

// Tells a record from one that stood at the same offset of another segment.
inline std::uint32_t place_of(std::uint32_t segment, std::size_t offset) {
  return segment * 2654435761u + static_cast<std::uint32_t>(offset / 8);
}
inline std::size_t offset_of(std::uint32_t segment, std::uint32_t place) {
  return std::size_t{place - segment * 2654435761u} * 8;
}

inline constexpr std::size_t kChecked = 8;  // where the crc's bytes begin in a record
inline constexpr std::size_t padded(std::size_t n) { return (n + 7) & ~std::size_t{7}; }

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

Encoder encode_run(Encoder out, const Run& run);  // kinds run and end
Encoder encode_head(Encoder out, const Exchange& e);
Encoder encode_answer(Encoder out, const Exchange& e);
Encoder encode_fired(Encoder out, const Exchange& e);
Encoder encode_over(Encoder out, const Exchange& e);

// False for a payload that no encoder wrote: a length past its end, an unknown word. `run` and `e` are then not to be
// used.
bool decode_run(std::string_view payload, Run& run);  // all but its exchanges
bool decode_head(std::string_view payload, Exchange& e);
// As if it were new, but for the room that its texts and headers have.
void begin_anew(Exchange& e);
// The exchange that an answer, fired or over record is about; 0 where it cannot be read.
std::uint64_t exchange_of(std::string_view payload);
// When what a record tells of an exchange happened; 0 where it does not say.
Nanos time_of(RecordKind kind, std::string_view payload);
bool decode_answer(std::string_view payload, Exchange& e);
bool decode_fired(std::string_view payload, Exchange& e);
bool decode_over(std::string_view payload, Exchange& e);

}  // namespace retrial::trace::record
