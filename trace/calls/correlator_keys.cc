#include "trace/calls/correlator_keys.h"

#include <algorithm>
#include <array>
#include <functional>

#include "base/text.h"
#include "trace/calls/activation.h"
#include "trace/calls/operation.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"
#include "trace/status.h"

namespace retrial::trace {
namespace {

std::string_view port_of(std::string_view service) {
  auto colon = service.rfind(':');
  return colon == service.npos ? service : service.substr(colon);
}
std::string_view without_port(std::string_view host) {
  auto colon = host.rfind(':');
  if (colon == host.npos || host.find(']', colon) != host.npos) return host;
  return host.substr(0, colon);
}
Key with_site(Key key, const Exchange& e) {
  if (!e.tag.site) return key;
  key = mix(mix(key, e.tag.site->file), static_cast<Key>(e.tag.site->line));
  return mix(key, e.tag.site->function);
}
// The digits behind `name` in a header's value: "attempt=2; max=3".
int number_after(std::string_view value, std::string_view name) {
  auto at = value.find(name);
  if (at == value.npos) return 0;
  value.remove_prefix(at + name.size());
  auto n = to_int(value.substr(0, value.find_first_not_of("0123456789"))).value_or(0);
  return n > 0 && n < 100000 ? static_cast<int>(n) : 0;
}

// One id is a word within a header: "gl-node/20 gccl/7 gccl-invocation-id/48e8ba33".
constexpr std::string_view kInvocation = "gccl-invocation-id";
std::string_view header_of(std::string_view id) { return id == kInvocation ? "x-goog-api-client" : id; }
std::string_view id_in(std::string_view value, std::string_view id) {
  if (id != kInvocation) return value;
  auto at = value.find(kInvocation);
  if (at == value.npos) return {};
  return value.substr(at, value.find_first_of(" ,", at) - at);
}

// Codes of gRPC by which a service has looked at the call and said no: the rest leave open what a second one would
// meet.
bool says_no(int status) {
  namespace code = grpc_code;
  static constexpr std::array kNo = {code::invalid_argument,    code::not_found,      code::already_exists,
                                     code::permission_denied,   code::out_of_range,   code::unimplemented,
                                     code::failed_precondition, code::unauthenticated};
  return std::ranges::find(kNo, grpc_code_of(status)) != kNo.end();
}

}  // namespace

bool settled(const Exchange& e) {
  return e.ending == Ending::answered && e.service_status == e.client_status && !(e.fired && is_status(e.fault)) &&
         !unreadable(e) && (is_grpc(e.client_status) ? says_no(e.client_status) : !profile_of(e).asks_again(e));
}

Key mix(Key seed, Key value) {
  return (seed ^ (value + 0x9e3779b97f4a7c15ull + (seed << 6) + (seed >> 2))) * 0xff51afd7ed558ccdull;
}
Key mix(Key seed, std::string_view text) { return mix(seed, std::hash<std::string_view>{}(text)); }

Key client_key(const Exchange& e) {
  return mix(mix(mix(1, static_cast<Key>(e.pid)), e.service), find(e.request_headers, "user-agent"));
}
Key call_id_key(const Exchange& e) {
  if (e.tag.call_id.empty()) return 0;
  return mix(mix(mix(mix(2, static_cast<Key>(e.pid)), e.tag.call_id), e.operation), target_key(e.target));
}
std::vector<Key> courses_of(const Exchange& e) {
  std::vector<Key> courses;
  auto asked = mix(mix(mix(9, static_cast<Key>(e.pid)), e.operation), target_key(e.target));
  for (std::string_view left = e.tag.stack; auto a = take_activation(left);) courses.push_back(mix(asked, a->run));
  std::ranges::reverse(courses);
  return courses;
}
Key place_key(const Exchange& e) {
  Key key = mix(mix(mix(3, static_cast<Key>(e.pid)), e.tag.test), e.operation);
  key = mix(key, target_key(e.target));
  auto host = without_port(e.host);
  key = mix(mix(key, port_of(e.service)), host.empty() && !e.tag.site ? std::string_view(e.service) : host);
  return with_site(key, e);
}
Key anywhere_key(const Exchange& e) {
  static constexpr std::array<std::string_view, 12> kEverybodys{
      "", "health", "healthz", "ready", "readyz", "live", "livez", "ping", "status", "version", "info", "metrics"};
  auto path = message::path_of(e.target);
  if (std::ranges::find(kEverybodys, path.substr(path.rfind('/') + 1)) != kEverybodys.end()) return 0;
  auto host = without_port(e.host);
  if (host == "127.0.0.1" || host == "[::1]" || host.empty()) host = "localhost";
  Key key = mix(mix(mix(7, static_cast<Key>(e.pid)), e.tag.test), e.operation);
  key = mix(mix(mix(key, target_key(e.target)), host), find(e.request_headers, "user-agent"));
  return with_site(key, e);
}
Key rpc_key(const Exchange& e) {
  Key key = mix(mix(mix(6, static_cast<Key>(e.pid)), e.tag.test), e.operation);
  return mix(with_site(key, e), port_of(e.service));
}
std::uint64_t poll_key(const Exchange& e, std::string_view operation) {
  return fnv1a(operation, fnv1a(e.tag.site ? show_innermost(*e.tag.site) : std::string()));
}

Key followed_key(const Exchange& e) {
  Key key = mix(mix(mix(8, static_cast<Key>(e.pid)), e.tag.test), message::path_of(e.target));
  return mix(mix(key, message::query_of(e.target)), lower(e.host));
}
Key redirect_key(const Exchange& e) {
  if (e.client_status < 301 || e.client_status > 308 || e.client_status == 304 || e.service_status != e.client_status)
    return 0;
  auto location = find(e.response_headers, "location");
  if (location.empty()) return 0;
  location = location.substr(0, location.find('#'));
  Exchange next;
  next.pid = e.pid;
  next.tag.test = e.tag.test;
  next.host = e.host;
  if (auto scheme = location.find("//"); scheme != location.npos && (scheme == 0 || location[scheme - 1] == ':')) {
    location.remove_prefix(scheme + 2);
    next.host = location.substr(0, location.find_first_of("/?"));
    location.remove_prefix(next.host.size());
    next.target.append(location.starts_with('/') ? "" : "/").append(location);
  } else if (location.starts_with('/')) {
    next.target = location;
  } else {
    auto path = message::path_of(e.target);
    next.target = std::string(path.substr(0, path.rfind('/') + 1)) + std::string(location);
  }
  return followed_key(next);
}

bool is_rpc(const Exchange& e) { return e.grpc.is || e.profile == "grpc"; }
int previous_of(const Exchange& e) {
  if (e.grpc.previous) return e.grpc.previous;
  auto told = to_int(find(e.request_headers, "grpc-previous-rpc-attempts")).value_or(0);
  return told > 0 && told < 1000 ? static_cast<int>(told) : 0;
}

namespace {
int library_count_of(const Exchange& e) {
  for (auto& h : e.request_headers) {
    switch (h.name.size()) {
      case 13:
        if (iequals(h.name, "x-retry-count")) return number_after(h.value, "") + 1;
        break;
      case 15:
        if (iequals(h.name, "amz-sdk-request")) return number_after(h.value, "attempt=");
        break;
      case 17:
        if (iequals(h.name, "x-goog-api-client"))
          if (auto n = number_after(h.value, "gccl-attempt-count/")) return n;
        break;
      case 23:
        if (iequals(h.name, "x-stainless-retry-count")) return number_after(h.value, "") + 1;
        break;
    }
  }
  return 0;
}
}  // namespace

// Of the layer that is nearest to the service: a router of Envoy's, where it has tried again.
int count_of(const Exchange& e) {
  auto router = number_after(find(e.request_headers, "x-envoy-attempt-count"), "");
  return router > 1 ? router : std::max(router, library_count_of(e));
}

std::string part_of(const Exchange& e) {
  std::string part;
  for (std::string_view name : {"x-ms-range", "range", "content-range"})
    if (auto value = find(e.request_headers, name); !value.empty() && part.empty()) part = value;
  return part;
}
bool resumes(std::string_view before, std::string_view now) {
  struct Span {
    std::int64_t from = 0, to = -1;  // -1: to the end
  };
  auto span_of = [](std::string_view text) -> std::optional<Span> {
    if (text.empty()) return Span{};
    if (!text.starts_with("bytes=")) return {};
    auto dash = text.find('-', 6);
    if (dash == text.npos) return {};
    auto from = to_int(text.substr(6, dash - 6));
    auto to = dash + 1 == text.size() ? std::optional<std::int64_t>(-1) : to_int(text.substr(dash + 1));
    if (!from || !to) return {};
    return Span{*from, *to};
  };
  auto a = span_of(before), b = span_of(now);
  // Whoever asked for all of it knows its end when it goes on.
  return a && b && b->from > a->from && (a->to == b->to || a->to == -1) && (b->to == -1 || b->from <= b->to);
}

Ids IdReader::read(const Exchange& e) {
  if (e.profile != profile_) {
    profile_ = e.profile;
    names_ = profile_of(e).id_headers();
    lengths_ = 0;
    for (auto name : names_) lengths_ |= 1ull << (header_of(name).size() & 63);
  }
  Ids ids;
  for (auto& h : e.request_headers) {
    if (!(lengths_ >> (h.name.size() & 63) & 1) || h.value.empty() || ids.count == Ids::kIds) continue;
    for (auto name : names_) {
      if (!iequals(h.name, header_of(name))) continue;
      auto value = id_in(h.value, name);
      if (value.empty()) continue;
      ids.header[ids.count] = std::hash<std::string_view>{}(name);
      ids.value[ids.count++] = mix(4, value);
      break;
    }
  }
  return ids;
}

}  // namespace retrial::trace
