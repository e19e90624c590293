#include "trace/profiles/json_pointer.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "base/text.h"

namespace retrial::trace {
namespace {
using Json = nlohmann::json;

std::vector<std::string> tokens_of(std::string_view pointer) {
  std::vector<std::string> out;
  for (auto part : split(pointer.substr(1), '/')) {
    auto& token = out.emplace_back();
    for (std::size_t i = 0; i < part.size(); i++) {
      bool escaped = part[i] == '~' && i + 1 < part.size();
      token += escaped ? part[++i] == '1' ? '/' : '~' : part[i];
    }
  }
  return out;
}

// Follows the pointer while the text is read, and ends the reading where it has arrived.
class Follower final : public nlohmann::json_sax<Json> {
 public:
  explicit Follower(std::string_view pointer) : tokens_(tokens_of(pointer)) {}
  std::optional<std::string> found;

  bool null() override { return value("null"); }
  bool boolean(bool yes) override { return value(yes ? "true" : "false"); }
  bool number_integer(number_integer_t number) override { return value(std::to_string(number)); }
  bool number_unsigned(number_unsigned_t number) override { return value(std::to_string(number)); }
  bool number_float(number_float_t, const string_t& text) override { return value(text); }
  bool string(string_t& text) override { return value(text); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool key(string_t& name) override {
    levels_.back().here = levels_.back().on_way && name == tokens_[levels_.size() - 1];
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  struct Level {
    bool array;
    bool on_way;        // the pointer leads into it
    bool here = false;  // and on to the member that comes
    std::size_t next = 0;
  };
  bool leads_here() {
    if (levels_.empty()) return true;
    auto& level = levels_.back();
    if (level.array) level.here = level.on_way && tokens_[levels_.size() - 1] == std::to_string(level.next++);
    return level.here;
  }
  bool value(std::string text) {
    if (!leads_here() || levels_.size() != tokens_.size()) return true;
    found = std::move(text);
    return false;
  }
  bool open(bool array) {
    bool here = leads_here();
    if (here && levels_.size() == tokens_.size()) {
      found.emplace();
      return false;
    }
    levels_.push_back({array, here});
    return true;
  }
  bool close() {
    levels_.pop_back();
    return true;
  }

  std::vector<std::string> tokens_;
  std::vector<Level> levels_;
};
}  // namespace

std::optional<std::string> json_at(std::string_view body, std::string_view pointer) {
  auto begin = body.find_first_not_of(" \t\r\n");
  if (begin == body.npos || (body[begin] != '{' && body[begin] != '[')) return {};
  Follower follower(pointer);
  Json::sax_parse(body, &follower);
  return std::move(follower.found);
}

bool is_json_pointer(std::string_view text) { return text.size() > 1 && text[0] == '/'; }

}  // namespace retrial::trace
