#include "campaign/workload/environment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "campaign/workload/agents/agent.h"
#include "campaign/workload/agents/files.h"
#include "tests/support/folder.h"
#include "tests/support/variables.h"

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

TEST(Environment,
     what_ruby_is_told_stands_before_what_the_user_has_it_load_and_a_path_that_it_would_split_is_left_out) {
  test::Variables mine{{"RUBYOPT", "-w"}};
  EXPECT_EQ(value_of(environment_for({}, {"/agents", "/e/1.jsonl", "/e/1.only"}), "RUBYOPT"),
            "-r/agents/ruby/retrial.rb -w");
  EXPECT_EQ(value_of(environment_for({}, {"/a folder", "/e/1.jsonl", "/e/1.only"}), "RUBYOPT"), "-w");
}

TEST(Environment, php_looks_for_its_settings_where_it_would_and_then_in_ours) {
  test::Folder folder;
  EnvironmentSetting setting{folder.path(), "/e/1.jsonl", "/e/1.only"};
  test::Variables none{{"PHP_INI_SCAN_DIR", nullptr}};
  EXPECT_EQ(value_of(environment_for({}, setting), "PHP_INI_SCAN_DIR"), "(none)") << "nothing was made";
  auto php = std::ranges::find(agents(), "php", &Agent::name);
  ASSERT_NE(php, agents().end());
  EXPECT_EQ((*php)->prepare(folder.path() / "php", false), "");
  auto ours = ":" + (folder.path() / "php" / "ini").string();
  EXPECT_EQ(value_of(environment_for({}, setting), "PHP_INI_SCAN_DIR"), ours);
  test::Variables mine{{"PHP_INI_SCAN_DIR", "/mine"}};
  EXPECT_EQ(value_of(environment_for({}, setting), "PHP_INI_SCAN_DIR"), "/mine" + ours);
}

TEST(Environment, a_command_whose_clock_is_moved_preloads_the_library_behind_what_it_preloads_already) {
  setenv("LD_PRELOAD", "libmine.so", 1);
  EnvironmentSetting setting{"/agents", "/e/1.jsonl", "/e/1.only"};
  EXPECT_EQ(value_of(environment_for({}, setting), "LD_PRELOAD"), "libmine.so /agents/native/runners/built_in.so");
  EXPECT_EQ(value_of(environment_for({}, setting), "RETRIAL_TIME"), "(none)");
  setting.time_page = "/t/1.page";
  auto all = environment_for({}, setting);
  EXPECT_EQ(value_of(all, "LD_PRELOAD"),
            "libmine.so /agents/native/runners/built_in.so /agents/native/retrial_time.so");
  EXPECT_EQ(value_of(all, "RETRIAL_TIME"), "/t/1.page");
  unsetenv("LD_PRELOAD");
}

TEST(Environment, what_is_put_into_lists_is_named_for_who_sets_them_anew) {
  test::Variables mine{{"NODE_OPTIONS", "--expose-gc"}};
  auto lists = value_of(environment_for({}, {"/agents", "/e/1.jsonl", "/e/1.only"}), kLists);
  for (auto line : {"f:PYTHONPATH=/agents/python\n", "l NODE_OPTIONS=--require=\"/agents/node/retrial.cjs\"\n",
                    "o GOFLAGS=-count=1\n", "l,PYTEST_PLUGINS=retrial_pytest\n"})
    EXPECT_NE(lists.find(line), std::string::npos) << lists;
  EXPECT_EQ(lists.find("expose-gc"), std::string::npos);
}

TEST(Environment, go_builds_with_the_overlay_unless_it_has_its_own_and_one_package_after_another_where_tests_do) {
  test::Variables none{{"GOFLAGS", nullptr}};
  test::Folder agents;
  EnvironmentSetting setting{agents.path(), "/e/1.jsonl", "/e/1.only"};
  EXPECT_EQ(value_of(environment_for({}, setting), "GOFLAGS"), "-count=1") << "no overlay was made";
  std::filesystem::create_directories(agents.path() / "go");
  auto overlay = (agents.path() / "go" / "overlay.json").string();
  std::ofstream{overlay} << "{}";
  EXPECT_EQ(value_of(environment_for({.environment = {"GOFLAGS=-mod=mod"}}, setting), "GOFLAGS"),
            "-mod=mod -count=1 -overlay=" + overlay);
  EXPECT_EQ(value_of(environment_for({.environment = {"GOFLAGS=-overlay=/mine.json"}}, setting), "GOFLAGS"),
            "-overlay=/mine.json -count=1");
  Launch serial{.environment = {"RETRIAL_SERIAL=1"}};
  EXPECT_EQ(value_of(environment_for(serial, setting), "GOFLAGS"), "-count=1 -p=1 -overlay=" + overlay);
  EXPECT_EQ(value_of(environment_for({}, setting), "RETRIAL_FROM"), std::filesystem::current_path().string());
}

TEST(Environment, go_runs_every_test_as_often_as_the_user_says_and_never_answers_from_its_cache) {
  test::Variables none{{"GOFLAGS", nullptr}};
  EnvironmentSetting setting{"/agents", "/e/1.jsonl", "/e/1.only"};
  EXPECT_EQ(value_of(environment_for({}, setting), "GOFLAGS"), "-count=1");
  EXPECT_EQ(value_of(environment_for({.environment = {"GOFLAGS=-count=3"}}, setting), "GOFLAGS"), "-count=3");
}

