// docs/admin.md says what the admin side is asked, what it counts, and what it tells of an exchange.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "campaign/serving/routes.h"
#include "proxy/out/access_log.h"
#include "tests/support/docs.h"

namespace retrial::campaign {
namespace {

TEST(AdminPage, has_every_route) {
  auto page = test::docs("admin.md");
  for (auto& route : admin_routes()) {
    if (route.path.starts_with("/page/")) continue;
    EXPECT_NE(page.find(route.path), page.npos) << route.path;
  }
}

TEST(AdminPage, has_every_field_of_the_access_log_and_no_other) {
  auto page = test::docs("admin.md");
  auto text = std::string(test::section(page, "## Traces, access log, log"));
  std::set<std::string> said, there;
  std::regex name(R"(`\{(\w+)\}`)");
  for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at) said.insert(at->str(1));
  for (auto& field : proxy::access_fields()) there.emplace(field.name);
  EXPECT_EQ(said, there);
}

TEST(AdminPage, has_every_metric_and_no_other) {
  auto names_in = [](const std::string& text) {
    std::set<std::string> names;
    std::regex name(R"((retrial|process)_[a-z_]+)");
    for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at) names.insert(at->str());
    return names;
  };
  auto page = test::docs("admin.md");
  EXPECT_EQ(names_in(std::string(test::section(page, "## Metrics"))),
            names_in(test::text_of("campaign/serving/metrics.cc")));
}

}  // namespace
}  // namespace retrial::campaign
