#include "deploy/compose/variables.h"

#include <cstdlib>
#include <fstream>
#include <optional>

#include "base/text.h"

namespace retrial::deploy {
namespace {

bool of_name(char c) { return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

std::optional<std::string> value_of(const std::string& name, const Variables& variables) {
  if (auto* value = std::getenv(name.c_str())) return value;
  auto it = variables.find(name);
  return it == variables.end() ? std::nullopt : std::optional(it->second);
}

// Of "NAME", "NAME:-default" and their like, between braces.
std::string braced(std::string_view inside, const Variables& variables) {
  std::size_t end = 0;
  while (end < inside.size() && of_name(inside[end])) end++;
  auto value = value_of(std::string(inside.substr(0, end)), variables);
  auto rest = inside.substr(end);
  bool empty_too = rest.starts_with(':');
  if (empty_too) rest.remove_prefix(1);
  bool missing = !value || (empty_too && value->empty());
  if (rest.starts_with('-') && missing) return put_in(rest.substr(1), variables);
  if (rest.starts_with('+')) return missing ? std::string() : put_in(rest.substr(1), variables);
  return value.value_or("");
}

// Where the brace that was opened just before `from` is closed.
std::size_t closing(std::string_view text, std::size_t from) {
  int open = 1;
  for (; from < text.size(); from++) {
    if (text[from] == '{') open++;
    if (text[from] == '}' && --open == 0) return from;
  }
  return text.npos;
}

}  // namespace

Variables env_file(const std::filesystem::path& path) {
  Variables out;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    auto text = trim(line);
    auto equals = text.find('=');
    if (text.starts_with('#') || equals == text.npos) continue;
    auto value = trim(text.substr(equals + 1));
    if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front())
      value = value.substr(1, value.size() - 2);
    out[std::string(trim(text.substr(0, equals)))] = std::string(value);
  }
  return out;
}

std::string put_in(std::string_view text, const Variables& variables) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); i++) {
    if (text[i] != '$' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    char next = text[++i];
    if (next == '$') {
      out += '$';
    } else if (next == '{') {
      auto end = closing(text, i + 1);
      if (end == text.npos) return out + std::string(text.substr(i - 1));
      out += braced(text.substr(i + 1, end - i - 1), variables);
      i = end;
    } else {
      auto end = i;
      while (end < text.size() && of_name(text[end])) end++;
      if (end == i) out += '$';
      out += value_of(std::string(text.substr(i, end - i)), variables).value_or("");
      i = end - 1;
    }
  }
  return out;
}

}  // namespace retrial::deploy
