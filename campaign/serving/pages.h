#pragma once
#include <string_view>

namespace retrial::campaign {

// A file of campaign/serving/data, which travels inside the binary; empty for one that is not there.
std::string_view page_file(std::string_view name);

}  // namespace retrial::campaign
