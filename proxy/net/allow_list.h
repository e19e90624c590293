#pragma once
#include <array>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/net/address.h"

namespace retrial::proxy {

// Places on the network that are let through, as a user lists them:
//   "api.example" "*.example"            by the name that is asked for (base/glob.h), ASCII case folded
//   "192.0.2.7" "10.0.0.0/8" "fd00::/8"  by the address that is reached, whatever its name
//   "*"                                  everything
// All but "*" and networks may end with a port ("api.example:443", "[::1]:8080"); without one every port is meant. IPv4
// within IPv6 (mapped, RFC 4291 2.5.5.2; translated, RFC 6052) is compared as IPv4.
//
// Whoever answers for a name says where it leads: a name (and "*") lets through no link-local and no unspecified
// address. Those of metadata services (Address::metadata) only stand for themselves: nothing else lets them through.
class AllowList {
 public:
  static const AllowList& loopback();  // 127.0.0.0/8 and ::1
  // Error: what is wrong with the first entry that is none.
  static std::expected<AllowList, std::string> read(const std::vector<std::string>& entries);

  bool allows(std::string_view host, const Address& address) const;  // `host` as it was asked for
  bool allows_all() const;                                           // of a family at least, be it by "*" or by "/0"
  bool empty() const { return entries_.empty(); }

 private:
  struct Entry {
    std::string name;                    // of an address: empty
    std::array<std::uint8_t, 16> net{};  // as IPv6
    int bits = 0;
    bool four = false;       // it is of IPv4
    std::uint16_t port = 0;  // 0: every
  };
  static std::expected<Entry, std::string> entry(std::string_view text);
  std::vector<Entry> entries_;
};

std::string host_of(const Address& address);      // without its port and brackets
std::string not_allowed(const Address& address);  // in words for who asked for it

}  // namespace retrial::proxy
