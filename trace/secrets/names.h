#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace retrial::trace {

// Is the value of a header, query key or field of that name a secret, whatever it looks like?
bool secret_name(std::string_view name);
// That, or a word for one stands in it, whatever it tells of it ("tokenCount", "SSHKey.GetByName").
bool tells_of_secret(std::string_view name);

// Is it one where a user calls it so? From then on, in this process. Names are compared as wholes, without case and
// whatever is no letter or digit. To be called before any thread redacts.
void add_secret_names(const std::vector<std::string>& names);
extern bool secret_names_added;
bool can_be_secret_name(std::string_view name);  // it has a letter or a digit

// "name" in {"name": "password", "value": "x"}, and "value".
bool naming_name(std::string_view name);
bool value_name(std::string_view name);

}  // namespace retrial::trace
