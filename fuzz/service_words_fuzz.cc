#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "oracles/service_words.h"

// Whatever a service answers, what is read off it stands in it, and is found again by it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace retrial::oracles;
  std::string_view body(reinterpret_cast<const char*>(data), size);
  auto words = service_words(299, {{"x-amzn-errortype", std::string(body.substr(0, 64))}}, body);
  for (auto& word : words)
    if (body.find(word) == body.npos) std::abort();
  if (without_urls(body).size() > body.size()) std::abort();
  (void)names(body, 503, words);
  return 0;
}