TEST(Environment, go_links_once_a_campaign_unless_the_user_has_a_toolexec_or_the_script_cannot_be_run) {
  test::Variables none{{"GOFLAGS", nullptr}};
  test::Folder agents;
  EnvironmentSetting setting{agents.path(), "/e/1.jsonl", "/e/1.only"};
  ASSERT_TRUE(unpack_agents(agents.path()));
  auto script = agents.path() / "go" / "toolexec.sh";
  EXPECT_EQ(value_of(environment_for({}, setting), "GOFLAGS"), "-count=1 -toolexec=" + script.string());
  EXPECT_EQ(value_of(environment_for({.environment = {"GOFLAGS=-toolexec=/mine"}}, setting), "GOFLAGS"),
            "-toolexec=/mine -count=1");
  std::filesystem::permissions(script, std::filesystem::perms::owner_read);
  EXPECT_EQ(value_of(environment_for({}, setting), "GOFLAGS"), "-count=1");
}

TEST(Environment, loads_the_hook_of_every_runner_behind_what_the_user_has_there) {
  for (auto* adapter : adapters()) {
    auto& hook = adapter->runner().hook;
    if (hook.variable.empty()) continue;
    std::string variable(hook.variable);
    test::Variables mine{{hook.variable.data(), "mine"}};
    EXPECT_EQ(value_of(environment_for({}, {"/agents", "/e/1.jsonl", "/e/1.only"}), variable),
              "mine" + std::string(hook.separator) + std::string(hook.value));
  }
}

TEST(Environment, a_launch_adds_its_own_and_names_its_list_of_ids) {
  Launch launch{.environment = {"RETRIAL_SERIAL=1"}, .paths = {{"PYTHONPATH", "/start", ":"}}, .only = "t::a"};
  auto all = environment_for(launch, {"/agents", "/e/1.jsonl", "/e/1.only"});
  EXPECT_EQ(value_of(all, "RETRIAL_SERIAL"), "1");
  EXPECT_EQ(value_of(all, "RETRIAL_ONLY"), "/e/1.only");
  EXPECT_EQ(value_of(all, "PYTHONPATH"), "/agents/python:/start");
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](auto& e) { return e.starts_with("PATH="); }), 1);
}

std::vector<std::string> trusting(const Trust& trust) {
  return environment_for({}, {"/agents", "/e/1.jsonl", "/e/1.only", &trust});
}

TEST(Environment, names_the_files_that_make_the_command_trust_us) {
  test::Variables none{{"JAVA_TOOL_OPTIONS", nullptr}};
  Trust trust{.authority = "/t/ca.pem",
              .files = {{"SSL_CERT_FILE", "/t/bundle.pem"}, {"NODE_EXTRA_CA_CERTS", "/t/ca.pem"}},
              .java_store = "/t/trust.p12"};
  auto all = trusting(trust);
  EXPECT_EQ(value_of(all, "SSL_CERT_FILE"), "/t/bundle.pem");
  EXPECT_EQ(value_of(all, "NODE_EXTRA_CA_CERTS"), "/t/ca.pem");
  EXPECT_EQ(value_of(all, "RETRIAL_CA"), "/t/ca.pem");
  EXPECT_EQ(value_of(all, "JAVA_TOOL_OPTIONS"),
            "-Djavax.net.ssl.trustStore=/t/trust.p12 -Djavax.net.ssl.trustStoreType=PKCS12");
}

TEST(Environment, javas_own_options_are_kept_and_a_folder_with_spaces_is_quoted) {
  test::Variables mine{{"JAVA_TOOL_OPTIONS", "-Xmx1g -Djavax.net.ssl.trustStoreType=JKS"}};
  EXPECT_EQ(
      value_of(trusting({.authority = {}, .files = {}, .java_store = "/a b/it's \"it\"/t.p12"}), "JAVA_TOOL_OPTIONS"),
      "-Xmx1g -Djavax.net.ssl.trustStoreType=JKS "
      R"(-Djavax.net.ssl.trustStore=/a" "b/it"'"s" "'"'it'"'/t.p12)");
  EXPECT_EQ(value_of(trusting({}), "JAVA_TOOL_OPTIONS"), "-Xmx1g -Djavax.net.ssl.trustStoreType=JKS");
}

TEST(Environment, a_forward_proxy_is_named_in_both_cases_and_in_javas_words) {
  test::Variables mine{{"JAVA_TOOL_OPTIONS", nullptr}, {"NO_PROXY", "localhost"}, {"http_proxy", "http://corp:3128"}};
  auto all = environment_for({}, {"/agents", "/e", "/o", nullptr, ForwardProxy{"::1", 8080, ".a.test, b"}});
  for (auto name : {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"})
    EXPECT_EQ(value_of(all, name), "http://[::1]:8080") << name;
  EXPECT_EQ(value_of(all, "NO_PROXY"), ".a.test, b");
  EXPECT_EQ(value_of(all, "no_proxy"), ".a.test, b");
  EXPECT_EQ(value_of(all, "JAVA_TOOL_OPTIONS"),
            "-Dhttp.proxyHost=::1 -Dhttp.proxyPort=8080 -Dhttps.proxyHost=::1 -Dhttps.proxyPort=8080 "
            "-Dhttp.nonProxyHosts=*.a.test|b");
  all = environment_for({}, {"/agents", "/e", "/o", nullptr, ForwardProxy{"127.0.0.1", 8080, ""}});
  EXPECT_EQ(value_of(all, "HTTPS_PROXY"), "http://127.0.0.1:8080");
  EXPECT_EQ(value_of(all, "no_proxy"), "");
}

}  // namespace
}  // namespace retrial::campaign
