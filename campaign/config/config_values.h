#pragma once
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/config/config.h"
#include "proxy/net/address.h"
#include "trace/toml/config_table.h"

// What stands in the values of retrial.toml, read from their texts.
namespace retrial::campaign {

// Why a text is no such value. Whoever reads the file adds file, line, key and what was found.
struct Unfit {
  std::string expected;  // "expected …"
  std::string hint;      // ", did you mean "tcp"?", or empty
};

using trace::did_you_mean;
using trace::size_of;

// "127.0.0.1:10001" or "[::1]:8080" as the trace spells it; localhost stands for 127.0.0.1. Nothing for anything else:
// the traffic shows addresses, and a name would never be recognised in it.
std::optional<std::string> address_of(std::string_view text);

// Where a service is: "host:port", or that behind http://, https://, h2c:// or h2:// (where the port may be left out);
// the host is a name or an address.
struct Where {
  std::string host;  // without brackets
  std::uint16_t port = 0;
  bool tls = false;
  bool http2 = false;        // it is spoken to in HTTP/2 alone: by prior knowledge (RFC 9113 3.3), or by ALPN
  bool literal = false;      // an IP address, and no name
  std::string show() const;  // "host:port", "[::1]:8080"
};
std::optional<Where> where_of(std::string_view text);

// What a listener listens on: "127.0.0.1:8001", "[::1]:8001", or ":8001" for all addresses of both families. Port 0 is
// the kernel's choice.
std::optional<std::vector<proxy::Address>> listen_of(std::string_view text);

// A single bare word close to a known one is taken for a slip; anything else that is not known is a shell command.
std::expected<Ready, Unfit> ready_of(std::string_view text);
std::expected<Reset, Unfit> reset_of(std::string_view text);

}  // namespace retrial::campaign
