#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/config/config.h"
#include "proxy/server/settings.h"

namespace retrial::campaign {

// "host:port" as the configuration has it, for a service of which `address` is said.
proxy::ServiceSettings service_settings(const Service& service);

// What a server is to do, by the configuration: listeners, rules, limits. Authority, recording and seed are the
// caller's. An error names what is missing.
Result<proxy::ServerSettings> server_settings(const Config& config);

// Why none of its listeners could carry out a fault of this rule: all of them are of mode "envoy". Empty: one could.
std::string beyond_its_listeners(const Config& config, const Rule& rule);

// One of its rules, and its bounds with those of each service laid over them.
proxy::RuleSettings rule_settings(const Config& config, const Rule& rule);
proxy::SafetySettings safety_settings(const Config& config);

// What whoever starts it should know, a line each: a forward proxy that leads everywhere, rules that will not fire.
std::vector<std::string> warnings_of(const proxy::ServerSettings& settings);

}  // namespace retrial::campaign
