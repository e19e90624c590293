// GraphQL over HTTP (https://graphql.github.io/graphql-over-http/draft/): one path, whose requests say in their body
// what they ask for. Persisted documents as Apollo's clients send them
// (https://www.apollographql.com/docs/apollo-server/performance/apq).
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "trace/profiles/graphql_document.h"
#include "trace/profiles/json_calls.h"
#include "trace/profiles/json_pointer.h"
#include "trace/profiles/message.h"
#include "trace/profiles/operation_names.h"
#include "trace/profiles/registry.h"
#include "trace/profiles/template_path.h"

namespace retrial::trace {
namespace {
using Json = nlohmann::json;

bool is_endpoint(std::string_view target) {
  auto path = message::path_of(target);
  auto word = path.substr(path.rfind('/') + 1);
  return word == "graphql" || word == "gql";
}

std::string parameter(std::string_view target, std::string_view key) {
  auto value = message::value_of(message::query_of(target), key);
  if (!value) return {};
  std::string text(*value);
  std::ranges::replace(text, '+', ' ');
  return percent_decode(text);
}

bool is_document(const Exchange& e) {
  return find(e.request_headers, "content-type").starts_with("application/graphql") &&
         !icontains(find(e.request_headers, "content-type"), "json");
}
bool is_json(const Exchange& e) { return icontains(find(e.request_headers, "content-type"), "json"); }

// What the request asks for, as far as it is GraphQL: of several (batched) each.
std::vector<JsonCall> calls_of(const Exchange& e) {
  if (e.method == "GET" || e.method == "HEAD") {
    JsonCall call{.operation_name = parameter(e.target, "operationName"),
                  .document = parameter(e.target, "documentId")};
    if (auto query = parameter(e.target, "query"); !query.empty()) call.query = std::move(query);
    if (auto extensions = parameter(e.target, "extensions"); !extensions.empty())
      call.document = json_at(extensions, "/persistedQuery/sha256Hash").value_or("");
    bool any = call.query || !call.document.empty();
    return any ? std::vector{std::move(call)} : std::vector<JsonCall>();
  }
  if (is_document(e))
    return e.request_sample.empty() ? std::vector<JsonCall>() : std::vector{JsonCall{.query = e.request_sample}};
  auto calls = json_calls(e.request_sample);
  std::erase_if(calls, [](auto& call) { return !call.query && call.document.empty(); });
  return calls;
}

// Nothing: its document says neither (it is persisted, or cut off).
std::optional<GraphqlOperation> operation_in(const JsonCall& call) {
  return call.query ? graphql_operation(*call.query, call.operation_name) : std::nullopt;
}

// "mutation=CreateOrder"; of one that is persisted what its client calls it.
std::string name_of(const JsonCall& call) {
  constexpr std::size_t kHashShown = 12;
  if (auto operation = operation_in(call)) {
    auto& name = operation->name.empty() ? operation->field : operation->name;
    return name.empty() ? std::string(show(operation->kind)) : fmt::format("{}={}", show(operation->kind), name);
  }
  if (call.query) return call.operation_name.empty() ? "" : fmt::format("operation={}", call.operation_name);
  return fmt::format("persisted={}",
                     call.operation_name.empty() ? call.document.substr(0, kHashShown) : call.operation_name);
}

// Elsewhere than at a path of that name: a document with something in it, and nothing that GraphQL does not know.
bool speaks(const Exchange& e) {
  auto calls = json_calls(e.request_sample);
  return !calls.empty() && std::ranges::all_of(calls, [](auto& call) {
    auto operation = call.other ? std::nullopt : operation_in(call);
    return operation && !operation->field.empty();
  });
}

// Codes with a meaning of their own: Apollo Server's (https://www.apollographql.com/docs/apollo-server/data/errors),
// Shopify's (https://shopify.dev/docs/api/usage/response-codes) and GitHub's
// (https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api).
bool again(std::string_view code) {
  return code == "INTERNAL_SERVER_ERROR" || code == "THROTTLED" || code == "RATE_LIMITED";
}

bool is_null(const Json& data) {
  return data.is_null() ||
         (data.is_object() && !data.empty() && std::ranges::all_of(data, [](auto& field) { return field.is_null(); }));
}
// Nothing was done where there are errors and no data; beside data they are of a part (spec, 7.1).
bool failed(const Json& answer) {
  if (answer.is_array()) return !answer.empty() && std::ranges::all_of(answer, failed);
  if (!answer.is_object()) return false;
  auto errors = answer.find("errors"), data = answer.find("data");
  bool any = errors != answer.end() && errors->is_array() && !errors->empty();
  return any && (data == answer.end() || is_null(*data));
}

class Graphql final : public Profile {
 public:
  std::string_view name() const override { return "graphql"; }

  bool recognises(const Exchange& e) const override {
    if (e.method == "POST") return is_document(e) || (is_json(e) && (is_endpoint(e.target) || speaks(e)));
    return e.method == "GET" && is_endpoint(e.target) && !calls_of(e).empty();
  }
  std::span<const std::string_view> id_headers() const override { return generic_profile().id_headers(); }

  std::string operation(const Exchange& e) const override {
    OperationNames names;
    for (auto& call : calls_of(e)) names.add(name_of(call));
    return template_path(e.target) + names.text();
  }
  bool names_in_body(const Exchange& e) const override { return e.method == "POST"; }
  bool is_protocol() const override { return true; }

  // A query has no effect, nor has a subscription (spec, 6.2); nothing is known of a mutation. A GET is no mutation
  // (GraphQL over HTTP, 5.2.1).
  Repeat repeat(const Exchange& e) const override {
    if (e.method == "GET" || e.method == "HEAD") return Repeat::safe;
    auto calls = calls_of(e);
    bool reads = !calls.empty() && std::ranges::all_of(calls, [](auto& call) {
      auto operation = operation_in(call);
      return operation && operation->kind != GraphqlOperation::Kind::mutation;
    });
    if (reads) return Repeat::safe;
    return message::keyed_within(e) ? Repeat::guarded : message::plain_repeat(e);
  }

  bool transient(int status, std::string_view body) const override {
    if (status < 200 || status >= 300) return generic_profile().transient(status, body);
    for (std::string_view at : {"/errors/0/extensions/code", "/errors/0/type", "/0/errors/0/extensions/code"})
      if (again(json_at(body, at).value_or(""))) return true;
    return false;
  }
  bool fails(const Exchange& e) const override {
    auto& body = e.response_sample;
    auto answer = Json::parse(body, nullptr, false);
    if (!answer.is_discarded()) return failed(answer);
    auto data = json_at(body, "/data");
    return json_at(body, "/errors/0") && (!data || *data == "null");
  }
  int transient_status(const Exchange&) const override { return 503; }

  Answer error(const Exchange& e, int status, std::string_view marker) const override {
    std::string_view code = status >= 500 ? "INTERNAL_SERVER_ERROR" : status == 400 ? "BAD_REQUEST" : "";
    if (code.empty()) return message::plain_error(e, status, marker);  // it comes from what stands before the service
    Answer answer{.status = status,
                  .reason = std::string(message::reason_of(status)),
                  .headers = {{"Content-Type", "application/json"}}};
    answer.body = fmt::format(R"_({{"errors":[{{"message":"{} ({})","extensions":{{"code":"{}"}}}}]}})_", answer.reason,
                              marker, code);
    return message::finished(std::move(answer), e, marker);
  }
  std::string effect(const Exchange&) const override { return {}; }
};

}  // namespace

const Profile& graphql_profile() {
  static const Graphql profile;
  return profile;
}

}  // namespace retrial::trace
