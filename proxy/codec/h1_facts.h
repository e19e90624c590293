#pragma once
#include <string>
#include <string_view>

#include "proxy/codec/h1.h"

namespace retrial::proxy {

// Why a server must refuse this request though it can be read (RFC 9112 3.2); empty: nothing.
// `valid_host`: a Host that was found to be one before, on this connection.
std::string_view what_is_invalid(const Head& head, std::string& valid_host);

// Does a comma-separated list (RFC 9110 5.6.1) hold `token`, ASCII case folded?
bool lists(std::string_view list, std::string_view token);

// May a body of that Content-Type have parts that are read (profiles): JSON, XML, a form? Whatever is not known to have
// none.
inline bool structured(std::string_view type) {
  if (type.starts_with("text/")) return type.find("xml") != type.npos;
  return !type.starts_with("image/") && !type.starts_with("application/octet-stream");
}

// May a field of that name stand in trailers that are passed on (RFC 9110 6.5.1)?
bool may_trail(std::string_view name);

}  // namespace retrial::proxy
