#include "deploy/yaml/documents.h"

#include <fmt/format.h>
#include <yaml.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "deploy/yaml/emit.h"
#include "trace/profiles/yaml.h"

namespace retrial::deploy {
namespace {

struct Document {
  yaml_document_t tree;
  ~Document() { yaml_document_delete(&tree); }
};

std::string_view text_of(const yaml_node_t& node) {
  return {reinterpret_cast<const char*>(node.data.scalar.value), node.data.scalar.length};
}

const yaml_char_t* chars(std::string_view text) { return reinterpret_cast<const yaml_char_t*>(text.data()); }

int scalar(yaml_document_t& tree, std::string_view text, bool plain) {
  return yaml_document_add_scalar(&tree, nullptr, chars(text), static_cast<int>(text.size()),
                                  plain ? YAML_PLAIN_SCALAR_STYLE : YAML_DOUBLE_QUOTED_SCALAR_STYLE);
}

// A key of that mapping: the number of its value, or 0.
int value_at(yaml_document_t& tree, const yaml_node_t& mapping, std::string_view key) {
  auto& pairs = mapping.data.mapping.pairs;
  for (auto* pair = pairs.start; pair < pairs.top; pair++) {
    auto* word = yaml_document_get_node(&tree, pair->key);
    if (word->type == YAML_SCALAR_NODE && text_of(*word) == key) return pair->value;
  }
  return 0;
}

// The line of a key that is nothing (`: value`), or 0: no object of Kubernetes has one, and libyaml gives it back as a
// text of no length.
std::size_t line_of_no_key(yaml_document_t& tree) {
  for (auto* node = tree.nodes.start; node < tree.nodes.top; node++) {
    if (node->type != YAML_MAPPING_NODE) continue;
    for (auto* pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
      auto* key = yaml_document_get_node(&tree, pair->key);
      if (key->type == YAML_SCALAR_NODE && key->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && text_of(*key).empty())
        return key->start_mark.line + 1;
    }
  }
  return 0;
}

// RFC 6901: "/a~1b/0" are "a/b" and "0".
std::vector<std::string> tokens_of(std::string_view pointer) {
  std::vector<std::string> out;
  if (pointer.empty()) return out;
  for (auto part : split(pointer.substr(1), '/')) {
    std::string token;
    for (std::size_t i = 0; i < part.size(); i++)
      if (part[i] == '~' && i + 1 < part.size())
        token += part[++i] == '1' ? '/' : '~';
      else
        token += part[i];
    out.push_back(std::move(token));
  }
  return out;
}

}  // namespace

// A value as nodes; gives the number of its own. Numbers move as nodes are added: none is kept across it.
int add_nodes(yaml_document_t& tree, const Json& value) {
  if (value.is_object()) {
    int node = yaml_document_add_mapping(&tree, nullptr, YAML_BLOCK_MAPPING_STYLE);
    for (auto& [key, item] : value.items()) {
      int name = scalar(tree, key, !needs_quotes(key)), of = add_nodes(tree, item);
      yaml_document_append_mapping_pair(&tree, node, name, of);
    }
    return node;
  }
  if (value.is_array()) {
    bool words = !value.empty() && std::ranges::all_of(value, [](auto& item) { return item.is_primitive(); });
    int node = yaml_document_add_sequence(
        &tree, nullptr, words || value.empty() ? YAML_FLOW_SEQUENCE_STYLE : YAML_BLOCK_SEQUENCE_STYLE);
    for (auto& item : value) {
      int of = add_nodes(tree, item);
      yaml_document_append_sequence_item(&tree, node, of);
    }
    return node;
  }
  if (!value.is_string()) return scalar(tree, value.dump(), true);
  auto& text = value.get_ref<const std::string&>();
  return scalar(tree, text, !needs_quotes(text));
}

struct YamlDocuments::Impl {
  std::string file_name;
  std::vector<std::unique_ptr<Document>> documents;
};

YamlDocuments::YamlDocuments(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
YamlDocuments::~YamlDocuments() = default;
YamlDocuments::YamlDocuments(YamlDocuments&&) noexcept = default;

Result<YamlDocuments> YamlDocuments::parse(std::string_view text, const std::string& file_name) {
  if (auto ok = trace::check_yaml(text, file_name); !ok) return std::unexpected(ok.error());
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser)) return fail("no memory for a YAML parser", file_name);
  std::unique_ptr<yaml_parser_t, void (*)(yaml_parser_t*)> end(&parser, yaml_parser_delete);
  yaml_parser_set_input_string(&parser, chars(text), text.size());
  auto impl = std::make_unique<Impl>();
  impl->file_name = file_name;
  while (true) {
    auto document = std::make_unique<Document>();
    if (!yaml_parser_load(&parser, &document->tree))
      return fail(fmt::format("expected YAML or JSON: {}", parser.problem ? parser.problem : "it cannot be read"),
                  fmt::format("{}:{}", file_name, parser.problem_mark.line + 1), Blame::user);
    auto* root = yaml_document_get_root_node(&document->tree);
    if (!root) break;
    if (auto line = line_of_no_key(document->tree))
      return fail("expected a key before the colon", fmt::format("{}:{}", file_name, line), Blame::user);
    bool empty = root->type == YAML_SCALAR_NODE && text_of(*root).empty();
    if (!empty) impl->documents.push_back(std::move(document));
  }
  return YamlDocuments(std::move(impl));
}

