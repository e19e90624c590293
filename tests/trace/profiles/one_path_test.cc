// Services of which all requests go to one path: GraphQL, JSON-RPC and SOAP, as real clients and services speak them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/trace/wire.h"
#include "trace/profiles/json_calls.h"
#include "trace/profiles/registry.h"
#include "trace/recording/redact.h"

namespace retrial::trace {
namespace {
using Json = nlohmann::json;
using wire::request;
using wire::respond;

Exchange post(std::string_view body, std::string_view path = "/graphql", std::string_view type = "application/json") {
  return request("POST " + std::string(path) + " HTTP/1.1\r\nHost: h\r\nContent-Type: " + std::string(type) +
                 "\r\n\r\n" + std::string(body));
}
Repeat repeat(const Exchange& e) { return profile_of(e).repeat(e); }

TEST(Graphql, two_operations_at_one_path_are_two) {
  EXPECT_EQ(post(R"({"query":"query Item($id: ID!) { item(id: $id) { name } }","variables":{"id":7}})").operation,
            "POST /graphql query=Item");
  EXPECT_EQ(post(R"({"operationName":"Buy","query":"mutation Buy { buy { id } }"})").operation,
            "POST /graphql mutation=Buy");
  EXPECT_EQ(post(R"({"query":"{ items { name } }"})").operation, "POST /graphql query=items");
  EXPECT_EQ(post(R"({"query":"query A {a} mutation B {b}","operationName":"B"})").operation,
            "POST /graphql mutation=B");
  EXPECT_EQ(post(R"([{"query":"{a}"},{"query":"mutation M {b}"},{"query":"{a}"}])").operation,
            "POST /graphql query=a,mutation=M");
  EXPECT_EQ(post("mutation M { b }", "/api/graphql", "application/graphql").operation, "POST /api/graphql mutation=M");
  EXPECT_EQ(request("GET /graphql?query=query+Q%7Bme%7D&operationName=Q HTTP/1.1\r\nHost: h\r\n\r\n").operation,
            "GET /graphql query=Q");
}

TEST(Graphql, a_persisted_document_is_called_by_its_client_s_name_or_its_hash) {
  EXPECT_EQ(post(R"({"operationName":"Item","variables":{},"extensions":{"persistedQuery":{"version":1,"sha256Hash":
      "ecf4edb46db40b5132295c0291d62fb65d6759a9eedfa4d5d612dd5ec54a6b38"}}})")
                .operation,
            "POST /graphql persisted=Item");
  EXPECT_EQ(post(R"({"extensions":{"persistedQuery":{"sha256Hash":"ecf4edb46db40b51"}}})").operation,
            "POST /graphql persisted=ecf4edb46db4");
  EXPECT_EQ(post(R"({"documentId":"sha256:abc"})").operation, "POST /graphql persisted=sha256:abc");
  auto e = request(
      "GET /graphql?extensions=%7B%22persistedQuery%22%3A%7B%22sha256Hash%22%3A%22abc%22%7D%7D HTTP/1.1\r\n"
      "Host: h\r\n\r\n");
  EXPECT_EQ(e.operation, "GET /graphql persisted=abc");
  EXPECT_EQ(repeat(e), Repeat::safe);
  EXPECT_EQ(repeat(post(R"({"documentId":"abc"})")), Repeat::unknown);
}

TEST(Graphql, a_query_may_be_repeated_and_a_mutation_not) {
  EXPECT_EQ(repeat(post(R"({"query":"query Q { me { id } }"})")), Repeat::safe);
  EXPECT_EQ(repeat(post(R"({"query":"subscription S { news }"})")), Repeat::safe);
  EXPECT_EQ(repeat(post(R"({"query":"\n  mutation M { pay(n: 1) { id } }"})")), Repeat::unknown);
  EXPECT_EQ(repeat(post(R"([{"query":"{a}"},{"query":"mutation {b}"}])")), Repeat::unknown);
  EXPECT_EQ(repeat(post(R"({"query":"mutation M { pay }","variables":{"in":{"idempotencyKey":"k1"}}})")),
            Repeat::guarded);
  EXPECT_EQ(repeat(post("{}")), Repeat::unknown);
}

TEST(Graphql, is_known_at_any_path_by_its_document) {
  EXPECT_EQ(post(R"({"query":"mutation M { pay }"})", "/api").profile, "graphql");
  EXPECT_EQ(post(R"({"query":"select 1"})", "/api").profile, "generic");
  EXPECT_EQ(post(R"({"query":{"match_all":{}}})", "/api").profile, "generic");
  EXPECT_EQ(post(R"({"query":"{ a }","size":10})", "/api").profile, "generic");
  EXPECT_EQ(post("[1,2]", "/graphql").operation, "POST /graphql");
}

