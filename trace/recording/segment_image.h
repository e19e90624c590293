#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"

namespace retrial::trace {

// The bytes of a segment with its records in one piece, whether it was finished or not (record.h).
struct SegmentImage {
  std::string bytes;
  std::size_t least = 0;  // records go at least as far; where they do not, some are missing
};

// From the bytes of the file.
SegmentImage segment_image(std::string bytes);
// From the file, which may be written meanwhile: as it was at one moment. Nothing where it is not there any more.
Result<std::optional<SegmentImage>> read_segment(const std::filesystem::path& file);

}  // namespace retrial::trace
