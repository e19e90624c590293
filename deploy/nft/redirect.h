#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace retrial::deploy {

// Which connections of a network namespace go to a listener of `retrial serve --redirect`. Those to the namespace's own
// addresses (they leave by lo) never do, so what arrives was meant for elsewhere.
struct Redirection {
  std::uint16_t to = 15001;          // the listener's port
  std::vector<std::uint16_t> ports;  // these alone; empty: every TCP port
  std::vector<std::uint16_t> not_ports;
  std::vector<std::uint32_t> not_users;  // by uid: the proxy's own first of all
  std::vector<std::string> not_nets;     // "10.0.0.0/8", "fd00::/8", "192.0.2.7"
};

inline constexpr auto kRedirectTable = "retrial";  // nft list table inet retrial

// Puts the rules of this network namespace in place at once, in the table inet `retrial`; what an earlier call left
// there is replaced. Errors of the user: a network that is none, CAP_NET_ADMIN missing, a kernel that cannot.
Result<void> redirect(const Redirection& redirection);
// Takes the table away. Is no error where there is none.
Result<void> end_redirect();

}  // namespace retrial::deploy
