#include "proxy/net/allow_list.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/glob.h"
#include "base/text.h"

namespace retrial::proxy {
namespace {

using Bytes = std::array<std::uint8_t, 16>;
constexpr int kWhole = 128;
constexpr std::string_view kEverything = "*";

Bytes bytes_of(const Address& address) {
  Bytes bytes{};
  auto plain = address.plain();
  if (plain.family() == AF_INET6) {
    std::memcpy(bytes.data(), &plain.ip6(), bytes.size());
    return bytes;
  }
  auto ip = htonl(plain.ip4());
  bytes[10] = bytes[11] = 0xff;
  std::memcpy(&bytes[12], &ip, sizeof ip);
  return bytes;
}

bool begin_alike(const Bytes& a, const Bytes& b, int bits) {
  auto whole = static_cast<std::size_t>(bits / 8);
  if (!std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(whole), b.begin())) return false;
  return bits % 8 == 0 || (a[whole] ^ b[whole]) >> (8 - bits % 8) == 0;
}

std::optional<Address> literal(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return Address::parse(host.find(':') == host.npos ? fmt::format("{}:0", host) : fmt::format("[{}]:0", host));
}

// The port behind a name, an address of IPv4, or one of IPv6 in brackets; taken off the text.
std::expected<std::uint16_t, std::string> port_of(std::string_view& text) {
  auto colon = text.rfind(':');
  bool bracketed = text.starts_with('[');
  if (colon == text.npos || (!bracketed && text.find(':') != colon) || (bracketed && text.ends_with(']'))) return 0;
  auto port = to_int(text.substr(colon + 1));
  if (!port || *port < 1 || *port > 65535) return std::unexpected("expected a port from 1 to 65535 behind the colon");
  text = text.substr(0, colon);
  return static_cast<std::uint16_t>(*port);
}

}  // namespace

const AllowList& AllowList::loopback() {
  static const AllowList list = *read({"127.0.0.0/8", "::1"});
  return list;
}

std::expected<AllowList::Entry, std::string> AllowList::entry(std::string_view text) {
  Entry entry;
  auto slash = text.find('/');
  auto host = text.substr(0, slash);
  if (slash == text.npos) {
    auto port = port_of(host);
    if (!port) return std::unexpected(port.error());
    entry.port = *port;
  }
  if (auto address = literal(host)) {
    entry.net = bytes_of(*address);
    entry.bits = kWhole;
    entry.four = address->plain().family() == AF_INET;
    if (slash == text.npos) return entry;
    int most = address->family() == AF_INET ? 32 : 128;
    auto bits = to_int(text.substr(slash + 1));
    if (!bits || *bits < 0 || *bits > most)
      return std::unexpected(fmt::format("expected a prefix from 0 to {} behind the slash", most));
    entry.bits = static_cast<int>(*bits) + kWhole - most;
    return entry;
  }
  constexpr std::string_view kName = "abcdefghijklmnopqrstuvwxyz0123456789.-_*";
  entry.name = lower(host);
  if (entry.name.ends_with('.')) entry.name.pop_back();
  bool numeric = entry.name.find_first_not_of("0123456789.") == std::string::npos;  // no address, and no name
  if (slash != text.npos || numeric || entry.name.find_first_not_of(kName) != std::string::npos)
    return std::unexpected(
        "expected a name, an address or a network, such as \"*.example\", \"10.0.0.7\" or \"10.0.0.0/8\"");
  return entry;
}

std::expected<AllowList, std::string> AllowList::read(const std::vector<std::string>& entries) {
  AllowList list;
  for (auto& text : entries) {
    auto made = entry(text);
    if (!made) return std::unexpected(fmt::format("\"{}\": {}", text, made.error()));
    list.entries_.push_back(std::move(*made));
  }
  return list;
}

bool AllowList::allows(std::string_view host, const Address& address) const {
  if (host.ends_with('.')) host.remove_suffix(1);
  auto name = lower(host);
  bool is_name = !literal(host);
  bool own = address.metadata(), by_name = !own && !address.link_local() && !address.unspecified();
  auto bytes = bytes_of(address);
  bool four = address.plain().family() == AF_INET;
  return std::ranges::any_of(entries_, [&](const Entry& e) {
    if (e.port != 0 && e.port != address.port()) return false;
    if (!e.name.empty()) return by_name && (is_name || e.name == kEverything) && glob_matches(e.name, name);
    return e.four == four && begin_alike(e.net, bytes, e.bits) && (!own || e.bits == kWhole);
  });
}

bool AllowList::allows_all() const {
  return std::ranges::any_of(entries_, [](const Entry& e) {
    if (!e.name.empty()) return e.name.find_first_not_of('*') == std::string::npos;
    return e.bits == (e.four ? kWhole - 32 : 0);
  });
}

std::string host_of(const Address& address) {
  auto text = address.show();
  text.resize(text.rfind(':'));
  return text.starts_with('[') ? text.substr(1, text.size() - 2) : text;
}

std::string not_allowed(const Address& address) {
  return host_of(address) + " is none of the places that are forwarded to (`to` of the [[listener]], --forward-to)";
}

}  // namespace retrial::proxy
