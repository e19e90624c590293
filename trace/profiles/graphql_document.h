#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace retrial::trace {

// An operation of a GraphQL document (https://spec.graphql.org/October2021/#sec-Language.Operations).
struct GraphqlOperation {
  enum class Kind { query, mutation, subscription } kind = Kind::query;
  std::string name;   // empty: it has none
  std::string field;  // the first of its root fields, not by its alias; empty: cut off before it
};
std::string_view show(GraphqlOperation::Kind kind);

// The operation of that name, or (an empty name) the first. The document may end anywhere: nothing where it has ended
// before, and where it is no document.
std::optional<GraphqlOperation> graphql_operation(std::string_view document, std::string_view name);

}  // namespace retrial::trace
