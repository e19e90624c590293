// Any bytes in a report: what comes out is well-formed UTF-8 that holds no markup and no control of its own.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/escape.h"

using namespace retrial;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto clean = utf8(bytes);
  if (utf8(clean) != clean || columns(clean) > size) std::abort();
  auto escaped = escape(bytes);
  if (utf8(escaped) != escaped || escaped.find_first_of("<>\"'") != escaped.npos) std::abort();
  for (unsigned char c : one_line(bytes))
    if (c < 0x20 || c == 0x7f) std::abort();
  if (columns(cut(clean, 7)) > 7) std::abort();
  return 0;
}
