#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "scan/location.h"

// Retries that stand in a file of settings: gRPC's service config, Istio's and Envoy's routes, resilience4j's instances
// in application.yml or .properties, MicroProfile's properties.
namespace retrial::scan {

bool is_settings(std::string_view path);  // by its name
// Empty for what has none of these.
std::vector<Location> retries_in_settings(std::string_view path, std::string_view text);

}  // namespace retrial::scan
