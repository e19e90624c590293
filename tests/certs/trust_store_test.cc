#include "certs/trust_store.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "certs/authority.h"
#include "certs/jks.h"
#include "tests/support/folder.h"

namespace retrial::certs {
namespace {

using namespace std::string_literals;
using test::contents;
using test::Folder;

Authority made() { return Authority::make(ManualClock{}).value(); }

std::vector<std::string> ders(const std::vector<Root>& roots) {
  std::vector<std::string> out;
  for (auto& root : roots) out.push_back(root.der);
  return out;
}

// A JKS file as OpenJDK writes it, but for the digest at its end, which is not read.
std::string jks(const std::vector<Root>& trusted, const std::vector<Root>& chain = {}) {
  auto number = [](std::size_t value, int size) {
    std::string out;
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) out += static_cast<char>(value >> shift);
    return out;
  };
  auto text = [&](const std::string& t) { return number(t.size(), 2) + t; };
  auto block = [&](const std::string& b) { return number(b.size(), 4) + b; };
  std::string out = number(0xfeedfeed, 4) + number(2, 4) + number(trusted.size() + !chain.empty(), 4);
  if (!chain.empty()) {
    out += number(1, 4) + text("mine") + std::string(8, '\0') + block("a key") + number(chain.size(), 4);
    for (auto& c : chain) out += text("X.509") + block(c.der);
  }
  for (auto& t : trusted) out += number(2, 4) + text(t.alias) + std::string(8, '\0') + text("X.509") + block(t.der);
  return out + std::string(20, 'd');
}

TEST(TrustStore, pem_is_read_with_text_between_and_each_certificate_once) {
  auto one = made(), other = made();
  auto roots = read_roots("# Mine\n" + one.pem() + "\nOther CA\n========\n" + other.pem() + one.pem());
  ASSERT_TRUE(roots) << roots.error().line();
  EXPECT_EQ(ders(*roots), (std::vector{one.der(), other.der()}));
  EXPECT_EQ(pem_of(*roots), one.pem() + other.pem());
}

TEST(TrustStore, a_block_that_cannot_be_read_does_not_hide_those_after_it) {
  auto one = made(), other = made();
  auto broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"s;
  auto not_base64 = "-----BEGIN CERTIFICATE-----\n%%%%\n-----END CERTIFICATE-----\n"s;
  auto roots = read_roots(one.pem() + broken + not_base64 + other.pem() + broken);
  ASSERT_TRUE(roots) << roots.error().line();
  EXPECT_EQ(ders(*roots), (std::vector{one.der(), other.der()}));
}

TEST(TrustStore, what_holds_no_certificate_is_an_error) {
  for (auto& bytes : {""s, "hello\n"s, "-----BEGIN CERTIFICATE-----\n"s, "\xfe\xed\xfe\xed"s, jks({})}) {
    auto roots = read_roots(bytes);
    ASSERT_FALSE(roots);
    EXPECT_EQ(roots.error().line(), "holds no certificate that can be read (PEM, PKCS#12 or JKS)");
  }
}

TEST(TrustStore, jks_gives_what_it_trusts_and_not_the_chains_of_its_own_keys) {
  auto one = made(), other = made(), own = made();
  auto roots = read_roots(jks({{"a", one.der()}, {"b", other.der()}}, {{"", own.der()}}));
  ASSERT_TRUE(roots) << roots.error().line();
  EXPECT_EQ(ders(*roots), (std::vector{one.der(), other.der()}));
  EXPECT_EQ((*roots)[1].alias, "b");
}

TEST(TrustStore, jks_that_is_cut_anywhere_is_none) {
  auto whole = jks({{"a", made().der()}}, {{"", made().der()}});
  whole.resize(whole.size() - 20);
  ASSERT_TRUE(read_jks(whole));
  for (std::size_t size = 0; size < whole.size(); size++) ASSERT_FALSE(read_jks(whole.substr(0, size))) << size;
}

TEST(TrustStore, pkcs12_comes_back_as_it_was_with_and_without_a_password) {
  auto one = made(), other = made();
  for (auto password : {"", "changeit", "p\xc3\xa4ss"}) {
    auto store = pkcs12_trust_store({{"first", one.der()}, {"", other.der()}}, password);
    ASSERT_TRUE(store) << store.error().line();
    auto roots = read_roots(*store);
    ASSERT_TRUE(roots) << roots.error().line();
    EXPECT_EQ(ders(*roots), (std::vector{one.der(), other.der()}));
    EXPECT_EQ((*roots)[0].alias, "first");
  }
}

TEST(TrustStore, pkcs12_leaves_out_what_is_no_certificate) {
  auto one = made();
  auto store = pkcs12_trust_store({{"broken", "hello"}, {"one", one.der()}}, "");
  ASSERT_TRUE(store) << store.error().line();
  EXPECT_EQ(ders(*read_roots(*store)), std::vector{one.der()});
}

// keytool's attribute as DER: the object identifier, and a set of one, anyExtendedKeyUsage. Without it Java ignores the
// certificate.
TEST(TrustStore, pkcs12_carries_the_attribute_that_java_trusts_by) {
  auto store = made().pkcs12("changeit").value();
  EXPECT_NE(store.find("\x06\x0c\x60\x86\x48\x01\x86\xf9\x66\xad\xca\x7b\x01\x01"
                       "\x31\x06\x06\x04\x55\x1d\x25\x00"s),
            std::string::npos);
}

std::string shell(const std::string& command) {
  std::string out;
  auto* pipe = popen((command + " 2>&1").c_str(), "r");
  char buffer[4096];
  for (std::size_t got; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.append(buffer, got);
  return out + "exit " + std::to_string(pclose(pipe));
}

TEST(TrustStore, keytool_lists_what_is_trusted) {
  if (std::system("command -v keytool >/dev/null") != 0) GTEST_SKIP() << "there is no keytool on PATH";
  Folder folder;
  auto one = made(), other = made();
  auto file =
      folder.write("trust.p12", pkcs12_trust_store({{"One", one.der()}, {"", other.der()}}, "changeit").value());
  auto listed = shell("keytool -list -keystore '" + file.string() + "' -storepass changeit");
  EXPECT_NE(listed.find("contains 2 entries"), std::string::npos) << listed;
  EXPECT_NE(listed.find("trustedCertEntry"), std::string::npos) << listed;
  EXPECT_NE(listed.find(one.fingerprint()), std::string::npos) << listed;
  EXPECT_NE(listed.find(other.fingerprint()), std::string::npos) << listed;
  listed = shell("keytool -J-Duser.language=en -list -keystore '" + file.string() + "' -storepass another");
  EXPECT_NE(listed.find("ntegrity check failed"), std::string::npos) << listed;
}

TEST(TrustStore, keytools_own_files_are_read) {
  if (std::system("command -v keytool >/dev/null") != 0) GTEST_SKIP() << "there is no keytool on PATH";
  Folder folder;
  auto one = made();
  auto pem = folder.write("one.pem", one.pem());
  for (std::string type : {"JKS", "PKCS12"}) {
    auto store = folder.path() / type;
    auto made_it = shell("keytool -importcert -noprompt -alias one -file '" + pem.string() + "' -storetype " + type +
                         " -storepass changeit -keystore '" + store.string() + "'");
    auto roots = read_roots(contents(store));
    ASSERT_TRUE(roots) << made_it << roots.error().line();
    EXPECT_EQ(ders(*roots), std::vector{one.der()}) << type;
    EXPECT_EQ((*roots)[0].alias, "one");
  }
}

}  // namespace
}  // namespace retrial::certs
