#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "campaign/config/config.h"
#include "trace/campaign_record.h"

namespace retrial::campaign {

// Whom a run spoke to, by address, with the names that retrial.toml gives them.
std::vector<trace::ServiceSeen> services_seen(const trace::Run& run, const Config& config);
// Was what CaptureCounts::not_seen says of a connection the wait for a service that had not begun to listen?
bool listened_later(const trace::Run& run, std::string_view not_seen);
// Its connections that we left alone, each with why.
std::vector<std::string> connections_left_alone(const trace::Run& run);

}  // namespace retrial::campaign
