#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace retrial::proxy {

// What a TLS client offers (RFC 8446 4.1.2; server_name RFC 6066 3; ALPN RFC 7301).
struct ClientHello {
  std::string server_name;        // empty: none sent
  std::vector<std::string> alpn;  // in the client's order; empty: none sent
};

enum class HelloStep : std::uint8_t {
  more,  // these bytes may begin a ClientHello, and it is not yet whole
  whole,
  not_tls,  // whatever follows, it is none: no handshake record, or one that cannot be read
};

// Reads the ClientHello at the beginning of a connection from all bytes so far; across records as well. Takes nothing
// away. Pure. Longer than 64 KiB: not_tls.
HelloStep read_client_hello(std::string_view bytes, ClientHello& hello);

}  // namespace retrial::proxy
