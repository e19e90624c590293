#include "trace/profiles/openapi_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/text.h"
#include "trace/profiles/message.h"
#include "trace/profiles/status_phrase.h"

namespace retrial::trace {
namespace {

constexpr int kDeepest = 6;      // of a value; a schema that holds itself ends there
constexpr int kMostParts = 200;  // of a value
constexpr int kMostHops = 32;    // from one $ref to the next

const OrderedJson* member(const OrderedJson& of, const char* name) {
  if (!of.is_object()) return nullptr;
  auto it = of.find(name);
  return it == of.end() ? nullptr : &*it;
}
std::string type_of(const OrderedJson& schema) {
  const auto* type = member(schema, "type");
  if (type && type->is_array())  // 3.1: ["string", "null"]
    for (auto& one : *type)
      if (one.is_string() && one != "null") return one;
  if (type && type->is_string()) return *type;
  if (member(schema, "properties") || member(schema, "allOf")) return "object";
  return member(schema, "items") ? "array" : "";
}

// RFC 3339, RFC 4122 and RFC 3986, as JSON Schema names them (draft 2020-12, 7.3).
std::string_view of_format(std::string_view format) {
  if (format == "date-time") return "2000-01-01T00:00:00Z";
  if (format == "date") return "2000-01-01";
  if (format == "time") return "00:00:00Z";
  if (format == "uuid") return "00000000-0000-0000-0000-000000000000";
  if (format == "uri" || format == "url" || format == "uri-reference") return "about:blank";
  if (format == "email") return "nobody@example.com";
  if (format == "ipv4") return "192.0.2.1";
  return {};
}

const OrderedJson& lookup(const OrderedJson& whole, const std::string& ref) {
  try {
    return whole.at(OrderedJson::json_pointer(percent_decode(ref.substr(1))));
  } catch (const OrderedJson::exception&) {
    throw std::invalid_argument(fmt::format("$ref \"{}\" leads nowhere", ref));
  }
}

}  // namespace

const OrderedJson& OpenApiDocument::at(const OrderedJson& part) const {
  const auto* here = &part;
  for (int hops = 0; hops < kMostHops; hops++) {
    const auto* ref = member(*here, "$ref");
    if (!ref || !ref->is_string()) return *here;
    auto text = ref->get<std::string>();
    if (!text.starts_with("#/"))
      throw std::invalid_argument(
          fmt::format("$ref \"{}\" leads out of the file: expected one that begins with #/", text));
    auto& found = found_[text];
    if (!found) found = &lookup(whole_, text);
    here = found;
  }
  throw std::invalid_argument(fmt::format("$ref \"{}\" leads in a circle", part.at("$ref").get<std::string>()));
}

OrderedJson OpenApiDocument::value_of(const OrderedJson& schema, int status) const {
  int left = kMostParts;
  return made(schema, "", status, 0, left);
}

OrderedJson OpenApiDocument::made(const OrderedJson& part, std::string_view name, int status, int depth,
                                  int& left) const {
  if (depth > kDeepest || left-- <= 0) return nullptr;
  const auto& schema = at(part);
  for (const char* known : {"example", "const", "default"})
    if (const auto* value = member(schema, known)) return *value;
  for (const char* known : {"examples", "enum"})
    if (const auto* values = member(schema, known); values && values->is_array() && !values->empty())
      return values->front();
  for (const char* any : {"oneOf", "anyOf"})
    if (const auto* schemas = member(schema, any); schemas && schemas->is_array() && !schemas->empty())
      return made(schemas->front(), name, status, depth + 1, left);
  auto type = type_of(schema);
  auto plain = lower(name);
  if (type == "object") return object(schema, status, depth, left);
  if (type == "array") {
    auto out = OrderedJson::array();
    if (const auto* items = member(schema, "items")) out.push_back(made(*items, name, status, depth + 1, left));
    return out;
  }
  if (type == "integer" || type == "number") {
    if (plain.ends_with("status") || plain.ends_with("code")) return status;
    const auto* least = member(schema, "minimum");
    return least && least->is_number() ? *least : OrderedJson(0);
  }
  if (type == "boolean") return false;
  if (type != "string") return nullptr;
  const auto* format = member(schema, "format");
  if (auto text = format && format->is_string() ? of_format(format->get<std::string>()) : ""; !text.empty())
    return text;
  if (plain == "status") return std::to_string(status);
  if (plain.ends_with("code") || plain == "type") return phrase_like("word", status);
  return message::reason_of(status);
}

OrderedJson OpenApiDocument::object(const OrderedJson& schema, int status, int depth, int& left) const {
  auto out = OrderedJson::object();
  if (const auto* all = member(schema, "allOf"))
    for (auto& one : *all)
      if (auto value = made(one, "", status, depth + 1, left); value.is_object()) out.update(value);
  const auto* properties = member(schema, "properties");
  if (!properties || !properties->is_object()) return out;
  const auto* required = member(schema, "required");
  bool all = !required || !required->is_array() || required->empty();
  for (auto& [name, property] : properties->items())
    if (all || std::ranges::find(*required, OrderedJson(name)) != required->end())
      out[name] = made(property, name, status, depth + 1, left);
  return out;
}

}  // namespace retrial::trace
