#include <array>

#include "trace/profiles/message.h"
#include "trace/profiles/registry.h"

namespace retrial::trace {
namespace {

// A path of the OCI Distribution Specification 1.1. A name has any number of segments; what follows it is known.
struct Place {
  enum What { none, root, catalog, manifest, blob, uploads, upload, tags, referrers } what = none;
  std::string_view name;  // as operations name it
};
bool is_digest(std::string_view s) {
  auto colon = s.find(':');
  return (colon != s.npos && s.size() - colon > 32) || s.find("%3A") != s.npos || s.find("%3a") != s.npos;
}
Place place_of(std::string_view target) {
  if (!target.starts_with("/v2/") && target.starts_with('/')) return {};
  auto path = message::path_of(target);
  if (path == "/v2/") return {Place::root, "/v2/"};
  if (!path.starts_with("/v2/")) return {};
  auto parts = message::segments(path.substr(4));
  auto n = parts.size();
  if (n == 1 && parts[0] == "_catalog") return {Place::catalog, "/v2/_catalog"};
  if (n >= 4 && parts[n - 3] == "blobs" && parts[n - 2] == "uploads" && !path.ends_with('/'))
    return {Place::upload, "/v2/{name}/blobs/uploads/{id}"};
  if (n >= 3 && parts[n - 2] == "blobs" && parts[n - 1] == "uploads")
    return {Place::uploads, "/v2/{name}/blobs/uploads/"};
  if (n < 3) return {};
  auto kind = parts[n - 2], last = parts[n - 1];
  if (kind == "manifests") return {Place::manifest, "/v2/{name}/manifests/{reference}"};
  if (kind == "blobs" && is_digest(last)) return {Place::blob, "/v2/{name}/blobs/{digest}"};
  if (kind == "tags" && last == "list") return {Place::tags, "/v2/{name}/tags/list"};
  if (kind == "referrers" && is_digest(last)) return {Place::referrers, "/v2/{name}/referrers/{digest}"};
  return {};
}

class OciRegistry final : public Profile {
 public:
  std::string_view name() const override { return "oci-registry"; }
  bool recognises(const Exchange& e) const override {
    auto what = place_of(e.target).what;
    // "/v2/" alone is a common prefix: there the answer has to say what it is.
    if (what == Place::root) return !find(e.response_headers, "docker-distribution-api-version").empty();
    return what != Place::none;
  }
  std::span<const std::string_view> id_headers() const override { return generic_profile().id_headers(); }
  std::string operation(const Exchange& e) const override {
    auto place = place_of(e.target);
    if (place.what == Place::none) return generic_profile().operation(e);
    std::string out(place.name);
    if (place.what == Place::uploads && message::value_of(message::query_of(e.target), "mount")) out += " mount";
    return out;
  }
  Repeat repeat(const Exchange& e) const override {
    if (message::safe_method(e.method)) return Repeat::safe;
    auto what = place_of(e.target).what;
    if (e.method == "POST" && what == Place::uploads)
      return Repeat::idempotent;  // a session left behind is purged unseen
    if (what == Place::upload) {
      if (e.method == "PUT") return Repeat::guarded;  // the session ends with it: a second one is refused
      // A chunk out of its place is refused (416); one without a place is appended.
      if (e.method == "PATCH")
        return find(e.request_headers, "content-range").empty() ? Repeat::effect : Repeat::guarded;
    }
    return message::plain_repeat(e);
  }
  bool transient(int status, std::string_view body) const override { return generic_profile().transient(status, body); }
  int transient_status(const Exchange&) const override { return 503; }
  // A transient error comes from the load balancer before the registry, which does not speak its JSON.
  Answer error(const Exchange& e, int status, std::string_view marker) const override {
    return message::plain_error(e, status, marker);
  }
  std::string effect(const Exchange& e) const override {
    auto what = place_of(e.target).what;
    if (!message::succeeded(e) || e.method != "POST" || what != Place::uploads) return {};
    return std::string(find(e.response_headers, "location"));
  }
};

}  // namespace

const Profile& oci_registry_profile() {
  static const OciRegistry profile;
  return profile;
}

}  // namespace retrial::trace
