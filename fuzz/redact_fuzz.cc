#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "trace/recording/redact.h"
#include "trace/secrets/secrets.h"

// Whatever stands around a token, it is not in what is kept; what is kept is no longer but for the marks; and what the
// first look passes holds nothing that the search would find.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace retrial::trace;
  constexpr std::string_view kToken = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
  if (size > 4096) return 0;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto middle = size ? data[0] * size / 256 : 0;
  auto whole =
      "x" + std::string(text.substr(0, middle)) + "\n" + std::string(kToken) + "\n" + std::string(text.substr(middle));
  if (!may_hold_secrets(text))
    for (auto where : {Where::body, Where::header, Where::target})
      if (!secrets_in(text, where).empty()) std::abort();
  for (auto redact : {redact_target, redact_body, redact_value}) {
    std::string out;
    redact(whole, out);
    if (out.find(kToken) != out.npos) std::abort();
    out.clear();
    redact(text, out);
    if (out.size() > size * (kRedacted.size() + 1) + kRedacted.size()) std::abort();
  }
  return 0;
}
