#include "proxy/exchange/credentials.h"

#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/text.h"
#include "trace/profiles/message.h"

namespace retrial::proxy {
namespace {

using Key = std::array<unsigned char, 32>;
// None: no key could be drawn, and without one there are no digests.
const std::optional<Key>& key() {
  static const std::optional<Key> drawn = [] {
    Key k{};
    return RAND_bytes(k.data(), static_cast<int>(k.size())) == 1 ? std::optional(k) : std::nullopt;
  }();
  return drawn;
}

constexpr std::array<std::string_view, 3> kHeaders{"authorization", "x-auth-token", "x-access-token"};
constexpr std::array<std::string_view, 5> kTokens{"access_token", "accessToken", "token", "id_token", "jwt"};

}  // namespace

bool authorizes(std::string_view header) {
  return std::ranges::any_of(kHeaders, [&](auto name) { return iequals(name, header); });
}

std::uint32_t credentials_digest(std::string_view value) {
  if (auto space = value.find(' '); space != value.npos && space + 1 < value.size()) value.remove_prefix(space + 1);
  if (!key()) return 0;
  std::array<unsigned char, EVP_MAX_MD_SIZE> mac{};
  HMAC(EVP_sha256(), key()->data(), static_cast<int>(key()->size()),
       reinterpret_cast<const unsigned char*>(value.data()), value.size(), mac.data(), nullptr);
  std::uint32_t digest = 0;
  std::memcpy(&digest, mac.data(), sizeof digest);
  return std::max(digest, 1U);
}

std::uint32_t credentials_given(std::string_view body) {
  if (body.find("oken\"") == body.npos && body.find("\"jwt\"") == body.npos) return 0;
  for (auto name : kTokens)
    if (auto token = trace::message::json_top(body, name); !token.empty()) return credentials_digest(token);
  return 0;
}

void LastCredentials::take(std::string_view sent) {
  constexpr std::size_t kMostKept = 2048;  // bytes, a connection
  if (of_value == 0 || value != sent) {
    of_value = credentials_digest(sent);
    value.assign(sent.substr(0, kMostKept));
  }
  digest = of_value;
}

}  // namespace retrial::proxy
