#include "campaign/stress/answer.h"

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace retrial::campaign {
namespace {

constexpr std::uint64_t kMostRead = 1 << 20;        // as proxy/faults/of_json.h has it
constexpr std::int64_t kLeastBodyBytes = 16 << 20;  // below it what is kept does not stand out beside a runtime's own

// The whole of it, or of what is recorded the first line (of lines of JSON each is a value).
bool is_no_json(const trace::Exchange& e) {
  auto& sample = e.response_sample;
  auto line = sample.substr(0, sample.find('\n'));
  bool more = sample.find_first_not_of(" \t\r\n", line.size()) != sample.npos;
  if (more && nlohmann::json::accept(line)) return true;
  return sample.size() == e.response_bytes && !nlohmann::json::accept(sample);
}

}  // namespace

Answer answer_of(const trace::Exchange& e) {
  if (e.grpc.is || e.method == "HEAD" || e.service_status / 100 != 2) return {};
  if (e.service_done == 0) return {.why_none = "its answer did not come to its end: the client or the service left"};
  if (e.response_bytes == 0) return {};
  if (auto packed = trace::find(e.response_headers, "content-encoding"); !packed.empty() && packed != "identity")
    return {.why_none = "its answer is packed"};
  bool json = icontains(trace::find(e.response_headers, "content-type"), "json");
  if (json && is_no_json(e)) return {.why_none = "its answer is no JSON, or more than one"};
  if (json && !e.response_sample.contains('[')) return {};
  if (e.response_bytes > kMostRead) return {.why_none = "its answer is longer than 1 MiB as the service sends it"};
  if (json) return {.kind = Answer::Kind::list};
  if (static_cast<std::int64_t>(e.response_bytes) * kMostBodyTimes < kLeastBodyBytes)
    return {.why_none = "its answer is too short to be made long"};
  return {.kind = Answer::Kind::body};
}

}  // namespace retrial::campaign
