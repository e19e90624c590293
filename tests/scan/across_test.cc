#include "scan/across.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "scan/scan.h"

// What one file leaves open, and another of the same project says.
namespace retrial::scan {
namespace {

std::vector<Location> found_in(const std::map<std::string, std::string>& files) {
  Found all;
  for (auto& [path, text] : files) {
    auto found = scan_text(*language_of(path), text);
    for (auto& one : found.locations) {
      one.file = path;
      all.locations.push_back(one);
    }
  }
  complete(all);
  return all.locations;
}

const std::string kOwnRetry =
    "package own\n\nfunc Retry(ctx context.Context, op func() error, next func(error) time.Duration) error {\n"
    "\tfor {\n\t\terr := op()\n\t\tif err == nil {\n\t\t\treturn nil\n\t\t}\n\t\tselect {\n"
    "\t\tcase <-ctx.Done():\n\t\t\treturn err\n\t\tcase <-time.After(next(err)):\n\t\t}\n\t}\n}\n";

std::string use_of(const std::string& callee, const std::string& context) {
  return "package use\n\nfunc f(ctx context.Context, c Client) {\n\tsend := func() error { return c.Send() }\n\t_ = " +
         callee + "(" + context + ", send, func(_ error) time.Duration { return b.Next() })\n}\n";
}

TEST(Across, a_use_of_the_projects_own_Retry_ends_and_waits_as_that_does_not_as_a_library_of_that_name) {
  for (auto* callee : {"own.Retry", "Retry"}) {
    auto found = found_in({{"own/retry.go", kOwnRetry}, {"own/use.go", use_of(callee, "ctx")}});
    ASSERT_EQ(found.size(), 2u) << callee;
    EXPECT_EQ(word(found[1].bound), "caller") << callee;
    EXPECT_EQ(found[1].bound.text, "as at own/retry.go:4") << callee;
    EXPECT_EQ(word(found[1].wait), "elsewhere") << callee;
    EXPECT_EQ(found[1].calls, "c.Send") << callee;
  }
}

TEST(Across, a_librarys_Retry_is_not_the_projects_own_of_that_name) {
  std::string own =
      "package own\n\nfunc Retry(op func() error) error {\n\tfor i := 0; i < 3; i++ {\n\t\terr := op()\n"
      "\t\tif err == nil || !Transient(err) {\n\t\t\treturn err\n\t\t}\n\t\ttime.Sleep(time.Second)\n\t}\n"
      "\treturn nil\n}\n";
  std::string use =
      "package use\n\nimport \"github.com/cenkalti/backoff/v4\"\n\nfunc f(c Client) error {\n"
      "\treturn backoff.Retry(func() error { return c.Send() }, backoff.NewExponentialBackOff())\n}\n";
  auto found = found_in({{"own/wire.go", own}, {"use.go", use}});
  ASSERT_EQ(found.size(), 2u);
  auto& theirs = found[1];
  EXPECT_EQ(theirs.by, "backoff.Retry");
  EXPECT_TRUE(std::ranges::none_of(theirs.back, [](auto& one) { return one.contains("Transient"); }));
}

TEST(Across, a_context_that_nobody_ends_is_no_end) {
  auto found = found_in({{"own/retry.go", kOwnRetry}, {"use.go", use_of("own.Retry", "context.Background()")}});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(word(found[1].bound), "none");
}

TEST(Across, of_a_Retry_that_nobody_knows_nothing_is_said) {
  auto found = found_in({{"use.go", use_of("theirs.Retry", "ctx")}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(word(found[0].bound) + " " + word(found[0].wait), "elsewhere elsewhere");
}

TEST(Across, two_that_try_once_more_by_one_name_are_one_to_who_calls_them) {
  std::string once = "def once_with_retry\n  yield\nrescue SocketError\n  yield\nend\n";
  auto found = found_in(
      {{"a.rb", once}, {"b.rb", once}, {"c.rb", "def f(c)\n  once_with_retry do\n    c.send(1)\n  end\nend\n"}});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(word(found[2].bound) + " " + word(found[2].wait), "count none");
}

}  // namespace
}  // namespace retrial::scan
