// Hostile bytes in a segment: the reader may refuse them or mark the run, and does nothing else.
#include <cstring>
#include <string>

#include "base/text.h"
#include "trace/recording/record.h"

using namespace retrial::trace;

namespace {
// Lets the input past the checksum, so that the payloads are reached: a list of records, each kind, length and payload.
std::string sealed(std::string_view input) {
  record::SegmentHead head{};
  std::memcpy(head.magic, record::kMagic, sizeof head.magic);
  head.version = record::kVersion;
  head.number = 3;
  std::string out(reinterpret_cast<const char*>(&head), sizeof head);
  while (input.size() > 3) {
    auto kind = static_cast<unsigned char>(input[0]) % 8;
    auto run = static_cast<unsigned char>(input[1]) % 3;
    std::size_t length = static_cast<unsigned char>(input[2]) * 4u;
    auto payload = input.substr(3, length);
    input.remove_prefix(3 + payload.size());
    if (payload.empty()) continue;
    record::RecordHead r{.length = static_cast<std::uint32_t>(payload.size()),
                         .crc = 0,
                         .kind = static_cast<std::uint32_t>(kind),
                         .place = record::place_of(head.number, out.size()),
                         .run = static_cast<std::uint64_t>(run)};
    std::string bytes(reinterpret_cast<const char*>(&r), sizeof r);
    bytes += payload;
    r.crc = retrial::crc32c(std::string_view(bytes).substr(record::kChecked));
    std::memcpy(bytes.data(), &r, sizeof r);
    bytes.resize(record::padded(bytes.size()));
    out += bytes;
  }
  return out;
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  (void)read_segment_bytes(input, "fuzz");
  (void)read_segment_bytes(sealed(input), "fuzz");
  return 0;
}
