// Google Cloud Storage, its JSON API (https://cloud.google.com/storage/docs/json_api): what is idempotent, and under
// which condition, stands in https://cloud.google.com/storage/docs/retry-strategy.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "trace/profiles/message.h"
#include "trace/profiles/registry.h"

namespace retrial::trace {
namespace {

// A path of the JSON API behind whatever stands before it ("/storage/v1/b", "/upload/storage/v1/b/{bucket}/o").
struct Place {
  bool is = false, upload = false;
  std::vector<std::string_view> parts;  // after "/b": bucket, "o", object, ...
};
Place place_of(std::string_view target) {
  auto path = message::path_of(target);
  Place place;
  place.upload = path.starts_with("/upload/") || path.starts_with("/resumable/upload/");
  auto at = path.find("/storage/v1/b");
  if (at == path.npos || at > std::string_view("/resumable/upload").size()) return place;
  auto rest = path.substr(at + std::string_view("/storage/v1/b").size());
  if (!rest.empty() && rest[0] != '/') return place;
  place.is = true;
  place.parts = message::segments(rest);
  return place;
}

// Conditions stand in the query here.
bool conditional(const Exchange& e) {
  auto query = message::query_of(e.target);
  for (std::string_view key : {"ifGenerationMatch", "ifMetagenerationMatch", "ifSourceGenerationMatch"})
    if (message::value_of(query, key)) return true;
  return message::conditional(e) || !find(e.request_headers, "x-goog-if-generation-match").empty();
}

std::string_view reason_in_words(int status) {
  switch (status) {
    case 401:
      return "authError";
    case 403:
      return "forbidden";
    case 404:
      return "notFound";
    case 409:
      return "conflict";
    case 412:
      return "conditionNotMet";
    case 429:
      return "rateLimitExceeded";
    case 500:
      return "internalError";
    default:
      return status >= 500 ? "backendError" : "invalid";
  }
}

class GoogleStorage final : public Profile {
 public:
  std::string_view name() const override { return "google-storage"; }
  bool recognises(const Exchange& e) const override { return place_of(e.target).is; }
  std::span<const std::string_view> id_headers() const override {
    static constexpr std::array<std::string_view, 2> kIds{"x-goog-gcs-idempotency-token", "gccl-invocation-id"};
    return kIds;
  }
  std::string operation(const Exchange& e) const override {
    auto place = place_of(e.target);
    if (!place.is) return generic_profile().operation(e);
    std::string out = place.upload ? "/upload/storage/v1/b" : "/storage/v1/b";
    static constexpr std::array<std::string_view, 8> kKinds{
        "o", "acl", "iam", "defaultObjectAcl", "copyTo", "compose", "notificationConfigs", "rewriteTo"};
    for (auto part : place.parts) {
      bool kind = std::ranges::find(kKinds, part) != kKinds.end();
      out += kind ? fmt::format("/{}", part) : std::string("/{name}");
    }
    return out;
  }
  Repeat repeat(const Exchange& e) const override {
    auto place = place_of(e.target);
    if (!place.is || message::safe_method(e.method)) return message::plain_repeat(e);
    // The condition is part of the target, and so the same in every attempt: the second is refused, or the first was.
    if (conditional(e)) return Repeat::idempotent;
    if (e.method == "POST" && place.parts.empty()) return Repeat::guarded;  // a bucket of that name is there by then
    return message::plain_repeat(e);
  }
  bool transient(int status, std::string_view body) const override { return generic_profile().transient(status, body); }
  int transient_status(const Exchange&) const override { return 503; }
  Answer error(const Exchange& e, int status, std::string_view marker) const override {
    Answer answer{.status = status,
                  .reason = std::string(message::reason_of(status)),
                  .headers = {{"Content-Type", "application/json; charset=UTF-8"}}};
    auto text = fmt::format("{} ({})", answer.reason, marker);
    answer.body = fmt::format(
        R"_({{"error":{{"code":{},"message":"{}","errors":[{{"message":"{}","domain":"global","reason":"{}"}}]}}}})_",
        status, text, text, reason_in_words(status));
    return message::finished(std::move(answer), e, marker);
  }
  std::string effect(const Exchange& e) const override {
    if (!message::succeeded(e) || message::safe_method(e.method)) return {};
    return std::string(message::json_top(e.response_sample, "generation"));
  }
};

}  // namespace

const Profile& google_storage_profile() {
  static const GoogleStorage profile;
  return profile;
}

}  // namespace retrial::trace
