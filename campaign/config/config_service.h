#pragma once
#include <string_view>

#include "campaign/config/config.h"
#include "trace/toml/config_table.h"

namespace retrial::campaign {

// [service.NAME] of retrial.toml. Paths are relative to the folder of `file`; `profiles`: the names that it may have.
void read_service(trace::ConfigTable table, std::string_view file, trace::Words profiles, Service& service);

}  // namespace retrial::campaign
