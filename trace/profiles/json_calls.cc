#include "trace/profiles/json_calls.h"

#include <array>
#include <nlohmann/json.hpp>

namespace retrial::trace {
namespace {
using Json = nlohmann::json;

// A text that the sample's end cuts off is closed, so that what there is of it can be read.
std::string closed(std::string_view body) {
  bool inside = false;
  std::size_t last = 0;  // where the character that is being read begins, in a text
  for (std::size_t i = 0; i < body.size(); i++) {
    if (body[i] == '"') {
      inside = !inside;
    } else if (inside && body[i] == '\\') {
      bool code = i + 1 < body.size() && body[i + 1] == 'u';
      if (i + (code ? 5 : 1) >= body.size()) {
        last = i;
        return std::string(body.substr(0, last)) + '"';
      }
      i += code ? 5 : 1;
    }
  }
  std::string out(body);
  if (!inside) return out;
  while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xc0) == 0x80) out.pop_back();  // UTF-8, cut or not
  if (!out.empty() && static_cast<unsigned char>(out.back()) >= 0x80) out.pop_back();
  return out + '"';
}

class Reader final : public nlohmann::json_sax<Json> {
 public:
  std::vector<JsonCall> calls;

  bool null() override { return value("null", false); }
  bool boolean(bool yes) override { return value(yes ? "true" : "false", false); }
  bool number_integer(number_integer_t number) override { return value(std::to_string(number), false); }
  bool number_unsigned(number_unsigned_t number) override { return value(std::to_string(number), false); }
  bool number_float(number_float_t, const string_t& text) override { return value(text, false); }
  bool string(string_t& text) override { return value(text, true); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override {
    if (depth_ == base_ && calls.size() == kMostCalls) return false;
    if (depth_ == base_) calls.emplace_back();
    return open();
  }
  bool start_array(std::size_t) override {
    if (depth_ == 0) base_ = 1;
    if (depth_ == base_ + 1 && keys_[0] == "params") calls.back().params = true;
    return open();
  }
  bool key(string_t& name) override {
    auto at = depth_ - base_ - 1;
    if (at < keys_.size()) keys_[at] = name;
    if (at == 0 && !known(name)) calls.back().other = true;
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  static bool known(std::string_view name) {
    return name == "query" || name == "operationName" || name == "variables" || name == "extensions" ||
           name == "documentId" || name == "id";
  }
  bool open() {
    depth_++;
    return true;
  }
  bool close() {
    depth_--;
    auto at = depth_ - base_;
    if (at < keys_.size()) keys_[at].clear();
    return true;
  }
  bool value(std::string text, bool quoted) {
    if (calls.empty() || depth_ <= base_) return true;
    auto& call = calls.back();
    auto& name = keys_[0];
    auto depth = depth_ - base_;
    if (depth == 1 && name == "id")
      call.id = quoted ? Json(text).dump(-1, ' ', false, Json::error_handler_t::replace) : text;
    if (!quoted) return true;
    if (depth == 1) {
      if (name == "query")
        call.query = std::move(text);
      else if (name == "operationName")
        call.operation_name = std::move(text);
      else if (name == "documentId")
        call.document = std::move(text);
      else if (name == "jsonrpc")
        call.version = std::move(text);
      else if (name == "method")
        call.method = std::move(text);
    } else if (depth == 3 && name == "extensions" && keys_[1] == "persistedQuery" && keys_[2] == "sha256Hash") {
      call.document = std::move(text);
    }
    return true;
  }

  std::size_t depth_ = 0;  // of what is open
  std::size_t base_ = 0;   // of what the objects stand in: 1 in a list
  std::array<std::string, 3> keys_;
};
}  // namespace

std::vector<JsonCall> json_calls(std::string_view body) {
  auto begin = body.find_first_not_of(" \t\r\n");
  if (begin == body.npos || (body[begin] != '{' && body[begin] != '[')) return {};
  Reader reader;
  Json::sax_parse(closed(body), &reader);
  return std::move(reader.calls);
}

}  // namespace retrial::trace
