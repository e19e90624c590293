// What is injected looks as if the service that is asked had said it.
#include <gtest/gtest.h>

#include "campaign/workload/director.h"
#include "tests/trace/wire.h"

namespace retrial::campaign {
namespace {

trace::Answer injected(std::string_view request) {
  trace::Run run;
  Events events{"/nonexistent/events"};
  CampaignDirector director(run, events, {{std::nullopt, *policies::parse_fault_plan("error(503)")}});
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

}  // namespace
}  // namespace retrial::campaign
