#pragma once
#include <string>
#include <vector>

#include "base/result.h"

namespace retrial::campaign {

// The command as it is run: package.json's script in place of `npm test` where we know its runner.
std::vector<std::string> command_to_run(const std::vector<std::string>& argv);

// Is there such a program to start? A path, or a name that PATH leads to. An error is the user's.
Result<void> find_command(const std::string& word);

}  // namespace retrial::campaign
