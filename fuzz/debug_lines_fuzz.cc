#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "campaign/workload/debug_lines.h"

// Whatever a client says of its frames, and whatever addr2line prints of them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace retrial::campaign;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  for (auto& place : addresses_of(text))
    if (place.file.empty()) std::abort();
  for (auto& [place, frames] : read_addr2line(text))
    for (auto& frame : frames)
      if (frame.line <= 0 || frame.function.empty()) std::abort();
  if (bare_function(text).size() > text.size()) std::abort();
  return 0;
}
