#include "campaign/planning/answers_read.h"

#include <algorithm>

#include "trace/profiles/message.h"

namespace retrial::campaign {

bool reads_opaque(const Found& f) {
  return std::ranges::any_of(f.places, [&](auto& place) {
    return std::ranges::any_of(place.reference->exchanges, [&](auto& e) {
      return e.operation == f.target.operation && e.tag.site == f.target.site &&
             (trace::message::opaque(e) || (e.grpc.is && e.grpc.responses > 1 && trace::carried_out(e)));
    });
  });
}

bool reads_json(const Found& f) {
  constexpr std::uint64_t kLeast = 8;  // bytes
  auto tells_json = [](const trace::Exchange& e) {
    auto& body = e.response_sample;
    return e.method == "GET" && !e.grpc.is && trace::message::succeeded(e) && !trace::message::opaque(e) &&
           e.response_bytes >= kLeast && (body.starts_with('{') || body.starts_with('[')) &&
           trace::find(e.response_headers, "content-encoding").empty();
  };
  return std::ranges::any_of(f.places, [&](auto& place) {
    return std::ranges::any_of(place.reference->exchanges, [&](auto& e) {
      return e.operation == f.target.operation && e.tag.site == f.target.site && tells_json(e);
    });
  });
}

}  // namespace retrial::campaign
