#include "campaign/environment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace retrial::campaign {
namespace {

std::string value_of(const std::vector<std::string>& environment, const std::string& key) {
  for (auto& e : environment)
    if (e.starts_with(key + "=")) return e.substr(key.size() + 1);
  return "(none)";
}

TEST(Environment, what_the_user_preloads_is_kept_beside_the_agents) {
  setenv("PYTHONPATH", "/mine", 1);
  setenv("PYTEST_PLUGINS", "my.plugin", 1);
  setenv("NODE_OPTIONS", "--max-old-space-size=900", 1);
  auto all = environment_for({}, {"/a folder/agents", "/e/1.jsonl", "/e/1.only"});
  EXPECT_EQ(value_of(all, "PYTHONPATH"), "/a folder/agents/python:/mine");
  EXPECT_EQ(value_of(all, "PYTEST_PLUGINS"), "my.plugin,retrial_pytest");
  EXPECT_EQ(value_of(all, "NODE_OPTIONS"), "--max-old-space-size=900 --require=\"/a folder/agents/node/retrial.cjs\"");
  EXPECT_EQ(value_of(all, "RETRIAL_EVENTS"), "/e/1.jsonl");
  EXPECT_EQ(value_of(all, "RETRIAL_ONLY"), "(none)");
  for (auto name : {"PYTHONPATH", "PYTEST_PLUGINS", "NODE_OPTIONS"}) unsetenv(name);
}

TEST(Environment, a_launch_adds_its_own_and_names_its_list_of_ids) {
  Launch launch{{}, {"RETRIAL_SERIAL=1"}, "/start", "t::a"};
  auto all = environment_for(launch, {"/agents", "/e/1.jsonl", "/e/1.only"});
  EXPECT_EQ(value_of(all, "RETRIAL_SERIAL"), "1");
  EXPECT_EQ(value_of(all, "RETRIAL_ONLY"), "/e/1.only");
  EXPECT_EQ(value_of(all, "PYTHONPATH"), "/agents/python:/start");
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](auto& e) { return e.starts_with("PATH="); }), 1);
}

}  // namespace
}  // namespace retrial::campaign
