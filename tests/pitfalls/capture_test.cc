// Capture depends on no proxy variable, which many clients do not read and some break by; trust depends on several.
#include <gtest/gtest.h>

#include "campaign/workload/environment.h"
#include "tests/support/variables.h"

namespace retrial::campaign {
namespace {

TEST(ProxyVariables, are_not_set_where_connections_are_captured_and_the_users_own_stay) {
  test::Variables none{{"HTTP_PROXY", nullptr},  {"HTTPS_PROXY", nullptr}, {"http_proxy", nullptr},
                       {"https_proxy", nullptr}, {"ALL_PROXY", nullptr},   {"all_proxy", nullptr},
                       {"NO_PROXY", nullptr},    {"no_proxy", "internal"}, {"NODE_USE_ENV_PROXY", nullptr}};
  std::string found;
  for (auto& e : environment_for({}, {"/agents", "/e/1.jsonl", "/e/1.only"}))
    if (auto name = e.substr(0, e.find('=')); name.find("PROXY") != name.npos || name.find("proxy") != name.npos)
      found += e + " ";
  EXPECT_EQ(found, "no_proxy=internal ");
}

}  // namespace
}  // namespace retrial::campaign
