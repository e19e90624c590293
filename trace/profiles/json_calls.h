#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace retrial::trace {

// What one object of a body says of the call that it makes, by GraphQL over HTTP
// (https://graphql.github.io/graphql-over-http/draft/#sec-Request-Parameters) or by JSON-RPC
// (https://www.jsonrpc.org/specification). What is not there, or is no text where it ought to be one, is left out.
struct JsonCall {
  std::optional<std::string> query;  // the document; as much of it as the sample holds
  std::string operation_name;
  std::string document;  // the name of a persisted document: its hash (Apollo), or documentId
  std::string version;   // "jsonrpc"
  std::string method;
  std::string id;       // as JSON; empty: there is none
  bool params = false;  // a list: the form that JSON-RPC 1.0 has
  bool other = false;   // it has members that GraphQL over HTTP does not know
};

// Of a body's sample, which may end anywhere: one object, or (batched) a list of objects. Empty where it is neither.
// At most kMostCalls are read.
inline constexpr std::size_t kMostCalls = 64;
std::vector<JsonCall> json_calls(std::string_view body);

}  // namespace retrial::trace
