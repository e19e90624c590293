#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "trace/recording/encoder.h"
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
inline constexpr std::uint32_t kVersion = 15, kOldest = 7;  // written; read

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
