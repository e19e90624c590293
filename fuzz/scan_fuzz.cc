// Any bytes as source in each language: read to the end, with lines that are there and words in one line.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "scan/output.h"
#include "scan/scan.h"
#include "scan/verdicts.h"

using namespace retrial::scan;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  auto& language = *languages()[data[0] % languages().size()];
  std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  auto lines = static_cast<std::uint32_t>(std::ranges::count(text, '\n')) + 1;
  (void)why_not(text);
  Scan scan;
  scan.locations = scan_text(language, text).locations;
  for (auto& location : scan.locations) {
    if (location.line == 0 || location.line > lines || location.last_line > lines) std::abort();
    if (location.calls.find('\n') != std::string::npos || location.bound.text.find('\n') != std::string::npos)
      std::abort();
  }
  judge(scan.locations);
  if (text_of(scan, {}).empty() || json_of(scan).empty() || sarif_of(scan).empty()) std::abort();
  return 0;
}
