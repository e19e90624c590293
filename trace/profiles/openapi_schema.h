#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>

namespace retrial::trace {

using OrderedJson = nlohmann::ordered_json;

// A description as a whole, in which parts refer to others.
class OpenApiDocument {
 public:
  explicit OpenApiDocument(OrderedJson whole) : whole_(std::move(whole)) {}
  const OrderedJson& whole() const { return whole_; }

  // The part itself, or what its $ref leads to (RFC 6901 within this file). Throws std::invalid_argument, which says
  // what is wrong, where it leads out of the file, nowhere, or in a circle.
  const OrderedJson& at(const OrderedJson& part) const;

  // A value of this schema, of an error with this status: its example, default, const or first of enum; else made of
  // its parts: the required members (all, where none is required), all of allOf, the first of oneOf and anyOf, one item
  // of an array. Numbers named as a status or a code are the status, texts its reason phrase. Throws as at().
  OrderedJson value_of(const OrderedJson& schema, int status) const;

 private:
  OrderedJson made(const OrderedJson& schema, std::string_view name, int status, int depth, int& left) const;
  OrderedJson object(const OrderedJson& schema, int status, int depth, int& left) const;

  OrderedJson whole_;
  mutable std::unordered_map<std::string, const OrderedJson*> found_;  // by $ref
};

}  // namespace retrial::trace
