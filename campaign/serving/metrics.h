#pragma once
#include <string>

#include "campaign/serving/routes.h"

namespace retrial::campaign {

// What Prometheus scrapes: docs/admin.md lists every metric. Labels are bounded: at most Meter::kMostServices services,
// kMostRulesTold rules and
// kMostOperationsTold operations.
inline constexpr std::size_t kMostRulesTold = 100, kMostOperationsTold = 100;
std::string metrics_text(Hands& hands);

}  // namespace retrial::campaign