TEST(Graphql, a_profile_that_knows_the_service_reads_its_operations_too) {
  auto e = request(
      "POST /graphql HTTP/1.1\r\nHost: api.github.com\r\nContent-Type: application/json\r\n\r\n"
      R"({"query":"{ viewer { login } }"})");
  EXPECT_EQ(e.profile, "github");
  EXPECT_EQ(e.operation, "POST /graphql query=viewer");
  EXPECT_EQ(repeat(e), Repeat::safe);
}

TEST(Graphql, errors_in_a_good_answer_are_errors) {
  auto told = [](std::string_view body) {
    auto e = post(R"({"query":"{ a }"})");
    respond(e, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + std::string(body));
    return std::pair(told_failed(e), profile_of(e).asks_again(e));
  };
  EXPECT_EQ(told(R"({"data":{"a":1}})"), std::pair(false, false));
  EXPECT_EQ(told(R"({"errors":[{"message":"no"}]})"), std::pair(true, false));
  EXPECT_EQ(told(R"({"errors":[{"message":"no","extensions":{"code":"INTERNAL_SERVER_ERROR"}}],"data":null})"),
            std::pair(true, true));
  EXPECT_EQ(told(R"({"data":{"a":null},"errors":[{"message":"no"}]})"), std::pair(true, false));
  EXPECT_EQ(told(R"({"data":{"a":1,"b":null},"errors":[{"message":"no","path":["b"]}]})"), std::pair(false, false));
  EXPECT_EQ(told(R"({"data":{},"errors":[]})"), std::pair(false, false));
  EXPECT_EQ(told(R"([{"errors":[{"message":"no"}]},{"data":{"a":1}}])"), std::pair(false, false));
}

constexpr std::string_view kRpc = R"({"jsonrpc":"2.0","method":"order.create","params":{"item":"lamp"},"id":7})";

TEST(JsonRpc, an_operation_is_its_method) {
  auto e = post(kRpc, "/rpc");
  EXPECT_EQ(e.profile, "json-rpc");
  EXPECT_EQ(e.operation, "POST /rpc method=order.create");
  EXPECT_EQ(post(R"({"method":"echo","params":["a"],"id":1})", "/").operation, "POST / method=echo") << "1.0";
  EXPECT_EQ(
      post(
          R"([{"jsonrpc":"2.0","method":"a","id":1},{"jsonrpc":"2.0","method":"b"},{"jsonrpc":"2.0","method":"a","id":2}])",
          "/")
          .operation,
      "POST / method=a,method=b");
  EXPECT_EQ(post(R"({"method":"echo","arguments":{}})", "/").profile, "generic");
  EXPECT_EQ(post(R"({"method":"echo","params":{},"id":1})", "/").profile, "generic") << "1.0 has a list";
}

TEST(JsonRpc, a_body_that_is_cut_off_falls_back_to_the_path) {
  std::string large = R"({"jsonrpc":"2.0","params":[")" + std::string(3000, 'x') + R"("],"method":"a","id":1})";
  EXPECT_EQ(post(large, "/rpc").operation, "POST /rpc");
  std::string late = R"({"jsonrpc":"2.0","method":"a","id":1,"params":[")" + std::string(3000, 'x') + R"("]})";
  EXPECT_EQ(post(late, "/rpc").operation, "POST /rpc method=a");
  std::string query = R"({"query":"mutation M { pay(n: \")" + std::string(3000, 'x') + R"(\") }"})";
  EXPECT_EQ(post(query).operation, "POST /graphql mutation=M");
  EXPECT_EQ(repeat(post(query)), Repeat::unknown);
}

TEST(JsonRpc, only_methods_of_which_a_specification_speaks_are_known) {
  auto of = [](std::string_view method) {
    return repeat(post(Json{{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}}.dump(), "/"));
  };
  EXPECT_EQ(of("tools/list"), Repeat::safe);
  EXPECT_EQ(of("tools/call"), Repeat::unknown);
  EXPECT_EQ(of("eth_getBalance"), Repeat::safe);
  EXPECT_EQ(of("eth_getFilterChanges"), Repeat::unknown);
  EXPECT_EQ(of("eth_sendTransaction"), Repeat::effect);
  EXPECT_EQ(of("order.create"), Repeat::unknown);
  EXPECT_EQ(
      repeat(post(R"([{"jsonrpc":"2.0","method":"ping","id":1},{"jsonrpc":"2.0","method":"tools/call","id":2}])", "/")),
      Repeat::unknown);
}

