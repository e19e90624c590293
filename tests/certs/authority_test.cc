#include "certs/authority.h"

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>

#include <set>

#include "certs/leaf_store.h"
#include "tests/support/folder.h"

namespace retrial::certs {
namespace {

namespace fs = std::filesystem;
using test::contents;
using test::Folder;

const ManualClock& still() {
  static const ManualClock clock;
  return clock;
}

Authority made() { return Authority::make(still()).value(); }

std::string error_of(const fs::path& folder) {
  auto loaded = Authority::load(folder);
  return loaded ? "(loaded)" : loaded.error().line();
}

TEST(Authority, is_valid_from_a_day_before_now_for_ten_years) {
  auto authority = made();
  EXPECT_EQ(authority.valid_from(), (still().wall() / kSecond - 24 * 3600) * kSecond);
  EXPECT_EQ(authority.valid_until() - authority.valid_from(), 3653ll * 24 * 3600 * kSecond);
}

TEST(Authority, each_has_a_name_and_a_fingerprint_of_its_own) {
  auto one = made(), other = made();
  EXPECT_TRUE(one.name().starts_with("Retrial authority "));
  EXPECT_NE(one.name(), other.name());
  EXPECT_EQ(one.fingerprint().size(), 95u);
  EXPECT_NE(one.fingerprint(), other.fingerprint());
}

TEST(Authority, comes_back_from_its_folder_with_the_key_for_its_owner_alone) {
  Folder folder;
  auto authority = made();
  umask(0);
  ASSERT_TRUE(authority.save(folder.path() / "a/b"));
  auto loaded = Authority::load(folder.path() / "a/b");
  ASSERT_TRUE(loaded) << loaded.error().line();
  EXPECT_EQ(loaded->fingerprint(), authority.fingerprint());
  EXPECT_EQ(loaded->pem(), contents(folder.path() / "a/b/ca.pem"));
  struct stat facts{};
  ASSERT_EQ(stat((folder.path() / "a/b/ca.key").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0600u);
  ASSERT_EQ(stat((folder.path() / "a/b").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0700u);
  std::set<fs::path> all;
  for (auto& entry : fs::directory_iterator(folder.path() / "a/b")) all.insert(entry.path().filename());
  EXPECT_EQ(all, (std::set<fs::path>{"ca.key", "ca.pem", "current", authority.folder_name()}))
      << "a half-written file stays behind";
}

TEST(Authority, is_replaced_only_where_that_is_said) {
  Folder folder;
  auto one = made(), other = made();
  ASSERT_TRUE(one.save(folder.path()));
  auto refused = other.save(folder.path());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().line(), (folder.path() / "ca.key").string() + ": is there already");
  EXPECT_EQ(Authority::load(folder.path())->fingerprint(), one.fingerprint());
  ASSERT_TRUE(other.save(folder.path(), true));
  EXPECT_EQ(Authority::load(folder.path())->fingerprint(), other.fingerprint());
}

TEST(Authority, a_key_that_everybody_may_open_or_its_group_change_is_refused_and_its_group_may_read_it) {
  Folder folder;
  ASSERT_TRUE(made().save(folder.path()));
  auto with = [&](unsigned mode) {
    EXPECT_EQ(chmod((folder.path() / "ca.key").c_str(), mode), 0);
    return error_of(folder.path());
  };
  for (unsigned mode : {0604u, 0644u, 0606u, 0601u})
    EXPECT_NE(with(mode).find("everybody may open this key"), std::string::npos) << mode;
  for (unsigned mode : {0620u, 0660u}) EXPECT_NE(with(mode).find("its group may change this key"), std::string::npos);
  for (unsigned mode : {0400u, 0440u, 0640u}) EXPECT_EQ(with(mode), "(loaded)") << mode;
}

TEST(Authority, what_is_wrong_with_a_file_is_said_with_its_name) {
  Folder folder;
  auto pem = (folder.path() / "ca.pem").string(), key = (folder.path() / "ca.key").string();
  EXPECT_EQ(error_of(folder.path()), pem + ": cannot be read: No such file or directory");
  folder.write("ca.pem", "hello\n");
  EXPECT_EQ(error_of(folder.path()), pem + ": is not a certificate in PEM");
  folder.write("ca.pem", std::string(2u << 20, 'x'));
  EXPECT_EQ(error_of(folder.path()), pem + ": is longer than any certificate or key");
  fs::remove(pem);
  ASSERT_EQ(mkfifo(pem.c_str(), 0600), 0);
  EXPECT_EQ(error_of(folder.path()), pem + ": is not a file");

  auto authority = made();
  ASSERT_TRUE(authority.save(folder.path(), true));
  std::ofstream(key, std::ios::trunc) << authority.pem();
  EXPECT_EQ(error_of(folder.path()), key + ": is not a private key in PEM without a passphrase");
  Folder elsewhere;
  ASSERT_TRUE(made().save(elsewhere.path()));
  std::ofstream(key, std::ios::trunc) << contents(elsewhere.path() / "ca.key");
  EXPECT_EQ(error_of(folder.path()), key + ": is not the key of " + pem +
                                         ": bring the two that belong together, or remove both and make another");
  fs::remove(key);
  EXPECT_EQ(error_of(folder.path()), key + ": cannot be read: No such file or directory");
}

TEST(Authority, text_before_the_certificate_may_be_long) {
  Folder folder;
  auto authority = made();
  ASSERT_TRUE(authority.save(folder.path()));
  std::ofstream(folder.path() / "ca.pem", std::ios::trunc) << std::string(100'000, '\n') << authority.pem();
  EXPECT_EQ(error_of(folder.path()), "(loaded)");
}

TEST(Authority, a_certificate_that_may_not_sign_is_none) {
  Folder folder;
  LeafStore leaves(made(), still());
  auto leaf = leaves.leaf("localhost").value();
  auto* out = fopen((folder.path() / "ca.pem").c_str(), "w");
  PEM_write_X509(out, leaf.certificate.get());
  fclose(out);
  EXPECT_NE(error_of(folder.path()).find("ca.pem: is not an authority's certificate"), std::string::npos);
}

TEST(Authority, a_key_with_a_passphrase_is_refused_and_nobody_is_asked_for_it) {
  Folder folder;
  auto authority = made();
  ASSERT_TRUE(authority.save(folder.path()));
  auto* out = fopen((folder.path() / "ca.key").c_str(), "w");
  char secret[] = "secret";
  PEM_write_PrivateKey(out, authority.credential().key.get(), EVP_aes_128_cbc(), nullptr, 0, nullptr, secret);
  fclose(out);
  EXPECT_NE(error_of(folder.path()).find("is not a private key in PEM without a passphrase"), std::string::npos);
}

}  // namespace
}  // namespace retrial::certs
