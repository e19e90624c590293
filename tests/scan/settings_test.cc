// Retries that stand in files of settings.
#include "scan/settings.h"

#include <gtest/gtest.h>

#include "scan/scan.h"
#include "tests/support/folder.h"

namespace retrial::scan {
namespace {

std::string all(const char* file, std::string_view text) {
  std::string said;
  for (auto& at : retries_in_settings(file, text)) {
    said += std::to_string(at.line) + (at.calls.empty() ? "" : " " + at.calls) + ": " + at.bound.text + ", " +
            word(at.wait) + " " + at.wait.text + ", back:";
    for (auto& error : at.back) said += " " + error;
    said += "\n";
  }
  return said;
}

TEST(Settings, of_grpc_are_read_a_policy_a_method) {
  EXPECT_EQ(all("grpc_service_config.json", R"({
  "methodConfig": [
    { "name": [{ "service": "shop.Orders" }],
      "retryPolicy": {
        "maxAttempts": 4, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2,
        "retryableStatusCodes": ["UNAVAILABLE", "ABORTED"]
      } },
    { "name": [{ "service": "shop.Stock" }],
      "retryPolicy": { "maxAttempts": 2, "initialBackoff": "1s", "backoffMultiplier": 1.0,
                       "retryableStatusCodes": ["UNAVAILABLE"] } }
  ]
})"),
            "4: maxAttempts: 4, jitter 0.1s, back: UNAVAILABLE ABORTED\n"
            "9: maxAttempts: 2, jitter 1s, back: UNAVAILABLE\n");
}

TEST(Settings, of_spring_may_have_several_keys_in_one) {
  EXPECT_EQ(all("application.yml", R"(resilience4j.retry:
  instances:
    pay:
      maxAttempts: 4
      waitDuration: 200ms
)"),
            "3 pay: maxAttempts: 4, fixed 200ms, back: any\n");
}

TEST(Settings, of_a_mesh_are_read_and_none_where_there_are_no_attempts) {
  EXPECT_EQ(all("routes.yaml", R"(apiVersion: networking.istio.io/v1
kind: VirtualService
spec:
  http:
  - route:
    - destination: { host: orders }
    retries:
      attempts: 3   # and one
      perTryTimeout: 2s
      retryOn: 5xx,reset
  - route:
    - destination: { host: stock }
    retries: {attempts: 0}
---
route:
  retry_policy:
    retry_on: "5xx"
    num_retries: 2
    retry_back_off:
      base_interval: 0.05s
)"),
            "7: attempts: 3, jitter 25ms, back: 5xx reset\n"
            "16: num_retries: 2, jitter 0.05s, back: 5xx\n");
}

TEST(Settings, of_resilience4j_are_read_an_instance_each) {
  EXPECT_EQ(all("application.yml", R"(resilience4j:
  retry:
    instances:
      orders:
        max-attempts: 5
        wait-duration: 200ms
        enable-exponential-backoff: true
        retry-exceptions:
          - java.io.IOException
          - java.util.concurrent.TimeoutException
      stock:
        waitDuration: 0
  circuitbreaker:
    instances:
      orders:
        slidingWindowSize: 10
)"),
            "4 orders: maxAttempts: 5, growing 200ms, back: java.io.IOException java.util.concurrent.TimeoutException\n"
            "11 stock: maxAttempts: 3, none , back: any\n");
  EXPECT_EQ(all("application.properties",
                "# ours\nresilience4j.retry.instances.orders.maxAttempts=2\n"
                "resilience4j.retry.instances.orders.waitDuration=1s\n"),
            "2 orders: maxAttempts: 2, fixed 1s, back: any\n");
}

TEST(Settings, of_microprofile_are_read_and_may_have_no_end) {
  EXPECT_EQ(all("microprofile-config.properties",
                "shop.Orders/submit/Retry/maxRetries=-1\n"
                "shop.Orders/submit/Retry/maxDuration=0\n"
                "shop.Orders/submit/Retry/jitter=0\n"
                "Retry/delay=100\n"),
            "1: , none 0, back: any\n4: maxRetries: 3, jitter 100, back: any\n");
}

TEST(Settings, that_are_something_else_or_broken_say_nothing) {
  EXPECT_EQ(all("ci.yml", "job:\n  retries: many\n  steps: []\n"), "");
  EXPECT_EQ(all("service.json", R"({"retryPolicy": {"maxAttempts": )"), "");
  EXPECT_EQ(all("service.json", std::string(100'000, '[') + "retryPolicy"), "");
  EXPECT_EQ(all("a.yaml", "retries:\n\t- :\n- {a\n  retries: {attempts"), "");
}

TEST(Settings, are_counted_as_files_only_where_they_hold_retries) {
  test::Folder folder;
  folder.write("routes.yaml", "retries:\n  attempts: 3\n");
  folder.write("ci.yml", "job: build\n");
  auto chosen = choose_files({folder.path().string()}, false);
  ASSERT_TRUE(chosen);
  auto scan = scan_files(*chosen);
  EXPECT_EQ(scan.files, 1u);
  ASSERT_EQ(scan.locations.size(), 1u);
  EXPECT_EQ(scan.locations.front().language, "YAML");
}

TEST(C, is_read_as_its_own_language) {
  auto found = scan_text(*language_of("a.c"), R"(
int dial(struct addr *a) {
  int fd;
  while ((fd = connect_to(a)) < 0) sleep(1);
  return fd;
}
)")
                   .locations;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().language, "C");
  EXPECT_EQ(word(found.front().bound) + " " + word(found.front().wait), "none fixed");
}

}  // namespace
}  // namespace retrial::scan
