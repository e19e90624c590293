#include "trace/profiles/yaml.h"

#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

namespace retrial::trace {
namespace {

using OrderedJson = nlohmann::ordered_json;
constexpr int kDeepestNode = 200;
constexpr int kMostNodes = 2'000'000;
constexpr std::size_t kNode = 16;            // what one weighs beside its text
constexpr std::size_t kTimes = 10;           // that a document's weight may become by anchors,
constexpr std::size_t kAtLeast = 1'000'000;  // or that, of a small one
constexpr auto kTooLarge = "this is too large, or holds itself";

std::size_t weight(const yaml_node_t& node) {
  return kNode + (node.type == YAML_SCALAR_NODE ? node.data.scalar.length : 0);
}

class Reader {
 public:
  Reader(yaml_document_t& document, const std::string& file) : document_(document), file_(file) {
    std::size_t own = 0;
    for (auto* node = document.nodes.start; node < document.nodes.top; node++) own += weight(*node);
    left_ = std::max(kTimes * own, kAtLeast);
  }

  // What an anchor stands for is weighed each time that it is meant.
  Result<OrderedJson> read(yaml_node_t* node, int depth) {
    if (depth > kDeepestNode || weight(*node) > left_) return wrong(*node, kTooLarge);
    left_ -= weight(*node);
    if (node->type == YAML_SCALAR_NODE) return scalar(*node);
    auto out = node->type == YAML_MAPPING_NODE ? OrderedJson::object() : OrderedJson::array();
    if (node->type == YAML_SEQUENCE_NODE) {
      auto& items = node->data.sequence.items;
      for (auto* item = items.start; item < items.top; item++) {
        auto value = read(yaml_document_get_node(&document_, *item), depth + 1);
        if (!value) return value;
        out.push_back(std::move(*value));
      }
      return out;
    }
    auto& pairs = node->data.mapping.pairs;
    for (auto* pair = pairs.start; pair < pairs.top; pair++) {
      auto* key = yaml_document_get_node(&document_, pair->key);
      if (key->type != YAML_SCALAR_NODE) return wrong(*key, "expected a key that is a text");
      auto value = read(yaml_document_get_node(&document_, pair->value), depth + 1);
      if (!value) return value;
      out[text_of(*key)] = std::move(*value);
    }
    return out;
  }

 private:
  std::unexpected<Error> wrong(const yaml_node_t& node, std::string what) const {
    return fail(std::move(what), fmt::format("{}:{}", file_, node.start_mark.line + 1), Blame::user);
  }
  static std::string text_of(const yaml_node_t& node) {
    return {reinterpret_cast<const char*>(node.data.scalar.value), node.data.scalar.length};
  }
  static OrderedJson scalar(const yaml_node_t& node) {
    auto text = text_of(node);
    if (node.data.scalar.style != YAML_PLAIN_SCALAR_STYLE) return text;
    if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") return nullptr;
    if (text == "true" || text == "True" || text == "TRUE") return true;
    if (text == "false" || text == "False" || text == "FALSE") return false;
    auto number = OrderedJson::parse(text, nullptr, false);  // 1.2's numbers, but for 0x, 0o, .inf and .nan
    return number.is_number() ? number : OrderedJson(text);
  }

  yaml_document_t& document_;
  const std::string& file_;
  std::size_t left_ = 0;
};

}  // namespace

Result<void> check_yaml(std::string_view text, const std::string& file_name) {
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser)) return fail("no memory for a YAML parser", file_name);
  std::unique_ptr<yaml_parser_t, void (*)(yaml_parser_t*)> parser_end(&parser, yaml_parser_delete);
  yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  int depth = 0, nodes = 0;
  while (true) {
    yaml_event_t event;
    if (!yaml_parser_parse(&parser, &event)) return {};  // who reads it says what is wrong
    auto type = event.type;
    auto line = event.start_mark.line + 1;
    yaml_event_delete(&event);
    if (type == YAML_STREAM_END_EVENT) return {};
    bool begins = type == YAML_SEQUENCE_START_EVENT || type == YAML_MAPPING_START_EVENT;
    depth += begins - (type == YAML_SEQUENCE_END_EVENT || type == YAML_MAPPING_END_EVENT);
    nodes += begins || type == YAML_SCALAR_EVENT || type == YAML_ALIAS_EVENT;
    if (depth > kDeepestNode || nodes > kMostNodes)
      return fail(kTooLarge, fmt::format("{}:{}", file_name, line), Blame::user);
  }
}

Result<std::string> json_of_yaml(std::string_view text, const std::string& file_name) {
  if (auto ok = check_yaml(text, file_name); !ok) return std::unexpected(ok.error());
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser)) return fail("no memory for a YAML parser", file_name);
  std::unique_ptr<yaml_parser_t, void (*)(yaml_parser_t*)> parser_end(&parser, yaml_parser_delete);
  yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  yaml_document_t document;
  if (!yaml_parser_load(&parser, &document))
    return fail(fmt::format("expected YAML or JSON: {}", parser.problem ? parser.problem : "it cannot be read"),
                fmt::format("{}:{}", file_name, parser.problem_mark.line + 1), Blame::user);
  std::unique_ptr<yaml_document_t, void (*)(yaml_document_t*)> document_end(&document, yaml_document_delete);
  return json_of_document(document, file_name);
}

Result<std::string> json_of_document(yaml_document_s& document, const std::string& file_name) {
  auto* root = yaml_document_get_root_node(&document);
  if (!root) return fail("expected YAML or JSON, found nothing", file_name, Blame::user);
  auto json = Reader(document, file_name).read(root, 0);
  if (!json) return std::unexpected(json.error());
  return json->dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace retrial::trace
