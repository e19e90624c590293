#include <gtest/gtest.h>

#include "trace/profiles/json_pointer.h"
#include "trace/profiles/path_pattern.h"

namespace retrial::trace {
namespace {

bool fits(std::string_view pattern, std::string_view path) { return PathPattern::parse(pattern)->matches(path); }

TEST(PathPattern, has_places_for_one_segment_and_for_many) {
  EXPECT_TRUE(fits("/", "/"));
  EXPECT_TRUE(fits("/users/{id}", "/users/7"));
  EXPECT_FALSE(fits("/users/{id}", "/users/"));
  EXPECT_FALSE(fits("/users/{id}", "/users/7/"));
  EXPECT_FALSE(fits("/users/{id}", "/users/7/x"));
  EXPECT_TRUE(fits("/v2/{name...}/uploads/", "/v2/a/b/c/uploads/"));
  EXPECT_TRUE(fits("/v2/{name...}/uploads/{id}", "/v2/a/uploads/uploads/7")) << "a name may look like what follows";
  EXPECT_FALSE(fits("/v2/{name...}/uploads/", "/v2/uploads/"));
  EXPECT_TRUE(fits("/kv/{key...}", "/kv/a/b"));
  EXPECT_FALSE(fits("/kv/{key...}", "/kv/"));
  EXPECT_TRUE(fits("/api/{method=chat.*}", "/api/chat.update"));
  EXPECT_FALSE(fits("/api/{method=chat.*}", "/api/files.list"));
  EXPECT_FALSE(fits("/a", "a"));
  EXPECT_EQ(PathPattern::parse("/v2/{name...}/blobs/{digest=*:*}/")->shown(), "/v2/{name}/blobs/{digest}/");
}

TEST(PathPattern, is_refused_where_a_place_is_no_segment_of_its_own) {
  for (auto text : {"", "users", "/a?b", "/a-{id}", "/{id", "/{}", "/{...}", "/{a...=x}", "/{{a}}", "/}a{"})
    EXPECT_FALSE(PathPattern::parse(text)) << text;
}

TEST(JsonPointer, leads_to_one_value_of_a_sample_that_may_end_anywhere) {
  std::string body = R"( {"a":{"b":[{"c":1},{"c":"x\"y"}],"n":null},"a/b":2,"t":true,"z":1.50,"a2":{"b":3}} )";
  EXPECT_EQ(json_at(body, "/a/b/1/c"), "x\"y");
  EXPECT_EQ(json_at(body, "/a/b/0/c"), "1");
  EXPECT_EQ(json_at(body, "/a/b"), "") << "an array is there";
  EXPECT_EQ(json_at(body, "/a/n"), "null");
  EXPECT_EQ(json_at(body, "/a~1b"), "2");
  EXPECT_EQ(json_at(body, "/t"), "true");
  EXPECT_EQ(json_at(body, "/z"), "1.50");
  EXPECT_EQ(json_at(body, "/b"), std::nullopt);
  EXPECT_EQ(json_at(body, "/a/b/c"), std::nullopt);
  EXPECT_EQ(json_at(body, "/t/x"), std::nullopt);
  EXPECT_EQ(json_at("no json", "/a"), std::nullopt);
  for (std::size_t n = 0; n <= body.size(); n++) {
    auto found = json_at(std::string_view(body).substr(0, n), "/a/b/1/c");
    EXPECT_TRUE(!found || *found == "x\"y") << n;
  }
}

}  // namespace
}  // namespace retrial::trace
