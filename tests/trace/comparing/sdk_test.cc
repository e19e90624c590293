#include "trace/comparing/sdk.h"

#include <gtest/gtest.h>

namespace retrial::trace {
namespace {

std::string of(std::string agent, bool grpc = false) {
  Exchange e;
  e.request_headers = {{"Host", "127.0.0.1"}, {"User-Agent", std::move(agent)}};
  e.grpc.is = grpc;
  return sdk(e);
}

TEST(Sdk, is_the_vendors_client_as_it_names_itself) {
  EXPECT_EQ(of("azsdk-js-storagequeue/12.17.0 core-rest-pipeline/1.15.2 Node/20.11.1 OS/(x64-Linux-6.1)"),
            "azsdk-js-storagequeue/12.17.0");
  EXPECT_EQ(of("Boto3/1.34.0 md/Botocore#1.34.0 ua/2.0 os/linux"), "Boto3/1.34.0");
  EXPECT_EQ(of("aws-sdk-js/3.500.0 ua/2.0"), "aws-sdk-js/3.500.0");
  EXPECT_EQ(of("gcloud-python/2.14.0  gl-python/3.11 gccl/2.14.0"), "gcloud-python/2.14.0");
}

TEST(Sdk, is_none_of_what_each_place_sets_up_for_itself) {
  for (auto* agent :
       {"python-requests/2.31.0", "node", "undici", "axios/1.6.0", "Go-http-client/1.1", "curl/8.5.0",
        "Java-http-client/17.0.9", "okhttp/4.12.0", "Apache-HttpClient/5.3 (Java/17)", "our-shop/1.0", ""})
    EXPECT_EQ(of(agent), "") << agent;
  EXPECT_EQ(of("gcloud-python grpc-python/1.60.0", true), "") << "a gRPC client retries as its service config says";
}

}  // namespace
}  // namespace retrial::trace
