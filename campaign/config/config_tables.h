#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "campaign/config/config.h"
#include "trace/toml/config_table.h"

// The small tables of retrial.toml. Paths are relative to the folder of `file`.
namespace retrial::campaign {

std::span<const std::string_view> run_keys();
void read_run(trace::ConfigTable table, RunSettings& run);
void read_process(trace::ConfigTable table, Process& process);
void read_redact(trace::ConfigTable table, RedactSettings& redact);
void read_checks(trace::ConfigTable table, std::string_view file, std::vector<checkers::Checker>& checkers);
void read_accept(trace::ConfigTable table, std::vector<Accept>& accepted);

}  // namespace retrial::campaign