TEST(JsonRpc, an_injected_error_has_the_id_of_its_request) {
  auto error = [](std::string_view body, int status = 503) {
    auto e = post(body, "/rpc");
    return Json::parse(profile_named("json-rpc")->error(e, status, "retrial-7").body);
  };
  EXPECT_EQ(error(kRpc), Json::parse(R"_({"jsonrpc":"2.0","id":7,"error":{"code":-32603,
      "message":"Service Unavailable (retrial-7)"}})_"));
  EXPECT_EQ(error(R"({"jsonrpc":"2.0","method":"a","id":"q\"1"})", 404)["id"], "q\"1");
  EXPECT_EQ(
      error(
          R"([{"jsonrpc":"2.0","method":"a","id":1},{"jsonrpc":"2.0","method":"b"},{"jsonrpc":"2.0","method":"c","id":2}])")
          .size(),
      2u);
  EXPECT_EQ(error(R"({"method":"a","params":[],"id":1})")["result"], nullptr);
  EXPECT_EQ(error("")["id"], nullptr);
}

TEST(JsonRpc, an_error_in_a_good_answer_is_one) {
  auto told = [](std::string_view body) {
    auto e = post(kRpc, "/rpc");
    respond(e, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + std::string(body));
    return std::pair(carried_out(e), profile_of(e).asks_again(e));
  };
  EXPECT_EQ(told(R"({"jsonrpc":"2.0","result":{"error":"no"},"id":7})"), std::pair(true, false));
  EXPECT_EQ(told(R"({"result":1,"error":null,"id":7})"), std::pair(true, false));
  EXPECT_EQ(told(R"({"jsonrpc":"2.0","error":{"code":-32602,"message":"Invalid params"},"id":7})"),
            std::pair(false, false));
  EXPECT_EQ(told(R"({"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"},"id":7})"),
            std::pair(false, true));
}

constexpr std::string_view kSoap =
    "<?xml version=\"1.0\"?>\n<!-- <a> --><soapenv:Envelope "
    "xmlns:soapenv=\"http://schemas.xmlsoap.org/soap/envelope/\">"
    "<soapenv:Header><h:Auth xmlns:h=\"urn:h\"/></soapenv:Header><soapenv:Body><o:CreateOrder "
    "xmlns:o=\"urn:o\"><o:item>lamp</o:item>"
    "</o:CreateOrder></soapenv:Body></soapenv:Envelope>";

TEST(Soap, an_operation_is_its_action_or_the_first_element_of_its_body) {
  auto of = [](std::string_view headers) {
    return request("POST /ws HTTP/1.1\r\nHost: h\r\n" + std::string(headers) + "\r\n\r\n" + std::string(kSoap));
  };
  auto e = of("Content-Type: text/xml; charset=utf-8\r\nSOAPAction: \"\"");
  EXPECT_EQ(e.profile, "soap");
  EXPECT_EQ(e.operation, "POST /ws action=CreateOrder");
  EXPECT_EQ(of("Content-Type: text/xml").operation, "POST /ws action=CreateOrder");
  EXPECT_EQ(of("Content-Type: text/xml\r\nSOAPAction: \"http://example.com/orders/Cancel\"").operation,
            "POST /ws action=Cancel");
  EXPECT_EQ(of("Content-Type: application/soap+xml; action=\"urn:orders#Cancel\"; charset=utf-8").operation,
            "POST /ws action=Cancel");
  EXPECT_EQ(repeat(e), Repeat::unknown);
  EXPECT_EQ(request("POST /ws HTTP/1.1\r\nHost: h\r\nContent-Type: text/xml\r\n\r\n<a><Body/></a>").profile, "generic");
}

TEST(Soap, a_message_may_end_anywhere) {
  auto e = request("POST /ws HTTP/1.1\r\nHost: h\r\nContent-Type: text/xml\r\nSOAPAction: \"\"\r\n\r\n");
  for (std::size_t size = 0; size < kSoap.size(); size++) {
    e.request_sample = kSoap.substr(0, size);
    auto operation = operation_of(e);
    EXPECT_TRUE(operation == "POST /ws" || operation == "POST /ws action=CreateOrder") << operation;
  }
}

TEST(Soap, a_fault_is_an_error_whatever_its_status_and_says_whose_turn_it_is) {
  auto told = [](int status, std::string_view fault) {
    auto e = request("POST /ws HTTP/1.1\r\nHost: h\r\nContent-Type: text/xml\r\nSOAPAction: \"a\"\r\n\r\n");
    respond(e, "HTTP/1.1 " + std::to_string(status) + " X\r\n\r\n<s:Envelope><s:Body>" + std::string(fault) +
                   "</s:Body></s:Envelope>");
    return std::pair(told_failed(e), profile_of(e).asks_again(e));
  };
  EXPECT_EQ(told(200, "<r:CreateOrderResponse/>"), std::pair(false, false));
  EXPECT_EQ(told(200, "<s:Fault><faultcode>s:Client</faultcode></s:Fault>"), std::pair(true, false));
  EXPECT_EQ(told(500, "<s:Fault><faultcode>s:Client</faultcode></s:Fault>"), std::pair(true, false));
  EXPECT_EQ(told(500, "<s:Fault><faultcode>s:Server</faultcode></s:Fault>"), std::pair(true, true));
  EXPECT_EQ(told(500, "<s:Fault><s:Code><s:Value>s:Receiver</s:Value></s:Code></s:Fault>"), std::pair(true, true));
}

