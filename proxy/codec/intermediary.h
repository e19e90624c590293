#pragma once
#include <string>

#include "proxy/codec/h1.h"

namespace retrial::proxy {

// What an intermediary does to a head before it passes it on (RFC 9110 7.6, RFC 9112 2.5, 3.2, 6.1): fields of this
// connection alone are left out, Via is added, the version is our own. All other lines stay as they were sent, in their
// order.
struct RequestHead {
  bool keep_tags = false;      // leave the agents' headers in
  std::string_view authority;  // of the service: the Host of a request that names none
};
void pass_on(const H1Head& head, const RequestHead& how, std::string& out);

struct ResponseHead {
  Framing framing = Framing::as_sent;  // plain: Transfer-Encoding is left out as well
  bool keep_alive = true;              // what the client is told of its connection
  int minor = 1;                       // of the client's request
};
void pass_on(const H1Head& head, const ResponseHead& how, std::string& out);

// Of "http://host:port/path?query": "host:port", and "/path?query" (at least "/"). Both empty where it is no such
// target.
struct AbsoluteTarget {
  std::string_view scheme, authority, path;
};
AbsoluteTarget absolute(std::string_view target);

}  // namespace retrial::proxy
