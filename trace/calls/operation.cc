#include "trace/calls/operation.h"

#include <algorithm>
#include <array>
#include <functional>

#include "base/text.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"

namespace retrial::trace {
namespace {

// Query keys whose value a client makes anew for each attempt.
bool is_volatile(std::string_view key) {
  static constexpr std::array<std::string_view, 25> kKeys{"sig",
                                                          "signature",
                                                          "x-amz-signature",
                                                          "x-amz-date",
                                                          "x-amz-expires",
                                                          "x-amz-security-token",
                                                          "x-goog-signature",
                                                          "x-goog-date",
                                                          "expires",
                                                          "timeout",
                                                          "timestamp",
                                                          "ts",
                                                          "_",
                                                          "nonce",
                                                          "oauth_nonce",
                                                          "oauth_timestamp",
                                                          "oauth_signature",
                                                          "cb",
                                                          "cachebust",
                                                          "retry",
                                                          "retries",
                                                          "retrycount",
                                                          "attempt",
                                                          "requestid",
                                                          "request_id"};
  return std::ranges::any_of(kKeys, [&](auto known) { return iequals(key, known); });
}

}  // namespace

std::uint64_t target_key(std::string_view target) {
  constexpr std::hash<std::string_view> hash;
  auto path = message::path_of(target);
  auto query = message::query_of(target);
  auto key = hash(path);
  while (!query.empty()) {
    auto end = query.find('&');
    auto part = query.substr(0, end);
    auto name = part.substr(0, part.find('='));
    key = key * 31 + hash(is_volatile(name) ? name : part);
    if (end == query.npos) break;
    query.remove_prefix(end + 1);
  }
  return key;
}

std::string operation_of(const Exchange& exchange) {
  auto& profile = profile_of(exchange);
  auto name = profile.operation(exchange);
  if (!profile.method_tells()) return name;
  std::string out;
  out.reserve(exchange.method.size() + 1 + name.size());
  out += exchange.method;
  out += ' ';
  out += name;
  return out;
}

}  // namespace retrial::trace
