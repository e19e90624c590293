#pragma once
#include <string_view>

#include "campaign/config/config.h"
#include "trace/toml/config_table.h"

// What of retrial.toml is for the operator of a `retrial serve` (docs/admin.md, docs/staging.md).
namespace retrial::campaign {
using trace::ConfigTable;

void read_admin(ConfigTable table, std::string_view file, AdminSettings& admin);
void read_safety(ConfigTable table, SafetySettings& safety);
void read_telemetry(ConfigTable table, TelemetrySettings& telemetry);
proxy::Bounds read_bounds(ConfigTable& table);

// Is it on this machine alone? A Unix socket, or loopback.
bool is_local(std::string_view listen);
// Why the admin side may not listen there like this, "expected …"; empty: it may.
std::string wrong_with(const AdminSettings& admin);

// What must hold of the rules of a `serve` with an admin side: each names a service, is of a part of the requests, or
// asks for the header. The first that does not, blamed on the user.
Result<void> are_careful(const Config& config);
Result<void> is_careful(const Rule& rule);

}  // namespace retrial::campaign
