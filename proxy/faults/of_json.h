#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/text.h"
#include "proxy/faults/far_numbers.h"
#include "proxy/faults/head_text.h"
#include "proxy/faults/of_response.h"

namespace retrial::proxy {

// An edit of what a JSON body says (RFC 8259). It keeps the body back until its end, and passes it as it came where it
// is none, is packed, or is longer than kMost. What comes in its place has no length of its own: it is chunked.
class OfJson : public Edit {
 public:
  using Json = nlohmann::ordered_json;
  static constexpr std::size_t kMost = 1u << 20;  // bytes, as the service sends it

  Did head(std::string& head, const trace::Exchange& exchange, bool bodiless) final {
    if (bodiless) return {.spares = "the response has no body"};
    if (!is_json(head)) return {.spares = "the response is no JSON"};
    if (field_in(head, "content-encoding")) return {.spares = "the response's body is packed"};
    if (auto why = begin(head, exchange); !why.empty()) return {.spares = why};
    if (auto length = field_in(head, "content-length")) {
      head.erase(length->line, length->line_end - length->line);
      head.insert(fields_end(head), "Transfer-Encoding: chunked\r\n");
    }
    return {};
  }
  Did body(std::string_view content, bool last, std::string& out) final {
    kept_.append(content);
    if (kept_.size() > kMost) {
      out.append(kept_);
      return {.spares = "the response's body is longer than what is read of it"};
    }
    if (!last) return {};
    std::string_view why = too_deep(kept_) ? "the response's JSON is too deep" : "";
    auto json = why.empty() ? Json::parse(far_numbers_as_text(kept_), nullptr, false) : Json();
    if (json.is_discarded()) why = "the response is no JSON";
    if (why.empty()) why = change(json);
    out.append(why.empty() ? far_numbers_again(json.dump(-1, ' ', false, Json::error_handler_t::replace)) : kept_);
    if (!why.empty()) return {.spares = why};
    return {.fires = true};
  }

 protected:
  // Why nothing is to be changed; empty: it may be. Fields may be added to the head.
  virtual std::string_view begin(std::string& head, const trace::Exchange& exchange) = 0;
  // Changes it. Else why nothing was to be changed.
  virtual std::string_view change(Json& json) = 0;

 private:
  static constexpr int kDeepestNesting = 200;  // lists and objects within each other
  static bool too_deep(std::string_view text) {
    int depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); i++) {
      char c = text[i];
      if (in_string && c == '\\')
        i++;
      else if (c == '"')
        in_string = !in_string;
      if (in_string) continue;
      depth += (c == '[' || c == '{') - (c == ']' || c == '}');
      if (depth > kDeepestNesting) return true;
    }
    return false;
  }
  static bool is_json(std::string_view head) {
    auto type = field_in(head, "content-type");
    return type && icontains(head.substr(type->value, type->value_end - type->value), "json");
  }
  std::string kept_;
};

}  // namespace retrial::proxy
