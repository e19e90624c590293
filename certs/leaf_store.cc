#include "certs/leaf_store.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <list>
#include <mutex>
#include <unordered_map>

#include "base/text.h"
#include "certs/mint.h"

namespace retrial::certs {
namespace {

constexpr std::size_t kKept = 1024;
constexpr std::time_t kOneDay = 24L * 60 * 60;
constexpr std::time_t kValid = 180 * kOneDay;   // with the day before now below the 200 that browsers will grant
constexpr std::time_t kExpiredSince = 60L * 60;  // more than clocks differ
constexpr std::size_t kNameLimit = 253;         // RFC 1035 2.3.4, as text
constexpr std::size_t kLabelLimit = 63;
constexpr std::size_t kCommonNameLimit = 64;
constexpr auto kWrongName = "wrong-name.retrial.invalid";  // RFC 6761 6.4: nobody's

// The bytes of an address literal, or none.
std::string address_bytes(const std::string& name) {
  std::array<char, 16> bytes;
  if (inet_pton(AF_INET, name.c_str(), bytes.data()) == 1) return {bytes.data(), 4};
  if (inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1) return {bytes.data(), 16};
  return {};
}

bool loopback(std::string_view address) {
  static const std::string six(15, '\0');
  return address.size() == 4 ? address[0] == 127 : address == six + '\1';
}

// A name from a ClientHello is whatever a client has sent. Underscores are in use, and let through by all who verify.
bool host_name(std::string_view name) {
  if (name.empty() || name.size() > kNameLimit) return false;
  auto labels = split(name, '.');
  return std::all_of(labels.begin(), labels.end(), [](auto label) {
    return !label.empty() && label.size() <= kLabelLimit && std::all_of(label.begin(), label.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    });
  });
}

}  // namespace

struct LeafStore::State {
  struct Kept {
    std::string name;  // the flaw's digit, and what it was asked by
    Credential leaf;
    std::time_t renew;  // from when on a new one is minted
  };

  State(Authority a, const Clock& c, std::vector<std::string> names)
      : authority(std::move(a)), clock(c), also(std::move(names)), key(make_key()) {}

  // The kept one, or a new one that says `wanted` (but for its validity, and what the flaw makes of it).
  Result<Credential> leaf(std::string kept_as, Wanted wanted, Flaw flaw);

  const Credential* find(const std::string& name, std::time_t now) {
    auto found = by_name.find(name);
    if (found == by_name.end() || now >= found->second->renew) return nullptr;
    kept.splice(kept.begin(), kept, found->second);
    return &kept.front().leaf;
  }

  void keep(Kept one) {
    if (auto old = by_name.find(one.name); old != by_name.end()) {
      // Its name stays where it is: by_name looks at it.
      old->second->leaf = std::move(one.leaf);
      old->second->renew = one.renew;
      return;
    }
    kept.push_front(std::move(one));
    by_name.emplace(kept.front().name, kept.begin());
    if (kept.size() <= kKept) return;
    by_name.erase(kept.back().name);
    kept.pop_back();
  }

  Authority authority;
  const Clock& clock;
  std::vector<std::string> also;
  Result<std::shared_ptr<evp_pkey_st>> key;
  std::mutex mutex;
  std::list<Kept> kept;  // the last used first
  std::unordered_map<std::string_view, std::list<Kept>::iterator> by_name;
};

LeafStore::LeafStore(Authority authority, const Clock& clock, std::vector<std::string> also)
    : state_(std::make_unique<State>(std::move(authority), clock, std::move(also))) {}
LeafStore::~LeafStore() = default;
const Authority& LeafStore::authority() const { return state_->authority; }

Result<Credential> LeafStore::State::leaf(std::string kept_as, Wanted wanted, Flaw flaw) {
  kept_as.insert(0, 1, static_cast<char>('0' + static_cast<int>(flaw)));
  std::time_t now = clock.wall() / kSecond;
  {
    std::lock_guard lock(mutex);
    if (auto* leaf = find(kept_as, now)) return *leaf;
  }
  if (!key) return std::unexpected(key.error());
  auto& issuer = authority.credential();
  auto [from, until] = validity(*issuer.certificate);
  if (now >= until) return fail("our authority has expired: retrial ca rotate", authority.name(), Blame::user);

  wanted.from = std::max(from, now - kOneDay);
  wanted.until = std::min(until, now + kValid);
  if (flaw == Flaw::wrong_name) {
    wanted.dns = {kWrongName};
    wanted.addresses.clear();
    wanted.common_name = kWrongName;
  }
  if (flaw == Flaw::expired) {
    wanted.until = now - kExpiredSince;
    wanted.from = std::min(wanted.from, wanted.until - kOneDay);
  }
  if (wanted.common_name.size() > kCommonNameLimit) wanted.common_name.clear();
  // Outside the lock: two loops that ask for one new name at once mint it twice, and the later is kept.
  auto certificate = mint(wanted, **key, &issuer);
  if (!certificate) return std::unexpected(certificate.error());
  Credential leaf{std::move(*certificate), *key};
  auto renew = flaw == Flaw::expired ? now + kValid : wanted.until - (wanted.until - now) / 6;
  std::lock_guard lock(mutex);
  keep({std::move(kept_as), leaf, renew});
  return leaf;
}

Result<Credential> LeafStore::leaf(std::string_view asked, Flaw flaw) {
  if (asked.ends_with('.')) asked.remove_suffix(1);
  auto name = lower(asked);
  Wanted wanted{.common_name = name};
  if (auto address = address_bytes(name); !address.empty()) {
    wanted.dns = state_->also;
    if (loopback(address)) wanted.dns.push_back("localhost");
    wanted.addresses = {address};
  } else if (host_name(name)) {
    wanted.dns = {name};
  } else {
    return fail("the server name that the client asked for is no host name", {}, Blame::client);
  }
  return state_->leaf(std::move(name), std::move(wanted), flaw);
}

Result<Credential> LeafStore::leaf_like(const x509_st& certificate, Flaw flaw) {
  Wanted wanted;
  copy_names(certificate, wanted);
  std::string kept_as = "like " + std::to_string(wanted.common_name.size()) + wanted.common_name;
  for (auto* names : {&wanted.dns, &wanted.addresses})
    for (auto& name : *names) kept_as += ' ' + std::to_string(name.size()) + name;
  return state_->leaf(std::move(kept_as), std::move(wanted), flaw);
}

}  // namespace retrial::certs
