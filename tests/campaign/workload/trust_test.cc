#include "campaign/workload/trust.h"

#include <gtest/gtest.h>

#include "certs/trust_store.h"
#include "tests/support/folder.h"
#include "tests/support/variables.h"

namespace retrial::campaign {
namespace {

using certs::Authority;
using test::contents;
using test::Folder;
using test::Variables;

Authority made() { return Authority::make(ManualClock{}).value(); }

// Nothing of this machine's own is set; the system's bundle is a file of the folder.
struct Trusting : testing::Test {
  Folder folder;
  Authority ours = made(), system = made(), users = made();
  RootPlaces places{{folder.path() / "not there", folder.write("system.pem", system.pem())}, {}};
  Variables none{{"SSL_CERT_FILE", nullptr},     {"REQUESTS_CA_BUNDLE", nullptr},
                 {"CURL_CA_BUNDLE", nullptr},    {"AWS_CA_BUNDLE", nullptr},
                 {"GIT_SSL_CAINFO", nullptr},    {"CARGO_HTTP_CAINFO", nullptr},
                 {"HTTPLIB2_CA_CERTS", nullptr}, {"GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", nullptr},
                 {"NIX_SSL_CERT_FILE", nullptr}, {"NODE_EXTRA_CA_CERTS", nullptr},
                 {"DENO_CERT", nullptr},         {"JAVA_TOOL_OPTIONS", nullptr},
                 {"JDK_JAVA_OPTIONS", nullptr},  {"_JAVA_OPTIONS", nullptr}};