TEST(Soap, an_injected_error_is_a_fault_of_the_version_that_is_spoken) {
  auto e = request("POST /ws HTTP/1.1\r\nHost: h\r\nContent-Type: application/soap+xml\r\n\r\n");
  auto answer = profile_of(e).error(e, 500, "retrial-7");
  EXPECT_NE(answer.body.find("env:Receiver"), std::string::npos);
  EXPECT_NE(profile_of(e).error(e, 400, "retrial-7").body.find("env:Sender"), std::string::npos);
  e = request("POST /ws HTTP/1.1\r\nHost: h\r\nContent-Type: text/xml\r\nSOAPAction: \"a\"\r\n\r\n");
  EXPECT_NE(profile_of(e).error(e, 500, "retrial-7").body.find("<faultcode>soap:Server"), std::string::npos);
  EXPECT_EQ(find(profile_of(e).error(e, 503, "retrial-7").headers, "content-type"), "text/html");
}

// What is known of a request is asked for at its head, and once its beginning has come.
TEST(NamesInBody, what_may_name_its_operation_there_is_waited_for) {
  auto asks = [](std::string_view head) {
    auto e = request(std::string(head) + "\r\n\r\n");
    return profile_for(e).names_in_body(e);
  };
  EXPECT_TRUE(asks("POST /graphql HTTP/1.1\r\nHost: h\r\nContent-Type: application/json"));
  EXPECT_TRUE(asks("POST /a HTTP/1.1\r\nHost: h\r\nContent-Type: application/json"));
  EXPECT_TRUE(asks("POST /ws HTTP/1.1\r\nHost: h\r\nContent-Type: text/xml\r\nSOAPAction: \"\""));
  EXPECT_TRUE(asks("POST / HTTP/1.1\r\nHost: h\r\nX-Amz-Date: x\r\nContent-Type: application/x-www-form-urlencoded"));
  EXPECT_FALSE(asks("POST /ws HTTP/1.1\r\nHost: h\r\nContent-Type: text/xml\r\nSOAPAction: \"urn:a\""));
  EXPECT_FALSE(asks("POST / HTTP/1.1\r\nHost: h\r\nX-Amz-Target: AmazonSQS.SendMessage"));
  EXPECT_FALSE(asks("POST /a HTTP/1.1\r\nHost: h\r\nContent-Type: text/plain"));
  EXPECT_FALSE(asks("PUT /a HTTP/1.1\r\nHost: h\r\nContent-Type: application/json"));
  EXPECT_FALSE(asks("POST /a.B/C HTTP/1.1\r\nHost: h\r\nContent-Type: application/grpc"));
}

// Secrets are taken out before anybody reads the sample.
TEST(NamesInBody, a_redacted_body_is_read_as_before) {
  constexpr std::string_view kBody =
      R"({"variables":{"password":"hunter2hunter2","token":"eyJhbGciOiJIUzI1NiJ9.e30.abc"},"query":"mutation Login($p: S) { login(password: \"hunter2\") }"})";
  std::string redacted;
  redact_body(kBody, redacted);
  EXPECT_EQ(redacted.find("hunter2hunter2"), std::string::npos);
  EXPECT_EQ(post(redacted).operation, "POST /graphql mutation=Login");
}

TEST(JsonCalls, a_body_may_end_anywhere) {
  constexpr std::string_view kWhole =
      R"([{"query":"a\"\u00e4\n€","operationName":"N","extensions":{"persistedQuery":{"sha256Hash":"h"}}},{"jsonrpc":"2.0","method":"m","params":[[1]],"id":"i"}])";
  for (std::size_t size = 0; size < kWhole.size(); size++) {
    auto calls = json_calls(kWhole.substr(0, size));
    ASSERT_LE(calls.size(), 2u);
    if (calls.empty()) continue;
    EXPECT_TRUE(std::string_view("a\"ä\n€").starts_with(calls[0].query.value_or("")));
    EXPECT_TRUE(calls[0].document.empty() || calls[0].document == "h");
  }
  auto calls = json_calls(kWhole);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].operation_name, "N");
  EXPECT_EQ(calls[1].id, "\"i\"");
  EXPECT_TRUE(calls[1].params);
  EXPECT_TRUE(json_calls("[[{\"query\":\"a\"}]]").empty());
  EXPECT_TRUE(json_calls("\"query\"").empty());
}

}  // namespace
}  // namespace retrial::trace
