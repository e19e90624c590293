#include "trace/profiles/error_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/characters.h"
#include "base/text.h"
#include "trace/profiles/message.h"
#include "trace/profiles/status_phrase.h"

namespace retrial::trace {
namespace {

using OrderedJson = nlohmann::ordered_json;

bool has_letter(std::string_view text) { return std::ranges::any_of(text, is_letter); }
bool has_space(std::string_view text) { return text.find_first_of(" \t\r\n") != text.npos; }
bool has_time(std::string_view text) {
  for (std::size_t at = 1; at + 1 < text.size(); at++)
    if (text[at] == ':' && is_digit(text[at - 1]) && is_digit(text[at + 1])) return true;
  return false;
}

// "error_message", "errorMessages" -> "errormessage"
std::string plain_name(std::string_view name) {
  std::string out;
  std::ranges::copy_if(lower(name), std::back_inserter(out), is_letter);
  if (out.ends_with('s') && out != "status") out.pop_back();
  return out;
}
bool names_sentence(std::string_view plain) {
  static constexpr std::array<std::string_view, 6> kEnds{"message", "msg", "detail", "description", "title", "text"};
  return std::ranges::any_of(kEnds, [&](auto end) { return plain.ends_with(end); });
}
bool names_code(std::string_view plain) {
  return plain.ends_with("code") || plain.ends_with("reason") || plain == "error";
}
bool is_code(std::string_view value) {
  return has_letter(value) &&
         std::ranges::all_of(value, [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-'; });
}

void replace_number(std::string& text, int from, int to) {
  auto old = std::to_string(from);
  for (auto at = text.find(old); at != text.npos; at = text.find(old, at + 1)) {
    auto end = at + old.size();
    if ((at && (is_digit(text[at - 1]) || is_letter(text[at - 1]))) ||
        (end < text.size() && (is_digit(text[end]) || is_letter(text[end]))))
      continue;
    text.replace(at, old.size(), std::to_string(to));
  }
}

// One answer's values, as another status has them.
class Values {
 public:
  Values(const ErrorShape& shape, const Exchange& head, int status, std::string_view marker)
      : shape_(shape), head_(head), status_(status), marker_(marker) {}

  std::int64_t number(std::int64_t value) const { return changes() && value == shape_.status ? status_ : value; }

  // A text of this name, or of none.
  std::string text(std::string_view name, std::string_view value) const {
    auto path = message::path_of(shape_.target);
    if (!path.empty() && value == shape_.target) return head_.target;
    if (path.size() > 1 && value == path) return std::string(message::path_of(head_.target));
    auto plain = plain_name(name);
    bool whole = is_phrase(value);
    bool sentence = has_letter(value) && (has_space(value) ? !has_time(value) : !whole && names_sentence(plain));
    auto out = word(value);
    if (sentence) return fmt::format("{} ({})", whole ? out : said(value), marker_);
    return changes() && !shape_.described && out == value && names_code(plain) && is_code(value)
               ? phrase_like(value, status_)
               : out;
  }
  // The same where no sentence stands: in an attribute of XML.
  std::string word(std::string_view value) const {
    std::string out(value);
    if (!changes()) return out;
    if (value == std::to_string(shape_.status)) return std::to_string(status_);
    auto at = find_phrase(value, shape_.status);
    if (!at) return out;
    out.replace(at->begin, at->size, phrase_like(value.substr(at->begin, at->size), status_));
    replace_number(out, shape_.status, status_);
    return out;
  }

 private:
  bool changes() const { return shape_.status != status_; }
  // It is the old phrase, perhaps beside the old status: "404 Not Found".
  bool is_phrase(std::string_view value) const {
    auto at = changes() ? find_phrase(value, shape_.status) : std::nullopt;
    return at && !has_letter(value.substr(0, at->begin)) && !has_letter(value.substr(at->begin + at->size));
  }
  std::string said(std::string_view value) const {
    return std::string(changes() ? message::reason_of(status_) : trim(value));
  }

  const ErrorShape& shape_;
  const Exchange& head_;
  int status_;
  std::string_view marker_;
};

void change(OrderedJson& value, std::string_view name, const Values& values) {
  if (value.is_object())
    for (auto& [key, member] : value.items()) change(member, key, values);
  else if (value.is_array())
    for (auto& member : value) change(member, name, values);
  else if (value.is_number_integer())
    value = values.number(value.get<std::int64_t>());
  else if (value.is_string())
    value = values.text(name, value.get_ref<const std::string&>());
}

// Texts between tags by the tag's name, and values of attributes. What is no element (declarations, comments) and what
// is no text (scripts, styles) stays.
std::string changed_markup(std::string_view body, const Values& values) {
  std::string out, name;
  while (!body.empty()) {
    auto open = std::min(body.find('<'), body.size());
    auto text = body.substr(0, open), inner = trim(text);
    bool is_text = !inner.empty() && !iequals(name, "script") && !iequals(name, "style");
    if (is_text) {
      auto before = static_cast<std::size_t>(inner.data() - text.data());
      out.append(text.substr(0, before)).append(values.text(name, inner)).append(text.substr(before + inner.size()));
    } else {
      out.append(text);
    }
    body.remove_prefix(open);
    auto close = body.starts_with("<!--") ? body.find("-->") : body.find('>');
    auto tag = body.substr(0, close == body.npos ? close : body.find('>', close) + 1);
    body.remove_prefix(tag.size());
    if (tag.size() < 3 || !is_letter(tag[1])) {
      out.append(tag);
      continue;
    }
    name = tag.substr(1, tag.find_first_of(" \t\r\n/>") - 1);
    for (auto quote = tag.find('"'); quote != tag.npos; quote = tag.find('"')) {
      auto end = tag.find('"', quote + 1);
      if (end == tag.npos) break;
      out.append(tag.substr(0, quote + 1)).append(values.word(tag.substr(quote + 1, end - quote - 1))).append("\"");
      tag.remove_prefix(end + 1);
    }
    out.append(tag);
  }
  return out;
}

bool is_markup(std::string_view type) { return icontains(type, "xml") || icontains(type, "html"); }

}  // namespace

bool has_shape(std::string_view type) {
  return icontains(type, "json") || is_markup(type) || lower(type).starts_with("text/plain");
}

Answer answer_in(const ErrorShape& shape, const Exchange& head, int status, std::string_view marker) {
  Answer answer{.status = status,
                .reason = std::string(message::reason_of(status)),
                .headers = {{"Content-Type", shape.content_type}}};
  Values values(shape, head, status, marker);
  if (auto json = OrderedJson::parse(shape.body, nullptr, false);
      icontains(shape.content_type, "json") && !json.is_discarded()) {
    change(json, "", values);
    answer.body = json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
  } else {
    answer.body =
        is_markup(shape.content_type) ? changed_markup(shape.body, values) : values.text("text", trim(shape.body));
  }
  return message::finished(std::move(answer), head, marker);
}

}  // namespace retrial::trace
