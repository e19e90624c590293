#include "scan/signs.h"

#include <algorithm>

#include "base/text.h"

namespace retrial::scan {
namespace {

bool names_status(std::string_view error) {
  for (std::string_view word : {"status", "code", "http", "unavailable", "throttl", "toomany", "limit", "5xx", ".ok",
                                "retryable", "api", "server"})
    if (icontains(error, word)) return true;
  return false;
}

}  // namespace

Sign sign_that_leads_back(const Location& at) {
  if (at.back.empty() || at.shape == Shape::library || std::ranges::any_of(at.back, names_status)) return Sign::status;
  bool late = std::ranges::all_of(at.back, [](auto& error) { return icontains(error, "timeout"); });
  return late ? Sign::silence : Sign::connection;
}

}  // namespace retrial::scan
