// What is injected looks as if the service that is asked had said it.
#include <gtest/gtest.h>

#include "campaign/workload/director.h"
#include "tests/trace/wire.h"

namespace retrial::campaign {
namespace {

trace::Answer injected(std::string_view request, const trace::Lessons& lessons = {},
                       std::map<std::string, std::string> profiles = {}) {
  trace::Run run;
  Events events{"/nonexistent/events"};
  CampaignDirector director(run, events, {{std::nullopt, *policies::parse_fault_plan("error(503)")}}, {}, lessons);
  director.read_as(std::move(profiles));
  auto head = trace::wire::request(request);
  head.id = head.connection = 1;
  head.pid = 7;
  head.begun = kSecond;
  head.request_sample.clear();
  return director.at_head(head).answer;
}

TEST(InjectedErrors, have_the_shape_of_the_service_that_is_asked) {
  auto azure = injected("GET /acct/q/messages HTTP/1.1\r\nHost: h\r\nx-ms-version: 2025\r\nx-ms-date: x\r\n\r\n");
  EXPECT_EQ(trace::find(azure.headers, "x-ms-error-code"), "ServerBusy");
  EXPECT_NE(azure.body.find("<Code>ServerBusy</Code>"), std::string::npos) << azure.body;
  auto s3 = injected("GET /b/k HTTP/1.1\r\nHost: h\r\nx-amz-content-sha256: x\r\n\r\n");
  EXPECT_NE(s3.body.find("<Code>SlowDown</Code>"), std::string::npos) << s3.body;
  auto google = injected("GET /storage/v1/b/shelf HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_NE(google.body.find(R"("reason":"backendError")"), std::string::npos) << google.body;
}

TEST(InjectedErrors, have_the_shape_of_the_services_own_where_no_profile_knows_it) {
  auto seen = trace::wire::request("GET /docs/7 HTTP/1.1\r\nHost: h\r\n\r\n");
  trace::wire::respond(
      seen, "HTTP/1.1 404 X\r\nContent-Type: application/problem+json\r\n\r\n{\"errors\":[{\"status\":404}]}");
  trace::Run run;
  run.exchanges = {seen};
  trace::Lessons lessons;
  lessons.errors.learn(run);
  constexpr auto kAsked = "GET /docs/9 HTTP/1.1\r\nHost: h\r\n\r\n";
  auto own = injected(kAsked, lessons);
  EXPECT_EQ(own.body, R"({"errors":[{"status":503}]})");
  EXPECT_EQ(trace::find(own.headers, "content-type"), "application/problem+json");
  EXPECT_NE(injected(kAsked, lessons, {{"", "generic"}}).body.find("\"message\""), std::string::npos);
  EXPECT_NE(injected(kAsked, lessons, {{"127.0.0.1:10001", "azure-storage"}}).body.find("ServerBusy"),
            std::string::npos);
}

}  // namespace
}  // namespace retrial::campaign
