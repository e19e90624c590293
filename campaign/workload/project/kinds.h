#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "campaign/workload/project/test_commands.h"

namespace retrial::campaign {

// One function a kind of project: its command, if the folder is of that kind.
using TestCommandOf = std::optional<TestCommand>(const std::filesystem::path& project);

// python.cc; the second only where the first has none.
TestCommandOf configured_pytest;
TestCommandOf python_test_files;
// node.cc; each only where those before have none.
TestCommandOf package_script;
TestCommandOf installed_runner;
TestCommandOf node_test_files;

// What these share. All of the file; empty where there is none.
std::string text_in(const std::filesystem::path& file);
// Is there a line that begins so, behind white space?
bool has_line(std::string_view text, std::string_view begin);
bool is_in(const std::filesystem::path& project, const std::string& file);

}  // namespace retrial::campaign
