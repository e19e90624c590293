#include "trace/calls/operation.h"

#include <gtest/gtest.h>

#include "tests/trace/wire.h"
#include "trace/profiles/template_path.h"

namespace retrial::trace {
namespace {

TEST(TemplatePath, numbers_uuids_hashes_and_timestamps_are_taken_out) {
  EXPECT_EQ(template_path("/users/42/orders"), "/users/{id}/orders");
  EXPECT_EQ(template_path("/users/6bb916bd-9b23-4632-98a8-aea3a7f67099"), "/users/{id}");
  EXPECT_EQ(template_path("/blobs/9dd4e461268c8034f5c8564e155c67a6"), "/blobs/{id}");
  EXPECT_EQ(template_path("/blobs/sha256:9dd4e461268c8034f5c8564e155c67a6"), "/blobs/{id}");
  EXPECT_EQ(template_path("/at/2026-11-22T00:14:39Z"), "/at/{id}");
  EXPECT_EQ(template_path("/at/2026-11-22"), "/at/{id}");
  EXPECT_EQ(template_path("/at/20261122T001439Z"), "/at/{id}");
  EXPECT_EQ(template_path("/short/3fa9c1d2"), "/short/{id}");
  EXPECT_EQ(template_path("/mail/ann%40example.org"), "/mail/{id}");
}

TEST(TemplatePath, a_name_with_a_random_tail_is_taken_out_whole) {
  EXPECT_EQ(template_path("/acct/jobs-1732234123-ab12f"), "/acct/{id}");
  EXPECT_EQ(template_path("/acct/jobs-3fa9c1"), "/acct/{id}");
  EXPECT_EQ(template_path("/acct/jobs-abc123"), "/acct/{id}");
  EXPECT_EQ(template_path("/acct/test_bucket_7f3a9"), "/acct/{id}");
  EXPECT_EQ(template_path("/acct/reports.2026.pdf"), "/acct/{id}");
}

TEST(TemplatePath, long_random_words_are_taken_out) {
  EXPECT_EQ(template_path("/t/eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"), "/t/{id}");
  EXPECT_EQ(template_path("/t/aPhWJnaWBwFmjazZRflRIfTucFFgnSwy"), "/t/{id}");
  EXPECT_EQ(template_path("/t/" + std::string(65, 'a')), "/t/{id}");
  EXPECT_EQ(template_path("/block/YWxpY2U="), "/block/{id}");
  EXPECT_EQ(template_path("/block/YWxpY2Ui%3D"), "/block/{id}");
}

TEST(TemplatePath, names_and_versions_stay) {
  for (std::string path :
       {"/", "/v1/users", "/v2beta1/things", "/v1.2/a", "/2.0/folders", "/oauth2/token", "/rest/api/2/issue",
        "/api/k8s/i18n/e2e", "/sha256/mp3", "/index.html", "/devstoreaccount1/jobs", "/users/", "//double",
        "/acknowledgements/internationalization", "/my-bucket/s3"})
    EXPECT_EQ(template_path(path), path);
}

TEST(TemplatePath, the_query_is_left_out_and_absolute_targets_are_read) {
  EXPECT_EQ(template_path("/a?b=1&c=/d/2"), "/a");
  EXPECT_EQ(template_path("http://127.0.0.1:8080/users/7?x"), "/users/{id}");
  EXPECT_EQ(template_path("http://127.0.0.1:8080"), "/");
  EXPECT_EQ(template_path("*"), "*");
}

TEST(TemplatePath, a_method_of_the_thing_itself_stays) {
  EXPECT_EQ(template_path("/v1/projects/p-4711/topics/t-0815a:publish"), "/v1/projects/{id}/topics/{id}:publish");
}

// The same paths, as two runs of one test send them.
TEST(TemplatePath, comes_out_the_same_in_two_runs_whose_random_names_differ) {
  for (std::string form : {"/q-{}/messages", "/{}/x", "/bucket_{}/k", "/run.{}.log/x"})
    for (auto [a, b] : {std::pair{"6bb916bd-9b23-4632-98a8-aea3a7f67099", "da1de602-e609-11f1-8e24-02fc00000001"},
                        {"1732234123", "1732234999"},
                        {"1732234123-ab12f", "1732234124-zz9q1"},
                        {"a1b2c3d4", "12345678"},
                        {"V1StGXR8_Z5jdHi6B-myT", "Uakgb_J5m9g-0JDMbcJqL"},
                        {"m1x0k2b7f", "m1x0k9zz1"}}) {
      auto with = [&](std::string_view name) {
        auto text = form;
        return template_path(text.replace(text.find("{}"), 2, name));
      };
      EXPECT_EQ(with(a), with(b)) << form << ' ' << a;
      EXPECT_NE(with(a).find("{id}"), std::string::npos) << form << ' ' << a;
    }
}

TEST(TargetKey, leaves_out_what_a_client_makes_anew_for_each_attempt_and_nothing_else) {
  EXPECT_EQ(target_key("/b/k?part=1&X-Amz-Signature=a"), target_key("/b/k?part=1&X-Amz-Signature=b"));
  EXPECT_EQ(target_key("/x?_=17"), target_key("/x?_=18"));
  EXPECT_EQ(target_key("http://h:1/x?a=1"), target_key("/x?a=1"));
  EXPECT_NE(target_key("/b/k?part=1"), target_key("/b/k?part=2"));
  EXPECT_NE(target_key("/b/k?part=1"), target_key("/b/k"));
  EXPECT_NE(target_key("/b/k"), target_key("/b/j"));
}

TEST(Operation, is_method_and_template_where_nothing_is_known_of_the_service) {
  auto e = wire::request("PATCH /orders/17?force=1 HTTP/1.1\r\nHost: shop\r\n\r\n");
  EXPECT_EQ(e.profile, "generic");
  EXPECT_EQ(operation_of(e), "PATCH /orders/{id}");
}

TEST(Operation, goes_by_the_profile_that_the_exchange_names) {
  auto e = wire::request("PUT /v2/library/app/blobs/uploads/abc?digest=sha256:1 HTTP/1.1\r\nHost: r\r\n\r\n");
  EXPECT_EQ(operation_of(e), "PUT /v2/{name}/blobs/uploads/{id}");
  e.profile = "generic";
  EXPECT_EQ(operation_of(e), "PUT /v2/library/app/blobs/uploads/abc");
}

}  // namespace
}  // namespace retrial::trace
