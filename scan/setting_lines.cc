#include "scan/setting_lines.h"

#include "base/text.h"

namespace retrial::scan {
namespace {

constexpr std::size_t kDeepestSetting = 40;  // of what a hand has written

std::string bare_word(std::string_view text) {
  text = trim(text);
  while (!text.empty() && (text.back() == ',' || text.back() == ' ')) text.remove_suffix(1);
  if (text.size() > 1 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front())
    text = text.substr(1, text.size() - 2);
  return std::string(text);
}

struct SettingReader {
  std::vector<Setting> found;
  std::vector<std::string> path;

  void add(std::uint32_t line, std::string_view key, std::string_view value) {
    auto whole = path;
    whole.push_back(bare_word(key));
    found.push_back({line, std::move(whole), bare_word(value)});
  }

  // `"a": {"b": 3, "c": ["d"]}`, over as many lines as it likes.
  void json(std::string_view text, std::uint32_t line) {
    std::string key, word;
    std::string open;  // the brackets around
    bool quoted = false;
    auto end_value = [&] {
      if (!word.empty()) add(line, key, word);
      word.clear();
    };
    for (std::size_t i = 0; i < text.size(); i++) {
      char c = text[i];
      line += c == '\n';
      if (c == '\\' && quoted) i++;
      if (c == '"' || c == '\'') quoted = !quoted;
      if (quoted || !std::string_view("{}[]:,\n").contains(c)) {
        word += c;
        continue;
      }
      if (c == ':') {
        key = bare_word(word);
        word.clear();
      } else if (c == '{' || c == '[') {
        if (open.size() > kDeepestSetting) return;
        word.clear();
        open.push_back(c);
        if (c == '[') continue;  // its items are of its own key
        add(line, key, "");
        path.push_back(bare_word(key));
        key.clear();
      } else if (c == '}' || c == ']') {
        end_value();
        if (open.empty()) return;
        if (open.back() == '{') {
          key = path.back();
          path.pop_back();
        }
        open.pop_back();
      } else if (c == ',') {
        end_value();
      }
    }
    end_value();
  }
};

std::string_view without_comment(std::string_view line) {
  auto at = line.find(" #");
  return line.starts_with('#') ? std::string_view() : at == line.npos ? line : line.substr(0, at);
}

// Spring's `resilience4j.retry:` is one key in another; `app.kubernetes.io/name` is one.
std::vector<std::string> keys_in(const std::vector<std::string>& path) {
  std::vector<std::string> keys;
  for (auto& key : path)
    if (key.contains('/'))
      keys.push_back(key);
    else
      for (auto part : split(key, '.')) keys.emplace_back(part);
  return keys;
}

std::vector<Setting> of_yaml(std::string_view text) {
  SettingReader reader;
  std::vector<std::size_t> indents;  // of the keys in the path
  std::uint32_t number = 0;
  for (auto line : split(text, '\n')) {
    number++;
    line = without_comment(line);
    if (line.starts_with("---")) {
      reader.path.clear();
      indents.clear();
      continue;
    }
    auto from = line.find_first_not_of(" \t");
    if (from == line.npos) continue;
    auto rest = trim(line.substr(from));
    bool item = rest.starts_with("- ") || rest == "-";
    while (!indents.empty() && (indents.back() > from || (indents.back() == from && !item))) {
      indents.pop_back();
      reader.path.pop_back();
    }
    for (; rest.starts_with("- "); rest = trim(rest.substr(2))) from += 2;
    auto colon = rest.find(':');
    bool names = colon != rest.npos && (colon + 1 == rest.size() || rest[colon + 1] == ' ');
    if (!names || indents.size() > kDeepestSetting) {
      if (item && !reader.path.empty()) {
        auto key = reader.path.back();
        reader.path.pop_back();
        reader.add(number, key, rest);
        reader.path.push_back(key);
      }
      continue;
    }
    auto key = rest.substr(0, colon), value = trim(rest.substr(colon + 1));
    if (value.starts_with('{') || value.starts_with('[')) {
      reader.json(std::string(key) + ": " + std::string(value), number);
      continue;
    }
    reader.add(number, key, value);
    if (!value.empty()) continue;
    reader.path.push_back(bare_word(key));
    indents.push_back(from);
  }
  for (auto& one : reader.found) one.path = keys_in(one.path);
  return reader.found;
}

std::vector<Setting> of_properties(std::string_view text) {
  std::vector<Setting> found;
  std::uint32_t number = 0;
  for (auto line : split(text, '\n')) {
    number++;
    line = trim(line);
    auto at = line.find('=');
    if (line.starts_with('#') || at == line.npos) continue;
    auto key = trim(line.substr(0, at));
    Setting one{number, {}, bare_word(line.substr(at + 1))};
    for (auto part : split(key, key.find('/') == key.npos ? '.' : '/')) one.path.emplace_back(part);
    found.push_back(std::move(one));
  }
  return found;
}

}  // namespace

std::vector<Setting> read_settings(std::string_view path, std::string_view text) {
  if (path.ends_with(".properties")) return of_properties(text);
  if (!path.ends_with(".json")) return of_yaml(text);
  SettingReader reader;
  reader.json(text, 1);
  return reader.found;
}

}  // namespace retrial::scan
