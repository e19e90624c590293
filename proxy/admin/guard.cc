#include "proxy/admin/guard.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>

#include "base/text.h"

namespace retrial::proxy {
namespace {

// What needs no token: it says nothing of the traffic. The page asks for the token by itself.
bool open_to_all(std::string_view path) { return path == "/health" || path == "/" || path.starts_with("/page/"); }

std::string_view without_port(std::string_view host) {
  auto colon = host.rfind(':');
  bool six = host.find(']', colon == host.npos ? 0 : colon) != host.npos || colon == host.npos;
  return six ? host : host.substr(0, colon);
}

}  // namespace

bool same_secret(std::string_view a, std::string_view b) {
  unsigned char first[SHA256_DIGEST_LENGTH], second[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(a.data()), a.size(), first);
  SHA256(reinterpret_cast<const unsigned char*>(b.data()), b.size(), second);
  return CRYPTO_memcmp(first, second, sizeof first) == 0;
}

std::optional<Guard::Refusal> Guard::refuses(const Caller& caller) const {
  // What means another thing to each who reads it says nothing (RFC 9112, 3.2).
  if (caller.hosts != 1) return Refusal{400, fmt::format("expected one Host field, found {}", caller.hosts)};
  if (caller.origins > 1) return Refusal{400, fmt::format("expected one Origin field, found {}", caller.origins)};
  // A name that somebody else's DNS leads here (rebinding) is none of ours.
  if (!hosts.empty() && std::ranges::find(hosts, lower(without_port(caller.host))) == hosts.end())
    return Refusal{421, fmt::format("\"{}\" is no name of this admin side ([admin] hosts)", caller.host.substr(0, 80))};
  if (!caller.origin.empty()) {
    auto scheme = caller.origin.find("://");
    bool own = browsers && scheme != caller.origin.npos && caller.origin.substr(scheme + 3) == caller.host;
    if (!own) return Refusal{403, "a page of another origin may not speak to the admin side"};
  }
  if (caller.fetch_site == "cross-site" || caller.fetch_site == "same-site")
    return Refusal{403, "a page of another site may not speak to the admin side"};
  if (token.empty() || open_to_all(caller.path)) return {};
  constexpr std::string_view kBearer = "bearer ";
  if (caller.authorization.empty())
    return Refusal{401, "expected Authorization: Bearer TOKEN, with the token of [admin] token"};
  bool bearer = lower(caller.authorization.substr(0, kBearer.size())) == kBearer;
  auto sent = bearer ? trim(caller.authorization.substr(kBearer.size())) : std::string_view{};
  if (same_secret(sent, token)) return {};
  return Refusal{401, "this is not the token of this admin side", true};
}

}  // namespace retrial::proxy
