#pragma once
#include <cstddef>
#include <string_view>

#include "trace/exchange.h"

// What Retrial itself asks when a command has ended (--look): its call site's file and function, no file of a
// project's.
namespace retrial::trace {

inline constexpr std::string_view kLookSite = "retrial";
inline constexpr std::size_t kLookBytes = 64u << 10;  // of its answer that are kept; of others kSampleBytes

inline bool is_look(const Exchange& e) {
  return e.tag.site && e.tag.site->file == kLookSite && e.tag.site->function == kLookSite;
}

}  // namespace retrial::trace
