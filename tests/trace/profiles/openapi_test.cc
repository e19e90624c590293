// A service's description says what its errors look like.
#include "trace/profiles/openapi.h"

#include <gtest/gtest.h>

#include "tests/trace/wire.h"

namespace retrial::trace {
namespace {

constexpr auto kDocs = R"(
openapi: 3.0.3
servers: [{url: "https://docs.example/v1/"}]
paths:
  /docs/{id}:
    get:
      responses:
        200: {description: ok}
        "503":
          content:
            text/plain: {example: busy}
            application/problem+json: {example: {code: BUSY, again: yes please, status: 503}}
        5XX:
          content: {application/json: {examples: {one: {$ref: "#/components/examples/One"}}}}
        default:
          $ref: "#/components/responses/Error"
  /docs/latest:
    get:
      responses: {default: {content: {text/xml: {example: "<e><code>404</code></e>"}}}}
    post: {responses: {"400": {description: without a body}}}
components:
  examples:
    One: {value: {errors: [{reason: bad_gateway, status: 502}]}}
  responses:
    Error:
      content: {application/json: {schema: {$ref: "#/components/schemas/Failure"}}}
  schemas:
    Base:
      type: object
      required: [status, when]
      properties:
        status: {type: integer, minimum: 1}
        when: {type: string, format: date-time}
        trace: {type: string}
    Failure:
      allOf:
        - $ref: "#/components/schemas/Base"
        - type: object
          properties:
            code: {type: string, enum: [lost, found]}
            message: {type: string}
            kind: {const: error}
            causes: {type: array, items: {$ref: "#/components/schemas/Failure"}}
)";

std::string error(std::string_view request, int status, std::string_view text = kDocs) {
  auto read = OpenApi::parse(text, "openapi.yaml");
  if (!read) return read.error().line();
  auto head = wire::request(std::string(request) + " HTTP/1.1\r\nHost: h\r\n\r\n");
  auto* shape = (*read)->error(head, status);
  if (!shape) return "none";
  return shape->content_type + " " + answer_in(*shape, head, status, "retrial-1-3").body;
}

TEST(OpenApi, a_status_comes_before_its_class_and_that_before_the_default) {
  EXPECT_EQ(error("GET /docs/7", 503),
            R"j(application/problem+json {"code":"BUSY","again":"yes please (retrial-1-3)","status":503})j");
  EXPECT_EQ(error("GET /docs/7", 500),
            R"j(application/json {"errors":[{"reason":"internal_server_error","status":500}]})j");
  EXPECT_EQ(error("GET /docs/7", 429).substr(0, 31), R"j(application/json {"status":429,)j");
}

TEST(OpenApi, an_operation_is_known_by_its_path_below_any_server_and_one_without_places_comes_first) {
  EXPECT_EQ(error("GET /docs/latest?x=1", 500), "text/xml <e><code>500</code></e>");
  EXPECT_NE(error("GET /v1/docs/7", 503), "none");
  for (auto other : {"GET /v2/docs/7", "GET /docs/7/pages", "PUT /docs/7", "POST /docs/latest"})
    EXPECT_EQ(error(other, 400), "none") << other;
}

TEST(OpenApi, a_schema_without_an_example_gives_a_value_that_ends) {
  auto made = error("GET /docs/7", 404);
  EXPECT_TRUE(made.starts_with(
      R"j(application/json {"status":404,"when":"2000-01-01T00:00:00Z","code":"lost","message":"Not Found (retrial-1-3)","kind":"error","causes":[{"status":404,)j"))
      << made;
  EXPECT_LT(made.size(), 4096u);
}

TEST(OpenApi, version_2_has_its_schema_in_the_response) {
  EXPECT_EQ(error("GET /api/x", 503, R"({"swagger":"2.0","basePath":"/api","paths":{"/x":{"get":{"responses":{
      "default":{"schema":{"type":"object","required":["code"],"properties":{"code":{"type":"integer"},"more":{}}}}}}}}})"),
            R"j(application/json {"code":503})j");
}

TEST(OpenApi, what_is_wrong_is_told_in_a_line) {
  EXPECT_EQ(error("GET /", 503, R"j({"openapi":"3.0.0",)j"),
            "openapi.yaml: expected JSON: line 1, column 20: syntax error while parsing object key - unexpected end of "
            "input; expected string literal");
  EXPECT_EQ(error("GET /", 503, "openapi: 3.0.0\npaths: [\n"),
            "openapi.yaml:3: expected YAML or JSON: did not find expected node content");
  EXPECT_EQ(error("GET /", 503, "a: &a [*a]\n"), "openapi.yaml:1: this is too large, or holds itself");
  EXPECT_EQ(error("GET /", 503, "paths: {}\n"),
            "openapi.yaml: expected an OpenAPI description: an object with openapi and paths");
  auto referring = [](std::string ref) {
    return error("GET /", 503,
                 R"j({"openapi":"3.1.0","paths":{"/x":{"get":{"responses":{"500":{"$ref":")j" + ref +
                     R"j("}}}}},"a":{"$ref":"#/a"}})j");
  };
  EXPECT_EQ(referring("#/components/lost"), R"j(openapi.yaml: GET /x: $ref "#/components/lost" leads nowhere)j");
  EXPECT_EQ(referring("other.yaml#/x"),
            R"j(openapi.yaml: GET /x: $ref "other.yaml#/x" leads out of the file: expected one that begins with #/)j");
  EXPECT_EQ(referring("#/a"), R"j(openapi.yaml: GET /x: $ref "#/a" leads in a circle)j");
}

}  // namespace
}  // namespace retrial::trace
