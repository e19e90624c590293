// Any bytes as checkers.toml: either one error in one line that names the file, or checkers that say again what they
// were read from.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "checkers/file.h"

using namespace retrial::checkers;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto read = parse({reinterpret_cast<const char*>(data), size}, "f.toml");
  if (!read) {
    auto line = read.error().line();
    if (!line.starts_with("f.toml:") || line.find('\n') != line.npos) std::abort();
    return 0;
  }
  auto text = text_of(*read, "again");
  auto again = parse(text, "f.toml");
  if (!again || text_of(*again, "again") != text) std::abort();
  return 0;
}
