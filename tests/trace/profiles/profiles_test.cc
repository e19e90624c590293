#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/trace/wire.h"
#include "trace/calls/operation.h"
#include "trace/profiles/message.h"

namespace retrial::trace {
namespace {
using wire::request;
using wire::respond;

Repeat repeat(const Exchange& e) { return profile_of(e).repeat(e); }
const std::string kMarker = "retrial-7f3a";
bool marked(const Answer& a) {
  return std::ranges::any_of(a.headers, [](auto& h) { return h.value.find(kMarker) != std::string::npos; });
}

TEST(Profiles, have_names_of_their_own_and_the_generic_one_is_last) {
  std::set<std::string_view> names;
  for (auto* p : profiles()) {
    EXPECT_TRUE(names.insert(p->name()).second) << p->name();
    EXPECT_EQ(profile_named(p->name()), p);
  }
  EXPECT_EQ(profiles().back()->name(), "generic");
  EXPECT_TRUE(profiles().back()->recognises({}));
  EXPECT_EQ(profile_named("no-such"), nullptr);
}

TEST(Profiles, name_an_operation_by_its_method_where_that_says_what_a_request_does) {
  for (auto* p : profiles()) {
    auto e = request("POST /a/b HTTP/1.1\r\nHost: h\r\n\r\n");
    e.profile = p->name();
    EXPECT_EQ(operation_of(e).starts_with("POST "), p->method_tells()) << p->name();
  }
}

TEST(Profiles, mark_body_and_headers_of_every_error_and_give_HEAD_no_body) {
  std::vector<std::string> requests = {
      "GET /a HTTP/1.1\r\nHost: h\r\n\r\n",
      "GET /v2/app/manifests/latest HTTP/1.1\r\nHost: h\r\n\r\n",
      "GET /acct/c/b HTTP/1.1\r\nHost: h\r\nx-ms-version: 2024-08-04\r\nx-ms-date: x\r\n\r\n",
      "GET /acct/T HTTP/1.1\r\nHost: h\r\nx-ms-version: 2019-02-02\r\nx-ms-date: x\r\nDataServiceVersion: 3.0\r\n\r\n",
      "POST /storage/v1/b?project=p HTTP/1.1\r\nHost: h\r\n\r\n{}",
      "GET /b/k HTTP/1.1\r\nHost: h\r\nx-amz-content-sha256: x\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: h\r\nX-Amz-Target: AmazonSQS.SendMessage\r\nContent-Type: "
      "application/x-amz-json-1.0\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: h\r\nX-Amz-Date: x\r\nContent-Type: "
      "application/x-www-form-urlencoded\r\n\r\nAction=SendMessage",
      "POST /2015-03-31/functions/f/invocations HTTP/1.1\r\nHost: h\r\nX-Amz-Date: x\r\nContent-Type: "
      "application/json\r\n\r\n{}",
      "POST /a.B/C HTTP/1.1\r\nHost: h\r\nContent-Type: application/grpc\r\n\r\n",
      "POST /v1/charges HTTP/1.1\r\nHost: h\r\nStripe-Version: 2024-06-20\r\n\r\n",
      "GET /user HTTP/1.1\r\nHost: h\r\nX-GitHub-Api-Version: 2022-11-28\r\n\r\n",
      "POST /api/chat.postMessage HTTP/1.1\r\nHost: h\r\n\r\n",
      "POST /v1/embeddings HTTP/1.1\r\nHost: h\r\nUser-Agent: OpenAI/Python 1.40.0\r\n\r\n",
      "GET /a/_doc/1 HTTP/1.1\r\nHost: h\r\nX-Elastic-Client-Meta: es=8\r\n\r\n",
      "GET /api/v1/namespaces/d/pods HTTP/1.1\r\nHost: h\r\n\r\n",
      "GET /v1/secret/data/a HTTP/1.1\r\nHost: h\r\nX-Vault-Token: t\r\n\r\n",
      "PUT /v1/kv/a HTTP/1.1\r\nHost: h\r\nX-Consul-Token: t\r\n\r\n",
      "POST /v3/kv/range HTTP/1.1\r\nHost: h\r\n\r\n{}",
      "POST /2/files/upload HTTP/1.1\r\nHost: h\r\nDropbox-API-Arg: {}\r\n\r\n",
      "POST /graphql HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n\r\n",
      "POST /rpc HTTP/1.1\r\nHost: h\r\nContent-Type: application/json-rpc\r\n\r\n",
      "POST /ws HTTP/1.1\r\nHost: h\r\nContent-Type: text/xml\r\nSOAPAction: \"a\"\r\n\r\n"};
  std::set<std::string_view> shown;
  for (auto& raw : requests) {
    auto e = request(raw);
    auto& profile = profile_of(e);
    shown.insert(profile.name());
    for (int status : {400, 401, 403, 404, 408, 409, 412, 418, 429, 500, 502, 503, 504}) {
      auto answer = profile.error(e, status, kMarker);
      EXPECT_EQ(answer.status, status);
      EXPECT_FALSE(answer.reason.empty());
      EXPECT_TRUE(marked(answer)) << raw;
      EXPECT_NE(answer.body.find(kMarker), std::string::npos) << raw << status;
      EXPECT_FALSE(find(answer.headers, "content-type").empty());
      EXPECT_TRUE(find(answer.headers, "content-length").empty());
    }
    auto head = e;
    head.method = "HEAD";
    EXPECT_EQ(profile.error(head, 503, kMarker).body, "") << raw;
    auto again = e;
    again.client_status = profile.transient_status(e);
    again.response_sample = profile.error(e, again.client_status, kMarker).body;
    EXPECT_TRUE(profile.asks_again(again)) << raw;
    auto permanent = profile.error(e, 400, kMarker);
    EXPECT_FALSE(profile.transient(400, permanent.body)) << raw;
  }
  for (auto* p : profiles()) EXPECT_TRUE(shown.contains(p->name())) << "a request of this family: " << p->name();
}

TEST(Generic, an_error_is_that_of_a_load_balancer_for_who_asks_for_HTML) {
  auto e = request("GET /a HTTP/1.1\r\nHost: h\r\nAccept: text/html, */*\r\n\r\n");
  auto answer = profile_of(e).error(e, 503, kMarker);
  EXPECT_EQ(find(answer.headers, "content-type"), "text/html");
  EXPECT_EQ(find(answer.headers, "x-retrial-fault"), kMarker);
  EXPECT_EQ(answer.reason, "Service Unavailable");
  EXPECT_TRUE(answer.body.starts_with("<html>\r\n<head><title>503 Service Unavailable</title></head>"));
}

// A client that parses JSON takes HTML for a broken transport: some then retry a 400, some retry nothing.
TEST(Generic, an_error_is_JSON_for_all_others) {
  for (std::string header :
       {"Accept: application/json, text/plain, */*", "Content-Type: application/x-amz-json-1.0", "Accept: */*"}) {
    auto e = request("POST /a HTTP/1.1\r\nHost: h\r\n" + header + "\r\n\r\n{}");
    auto answer = profile_named("generic")->error(e, 503, kMarker);
    EXPECT_EQ(find(answer.headers, "content-type"), "application/json");
    EXPECT_EQ(
        answer.body,
        R"_({"error":{"code":503,"message":"Service Unavailable (retrial-7f3a)","status":"Service Unavailable"},)_"
        R"_("message":"Service Unavailable (retrial-7f3a)"})_");
  }
}

TEST(Generic, goes_by_method_key_and_condition) {
  EXPECT_EQ(repeat(request("GET /a HTTP/1.1\r\n\r\n")), Repeat::safe);
  EXPECT_EQ(repeat(request("PUT /a HTTP/1.1\r\n\r\n")), Repeat::idempotent);
  EXPECT_EQ(repeat(request("DELETE /a HTTP/1.1\r\n\r\n")), Repeat::idempotent);
  EXPECT_EQ(repeat(request("POST /a HTTP/1.1\r\n\r\n")), Repeat::unknown);
  EXPECT_EQ(repeat(request("PATCH /a HTTP/1.1\r\n\r\n")), Repeat::unknown);
  EXPECT_EQ(repeat(request("POST /a HTTP/1.1\r\nIdempotency-Key: 1\r\n\r\n")), Repeat::guarded);
  EXPECT_EQ(repeat(request("PUT /a HTTP/1.1\r\nIf-None-Match: *\r\n\r\n")), Repeat::guarded);
  EXPECT_EQ(repeat(request("PATCH /a HTTP/1.1\r\nIf-Match: \"1\"\r\n\r\n")), Repeat::guarded);
  EXPECT_EQ(repeat(request("POST /a HTTP/1.1\r\nX-Request-Id: 1\r\ntraceparent: 00-1-1-01\r\n\r\n")), Repeat::unknown);
}

TEST(Generic, tracing_ids_are_no_ids_of_a_call) {
  for (auto* p : profiles())
    for (auto id : p->id_headers()) {
      EXPECT_NE(id, "traceparent");
      EXPECT_NE(id, "x-request-id");
      EXPECT_EQ(id, lower(id));
    }
}

TEST(Generic, an_effect_shows_in_Location_or_the_id_of_the_answers_own_object) {
  auto e = request("POST /orders HTTP/1.1\r\nHost: h\r\n\r\n{}");
  EXPECT_EQ(profile_of(e).effect(e), "");
  EXPECT_EQ(profile_of(e).effect(respond(e, "HTTP/1.1 201 Created\r\nLocation: /orders/7\r\n\r\n")), "/orders/7");
  EXPECT_EQ(profile_of(e).effect(respond(e, "HTTP/1.1 200 OK\r\n\r\n{\"items\":[{\"id\":1}],\"id\": 8, \"x\":1}")),
            "8");
  EXPECT_EQ(profile_of(e).effect(respond(e, "HTTP/1.1 200 OK\r\n\r\n{\"id\": \"o-9\"")), "o-9");
  EXPECT_EQ(profile_of(e).effect(respond(e, "HTTP/1.1 200 OK\r\n\r\n{\"items\":[{\"id\":1}]}")), "");
  EXPECT_EQ(profile_of(e).effect(respond(e, "HTTP/1.1 200 OK\r\n\r\n{\"id\": 12")), "") << "cut off";
  EXPECT_EQ(profile_of(e).effect(respond(e, "HTTP/1.1 500 No\r\nLocation: /orders/7\r\n\r\n")), "");
}

TEST(Profiles, read_a_200_that_means_try_again_as_a_failure_told) {
  auto e =
      request("POST /b/k?uploadId=1 HTTP/1.1\r\nHost: h\r\nx-amz-content-sha256: x\r\n\r\n<CompleteMultipartUpload/>");
  respond(
      e,
      "HTTP/1.1 200 OK\r\n\r\n<?xml version=\"1.0\"?>\n<Error><Code>InternalError</Code><Message>m</Message></Error>");
  EXPECT_FALSE(told_failure(e));
  EXPECT_TRUE(told_failed(e));
  respond(e, "HTTP/1.1 200 OK\r\n\r\n<CompleteMultipartUploadResult><Code>x</Code></CompleteMultipartUploadResult>");
  EXPECT_FALSE(told_failed(e));
}

TEST(Oci, knows_the_registrys_paths_and_nothing_else) {
  auto op = [](std::string line) { return request(line + " HTTP/1.1\r\nHost: r\r\n\r\n").operation; };
  EXPECT_EQ(op("POST /v2/a/b/blobs/uploads/"), "POST /v2/{name}/blobs/uploads/");
  EXPECT_EQ(op("POST /v2/a/b/blobs/uploads/?mount=sha256:1&from=x"), "POST /v2/{name}/blobs/uploads/ mount");
  EXPECT_EQ(op("PATCH /v2/a/blobs/uploads/7c3f?_state=xyz"), "PATCH /v2/{name}/blobs/uploads/{id}");
  EXPECT_EQ(op("PUT /v2/a/manifests/v1"), "PUT /v2/{name}/manifests/{reference}");
  EXPECT_EQ(op("HEAD /v2/a/blobs/sha256:9dd4e461268c8034f5c8564e155c67a69dd4e461268c8034f5c8564e155c67a6"),
            "HEAD /v2/{name}/blobs/{digest}");
  EXPECT_EQ(op("GET /v2/a/tags/list?n=10"), "GET /v2/{name}/tags/list");
  EXPECT_EQ(op("GET /v2/_catalog"), "GET /v2/_catalog");
  EXPECT_EQ(request("GET /v2/users/17/blobs HTTP/1.1\r\n\r\n").profile, "generic");
  EXPECT_EQ(request("GET /v2/charges HTTP/1.1\r\n\r\n").profile, "generic");
}

TEST(Oci, says_which_requests_may_be_repeated) {
  EXPECT_EQ(repeat(request("POST /v2/a/blobs/uploads/ HTTP/1.1\r\n\r\n")), Repeat::idempotent);
  EXPECT_EQ(repeat(request("PATCH /v2/a/blobs/uploads/1 HTTP/1.1\r\n\r\n")), Repeat::effect);
  EXPECT_EQ(repeat(request("PATCH /v2/a/blobs/uploads/1 HTTP/1.1\r\nContent-Range: 0-9\r\n\r\n")), Repeat::guarded);
  EXPECT_EQ(repeat(request("PUT /v2/a/blobs/uploads/1?digest=x HTTP/1.1\r\n\r\n")), Repeat::guarded);
  EXPECT_EQ(repeat(request("PUT /v2/a/manifests/v1 HTTP/1.1\r\n\r\n")), Repeat::idempotent);
}

TEST(MessageParts, samples_may_end_anywhere) {
  std::string json = R"({"a":"x\"y","MessageId":"m1","n":[{"MessageId":"m2"}]})";
  for (std::size_t n = 0; n <= json.size(); n++) {
    auto part = std::string_view(json).substr(0, n);
    auto ids = message::json_texts(part, "MessageId");
    EXPECT_TRUE(ids == "" || ids == "m1" || ids == "m1 m2") << part;
    message::json_top(part, "a");
    message::json_has(part, "n");
  }
  std::string xml = "<L><M><MessageId>m1</MessageId></M><MessageId>m2</MessageId></L>";
  for (std::size_t n = 0; n <= xml.size(); n++) {
    auto ids = message::xml_texts(std::string_view(xml).substr(0, n), "MessageId");
    EXPECT_TRUE(ids == "" || ids == "m1" || ids == "m1 m2") << n;
  }
  EXPECT_EQ(message::json_top(json, "a"), "x\\\"y");
  EXPECT_EQ(message::value_of("a=1&bc=2&b", "b"), "");
  EXPECT_EQ(message::value_of("a=1&bc=2", "b"), std::nullopt);
}

