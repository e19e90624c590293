#include "campaign/serving/routes.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "campaign/serving/pages.h"

namespace retrial::campaign {
namespace {
using Json = nlohmann::json;

TEST(AdminRoutes, are_those_that_the_description_has) {
  auto described = Json::parse(page_file("openapi.json"));
  std::map<std::string, std::set<std::string>> said, served;
  for (auto& [path, methods] : described["paths"].items())
    for (auto& [method, what] : methods.items())
      if (method != "parameters") said[path].insert(method);
  for (auto& route : admin_routes()) {
    std::string method(route.method);
    for (auto& c : method) c = static_cast<char>(std::tolower(c));
    EXPECT_TRUE(served[std::string(route.path)].insert(method).second) << route.path << " twice";
  }
  EXPECT_EQ(said, served);
}

TEST(AdminRoutes, are_each_described_with_an_id_of_its_own_and_what_it_answers) {
  auto described = Json::parse(page_file("openapi.json"));
  std::set<std::string> ids;
  for (auto& [path, methods] : described["paths"].items())
    for (auto& [method, what] : methods.items()) {
      if (method == "parameters") continue;
      EXPECT_TRUE(ids.insert(what["operationId"]).second) << path;
      EXPECT_FALSE(what["summary"].get<std::string>().empty()) << path;
      EXPECT_FALSE(what["responses"].empty()) << path;
      EXPECT_EQ(path.find('{') != path.npos, methods.contains("parameters")) << path;
    }
}

}  // namespace
}  // namespace retrial::campaign
