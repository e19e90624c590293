#include "campaign/workload/agents/agent.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "campaign/workload/adapters/adapter.h"
#include "campaign/workload/agents/files.h"
#include "campaign/workload/one_by_one.h"
#include "tests/support/docs.h"
#include "tests/support/folder.h"

namespace retrial::campaign {
namespace {
namespace fs = std::filesystem;

TEST(Agents, have_files_each_and_every_file_is_one_of_an_agents) {
  std::set<std::string> names, folders;
  for (auto* agent : agents()) EXPECT_TRUE(names.emplace(agent->name()).second) << agent->name();
  for (auto& file : agent_files()) folders.emplace(file.path.substr(0, file.path.find('/')));
  EXPECT_EQ(names, folders);
}

TEST(Agents, travel_in_the_binary_as_they_stand_in_the_repository) {
  for (auto& file : agent_files()) {
    if (file.path.ends_with(".so") || file.path.ends_with(".jar")) continue;  // built
    EXPECT_EQ(file.bytes, test::text_of("integration/agents/" + std::string(file.path))) << file.path;
  }
}

// They are unpacked below the project, where its runner looks for tests.
TEST(Agents, files_are_no_tests_of_the_project) {
  for (auto& file : agent_files()) EXPECT_FALSE(is_test_file(file.path)) << file.path;
}

TEST(Agents, are_written_where_the_command_finds_them) {
  test::Folder folder;
  ASSERT_TRUE(unpack_agents(folder.path()));
  for (auto& file : agent_files()) EXPECT_EQ(fs::file_size(folder.path() / file.path), file.bytes.size()) << file.path;
}

// An agent loads all that lies in a folder `runners`; the others are loaded by what their adapter says.
TEST(Hooks, of_runners_are_those_that_adapters_name_and_each_is_loaded) {
  std::set<std::string_view> files, named;
  for (auto& file : agent_files())
    if ((file.path.contains("/runners/") || file.path.ends_with(".jar")) && !file.path.ends_with("/__init__.py"))
      files.insert(file.path);
  for (auto* adapter : adapters()) {
    auto& runner = adapter->runner();
    bool one_by_one = runner.name == kCtest || runner.name == kCatch2 || runner.name == kScript;
    EXPECT_EQ(runner.hook.file.empty(), runner.whole || one_by_one) << runner.name;
    if (runner.hook.file.empty()) continue;
    EXPECT_TRUE(std::ranges::count(agent_files(), runner.hook.file, &EmbeddedFile::path)) << runner.hook.file;
    if (runner.hook.variable.empty()) named.insert(runner.hook.file);
  }
  EXPECT_EQ(files, named);
}

}  // namespace
}  // namespace retrial::campaign
