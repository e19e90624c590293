#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "deploy/compose/override.h"
#include "trace/profiles/yaml.h"

namespace retrial::deploy {
namespace {

class Compose : public ::testing::Test {
 protected:
  Compose() {
    std::string pattern = ::testing::TempDir() + "compose-XXXXXX";
    folder = ::mkdtemp(pattern.data());
  }
  ~Compose() override { std::filesystem::remove_all(folder); }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder / name) << text; }
  std::string said(const std::string& services) {
    write("compose.yaml", "services:\n" + services);
    auto file = read_compose((folder / "compose.yaml").string());
    if (!file) return file.error().line().substr(folder.string().size() + 1);
    auto talks = talks_of(*file);
    std::string out;
    for (auto& t : talks.all)
      out += t.caller + ">" + t.service + " " + (t.scheme.empty() ? "" : t.scheme + "://") + t.name + ":" +
             std::to_string(t.port) + "; ";
    for (auto& line : talks.left) out += "left " + line + "; ";
    return out;
  }
  std::filesystem::path folder;
};

TEST_F(Compose, who_talks_to_whom_is_read_from_urls_hosts_and_pairs) {
  EXPECT_EQ(
      said("  api: {}\n  app: {environment: {U: 'http://api:8080/v1?x=web', V: 'https://user@api/'}}\n  web: {}\n"),
      "app>api https://api:443; app>api http://api:8080; ");
  EXPECT_EQ(said("  api: {}\n  app: {environment: [API_HOST=api, API_PORT=9000, OTHER=the api is nice]}\n"),
            "app>api api:9000; ");
  EXPECT_EQ(said("  a: {}\n  b: {}\n  app: {command: [run, '--peers=a:1000,b:1001']}\n"),
            "app>a a:1000; app>b b:1001; ");
}
TEST_F(Compose, depends_on_and_links_say_it_where_ports_are_known) {
  EXPECT_EQ(said("  api: {expose: ['8080']}\n  app: {depends_on: [api]}\n"), "app>api api:8080; ");
  EXPECT_EQ(said("  api: {ports: ['80:8080', '127.0.0.1:90:9090/tcp']}\n  app: {links: ['api:store']}\n"),
            "app>api store:8080; app>api store:9090; ");
  EXPECT_EQ(said("  api: {}\n  app: {depends_on: {api: {condition: service_started}}}\n"),
            "left app -> api: the file does not say on which port: `expose` would; ");
}
TEST_F(Compose, other_protocols_and_other_networks_are_left_as_they_are) {
  EXPECT_EQ(said("  db: {}\n  app: {environment: {U: 'postgres://u:p@db/x'}, depends_on: [db]}\n"),
            "left app -> db: postgres is no HTTP; ");
  EXPECT_EQ(said("  q: {expose: [5672]}\n  app: {depends_on: [q]}\n"), "left app -> q: port 5672 is AMQP, no HTTP; ");
  EXPECT_EQ(said("  api: {networks: [a]}\n  app: {networks: [b], environment: {U: 'http://api:1'}}\n"),
            "left app -> api: they share no network; ");
  EXPECT_EQ(said("  api: {network_mode: host}\n  app: {environment: {U: 'http://api:1'}}\n"),
            "left app -> api: network_mode: one of them has no network of its own; ");
}
TEST_F(Compose, variables_files_and_merge_keys_are_followed) {
  write(".env", "PORT=7000\n# no\n");
  write("app.env", "URL=http://api:${PORT}\n");
  EXPECT_EQ(said("  api: {}\n  app: {env_file: app.env}\n"), "app>api http://api:7000; ");
  EXPECT_EQ(said("  api: {}\n  app: {environment: {U: 'http://${NOT_SET_ANYWHERE:-api}:1'}}\n"),
            "app>api http://api:1; ");
  EXPECT_EQ(said("  api: &base {environment: {U: 'http://api:1'}}\n  app: {<<: *base, image: x}\n"),
            "app>api http://api:1; ");
}
TEST_F(Compose, what_cannot_be_followed_is_one_line) {
  EXPECT_EQ(said("  app: {extends: {service: x}}\n").substr(0, 37), "compose.yaml: services.app: extends i");
  EXPECT_EQ(said("  app: 7\n"), "compose.yaml: services.app: expected a table");
}
TEST_F(Compose, the_override_links_each_caller_to_a_proxy_and_the_proxy_to_the_service) {
  write(
      "compose.yaml",
      "services:\n  api: {networks: [back]}\n  app: {networks: [back, front], environment: {U: 'http://api:8080'}}\n");
  auto file = read_compose((folder / "compose.yaml").string());
  auto text = compose_override(*file, talks_of(*file), "retrial:9");
  EXPECT_EQ(text.substr(0, kOverrideMark.size()), kOverrideMark);
  auto json = trace::json_of_yaml(text, "o");
  ASSERT_TRUE(json) << text;
  for (auto part :
       {R"("app":{"links":["retrial-api:api"],"depends_on":{"retrial-api":{"condition":"service_healthy"}}})",
        R"("image":"${RETRIAL_IMAGE:-retrial:9}")", R"("networks":["back"])", R"(":8080=http://api:8080")",
        R"("${RETRIAL_INJECT:-pass}")", R"("command":["serve","--admin",)",
        R"("environment":{"RETRIAL_ADMIN":"unix:/var/lib/retrial/api/admin.sock"})"})
    EXPECT_NE(json->find(part), json->npos) << part << "\n" << *json;
}

}  // namespace
}  // namespace retrial::deploy
