#include "campaign/first_config.h"

#include <gtest/gtest.h>

#include <regex>

#include "campaign/config/config.h"
#include "tests/support/folder.h"

namespace retrial::campaign {
namespace {

report::Sight seen() {
  report::Sight sight{.runner = "pytest", .tests = 7, .on_trial = 5};
  sight.services = {{.address = "127.0.0.1:*", .profile = "generic", .protocols = {"HTTP/1"}, .requests = 9},
                    {.address = "127.0.0.1:10000", .profile = "azure-storage", .protocols = {"HTTP/1"}, .requests = 1},
                    {.address = "127.0.0.1:10001", .profile = "azure-storage", .protocols = {"HTTP/1"}},
                    {.address = "127.0.0.1:5000", .profile = "aws", .protocols = {"HTTP/1"}, .opened = true},
                    {.address = "[::1]:8080", .profile = "generic", .protocols = {"HTTP/1", "gRPC"}}};
  sight.refused = {"127.0.0.1:9"};
  sight.unread = {"127.0.0.1:5432"};
  return sight;
}

// As whoever takes each # away that stands before a key or a table.
std::string all_said(const std::string& text) {
  return std::regex_replace(text, std::regex("(^|\n)# (?=\\[\\[?[a-z]|[a-z_]+ +=)"), "$1");
}

TEST(FirstConfig, is_a_configuration_with_a_table_for_each_service_whose_port_stays) {
  test::Folder folder;
  auto config = parse_config(first_config(seen(), "pytest -q", folder.path()), "retrial.toml");
  ASSERT_TRUE(config) << config.error().line();
  std::vector<std::string> told;
  for (auto& s : config->services) told.push_back(s.name + " " + s.address);
  EXPECT_EQ(told,
            (std::vector<std::string>{"azure-storage-10000 127.0.0.1:10000", "azure-storage-10001 127.0.0.1:10001",
                                      "aws 127.0.0.1:5000", "port-8080 [::1]:8080"}));
  EXPECT_EQ(config->run.budget, 0) << "what is a comment says nothing";
}

TEST(FirstConfig, is_one_too_with_everything_in_it_said) {
  test::Folder folder;
  folder.write("compose.yml", "services:\n  my.db: {ports: ['5432:5432']}\n  q: {ports: ['9:9']}\n");
  auto text = all_said(first_config(seen(), "pytest -q", folder.path()));
  auto checked = check_config(text, "retrial.toml");
  for (auto& error : checked.errors) ADD_FAILURE() << error.line() << "\n" << text;
  auto& config = checked.config;
  EXPECT_EQ(config.run.budget, 600 * kSecond);
  ASSERT_EQ(config.services.size(), 6u);
  EXPECT_EQ(config.services[2].profile, "aws");
  auto *queue = config.named("q"), *database = config.named("my-db");
  ASSERT_TRUE(queue && database) << text;
  EXPECT_EQ(*queue->start, "docker compose up q");
  EXPECT_EQ(database->reset.command, "docker compose restart my.db");
  EXPECT_EQ(config.accepted.size(), 1u);
}

TEST(FirstConfig, what_a_command_holds_stays_in_its_comment) {
  test::Folder folder;
  auto text = first_config({.runner = "command"}, "'sh -c\n[service.x]'\x1b", folder.path());
  auto config = parse_config(text, "retrial.toml");
  ASSERT_TRUE(config) << config.error().line();
  EXPECT_TRUE(config->services.empty()) << text;
  EXPECT_EQ(text.find('\x1b'), text.npos);
}

}  // namespace
}  // namespace retrial::campaign
