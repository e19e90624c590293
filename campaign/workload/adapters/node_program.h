#pragma once
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace retrial::campaign {

// Where in a command a program that npm installs stands, by any of these names ("mocha", "_mocha"): first, or behind
// assignments and launchers (`env A=1`, `cross-env A=1`, `npx`, `yarn run`, `nyc`, `node --opt`), as
// `node_modules/.bin/NAME` or as a file NAME.js, NAME.cjs or NAME.mjs.
std::optional<std::size_t> node_program_at(const std::vector<std::string>& argv,
                                           std::initializer_list<std::string_view> names);

}  // namespace retrial::campaign
