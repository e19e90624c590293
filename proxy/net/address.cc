#include "proxy/net/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace retrial::proxy {
namespace {
const sockaddr_in& as4(const sockaddr_storage& s) { return reinterpret_cast<const sockaddr_in&>(s); }
const sockaddr_in6& as6(const sockaddr_storage& s) { return reinterpret_cast<const sockaddr_in6&>(s); }
sockaddr_in& as4(sockaddr_storage& s) { return reinterpret_cast<sockaddr_in&>(s); }
sockaddr_in6& as6(sockaddr_storage& s) { return reinterpret_cast<sockaddr_in6&>(s); }
}  // namespace

Address Address::v4(std::uint32_t host_order_ip, std::uint16_t port) {
  Address a;
  a.storage_.ss_family = AF_INET;
  as4(a.storage_).sin_addr.s_addr = htonl(host_order_ip);
  as4(a.storage_).sin_port = htons(port);
  return a;
}

Address Address::v6(const in6_addr& ip, std::uint16_t port) {
  Address a;
  a.storage_.ss_family = AF_INET6;
  as6(a.storage_).sin6_addr = ip;
  as6(a.storage_).sin6_port = htons(port);
  return a;
}

std::optional<Address> Address::parse(std::string_view host_port) {
  const auto colon = host_port.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto digits = host_port.substr(colon + 1);
  const auto port = to_int(digits);
  if (!port || *port < 0 || *port > 65535 || digits.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  std::string host(host_port.substr(0, colon));
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    in6_addr ip{};
    if (inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &ip) != 1) return std::nullopt;
    return v6(ip, static_cast<std::uint16_t>(*port));
  }
  in_addr ip{};
  if (inet_pton(AF_INET, host.c_str(), &ip) != 1) return std::nullopt;
  return v4(ntohl(ip.s_addr), static_cast<std::uint16_t>(*port));
}

socklen_t Address::size() const {
  if (family() == AF_INET) return sizeof(sockaddr_in);
  if (family() == AF_INET6) return sizeof(sockaddr_in6);
  return 0;
}

std::uint16_t Address::port() const {
  if (family() == AF_INET) return ntohs(as4(storage_).sin_port);
  if (family() == AF_INET6) return ntohs(as6(storage_).sin6_port);
  return 0;
}

Address Address::with_port(std::uint16_t port) const {
  Address other = *this;
  if (family() == AF_INET) as4(other.storage_).sin_port = htons(port);
  if (family() == AF_INET6) as6(other.storage_).sin6_port = htons(port);
  return other;
}

bool Address::mapped() const { return family() == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&ip6()); }

std::uint32_t Address::ip4() const {
  if (family() == AF_INET) return ntohl(as4(storage_).sin_addr.s_addr);
  std::uint32_t ip = 0;
  if (mapped()) std::memcpy(&ip, &ip6().s6_addr[12], sizeof ip);
  return ntohl(ip);
}

const in6_addr& Address::ip6() const { return as6(storage_).sin6_addr; }

bool Address::loopback() const {
  if (family() == AF_INET || mapped()) return ip4() >> 24 == 127;
  return family() == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&ip6());
}

bool Address::is_private() const {
  if (family() == AF_INET || mapped()) return ip4() >> 24 == 10 || ip4() >> 20 == 0xac1 || ip4() >> 16 == 0xc0a8;
  return family() == AF_INET6 && (ip6().s6_addr[0] & 0xfe) == 0xfc;
}

bool Address::link_local() const {
  auto p = plain();
  return p.family() == AF_INET ? p.ip4() >> 16 == 0xa9fe : p.family() == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&p.ip6());
}

bool Address::unspecified() const {
  auto p = plain();
  return p.family() == AF_INET ? p.ip4() == INADDR_ANY : p.family() == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&p.ip6());
}

bool Address::metadata() const {
  static const Address kServices[] = {
      *parse("169.254.169.254:0"), *parse("169.254.170.2:0"),   *parse("169.254.170.23:0"), *parse("169.254.0.23:0"),
      *parse("168.63.129.16:0"),   *parse("100.100.100.200:0"), *parse("192.0.0.192:0"),    *parse("[fd00:ec2::254]:0"),
      *parse("[fd00:ec2::23]:0"),  *parse("[fd20:ce::254]:0")};
  return std::ranges::find(kServices, plain().with_port(0)) != std::end(kServices);
}

Address Address::plain() const {
  static constexpr std::uint8_t kTranslated[12] = {0, 0x64, 0xff, 0x9b};
  if (mapped()) return v4(ip4(), port());
  if (family() != AF_INET6 || std::memcmp(&ip6(), kTranslated, sizeof kTranslated) != 0) return *this;
  std::uint32_t ip = 0;
  std::memcpy(&ip, &ip6().s6_addr[12], sizeof ip);
  return v4(ntohl(ip), port());
}

std::string Address::show() const {
  char text[INET6_ADDRSTRLEN] = "";
  if (family() == AF_INET || mapped()) {
    const in_addr ip{htonl(ip4())};
    inet_ntop(AF_INET, &ip, text, sizeof text);
    return fmt::format("{}:{}", text, port());
  }
  if (family() != AF_INET6) return fmt::format("(address family {})", family());
  inet_ntop(AF_INET6, &ip6(), text, sizeof text);
  return fmt::format("[{}]:{}", text, port());
}

bool Address::operator==(const Address& other) const {
  if (family() != other.family() || port() != other.port()) return false;
  if (family() == AF_INET) return ip4() == other.ip4();
  if (family() != AF_INET6) return true;
  return std::memcmp(&ip6(), &other.ip6(), sizeof(in6_addr)) == 0 &&
         as6(storage_).sin6_scope_id == as6(other.storage_).sin6_scope_id;
}

}  // namespace retrial::proxy
