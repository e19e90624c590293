#include <gtest/gtest.h>

#include "tests/trace/wire.h"

namespace retrial::trace {
namespace {
using wire::request;
using wire::respond;

// As boto3 sends them.
Exchange s3(std::string_view line, std::string_view headers = {}, std::string_view host = "127.0.0.1:9000") {
  return request(
      std::string(line) + " HTTP/1.1\r\nHost: " + std::string(host) +
      "\r\nX-Amz-Date: 20261122T001439Z\r\nX-Amz-Content-SHA256: e3b0\r\n"
      "amz-sdk-invocation-id: 6bb916bd-9b23-4632-98a8-aea3a7f67099\r\namz-sdk-request: attempt=1; max=2\r\n" +
      std::string(headers) + "\r\n");
}
Exchange json(std::string_view target, std::string_view body, std::string_view headers = {}) {
  return request("POST / HTTP/1.1\r\nHost: 127.0.0.1:21005\r\nX-Amz-Target: " + std::string(target) +
                 "\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Date: 20261122T001439Z\r\n" +
                 std::string(headers) + "\r\n" + std::string(body));
}
Exchange form(std::string_view path, std::string_view body) {
  return request("POST " + std::string(path) +
                 " HTTP/1.1\r\nHost: 127.0.0.1:21005\r\nX-Amz-Date: 20261122T001439Z\r\n"
                 "Content-Type: application/x-www-form-urlencoded; charset=utf-8\r\n\r\n" +
                 std::string(body));
}
Repeat repeat(const Exchange& e) { return profile_of(e).repeat(e); }

TEST(Aws, is_recognised_by_its_headers_signature_or_answer) {
  EXPECT_EQ(s3("GET /b/k").profile, "aws");
  EXPECT_EQ(json("AmazonSQS.SendMessage", "{}").profile, "aws");
  EXPECT_EQ(request("GET /b/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=redacted HTTP/1.1\r\n\r\n").profile,
            "aws");
  EXPECT_EQ(request("GET /b/k HTTP/1.1\r\nAuthorization: AWS4-HMAC-SHA256 redacted\r\n\r\n").profile, "aws");
  EXPECT_EQ(request("GET /b/k HTTP/1.1\r\nX-Amzn-Trace-Id: Root=1\r\n\r\n").profile, "generic")
      << "a load balancer adds it";
  auto e = request("GET /b/k HTTP/1.1\r\nHost: h\r\n\r\n");
  respond(e, "HTTP/1.1 404 Not Found\r\nx-amz-request-id: 1\r\n\r\n");
  EXPECT_EQ(profile_for(e).name(), "aws");
}

TEST(Aws, names_operations_of_s3_by_bucket_key_and_subresource) {
  EXPECT_EQ(s3("PUT /bucket").operation, "PUT /{bucket}");
  EXPECT_EQ(s3("PUT /bucket/a/b.txt").operation, "PUT /{bucket}/{key}");
  EXPECT_EQ(s3("GET /bucket?list-type=2&encoding-type=url").operation, "GET /{bucket} list-type=2");
  EXPECT_EQ(s3("POST /bucket/mp?uploads").operation, "POST /{bucket}/{key} uploads");
  EXPECT_EQ(s3("PUT /bucket/mp?partNumber=3&uploadId=xyz").operation, "PUT /{bucket}/{key} partNumber uploadId");
  EXPECT_EQ(s3("PUT /bucket/k", "x-amz-copy-source: /bucket/j\r\n").operation, "PUT /{bucket}/{key} x-amz-copy-source");
  EXPECT_EQ(s3("GET /").operation, "GET /");
  EXPECT_EQ(s3("PUT /k", "", "bucket.s3.eu-west-1.amazonaws.com").operation, "PUT /{key}");
  EXPECT_EQ(s3("GET /", "", "bucket.s3.localhost:9000").operation, "GET /");
}

TEST(Aws, names_operations_of_json_and_query_services_by_their_action) {
  EXPECT_EQ(json("AmazonSQS.SendMessage", "{}").operation, "POST / Action=SendMessage");
  EXPECT_EQ(json("DynamoDB_20120810.PutItem", "{}").operation, "POST / Action=PutItem");
  EXPECT_EQ(form("/", "Action=SendMessage&MessageBody=x").operation, "POST / Action=SendMessage");
  EXPECT_EQ(form("/123456789012/orders", "Version=1&Action=ReceiveMessage").operation,
            "POST /{account}/{queue} Action=ReceiveMessage");
  EXPECT_EQ(form("/123456789012/orders", "").operation, "POST /{account}/{queue}") << "the body has not come yet";
  EXPECT_EQ(request("GET /123456789012/q?Action=ListQueueTags HTTP/1.1\r\nX-Amz-Date: x\r\n\r\n").operation,
            "GET /{account}/{queue} Action=ListQueueTags");
}

TEST(Aws, says_which_requests_to_s3_may_be_repeated) {
  EXPECT_EQ(repeat(s3("PUT /b/k")), Repeat::idempotent);
  EXPECT_EQ(repeat(s3("PUT /b/k", "If-None-Match: *\r\n")), Repeat::guarded);
  EXPECT_EQ(repeat(s3("POST /b/k?uploads")), Repeat::effect);
  EXPECT_EQ(repeat(s3("POST /b/k?uploadId=1")), Repeat::idempotent);
  EXPECT_EQ(repeat(s3("PUT /b/k?partNumber=1&uploadId=1")), Repeat::idempotent);
  EXPECT_EQ(repeat(s3("PUT /b")), Repeat::guarded);
  EXPECT_EQ(repeat(s3("POST /b?delete")), Repeat::idempotent);
  EXPECT_EQ(repeat(s3("DELETE /b/k")), Repeat::idempotent);
}

TEST(Aws, says_which_requests_to_sqs_may_be_repeated_in_both_protocols) {
  EXPECT_EQ(repeat(json("AmazonSQS.SendMessage", R"({"QueueUrl": "http://h/1/q", "MessageBody": "x"})")),
            Repeat::effect);
  EXPECT_EQ(repeat(json("AmazonSQS.SendMessage", R"({"QueueUrl": "http://h/1/q.fifo", "MessageBody": "x"})")),
            Repeat::guarded);
  EXPECT_EQ(repeat(json("AmazonSQS.SendMessage", R"({"MessageDeduplicationId": "1"})")), Repeat::guarded);
  EXPECT_EQ(repeat(json("AmazonSQS.SendMessageBatch", R"({"QueueUrl": "http://h/1/q"})")), Repeat::effect);
  EXPECT_EQ(repeat(json("AmazonSQS.ReceiveMessage", R"({"QueueUrl": "http://h/1/q"})")), Repeat::effect);
  EXPECT_EQ(repeat(json("AmazonSQS.ReceiveMessage", R"({"ReceiveRequestAttemptId": "1"})")), Repeat::guarded);
  EXPECT_EQ(repeat(json("AmazonSQS.DeleteMessage", "{}")), Repeat::idempotent);
  EXPECT_EQ(repeat(json("AmazonSQS.ChangeMessageVisibility", "{}")), Repeat::idempotent);
  EXPECT_EQ(repeat(json("AmazonSQS.GetQueueUrl", "{}")), Repeat::safe);
  EXPECT_EQ(repeat(form("/1/q", "Action=SendMessage&MessageBody=x")), Repeat::effect);
  EXPECT_EQ(repeat(form("/1/q.fifo", "Action=SendMessage&MessageBody=x")), Repeat::guarded);
  EXPECT_EQ(repeat(form("/1/q", "Action=DeleteMessage&ReceiptHandle=x")), Repeat::idempotent);
  EXPECT_EQ(repeat(form("/", "Action=Publish&TopicArn=arn:t")), Repeat::effect);
}

TEST(Aws, a_receive_that_got_no_message_has_hidden_none) {
  auto e = json("AmazonSQS.ReceiveMessage", "{}");
  EXPECT_EQ(repeat(respond(e, "HTTP/1.1 200 OK\r\n\r\n{}")), Repeat::safe);
  EXPECT_EQ(repeat(respond(e, "HTTP/1.1 200 OK\r\n\r\n{\"Messages\":[{\"MessageId\":\"m\"}]}")), Repeat::effect);
  EXPECT_EQ(repeat(respond(e, "HTTP/1.1 200 OK\r\n\r\n{\"Messages\":[{\"Body\":\"cut off")), Repeat::effect);
  auto q = form("/1/q", "Action=ReceiveMessage");
  EXPECT_EQ(repeat(respond(
                q, "HTTP/1.1 200 OK\r\n\r\n<ReceiveMessageResponse><ReceiveMessageResult/></ReceiveMessageResponse>")),
            Repeat::safe);
}

TEST(Aws, says_which_requests_to_dynamodb_may_be_repeated) {
  auto update = [](std::string_view expression, std::string_view condition = "") {
    std::string body = R"({"UpdateExpression": ")" + std::string(expression) + "\"";
    if (!condition.empty()) body += R"(, "ConditionExpression": ")" + std::string(condition) + "\"";
    return repeat(json("DynamoDB_20120810.UpdateItem", body + "}"));
  };
  EXPECT_EQ(update("SET a = :v REMOVE b"), Repeat::idempotent);
  EXPECT_EQ(update("ADD hits :one"), Repeat::effect);
  EXPECT_EQ(update("SET stock = stock - :n"), Repeat::effect);
  EXPECT_EQ(update("SET stock = stock - :n", "stock >= :n"), Repeat::effect) << "it may hold again";
  EXPECT_EQ(update("SET stock = stock - :n", "version = :v"), Repeat::guarded);
  EXPECT_EQ(repeat(json("DynamoDB_20120810.PutItem", "{}")), Repeat::idempotent);
  EXPECT_EQ(repeat(json("DynamoDB_20120810.PutItem", R"x({"ConditionExpression": "attribute_not_exists(id)"})x")),
            Repeat::guarded);
  EXPECT_EQ(repeat(json("DynamoDB_20120810.TransactWriteItems", R"({"ClientRequestToken": "1"})")), Repeat::guarded);
  EXPECT_EQ(repeat(json("DynamoDB_20120810.TransactWriteItems", "{}")), Repeat::effect);
  EXPECT_EQ(repeat(json("DynamoDB_20120810.Query", "{}")), Repeat::safe);
}

TEST(Aws, throttling_arrives_as_400) {
  auto& aws = *profile_named("aws");
  EXPECT_TRUE(aws.transient(
      400, R"({"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException","message":"m"})"));
  EXPECT_TRUE(aws.transient(400, R"({"__type":"com.amazon.coral.service#ThrottlingException"})"));
  EXPECT_FALSE(aws.transient(400, R"({"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException"})"));
  EXPECT_TRUE(aws.transient(400, "<?xml version=\"1.0\"?>\n<Error><Code>RequestTimeout</Code></Error>"));
  EXPECT_TRUE(aws.transient(403, "<Error><Code>RequestTimeTooSkewed</Code></Error>"));
  EXPECT_FALSE(aws.transient(403, "<Error><Code>AccessDenied</Code></Error>"));
  EXPECT_FALSE(aws.transient(404, ""));
  EXPECT_TRUE(aws.transient(503, ""));
}

TEST(Aws, an_error_has_the_services_own_shape) {
  auto e = s3("GET /b/k");
  auto answer = profile_of(e).error(e, 503, "retrial-1");
  EXPECT_EQ(find(answer.headers, "content-type"), "application/xml");
  EXPECT_EQ(find(answer.headers, "x-amz-request-id"), "retrial-1");
  EXPECT_NE(answer.body.find("<Code>SlowDown</Code><Message>Please reduce your request rate. (retrial-1)</Message>"),
            std::string::npos);

  e = json("AmazonSQS.SendMessage", "{}", "x-amzn-query-mode: true\r\n");
  answer = profile_of(e).error(e, 503, "retrial-1");
  EXPECT_EQ(find(answer.headers, "content-type"), "application/x-amz-json-1.0");
  EXPECT_EQ(find(answer.headers, "x-amzn-requestid"), "retrial-1");
  EXPECT_EQ(find(answer.headers, "x-amzn-query-error"), "ServiceUnavailable;Receiver");
  EXPECT_TRUE(answer.body.starts_with(R"({"__type":"com.amazonaws.sqs#ServiceUnavailable","message":)"));

  e = form("/1/q", "Action=SendMessage");
  answer = profile_of(e).error(e, 503, "retrial-1");
  EXPECT_EQ(find(answer.headers, "content-type"), "text/xml");
  EXPECT_NE(answer.body.find("<Error><Type>Receiver</Type><Code>ServiceUnavailable</Code>"), std::string::npos);
}

TEST(Aws, an_effect_shows_in_the_ids_that_an_answer_gives) {
  auto e = json("AmazonSQS.SendMessage", "{}");
  respond(e, "HTTP/1.1 200 OK\r\nx-amzn-requestid: r\r\n\r\n{\"MD5OfMessageBody\":\"5d\",\"MessageId\":\"m-1\"}");
  EXPECT_EQ(profile_of(e).effect(e), "m-1");
  e = form("/1/q", "Action=SendMessage");
  respond(
      e,
      "HTTP/1.1 200 OK\r\n\r\n<SendMessageResponse><SendMessageResult><MessageId>m-2</MessageId></SendMessageResult>");
  EXPECT_EQ(profile_of(e).effect(e), "m-2");
  e = s3("POST /b/k?uploads");
  respond(
      e,
      "HTTP/1.1 200 OK\r\n\r\n<InitiateMultipartUploadResult><UploadId>u-1</UploadId></InitiateMultipartUploadResult>");
  EXPECT_EQ(profile_of(e).effect(e), "u-1");
  e = s3("PUT /b/k");
  respond(e, "HTTP/1.1 200 OK\r\nETag: \"9\"\r\nx-amz-request-id: 1\r\n\r\n");
  EXPECT_EQ(profile_of(e).effect(e), "") << "an ETag is the same twice, a request id never";
}

}  // namespace
}  // namespace retrial::trace
