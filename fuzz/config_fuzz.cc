// Any bytes as retrial.toml: either a configuration, or errors that are one line each and name the file.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "campaign/config/config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto checked = retrial::campaign::check_config(text, "f.toml");
  for (const auto& error : checked.errors) {
    auto line = error.line();
    if (!line.starts_with("f.toml:") || line.find('\n') != line.npos) std::abort();
  }
  return 0;
}
