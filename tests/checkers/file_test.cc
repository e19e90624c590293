#include "checkers/file.h"

#include <gtest/gtest.h>

#include "tests/checkers/traffic.h"

namespace retrial::checkers {
namespace {

const std::string kOne = R"([[checker]]
name    = "one"
rule    = "reads-back"
service = "127.0.0.1:*"
after   = "PUT /docs/{id}"
then    = "GET /docs/{id}"
fields  = ["title = title"]
)";

std::string wrong_with(std::string text) {
  auto read = parse(text, "checkers.toml");
  return read ? "" : read.error().line();
}
std::string replaced(std::string from, const std::string& to) {
  auto text = kOne;
  text.replace(text.find(from), from.size(), to);
  return wrong_with(text);
}

TEST(CheckersFile, says_again_what_it_was_written_from) {
  std::vector<Checker> all;
  for (std::size_t n = 0; n < kRules; n++) {
    auto rule = static_cast<Rule>(n);
    bool w = rule != Rule::never_falls && rule != Rule::same_answer && rule != Rule::echoes && rule != Rule::counts;
    bool r = rule != Rule::rises && rule != Rule::excludes;
    Field field{"a", "b"};
    if (rule == Rule::listed || rule == Rule::unlisted) field = {"{path}", "rows[].id"};
    if (rule == Rule::adds) field = {"-amount", "rows[]"};
    if (rule == Rule::becomes) field = {"'a = b'", "state"};
    if (rule == Rule::counts) field = {"rows[]", "count"};
    if (rule == Rule::keeps || rule == Rule::never_falls || rule == Rule::rises) field = {"", "x.y"};
    bool whole = rule == Rule::gone || rule == Rule::same_answer || rule == Rule::excludes;
    auto c = checker(rule, w ? "PUT /a/{id}" : "", r ? "GET /a/{id}" : "",
                     whole ? std::vector<Field>{} : std::vector{field}, static_cast<Within>(n % 3));
    c.name = std::string(show(rule));
    c.test = "a \"test\" with \\ and \x01";
    c.held = n;
    all.push_back(c);
  }
  auto text = text_of(all, "Learned.\nReally.");
  auto again = parse(text, "checkers.toml");
  ASSERT_TRUE(again) << again.error().line() << "\n" << text;
  ASSERT_EQ(again->size(), all.size());
  EXPECT_EQ(text_of(*again, "Learned.\nReally."), text);
  for (std::size_t n = 0; n < kRules; n++) {
    EXPECT_EQ((*again)[n].fields, all[n].fields) << show(all[n].rule);
    EXPECT_EQ((*again)[n].within, all[n].within);
    EXPECT_FALSE(sentence(all[n]).empty());
    EXPECT_EQ(rule_named(show(all[n].rule)), all[n].rule);
  }
}

TEST(CheckersFile, tells_the_first_slip_with_its_line) {
  EXPECT_EQ(wrong_with(kOne), "");
  EXPECT_EQ(wrong_with(""), "checkers.toml: holds no [[checker]]");
  EXPECT_TRUE(replaced("name ", "nmae ").starts_with("checkers.toml:1: [[checker]] 1 name: expected a name"))
      << replaced("name ", "nmae ");
  EXPECT_EQ(
      replaced("\"reads-back\"", "\"read-back\""),
      "checkers.toml:3: [[checker]] 1 rule: expected \"reads-back\", \"gone\", \"listed\", \"unlisted\", \"adds\", "
      "\"keeps\", \"agrees\", \"becomes\", \"never-falls\", \"rises\", \"same-answer\", \"echoes\", \"counts\" or "
      "\"excludes\", found \"read-back\", did you mean \"reads-back\"?");
  EXPECT_TRUE(replaced("PUT /docs/{id}", "docs").contains(":5: [[checker]] 1 after: expected an operation"));
  EXPECT_EQ(replaced("title = title", "title"),
            "checkers.toml:7: [[checker]] 1 fields: expected some such as \"title = title\", found \"title\"");
  EXPECT_TRUE(replaced("[\"title = title\"]", "[]").contains("fields"));
  EXPECT_TRUE(replaced("\"reads-back\"", "\"gone\"").contains("fields: expected none"));
  EXPECT_TRUE(replaced("\"reads-back\"", "\"excludes\"").contains("then: expected none"));
  auto adding = [](const std::string& amount) {
    return wrong_with(
        "[[checker]]\nname = \"n\"\nrule = \"adds\"\nservice = \"*\"\nafter = \"POST /a\"\nthen = \"GET /a\"\n"
        "fields = [\"" +
        amount + " = count\"]\n");
  };
  for (auto good : {"+1", "-2.5", "+amount", "+1e3"}) EXPECT_EQ(adding(good), "") << good;
  for (auto broken : {"+1e400", "+1x", "1", "+"})
    EXPECT_TRUE(adding(broken).contains("fields: expected one such as")) << broken;
  EXPECT_TRUE(wrong_with(kOne + "color = 1\n").contains("color"));
  EXPECT_TRUE(wrong_with(kOne + kOne).contains(":9: [[checker]] 2 name: expected a name that no other checker has"));
  EXPECT_TRUE(wrong_with("[run]\n").contains("expected tables [[checker]] and nothing else"));
  EXPECT_TRUE(wrong_with("checker = 1\n").contains("expected tables [[checker]]"));
  EXPECT_TRUE(wrong_with("[[checker\n").starts_with("checkers.toml:1:"));
  EXPECT_EQ(load("/nonexistent/checkers.toml").error().line(),
            "/nonexistent/checkers.toml: cannot be read: No such file or directory");
}

}  // namespace
}  // namespace retrial::checkers
