#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "trace/exchange.h"

namespace retrial::campaign {

// Calls by what they ask for (`observe --at`): "POST /orders", "/orders/*", "POST /orders #2"; also as an operation is
// named ("/orders/{id}").
struct At {
  std::string method;  // "": any
  std::string path;    // a glob (base/glob.h), without a query
  int nth = 0;         // from 1: that one of them alone; 0: each
  bool holds(const trace::Exchange& head) const;
};
// An error says what was expected of it.
Result<At> parse_at(std::string_view text);

}  // namespace retrial::campaign
