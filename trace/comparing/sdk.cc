#include "trace/comparing/sdk.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace retrial::trace {
namespace {

// In what vendors' clients say of themselves: Azure's guidelines ("azsdk-LANGUAGE-PACKAGE"), AWS's
// ("aws-sdk-LANGUAGE", botocore's "Boto3/… md/Botocore#…"), Google's ("gccl", "gcloud", "gdcl" by google-auth-library
// and google-api-client), and those that carry their service's name.
constexpr std::array<std::string_view, 10> kKits = {"sdk",    "boto",    "gccl/",   "gcloud",   "gdcl/",
                                                    "stripe", "octokit", "twilio-", "elastic-", "opensearch"};

}  // namespace

std::string sdk(const Exchange& e) {
  if (e.grpc.is) return {};
  auto agent = trim(find(e.request_headers, "user-agent"));
  auto folded = lower(agent);
  if (std::ranges::none_of(kKits, [&](auto word) { return folded.find(word) != folded.npos; })) return {};
  return std::string(agent.substr(0, agent.find(' ')));
}

}  // namespace retrial::trace
