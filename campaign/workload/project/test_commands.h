#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace retrial::campaign {

// A test command that the files of a project speak for.
struct TestCommand {
  std::vector<std::string> argv;  // as its people type it in its folder
  std::string because;            // "package.json: scripts.test"
  bool operator==(const TestCommand&) const = default;
};

// Of the project in this folder, the likeliest first: what its people have written down before what the names of its
// files say. Reads files alone, and starts nothing. Empty: none of its files says how it is tested.
std::vector<TestCommand> test_commands(const std::filesystem::path& project);

}  // namespace retrial::campaign
