#pragma once
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace retrial::proxy {

// An IPv4 or IPv6 socket address by value.
class Address {
 public:
  Address() = default;
  static Address v4(std::uint32_t host_order_ip, std::uint16_t port);
  static Address v6(const in6_addr& ip, std::uint16_t port);
  static std::optional<Address> parse(std::string_view host_port);  // "127.0.0.1:80", "[::1]:80"; no names

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage_); }
  socklen_t size() const;  // 0 for a family that is neither
  int family() const { return storage_.ss_family; }
  std::uint16_t port() const;
  Address with_port(std::uint16_t port) const;
  bool mapped() const;          // IPv4-mapped IPv6
  std::uint32_t ip4() const;    // host order; of an IPv4 or mapped address
  const in6_addr& ip6() const;  // of an IPv6 address
  bool loopback() const;
  bool is_private() const;   // 10/8, 172.16/12, 192.168/16, fc00::/7; link-local (169.254/16, fe80::/10) is not
  bool link_local() const;   // 169.254/16, fe80::/10
  bool unspecified() const;  // 0.0.0.0, ::, by which Linux connects to loopback
  // Of a service that gives a cloud's machines their credentials: of AWS (also ECS, EKS), Azure, Google, Alibaba,
  // Oracle, Tencent.
  bool metadata() const;
  Address plain() const;     // IPv4, where it stands within IPv6: mapped, or translated (64:ff9b::/96, RFC 6052)
  std::string show() const;  // "127.0.0.1:80" (mapped ones too), "[::1]:80"
  bool operator==(const Address& other) const;

  sockaddr_storage storage_{};
};

}  // namespace retrial::proxy
