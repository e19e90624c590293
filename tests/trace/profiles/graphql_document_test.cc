#include "trace/profiles/graphql_document.h"

#include <gtest/gtest.h>

namespace retrial::trace {
namespace {
using Kind = GraphqlOperation::Kind;

std::string read(std::string_view document, std::string_view name = "") {
  auto operation = graphql_operation(document, name);
  if (!operation) return "nothing";
  return std::string(show(operation->kind)) + " " + operation->name + "." + operation->field;
}

TEST(GraphqlDocument, an_operation_has_its_kind_name_and_first_root_field) {
  EXPECT_EQ(read("query Q { me { id } }"), "query Q.me");
  EXPECT_EQ(read("{ me { id } }"), "query .me");
  EXPECT_EQ(read("query { me }"), "query .me");
  EXPECT_EQ(read("\n  mutation M { pay(n: 1) { id } }"), "mutation M.pay");
  EXPECT_EQ(read("subscription S($a: [Int!]! = [1, 2]) { news }"), "subscription S.news");
  EXPECT_EQ(read("query Q($a: A = {b: \"}\"}) @live(on: {x: [1]}) @b { mine: me }"), "query Q.me") << "not its alias";
  EXPECT_EQ(read("mutation{a,b}"), "mutation .a");
}

TEST(GraphqlDocument, comments_strings_and_fragments_are_looked_over) {
  EXPECT_EQ(read("# mutation M { a }\nquery Q { b }"), "query Q.b");
  EXPECT_EQ(read("fragment F on T @a(b: \"{\") { x { y } }\nmutation M { pay }"), "mutation M.pay");
  EXPECT_EQ(read("query Q($a: S = \"\"\"mutation \\\"\"\" { \" }\"\"\") { b }"), "query Q.b");
  EXPECT_EQ(read("query Q($a: S = \"\") { b }"), "query Q.b");
  EXPECT_EQ(read("{ ...F ... on Q @a { b } }"), "query .b");
  EXPECT_EQ(read("{ ...F c }"), "query .c");
  EXPECT_EQ(read("{ ... { d } }"), "query .d");
  EXPECT_EQ(read("\xef\xbb\xbf{ a }"), "query .a");
}

TEST(GraphqlDocument, the_operation_that_is_asked_for_is_found_among_several) {
  constexpr std::string_view kTwo = "query A { a { x } } mutation B($i: I) { b(i: $i) { x } } fragment F on X { y }";
  EXPECT_EQ(read(kTwo), "query A.a");
  EXPECT_EQ(read(kTwo, "A"), "query A.a");
  EXPECT_EQ(read(kTwo, "B"), "mutation B.b");
  EXPECT_EQ(read(kTwo, "C"), "nothing");
}

TEST(GraphqlDocument, what_is_no_document_is_nothing) {
  for (auto text : {"", " ", "SELECT 1", "type A { b: C }", "schema { query: Q }", "}", ")", "\"query\" { a }", "42"})
    EXPECT_EQ(read(text), "nothing") << text;
}

// Cut off anywhere it is the same or less, and never something else.
TEST(GraphqlDocument, a_document_may_end_anywhere) {
  constexpr std::string_view kWhole =
      "# a\nfragment F on T { q(s: \"x\") } mutation Make($a: [A!] = {b: \"\"\"c\"\"\"}) @d(e: 1) { made: make(a: $a) "
      "{ id } }";
  for (std::size_t size = 0; size < kWhole.size(); size++) {
    auto part = graphql_operation(kWhole.substr(0, size), "");
    if (!part) continue;
    EXPECT_EQ(part->kind, Kind::mutation) << size;
    EXPECT_TRUE(std::string_view("Make").starts_with(part->name)) << size;
    EXPECT_TRUE(std::string_view("made").starts_with(part->field) || std::string_view("make").starts_with(part->field));
  }
  EXPECT_EQ(read(kWhole), "mutation Make.make");
}

}  // namespace
}  // namespace retrial::trace
