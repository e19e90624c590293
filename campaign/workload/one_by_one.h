#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace retrial::campaign {

// Runners whose tests are processes each, and which tell nobody of them: such a command is run by a process of ours
// (`retrial each`), which lists its tests, runs one after another, and writes events (docs/agents.md) around each.
inline constexpr std::string_view kCtest = "CTest", kCatch2 = "Catch2", kScript = "script";

// The command with that process around it.
std::vector<std::string> one_by_one(std::string_view runner, const std::vector<std::string>& argv);

// That process's own part: the tests that $RETRIAL_ONLY asks for, else all; of a script all of them. What they write is
// passed on. Gives the exit status: the highest of a test's, of a script its own; 2 and one line on stderr where the
// tests cannot be listed.
int run_one_by_one(std::string_view runner, const std::vector<std::string>& argv);

// A name as the runner's own pattern for it and no other: of CTest a regular expression of CMake's, of Catch2 a test
// spec.
std::string exactly(std::string_view runner, std::string_view name);

}  // namespace retrial::campaign
