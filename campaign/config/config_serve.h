#pragma once
#include <string_view>
#include <vector>

#include "campaign/config/config.h"
#include "trace/toml/config_table.h"

// What of retrial.toml is for `retrial serve`.
namespace retrial::campaign {
using trace::ConfigTable;

// The TLS keys of [service.NAME]. Paths are relative to the folder of `file`, and each must be a PEM file.
void read_security(ConfigTable& table, std::string_view file, Service& service);
void read_serve(ConfigTable table, ServeSettings& serve);
Listener read_listener(ConfigTable table);
Rule read_rule(ConfigTable table);
bool is_rule_name(std::string_view text);
inline constexpr std::string_view kRuleName = "expected at most 64 letters, digits, dashes, dots and underscores";
// Once everything is read: listeners and rules name services that are there.
void check_services(const Config& config, std::vector<ConfigTable>& listeners, std::vector<ConfigTable>& rules);

}  // namespace retrial::campaign
