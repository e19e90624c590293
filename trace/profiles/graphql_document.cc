#include "trace/profiles/graphql_document.h"

namespace retrial::trace {
namespace {

bool begins_name(char c) { return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

// Lexical tokens (2.1.6): a name, a punctuator, or what stands for a value, of which only the first character is given.
// Empty at the end, and where a text is cut off.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) { next(); }

  std::string_view now() const { return token_; }
  bool is_name() const { return !token_.empty() && begins_name(token_[0]); }

  void next() {
    skip_ignored();
    auto rest = text_;
    std::size_t size = rest.empty() ? 0 : 1;
    if (rest.starts_with("...")) {
      size = 3;
    } else if (!rest.empty() && begins_name(rest[0])) {
      while (size < rest.size() && (begins_name(rest[size]) || is_digit(rest[size]))) size++;
    } else if (rest.starts_with('"')) {
      token_ = rest.substr(0, 1);
      auto end = end_of_text(rest);
      text_.remove_prefix(end == rest.npos ? rest.size() : end);
      if (end == rest.npos) token_ = {};
      return;
    }
    token_ = rest.substr(0, size);
    text_.remove_prefix(size);
  }

  // Past what begins with this bracket and ends with its counterpart.
  void skip_group() {
    int depth = 0;
    do {
      if (token_ == "(" || token_ == "[" || token_ == "{") depth++;
      if (token_ == ")" || token_ == "]" || token_ == "}") depth--;
      next();
    } while (depth > 0 && !token_.empty());
  }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  void skip_ignored() {
    while (!text_.empty()) {
      if (text_[0] == '#')
        text_.remove_prefix(std::min(text_.size(), text_.find_first_of("\r\n")));
      else if (text_.starts_with("\xef\xbb\xbf"))
        text_.remove_prefix(3);
      else if (text_.find_first_of(" \t\r\n,") == 0)
        text_.remove_prefix(1);
      else
        return;
    }
  }
  // "text" and """block""" (2.9.4); npos where it is cut off.
  static std::size_t end_of_text(std::string_view rest) {
    bool block = rest.starts_with("\"\"\"");
    for (std::size_t i = block ? 3 : 1; i < rest.size(); i++) {
      if (rest[i] == '\\') {
        i += block ? (rest.substr(i + 1).starts_with("\"\"\"") ? 3 : 0) : 1;
      } else if (rest[i] == '"') {
        if (!block) return i + 1;
        if (rest.substr(i).starts_with("\"\"\"")) return i + 3;
      }
    }
    return rest.npos;
  }

  std::string_view text_, token_;
};

void skip_directives(Tokens& tokens) {
  while (tokens.now() == "@") {
    tokens.next();
    if (tokens.is_name()) tokens.next();
    if (tokens.now() == "(") tokens.skip_group();
  }
}

// The first field of a selection set, also of one that lies in an inline fragment; a fragment that is named stands
// elsewhere.
std::string first_field(Tokens& tokens) {
  while (tokens.now() == "{") {
    tokens.next();
    while (tokens.now() == "...") {
      tokens.next();
      bool typed = tokens.now() == "on";
      if (typed) tokens.next();
      if (tokens.is_name()) tokens.next();
      skip_directives(tokens);
      if (tokens.now() == "{") break;
      if (typed) return {};
    }
  }
  if (!tokens.is_name()) return {};
  auto field = tokens.now();
  tokens.next();
  if (tokens.now() == ":") {
    tokens.next();
    field = tokens.is_name() ? tokens.now() : std::string_view();
  }
  return std::string(field);
}

std::optional<GraphqlOperation::Kind> kind_named(std::string_view word) {
  using enum GraphqlOperation::Kind;
  for (auto kind : {query, mutation, subscription})
    if (word == show(kind)) return kind;
  return {};
}

}  // namespace

std::string_view show(GraphqlOperation::Kind kind) {
  switch (kind) {
    case GraphqlOperation::Kind::mutation:
      return "mutation";
    case GraphqlOperation::Kind::subscription:
      return "subscription";
    default:
      return "query";
  }
}

std::optional<GraphqlOperation> graphql_operation(std::string_view document, std::string_view name) {
  Tokens tokens(document);
  while (!tokens.now().empty()) {
    GraphqlOperation operation;
    if (auto kind = kind_named(tokens.now())) {
      operation.kind = *kind;
      tokens.next();
      if (tokens.is_name()) {
        operation.name = tokens.now();
        tokens.next();
      }
      if (tokens.now() == "(") tokens.skip_group();
      skip_directives(tokens);
      if (tokens.now() != "{" && !tokens.now().empty()) return {};
    } else if (tokens.now() == "fragment") {
      while (!tokens.now().empty() && tokens.now() != "{") tokens.now() == "(" ? tokens.skip_group() : tokens.next();
      if (tokens.now() == "{") tokens.skip_group();
      continue;
    } else if (tokens.now() != "{") {
      return {};
    }
    if (name.empty() || name == operation.name) {
      operation.field = first_field(tokens);
      return operation;
    }
    if (tokens.now() == "{") tokens.skip_group();
  }
  return {};
}

}  // namespace retrial::trace
