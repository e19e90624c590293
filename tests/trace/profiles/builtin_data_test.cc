// The profiles that are data, on requests and answers as real clients and services make them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "tests/trace/wire.h"

namespace retrial::trace {
namespace {
using wire::request;
using wire::respond;

struct Seen {
  std::string_view head;     // of the request, without its end
  std::string_view profile;  // that recognises it
};
constexpr Seen kSeen[] = {
    {"POST /v1/charges HTTP/1.1\r\nHost: 127.0.0.1:12111\r\nStripe-Version: 2024-06-20", "stripe"},
    {"POST /v1/charges HTTP/1.1\r\nHost: api.stripe.com", "stripe"},
    {"POST /v1/charges HTTP/1.1\r\nHost: 127.0.0.1:12111", "generic"},
    {"POST /v1/charges HTTP/1.1\r\nHost: api.stripe.com.example.org", "generic"},
    {"GET /repos/a/b/issues HTTP/1.1\r\nHost: 127.0.0.1:1\r\nAccept: application/vnd.github+json", "github"},
    {"GET /repos/a/b HTTP/1.1\r\nHost: 127.0.0.1:1\r\nAccept: application/vnd.github.v3+json", "github"},
    {"POST /graphql HTTP/1.1\r\nHost: api.github.com\r\nContent-Type: application/json", "github"},
    {"GET /repos/a/b/issues HTTP/1.1\r\nHost: 127.0.0.1:1\r\nAccept: application/json", "generic"},
    {"POST /api/chat.postMessage HTTP/1.1\r\nHost: 127.0.0.1:1", "slack"},
    {"POST /api/files.getUploadURLExternal HTTP/1.1\r\nHost: slack.com", "slack"},
    {"POST /api/chat HTTP/1.1\r\nHost: 127.0.0.1:1", "generic"},
    {"POST /api/chats/chat.json HTTP/1.1\r\nHost: 127.0.0.1:1", "generic"},
    {"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:1\r\nUser-Agent: OpenAI/Python 1.40.0", "openai"},
    {"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:1\r\nUser-Agent: python-requests/2", "generic"},
    {"POST /logs/_doc HTTP/1.1\r\nHost: 127.0.0.1:9200\r\nAccept: application/vnd.elasticsearch+json; "
     "compatible-with=8",
     "elasticsearch"},
    {"POST /_bulk HTTP/1.1\r\nHost: 127.0.0.1:9200\r\nX-Elastic-Client-Meta: es=8.1,py=3.11", "elasticsearch"},
    {"POST /logs/_doc HTTP/1.1\r\nHost: 127.0.0.1:9200\r\nAccept: application/json", "generic"},
    {"GET /api/v1/namespaces/default/pods/web-1 HTTP/1.1\r\nHost: 127.0.0.1:6443", "kubernetes"},
    {"PATCH /apis/apps/v1/namespaces/default/deployments/web/scale HTTP/1.1\r\nHost: 127.0.0.1:6443", "kubernetes"},
    {"GET /api/v1/nodes HTTP/1.1\r\nHost: k\r\nUser-Agent: kubectl/v1.30.0 (linux/amd64) kubernetes/7c48c2b",
     "kubernetes"},
    {"GET /api/v1/namespaces/default/workflows/w HTTP/1.1\r\nHost: 127.0.0.1:7243", "generic"},
    {"GET /api/v1/pods HTTP/1.1\r\nHost: 127.0.0.1:80", "generic"},
    {"GET /v1/secret/data/app HTTP/1.1\r\nHost: 127.0.0.1:8200\r\nX-Vault-Token: t", "vault"},
    {"PUT /v1/auth/approle/login HTTP/1.1\r\nHost: 127.0.0.1:8200\r\nX-Vault-Request: true", "vault"},
    {"GET /v1/secret/data/app HTTP/1.1\r\nHost: 127.0.0.1:8200", "generic"},
    {"PUT /v1/kv/app/lock?cas=3 HTTP/1.1\r\nHost: 127.0.0.1:8500\r\nX-Consul-Token: t", "consul"},
    {"PUT /v1/kv/app HTTP/1.1\r\nHost: 127.0.0.1:8500\r\nUser-Agent: python-consul/1", "consul"},
    {"PUT /v1/kv/app HTTP/1.1\r\nHost: 127.0.0.1:8500", "generic"},
    {"POST /v3/kv/range HTTP/1.1\r\nHost: 127.0.0.1:2379", "etcd"},
    {"POST /v3beta/lease/grant HTTP/1.1\r\nHost: 127.0.0.1:2379", "etcd"},
    {"GET /v3/kv/range HTTP/1.1\r\nHost: 127.0.0.1:2379", "generic"},
    {"POST /v1/kv/range HTTP/1.1\r\nHost: 127.0.0.1:2379", "generic"},
    {"POST /2/files/upload HTTP/1.1\r\nHost: 127.0.0.1:1\r\nDropbox-API-Arg: {}", "dropbox"},
    {"POST /2/files/delete_v2 HTTP/1.1\r\nHost: api.dropboxapi.com:443", "dropbox"},
    {"POST /2/files/upload HTTP/1.1\r\nHost: 127.0.0.1:1", "generic"},
    {"POST /api/graphql HTTP/1.1\r\nHost: 127.0.0.1:1\r\nContent-Type: application/json; charset=utf-8", "graphql"},
    {"GET /graphql HTTP/1.1\r\nHost: 127.0.0.1:1\r\nAccept: text/html", "generic"},
    {"POST /graphql/upload HTTP/1.1\r\nHost: 127.0.0.1:1\r\nContent-Type: application/json", "generic"},
    {"POST /graphql HTTP/1.1\r\nHost: 127.0.0.1:1\r\nContent-Type: text/csv", "generic"},
    {"GET /v2/a/b/manifests/v1 HTTP/1.1\r\nHost: 127.0.0.1:5000", "oci-registry"},
    {"GET /v2/ HTTP/1.1\r\nHost: 127.0.0.1:5000", "generic"},
    {"GET /storage/v1/b/shelf/o HTTP/1.1\r\nHost: 127.0.0.1:4443", "google-storage"},
    {"GET /storage/v1/books HTTP/1.1\r\nHost: 127.0.0.1:4443", "generic"},
};

TEST(DataProfiles, know_a_request_by_what_only_that_service_has) {
  for (auto& [head, name] : kSeen) EXPECT_EQ(profile_for(request(std::string(head) + "\r\n\r\n")).name(), name) << head;
}

TEST(DataProfiles, an_answer_tells_its_service_too) {
  auto e = request("GET /logs/_doc/1 HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(profile_for(respond(e, "HTTP/1.1 200 OK\r\nX-Elastic-Product: Elasticsearch\r\n\r\n{}")).name(),
            "elasticsearch");
  e = request("GET /v2/ HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(
      profile_for(respond(e, "HTTP/1.1 200 OK\r\ndocker-distribution-api-version: registry/2.0\r\n\r\n{}")).name(),
      "oci-registry");
}

TEST(DataProfiles, give_errors_that_can_be_parsed_and_hold_the_marker) {
  for (auto& [head, name] : kSeen) {
    auto e = request(std::string(head) + "\r\n\r\n");
    auto& profile = profile_for(e);
    for (int status : {400, 401, 402, 403, 404, 408, 409, 412, 418, 422, 429, 500, 502, 503, 504, 529}) {
      auto answer = profile.error(e, status, "retrial-7f");
      EXPECT_EQ(answer.status, status);
      EXPECT_NE(answer.body.find("retrial-7f"), std::string::npos) << name << answer.body;
      if (icontains(find(answer.headers, "content-type"), "json")) {
        EXPECT_TRUE(nlohmann::json::accept(answer.body)) << name << answer.body;
        EXPECT_EQ(answer.body.find("{message}"), std::string::npos);
      }
    }
  }
}

using Json = nlohmann::json;
Json error_of(const char* profile, int status) {
  return Json::parse(profile_named(profile)->error({}, status, "retrial-7").body);
}

TEST(DataProfiles, give_errors_in_the_shape_that_their_vendors_document) {
  EXPECT_EQ(error_of("stripe", 503)["error"]["type"], "api_error");
  EXPECT_EQ(error_of("stripe", 429)["error"]["code"], "rate_limit");
  EXPECT_EQ(error_of("github", 404)["message"], "Not Found (retrial-7)");
  EXPECT_EQ(error_of("slack", 503), Json::parse(R"({"ok":false,"error":"service_unavailable",
      "response_metadata":{"messages":["retrial-7"]}})"));
  EXPECT_EQ(error_of("openai", 429)["error"]["code"], "rate_limit_exceeded");
  EXPECT_EQ(error_of("elasticsearch", 429)["error"]["root_cause"][0]["type"], "es_rejected_execution_exception");
  EXPECT_EQ(error_of("kubernetes", 503)["reason"], "ServiceUnavailable");
  EXPECT_EQ(error_of("kubernetes", 503)["code"], 503);
  EXPECT_EQ(error_of("vault", 503)["errors"][0], "Vault is sealed (retrial-7)");
  EXPECT_EQ(error_of("dropbox", 429)["error"]["reason"][".tag"], "too_many_requests");
  EXPECT_EQ(error_of("dropbox", 409)["error"], Json::parse(R"({".tag":"path","path":{".tag":"not_found"}})"));
  EXPECT_EQ(error_of("oci-registry", 429)["errors"][0]["code"], "TOOMANYREQUESTS");
  EXPECT_TRUE(profile_named("oci-registry")->error({}, 503, "retrial-7").body.starts_with("<html>"));
  EXPECT_EQ(error_of("graphql", 503)["errors"][0]["extensions"]["code"], "INTERNAL_SERVER_ERROR");
  EXPECT_EQ(error_of("etcd", 404)["code"], 5);
  EXPECT_EQ(error_of("etcd", 503)["error"], "etcdserver: request timed out (retrial-7)");
  EXPECT_EQ(profile_named("consul")->error({}, 500, "retrial-7").body, "No cluster leader (retrial-7)");
}

Repeat repeat(const Exchange& e) { return profile_of(e).repeat(e); }

TEST(DataProfiles, say_what_may_be_repeated) {
  auto slack = [](std::string_view method) {
    return repeat(request("POST /api/" + std::string(method) + " HTTP/1.1\r\nHost: slack.com\r\n\r\n"));
  };
  EXPECT_EQ(slack("conversations.history"), Repeat::safe);
  EXPECT_EQ(slack("chat.postMessage"), Repeat::effect);
  EXPECT_EQ(slack("chat.update"), Repeat::idempotent);
  EXPECT_EQ(slack("views.open"), Repeat::unknown);
  EXPECT_EQ(repeat(request("POST /v1/refunds HTTP/1.1\r\nHost: api.stripe.com\r\n\r\n")), Repeat::unknown);
  EXPECT_EQ(repeat(request("POST /v1/refunds HTTP/1.1\r\nHost: api.stripe.com\r\nIdempotency-Key: k\r\n\r\n")),
            Repeat::guarded);
  auto etcd = [](std::string_view method, std::string_view body = "{}") {
    return repeat(
        request("POST /v3/" + std::string(method) + " HTTP/1.1\r\nHost: 127.0.0.1:2379\r\n\r\n" + std::string(body)));
  };
  EXPECT_EQ(etcd("kv/range"), Repeat::safe);
  EXPECT_EQ(etcd("kv/lease/timetolive"), Repeat::safe);
  EXPECT_EQ(etcd("kv/put"), Repeat::idempotent);
  EXPECT_EQ(etcd("kv/txn", R"({"compare":[{"key":"a"}],"success":[]})"), Repeat::guarded);
  EXPECT_EQ(etcd("kv/txn", R"({"success":[]})"), Repeat::idempotent);
  EXPECT_EQ(etcd("lease/grant", R"({"TTL":9,"ID":7})"), Repeat::guarded);
  EXPECT_EQ(etcd("lease/grant", R"({"TTL":9})"), Repeat::effect);
  EXPECT_EQ(etcd("auth/enable"), Repeat::unknown);
  auto elastic = [](std::string_view line) {
    return repeat(request(std::string(line) + " HTTP/1.1\r\nHost: h\r\nX-Elastic-Client-Meta: es=8\r\n\r\n{}"));
  };
  EXPECT_EQ(elastic("POST /logs/_search"), Repeat::safe);
  EXPECT_EQ(elastic("POST /logs/_doc"), Repeat::effect);
  EXPECT_EQ(elastic("PUT /logs/_doc/7"), Repeat::idempotent);
  EXPECT_EQ(elastic("PUT /logs/_create/7"), Repeat::guarded);
  auto create = [](std::string_view body) {
    return repeat(request("POST /api/v1/namespaces/d/pods HTTP/1.1\r\nHost: h\r\n\r\n" + std::string(body)));
  };
  EXPECT_EQ(create(R"({"metadata":{"name":"web"}})"), Repeat::guarded);
  EXPECT_EQ(create(R"({"metadata":{"generateName":"web-"}})"), Repeat::effect);
  EXPECT_EQ(repeat(request("PUT /v1/kv/a?cas=3 HTTP/1.1\r\nHost: h\r\nX-Consul-Token: t\r\n\r\n")), Repeat::guarded);
  EXPECT_EQ(repeat(request("POST /upload/storage/v1/b/s/o?ifGenerationMatch=0 HTTP/1.1\r\nHost: h\r\n\r\n")),
            Repeat::guarded);
}

TEST(DataProfiles, name_operations_without_what_is_data) {
  auto name = [](std::string_view line, std::string_view header = "") {
    return request(std::string(line) + " HTTP/1.1\r\nHost: h\r\n" + std::string(header) + "\r\n").operation;
  };
  EXPECT_EQ(name("GET /api/v1/namespaces/shop/pods/web-1/log"),
            "GET /api/v1/namespaces/{namespace}/{resource}/{name}/{subresource}");
  EXPECT_EQ(name("GET /v1/secret/data/a/b", "X-Vault-Token: t\r\n"), "GET /v1/{mount}/data/{path}");
  EXPECT_EQ(name("GET /storage/v1/b/shelf/o/lamp/acl"), "GET /storage/v1/b/{name}/o/{name}/acl");
  EXPECT_EQ(name("POST /resumable/upload/storage/v1/b/shelf/o?uploadType=resumable"),
            "POST /upload/storage/v1/b/{name}/o");
}

TEST(DataProfiles, read_errors_that_come_with_200_in_their_bodies) {
  auto e = request("POST /api/chat.postMessage HTTP/1.1\r\nHost: slack.com\r\n\r\n{}");
  EXPECT_TRUE(told_failed(respond(e, "HTTP/1.1 200 OK\r\n\r\n{\"ok\": false, \"error\": \"internal_error\"}")));
  EXPECT_FALSE(told_failed(respond(e, "HTTP/1.1 200 OK\r\n\r\n{\"ok\":false,\"error\":\"channel_not_found\"}")));
  EXPECT_FALSE(told_failed(respond(e, "HTTP/1.1 200 OK\r\n\r\n{\"ok\":true,\"error\":\"internal_error\"}")));
  auto& openai = *profile_named("openai");
  EXPECT_TRUE(openai.transient(429, R"({"error":{"code":"rate_limit_exceeded"}})"));
  EXPECT_FALSE(openai.transient(429, R"({"error":{"message":"m","code":"insufficient_quota"}})"));
  auto& github = *profile_named("github");
  EXPECT_TRUE(github.transient(403, R"({"message":"You have exceeded a secondary rate limit."})"));
  EXPECT_FALSE(github.transient(403, R"({"message":"Resource not accessible by integration"})"));
  EXPECT_TRUE(profile_named("vault")->transient(412, ""));
}

TEST(DataProfiles, show_what_an_answer_created) {
  auto e = request("POST /api/chat.postMessage HTTP/1.1\r\nHost: slack.com\r\n\r\n{}");
  EXPECT_EQ(profile_of(e).effect(respond(e, "HTTP/1.1 200 OK\r\n\r\n{\"ok\":true,\"ts\":\"17.2\"}")), "17.2");
  e = request("POST /v2/a/blobs/uploads/ HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(profile_of(e).effect(respond(e, "HTTP/1.1 202 Accepted\r\nLocation: /u/1\r\n\r\n")), "/u/1");
  e = request("PATCH /v2/a/blobs/uploads/1 HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(profile_of(e).effect(respond(e, "HTTP/1.1 202 Accepted\r\nLocation: /u/1\r\n\r\n")), "");
}

}  // namespace
}  // namespace retrial::trace
