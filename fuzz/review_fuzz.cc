// Any bytes as what an API server asks a webhook: either an error in one line, or a review with an answer, whose patch
// is one.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "deploy/kubernetes/pod.h"
#include "deploy/kubernetes/review.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto reviewed = retrial::deploy::review(text, {});
  if (!reviewed) {
    if (reviewed.error().line().find('\n') != std::string::npos) std::abort();
    return 0;
  }
  if (reviewed->said.find('\n') != std::string::npos) std::abort();
  auto json = nlohmann::json::parse(reviewed->body, nullptr, false);
  if (json.is_discarded() || !json.contains("response") || !json["response"]["allowed"].is_boolean()) std::abort();
  // The same pod again gives the same answer.
  auto again = retrial::deploy::review(text, {});
  if (!again || again->body != reviewed->body) std::abort();
  return 0;
}
