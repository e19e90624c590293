#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cstdio>

#include "certs/authority.h"
#include "certs/trust_store.h"
#include "tests/support/folder.h"
#include "tests/support/said.h"

namespace retrial {
namespace {

using certs::Authority;
using test::contents;
using test::Folder;

struct Ca : testing::Test {
  Folder folder;
  std::string dir = (folder.path() / "ca").string();
  std::string said;  // by the last command, on both its outputs

  int ca(const std::string& arguments) {
    auto [status, text] = test::run("'" RETRIAL_BINARY "' ca " + arguments + " --dir '" + dir + "'");
    said = text;
    return status;
  }
  std::string fingerprint(const std::string& below = "") {
    auto loaded = Authority::load(std::filesystem::path(dir) / below);
    return loaded ? loaded->fingerprint() : loaded.error().line();
  }
};

TEST_F(Ca, makes_one_and_shows_it_but_never_its_key) {
  ASSERT_EQ(ca("make"), 0) << said;
  EXPECT_NE(said.find(fingerprint()), std::string::npos) << said;
  ASSERT_EQ(ca("show"), 0) << said;
  EXPECT_NE(said.find(fingerprint()), std::string::npos) << said;
  EXPECT_EQ(said.find("PRIVATE KEY"), std::string::npos);
}

TEST_F(Ca, does_not_make_another_over_the_first) {
  ASSERT_EQ(ca("make"), 0);
  auto first = fingerprint();
  EXPECT_EQ(ca("make"), 2);
  EXPECT_EQ(said, "retrial: " + dir + "/ca.pem: is there already; retrial ca rotate replaces an authority\n");
  EXPECT_EQ(fingerprint(), first);
}

TEST_F(Ca, exports_the_certificate_as_text_or_for_java) {
  ASSERT_EQ(ca("make"), 0);
  ASSERT_EQ(ca("export"), 0);
  EXPECT_EQ(said, contents(dir + "/ca.pem"));
  auto file = (folder.path() / "trust.p12").string();
  ASSERT_EQ(ca("export --format pkcs12 --password another --out '" + file + "'"), 0) << said;
  auto roots = certs::read_roots(contents(file));
  ASSERT_TRUE(roots) << roots.error().line();
  ASSERT_EQ(roots->size(), 1u);
  EXPECT_EQ((*roots)[0].der, Authority::load(dir)->der());
}

TEST_F(Ca, rotates_and_keeps_the_old_one_beside_it) {
  ASSERT_EQ(ca("make"), 0);
  auto first = fingerprint();
  ASSERT_EQ(ca("rotate"), 0) << said;
  EXPECT_NE(fingerprint(), first);
  EXPECT_NE(said.find("To be trusted anew"), std::string::npos) << said;
  std::string kept = "authority-";
  for (char c : first.substr(0, 11))
    if (c != ':') kept += static_cast<char>(std::tolower(c));
  EXPECT_EQ(fingerprint(kept), first);
}

TEST_F(Ca, answers_bad_input_with_one_line_and_status_2) {
  auto expect = [&](const std::string& arguments, const std::string& line) {
    EXPECT_EQ(ca(arguments), 2) << arguments;
    EXPECT_EQ(said, "retrial: " + line + "\n");
  };
  expect("show", dir + ": holds no authority yet; retrial ca make makes one");
  expect("shwo", "ca: expected make, show, export, rotate, got \"shwo\"; did you mean show?");
  expect("", "ca: expected make, show, export, rotate");
  expect("show --out x", "--out: belongs to ca export");
  ASSERT_EQ(ca("make"), 0);
  expect("export --format pkcs", "--format: expected pem or pkcs12, got \"pkcs\"; did you mean pkcs12?");
  expect("export --format pkcs12", "--format pkcs12: a trust store is no text: name its file, --out FILE");
  expect("export --out /nowhere/at/all", "/nowhere/at/all: cannot be written: No such file or directory");
  ASSERT_EQ(chmod((dir + "/ca.key").c_str(), 0644), 0);
  expect("rotate",
         dir +
             "/ca.key: everybody may open this key (mode 0644): chmod 600 it, or 440 where its group is to read "
             "it; make a new authority if anyone has");
  folder.write("ca/ca.pem", "hello\n");
  expect("show", dir + "/ca.pem: is not a certificate in PEM");
}

}  // namespace
}  // namespace retrial