  Trust write() {
    auto trust = write_trust(ours, folder.path() / "trust", places);
    EXPECT_TRUE(trust) << trust.error().line();
    return trust.value_or(Trust{});
  }
  // Whose certificates a file holds, in its order: "system ours".
  std::string holds(const std::filesystem::path& file) {
    std::string out;
    auto roots = certs::read_roots(contents(file));
    if (!roots) return roots.error().line();
    for (auto& root : *roots)
      out += (out.empty() ? "" : " ") + std::string(root.der == ours.der()     ? "ours"
                                                    : root.der == system.der() ? "system"
                                                    : root.der == users.der()  ? "users"
                                                                               : "another");
    return out;
  }
};

TEST_F(Trusting, the_systems_roots_are_kept_beside_ours) {
  auto trust = write();
  for (auto name : {"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE", "GIT_SSL_CAINFO",
                    "CARGO_HTTP_CAINFO", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "HTTPLIB2_CA_CERTS"})
    EXPECT_EQ(holds(trust.files[name]), "system ours") << name;
  for (auto name : {"NODE_EXTRA_CA_CERTS", "DENO_CERT"}) EXPECT_EQ(holds(trust.files[name]), "ours") << name;
  EXPECT_EQ(contents(trust.authority), ours.pem());
  EXPECT_FALSE(trust.files.contains("NIX_SSL_CERT_FILE"));
  EXPECT_TRUE(trust.remarks.empty());
}

TEST_F(Trusting, a_file_that_the_user_names_stands_in_place_of_the_systems) {
  auto file = folder.write("users.pem", users.pem().substr(0, users.pem().size() - 1));  // without its last newline
  Variables mine{{"REQUESTS_CA_BUNDLE", file.c_str()}, {"NODE_EXTRA_CA_CERTS", file.c_str()}};
  auto trust = write();
  EXPECT_EQ(holds(trust.files["REQUESTS_CA_BUNDLE"]), "users ours");
  EXPECT_EQ(holds(trust.files["NODE_EXTRA_CA_CERTS"]), "users ours");
  EXPECT_EQ(holds(trust.files["SSL_CERT_FILE"]), "system ours");
}

TEST_F(Trusting, a_folder_that_the_user_names_is_read_as_a_bundle) {
  folder.write("users/1a2b3c4d.0", users.pem());
  folder.write("users/README", "nothing of interest\n");
  Variables mine{{"REQUESTS_CA_BUNDLE", (folder.path() / "users").c_str()}};
  EXPECT_EQ(holds(write().files["REQUESTS_CA_BUNDLE"]), "users ours");
}

TEST_F(Trusting, what_the_user_names_and_cannot_be_read_is_left_as_it_is_and_said) {
  Variables mine{{"AWS_CA_BUNDLE", "/nowhere/at/all.pem"}};
  auto trust = write();
  EXPECT_FALSE(trust.files.contains("AWS_CA_BUNDLE"));
  ASSERT_EQ(trust.remarks.size(), 1u);
  EXPECT_TRUE(trust.remarks[0].starts_with("AWS_CA_BUNDLE=/nowhere/at/all.pem ")) << trust.remarks[0];
}

TEST_F(Trusting, without_a_bundle_of_the_system_clients_with_roots_of_their_own_keep_them) {
  places.bundles.clear();
  auto trust = write();
  EXPECT_EQ(holds(trust.files["SSL_CERT_FILE"]), "ours");
  EXPECT_EQ(holds(trust.files["NODE_EXTRA_CA_CERTS"]), "ours");
  for (auto name : {"REQUESTS_CA_BUNDLE", "AWS_CA_BUNDLE", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"})
    EXPECT_FALSE(trust.files.contains(name)) << name;
  EXPECT_TRUE(trust.java_store.empty());
  EXPECT_EQ(trust.remarks.size(), 1u);
}

TEST_F(Trusting, java_gets_its_own_roots_and_ours_or_else_the_systems) {
  EXPECT_EQ(holds(write().java_store), "ours system");
  auto cacerts = certs::pkcs12_trust_store({{"users", users.der()}}, "changeit").value();
  places.java = {folder.path() / "not there", folder.write("cacerts", cacerts)};
  EXPECT_EQ(holds(write().java_store), "ours users");
}

TEST_F(Trusting, a_trust_store_that_the_user_gives_java_is_left_to_it_and_that_is_said) {
  for (auto name : {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"}) {
    Variables mine{{name, "-Xmx1g -Djavax.net.ssl.trustStore=mine.jks"}};
    auto trust = write();
    EXPECT_TRUE(trust.java_store.empty());
    ASSERT_EQ(trust.remarks.size(), 1u);
    EXPECT_TRUE(trust.remarks[0].starts_with(name)) << trust.remarks[0];
  }
}

TEST_F(Trusting, an_authority_for_strangers_is_known_to_the_agents_alone) {
  auto strangers = made();
  auto own = folder.write("own.pem", users.pem());
  Variables set{{"REQUESTS_CA_BUNDLE", own.c_str()}};
  auto trust = write_trust(ours, folder.path() / "trust", places, &strangers).value();
  EXPECT_EQ(holds(trust.authority), "ours another");
  EXPECT_EQ(contents(trust.authority), ours.pem() + strangers.pem());
  for (auto& [name, file] : trust.files) EXPECT_EQ(holds(file).find("another"), std::string::npos) << name;
  EXPECT_EQ(holds(trust.files["REQUESTS_CA_BUNDLE"]), "users ours");
  EXPECT_EQ(trust.roots, (std::vector{trust.files["SSL_CERT_FILE"], trust.files["REQUESTS_CA_BUNDLE"]}));
}

TEST_F(Trusting, no_key_is_written) {
  write();
  for (auto& file : std::filesystem::directory_iterator(folder.path() / "trust"))
    EXPECT_EQ(contents(file.path()).find("PRIVATE KEY"), std::string::npos) << file.path();
}

TEST_F(Trusting, a_folder_that_cannot_be_made_is_an_error_of_the_user) {
  auto trust = write_trust(ours, folder.path() / "system.pem/trust", places);
  ASSERT_FALSE(trust);
  EXPECT_EQ(trust.error().blame, Blame::user);
}

}  // namespace
}  // namespace retrial::campaign
