#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "trace/profiles/profile.h"
#include "trace/toml/config_table.h"

namespace retrial::trace {

// A profile of that name, as a table says it (docs/profiles.md). What is wrong is among the table's errors, and the
// profile then of no use.
std::shared_ptr<const Profile> read_profile(ConfigTable table, std::string name);

// A file of which the whole is such a table.
std::shared_ptr<const Profile> parse_profile(std::string_view text, std::string name, std::string_view file_name,
                                             Errors& errors);

}  // namespace retrial::trace
