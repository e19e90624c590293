#include <gtest/gtest.h>

#include "tests/trace/wire.h"

namespace retrial::trace {
namespace {
using wire::request;
using wire::respond;

// As @azure/storage-queue, azure-storage-queue and their blob siblings send it to an emulator.
Exchange azure(std::string_view line, std::string_view headers = {},
               std::string_view agent = "azsdk-js-azure-storage-x/12") {
  return request(std::string(line) + " HTTP/1.1\r\nHost: 127.0.0.1:10001\r\nUser-Agent: " + std::string(agent) +
                 "\r\nx-ms-version: 2026-10-06\r\nx-ms-date: Sun, 22 Nov 2026 00:15:41 GMT\r\n"
                 "x-ms-client-request-id: da1de602-e609-11f1-8e24-02fc00000001\r\nAuthorization: SharedKey a:b\r\n" +
                 std::string(headers) + "\r\n");
}
std::string op(std::string_view line, std::string_view headers = {}) { return azure(line, headers).operation; }
Repeat repeat(std::string_view line, std::string_view headers = {}) {
  auto e = azure(line, headers);
  return profile_of(e).repeat(e);
}

TEST(AzureStorage, is_recognised_by_its_headers_or_its_shared_access_signature) {
  EXPECT_EQ(azure("GET /a/c/b").profile, "azure-storage");
  EXPECT_EQ(request("GET /a/c/b?sv=2024-08-04&sp=r&sig=redacted HTTP/1.1\r\nHost: h\r\n\r\n").profile, "azure-storage");
  EXPECT_EQ(
      request(
          "GET /dbs HTTP/1.1\r\nx-ms-version: 2018-12-31\r\nx-ms-date: x\r\nx-ms-documentdb-partitionkey: []\r\n\r\n")
          .profile,
      "generic");
  auto e = request("GET /a/c/b HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(e.profile, "generic");
  respond(
      e,
      "HTTP/1.1 404 The specified blob does not exist.\r\nServer: Azurite-Blob/3.35.0\r\nx-ms-request-id: 1\r\n\r\n");
  EXPECT_EQ(profile_for(e).name(), "azure-storage");
}

TEST(AzureStorage, names_operations_by_what_a_path_means) {
  EXPECT_EQ(op("POST /acct/jobs-17/messages?visibilitytimeout=0"), "POST /{account}/{queue}/messages");
  EXPECT_EQ(op("GET /acct/jobs/messages?numofmessages=32"), "GET /{account}/{queue}/messages");
  EXPECT_EQ(op("GET /acct/jobs/messages?peekonly=true"), "GET /{account}/{queue}/messages peekonly=true");
  EXPECT_EQ(op("DELETE /acct/jobs/messages/6bb916bd?popreceipt=x"), "DELETE /{account}/{queue}/messages/{id}");
  EXPECT_EQ(op("PUT /acct/jobs"), "PUT /{account}/{queue}");
  EXPECT_EQ(op("PUT /acct/photos?restype=container"), "PUT /{account}/{container} restype=container");
  EXPECT_EQ(op("GET /acct/photos?restype=container&comp=list"),
            "GET /{account}/{container} restype=container comp=list");
  EXPECT_EQ(op("PUT /acct/photos/2026/cat.png"), "PUT /{account}/{container}/{blob}");
  EXPECT_EQ(op("PUT /acct/photos/cat.png?comp=block&blockid=QUFB"), "PUT /{account}/{container}/{blob} comp=block");
  EXPECT_EQ(op("PUT /acct/photos/cat.png?comp=lease", "x-ms-lease-action: release\r\n"),
            "PUT /{account}/{container}/{blob} comp=lease x-ms-lease-action=release");
  EXPECT_EQ(op("GET /acct?comp=list"), "GET /{account} comp=list");
  auto cloud = request(
      "PUT /photos/cat.png HTTP/1.1\r\nHost: acct.blob.core.windows.net\r\nx-ms-version: 1\r\nx-ms-date: x\r\n\r\n");
  EXPECT_EQ(cloud.operation, "PUT /{container}/{blob}");
}

// @azure/storage-queue calls itself azsdk-js-azure-storage-blob.
TEST(AzureStorage, a_queue_is_told_by_the_request_and_not_by_its_clients_name) {
  EXPECT_EQ(azure("GET /acct/c/messages", "", "azsdk-js-azure-storage-blob/12.30.0").operation,
            "GET /{account}/{queue}/messages");
  EXPECT_EQ(azure("PUT /acct/c", "", "azsdk-js-azure-storage-blob/12.30.0").operation, "PUT /{account}/{queue}");
}

TEST(AzureStorage, a_blob_called_messages_is_told_by_what_only_blobs_are_sent) {
  auto blob = "/{account}/{container}/{blob}";
  EXPECT_EQ(op("GET /acct/c/messages", "x-ms-range: bytes=0-99\r\n"), std::string("GET ") + blob);
  EXPECT_EQ(op("PUT /acct/c/messages", "x-ms-blob-type: BlockBlob\r\n"), std::string("PUT ") + blob);
  EXPECT_EQ(op("HEAD /acct/c/messages"), std::string("HEAD ") + blob);
  EXPECT_EQ(op("PUT /acct/c/messages/1/2"), std::string("PUT ") + blob);
}

TEST(AzureStorage, tables_share_its_shape) {
  auto table = [](std::string_view line) { return azure(line, "DataServiceVersion: 3.0\r\n"); };
  EXPECT_EQ(table("POST /acct/orders").operation, "POST /{account}/{table}");
  EXPECT_EQ(table("PUT /acct/orders(PartitionKey='a',RowKey='1')").operation, "PUT /{account}/{table}({entity})");
  EXPECT_EQ(table("POST /acct/Tables").operation, "POST /{account}/Tables");
  EXPECT_EQ(table("DELETE /acct/Tables('orders')").operation, "DELETE /{account}/Tables({table})");
  auto insert = table("POST /acct/orders");
  EXPECT_EQ(profile_of(insert).repeat(insert), Repeat::unknown) << "a second insert is refused with an error";
  auto busy = profile_of(insert).error(insert, 503, "retrial-1");
  EXPECT_TRUE(busy.body.starts_with(R"({"odata.error":{"code":"ServerBusy","message":)")) << busy.body;
  auto cloud =
      request("GET /orders() HTTP/1.1\r\nHost: acct.table.core.windows.net\r\nx-ms-version: 1\r\nx-ms-date: x\r\n\r\n");
  EXPECT_EQ(cloud.operation, "GET /{table}({entity})");
}

TEST(AzureStorage, receiving_has_an_effect_and_peeking_has_none) {
  EXPECT_EQ(repeat("GET /a/q/messages?numofmessages=1"), Repeat::effect);
  EXPECT_EQ(repeat("GET /a/q/messages?peekonly=true"), Repeat::safe);
  auto e = azure("GET /a/q/messages");
  respond(e, "HTTP/1.1 200 OK\r\n\r\n<?xml version=\"1.0\"?><QueueMessagesList/>");
  EXPECT_EQ(profile_of(e).repeat(e), Repeat::safe) << "an empty answer has hidden nothing";
  respond(e,
          "HTTP/1.1 200 "
          "OK\r\n\r\n<QueueMessagesList><QueueMessage><MessageId>m1</MessageId></QueueMessage></QueueMessagesList>");
  EXPECT_EQ(profile_of(e).repeat(e), Repeat::effect);
  EXPECT_EQ(profile_of(e).effect(e), "m1");
}

TEST(AzureStorage, says_which_requests_may_be_repeated) {
  EXPECT_EQ(repeat("POST /a/q/messages"), Repeat::effect);
  EXPECT_EQ(repeat("PUT /a/q/messages/1?popreceipt=x&visibilitytimeout=5"), Repeat::guarded);
  EXPECT_EQ(repeat("DELETE /a/q/messages/1?popreceipt=x"), Repeat::idempotent);
  EXPECT_EQ(repeat("PUT /a/q"), Repeat::idempotent);
  EXPECT_EQ(repeat("PUT /a/c?restype=container"), Repeat::guarded);
  EXPECT_EQ(repeat("DELETE /a/c?restype=container"), Repeat::idempotent);
  EXPECT_EQ(repeat("PUT /a/c/b", "x-ms-blob-type: BlockBlob\r\n"), Repeat::idempotent);
  EXPECT_EQ(repeat("PUT /a/c/b", "If-None-Match: *\r\n"), Repeat::guarded);
  EXPECT_EQ(repeat("PUT /a/c/b?comp=block&blockid=1"), Repeat::idempotent);
  EXPECT_EQ(repeat("PUT /a/c/b?comp=appendblock"), Repeat::effect);
  EXPECT_EQ(repeat("PUT /a/c/b?comp=appendblock", "x-ms-blob-condition-appendpos: 10\r\n"), Repeat::guarded);
  EXPECT_EQ(repeat("PUT /a/c/b?comp=snapshot"), Repeat::effect);
  EXPECT_EQ(repeat("PUT /a/c/b?comp=lease", "x-ms-lease-action: acquire\r\n"), Repeat::guarded);
  EXPECT_EQ(repeat("DELETE /a/c/b"), Repeat::idempotent);
  EXPECT_EQ(repeat("HEAD /a/c/b"), Repeat::safe);
}

TEST(AzureStorage, an_error_has_the_services_own_shape) {
  auto e = azure("PUT /a/c/b");
  auto answer = profile_of(e).error(e, 503, "retrial-1");
  EXPECT_EQ(answer.reason, "The server is busy.");
  EXPECT_EQ(find(answer.headers, "x-ms-error-code"), "ServerBusy");
  EXPECT_EQ(find(answer.headers, "x-ms-request-id"), "retrial-1");
  EXPECT_EQ(find(answer.headers, "x-ms-version"), "2026-10-06");
  EXPECT_EQ(find(answer.headers, "content-type"), "application/xml");
  EXPECT_EQ(answer.body,
            "<?xml version=\"1.0\" encoding=\"utf-8\"?><Error><Code>ServerBusy</Code><Message>The server is busy.\n"
            "RequestId:retrial-1</Message></Error>");
  EXPECT_EQ(find(profile_of(e).error(e, 404, "m").headers, "x-ms-error-code"), "BlobNotFound");
  EXPECT_EQ(find(profile_of(e).error(e, 502, "m").headers, "content-type"), "text/html")
      << "a gateway's, not the service's";
}

}  // namespace
}  // namespace retrial::trace