TEST(OpaqueBodies, are_no_documents_whatever_their_type_says) {
  auto opaque = [](std::string body, std::string type = "text/plain") {
    Exchange e;
    e.method = "GET";
    e.service_status = e.client_status = 200;
    e.ending = Ending::answered;
    e.response_headers = {{"content-type", std::move(type)}, {"content-length", "9"}};
    e.response_bytes = body.size();
    e.response_sample = std::move(body);
    return message::opaque(e);
  };
  EXPECT_TRUE(opaque("sku;price\np-1;19.90\np-2;4.50\n"));
  EXPECT_FALSE(opaque(R"({"tempauth":{},"swift":{"max":1}})"));
  EXPECT_FALSE(opaque("<list><entry>1</entry></list>"));
  EXPECT_TRUE(opaque("{\"seq\":1,\"id\":\"a\"}\n{\"seq\":2,\"id\":\"b\"}\n", "application/json")) << "a value a line";
  EXPECT_FALSE(opaque("{\n\"seq\":1,\n\"id\":\"a\"}\n", "application/json"));
  EXPECT_TRUE(opaque("{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n")) << "lines of JSON are cut between two";
  EXPECT_FALSE(opaque(R"({"a":1,"b":[1,2,3]})", "application/json"));
}

TEST(GenericProfile, knows_the_registered_methods_that_may_be_repeated) {
  for (auto method : {"PROPFIND", "REPORT", "SEARCH", "QUERY"}) {
    Exchange e;
    e.method = method;
    EXPECT_EQ(profile_named("generic")->repeat(e), Repeat::safe) << method;
  }
  for (auto method : {"MKCOL", "COPY", "MOVE", "PROPPATCH", "UNLOCK"}) {
    Exchange e;
    e.method = method;
    EXPECT_EQ(profile_named("generic")->repeat(e), Repeat::idempotent) << method;
  }
  for (auto method : {"POST", "PATCH", "LOCK"}) {
    Exchange e;
    e.method = method;
    EXPECT_EQ(profile_named("generic")->repeat(e), Repeat::unknown) << method;
  }
}

}  // namespace
}  // namespace retrial::trace