std::size_t YamlDocuments::size() const { return impl_->documents.size(); }

Result<Json> YamlDocuments::json(std::size_t document) const {
  auto text = trace::json_of_document(impl_->documents[document]->tree, impl_->file_name);
  if (!text) return std::unexpected(text.error());
  return Json::parse(*text);
}

Result<void> YamlDocuments::apply(std::size_t document, const std::string& patch) {
  auto& tree = impl_->documents[document]->tree;
  for (auto& operation : Json::parse(patch)) {
    auto path = operation.at("path").get<std::string>();
    auto tokens = tokens_of(path);
    auto nowhere = [&] { return fail(fmt::format("there is no {} to be added to", path), impl_->file_name); };
    if (tokens.empty()) return nowhere();
    int at = 1;
    for (std::size_t i = 0; i + 1 < tokens.size(); i++) {
      auto* node = yaml_document_get_node(&tree, at);
      if (node->type == YAML_MAPPING_NODE) {
        at = value_at(tree, *node, tokens[i]);
      } else if (auto number = to_int(tokens[i]);
                 node->type == YAML_SEQUENCE_NODE && number && *number >= 0 &&
                 *number < node->data.sequence.items.top - node->data.sequence.items.start) {
        at = node->data.sequence.items.start[*number];
      } else {
        return nowhere();
      }
      if (at == 0) return nowhere();
    }
    auto& last = tokens.back();
    int value = add_nodes(tree, operation.at("value"));
    auto* parent = yaml_document_get_node(&tree, at);
    if (parent->type == YAML_SEQUENCE_NODE) {
      yaml_document_append_sequence_item(&tree, at, value);
      auto& items = yaml_document_get_node(&tree, at)->data.sequence.items;
      auto number = to_int(last);
      if (!number && last != "-") return nowhere();
      auto size = items.top - items.start;
      if (number && (*number < 0 || *number >= size)) return nowhere();
      if (number) std::rotate(items.start + *number, items.top - 1, items.top);
    } else if (parent->type == YAML_MAPPING_NODE) {
      auto& pairs = parent->data.mapping.pairs;
      bool there = false;
      for (auto* pair = pairs.start; pair < pairs.top; pair++)
        if (text_of(*yaml_document_get_node(&tree, pair->key)) == last) pair->value = value, there = true;
      if (!there) {
        int key = scalar(tree, last, !needs_quotes(last));
        yaml_document_append_mapping_pair(&tree, at, key, value);
      }
    } else {
      return nowhere();
    }
  }
  return {};
}

std::string YamlDocuments::text() && {
  Emitter emitter;
  for (auto& document : impl_->documents) {
    emitter.dump(document->tree);
    document->tree = {};  // the emitter has taken it apart
  }
  return std::move(emitter).text();
}

std::string yaml_of(const Json& value) {
  yaml_document_t tree;
  yaml_document_initialize(&tree, nullptr, nullptr, nullptr, 1, 1);
  add_nodes(tree, value);
  Emitter emitter;
  emitter.dump(tree);
  return std::move(emitter).text();
}

}  // namespace retrial::deploy
