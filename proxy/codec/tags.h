#pragma once
#include <string_view>

#include "base/text.h"

namespace retrial::proxy {

inline constexpr std::string_view kTagPrefix = "x-retrial-";
// By which a request says itself that it may meet a fault (docs/staging.md). It is no agent's: it passes on, so that
// the service may hand it to those behind it.
inline constexpr std::string_view kOptIn = "x-retrial-opt-in";

// Is it one of the agents' headers (docs/agents.md), which are cut out of what the service sees?
inline bool is_tag(std::string_view header_name) {
  return header_name.size() > kTagPrefix.size() && (header_name[0] | 32) == 'x' && (header_name[2] | 32) == 'r' &&
         iequals(header_name.substr(0, kTagPrefix.size()), kTagPrefix) && !iequals(header_name, kOptIn);
}

}  // namespace retrial::proxy
