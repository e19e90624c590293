#include <algorithm>
#include <cctype>
#include <optional>

#include "base/text.h"
#include "scan/flow.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

// Where the first `and` or `or` outside of parentheses begins, and how long it is.
std::optional<std::pair<std::size_t, std::size_t>> first_joint(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i + 1 < text.size(); i++) {
    char c = text[i];
    depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    if (depth != 0) continue;
    auto rest = text.substr(i);
    for (std::string_view joint : {"&&", "||", " and ", " or "})
      if (rest.starts_with(joint)) return std::pair{i, joint.size()};
  }
  return {};
}

bool has(std::string_view text, std::initializer_list<std::string_view> any) {
  for (auto one : any)
    if (text.find(one) != text.npos) return true;
  return false;
}

// A status that stands in the text by number or by name; 0: none.
int status_in(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    if (!std::isdigit(static_cast<unsigned char>(text[i]))) {
      i++;
      continue;
    }
    auto from = i;
    while (i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_' || text[i] == '.'))
      i++;
    bool part = from > 0 && (std::isalnum(static_cast<unsigned char>(text[from - 1])) || text[from - 1] == '_');
    auto number = to_int(text.substr(from, i - from));
    if (number && i - from == 3 && *number >= 200 && *number < 600 && !part) return static_cast<int>(*number);
  }
  if (has(text, {"StatusOK", "HTTP_OK", "status.OK"})) return 200;
  if (has(text, {"TooManyRequests", "TOO_MANY_REQUESTS", "ServiceUnavailable", "SERVICE_UNAVAILABLE",
                 "InternalServerError", "INTERNAL_SERVER_ERROR", "BadGateway", "GatewayTimeout"}))
    return 503;
  return 0;
}

Says of_atom(std::string_view text, bool values) {
  if (has(text, {"let Err(", ".is_err()"})) return {1};
  if (has(text, {"let Ok(", ".is_ok()"})) return {-1};
  auto ids = identifiers(text);
  bool failed_named = false, retry_named = false;
  for (auto id : ids) {
    failed_named |= says_failed(id);
    retry_named |= says_retry(id) &&
                   (lower(id).find("able") != std::string::npos || lower(id).find("should") != std::string::npos ||
                    lower(id).find("can") != std::string::npos || lower(id).starts_with("is"));
  }
  if (retry_named) return {1};
  bool absent = has(text, {"== nil", "=== null", "== null", "is None", "=== undefined", "== undefined", "== None"});
  bool present =
      has(text, {"!= nil", "!== null", "!= null", "is not None", "!== undefined", "!= undefined", "!= None"});
  if (absent || present) {
    if (failed_named || (!ids.empty() && ids.front() == "e")) return {present ? 1 : -1};
    if (values) return {};
    return {present ? -1 : 1, true};
  }
  if (int status = status_in(text)) {
    bool bad = status >= 400;
    if (has(text, {"!=", "not in ", "<"})) return {bad || text.find('<') != text.npos ? -1 : 1};
    if (has(text, {"in ", "==", ">", "contains", "includes", "has("}))
      return {bad ? 1 : status < 300 && text.find('>') == text.npos ? -1 : 0};
  }
  if (has(text, {"instanceof", "isinstance(", "errors.Is(", "errors.As("}) && failed_named) return {1};
  // What is named is the value itself, what a question is asked of (`isTemporary(err)`), or nothing of the kind.
  auto head = text.substr(0, text.find('('));
  bool asked = head.size() < text.size() && std::ranges::any_of(
                                                ids,
                                                [](auto id) {
                                                  return id == "err" || id == "error" || id == "exc" || id == "ex" ||
                                                         id == "e" || id == "exception";
                                                });
  failed_named = std::ranges::any_of(identifiers(head), says_failed);
  if (!failed_named && asked) return {1};
  bool plain = !has(text, {"<", ">", "==", "!=", " in ", "%"});
  if (!failed_named || ids.empty()) return plain && !ids.empty() ? Says{-1, true} : Says{};
  if (has(text, {"<", ">"})) return {};  // a number that comes nearer: no failure
  auto last = identifiers(head).back();
  for (auto& part : parts_of(last))
    if (part == "ok" || part == "success" || part == "succeeded")
      return {has(text, {"false", "False"}) ? 1 : -1, last == "ok" && head.find('.') == head.npos};
  return {has(text, {"!="}) ? -1 : 1};
}

}  // namespace

Says failure_of(std::string_view condition, bool errors_are_values) {
  auto text = bare(condition);
  if (auto joint = first_joint(text)) {
    auto left = failure_of(text.substr(0, joint->first), errors_are_values);
    if (left.failed != 0 && !left.weak) return left;
    auto right = failure_of(text.substr(joint->first + joint->second), errors_are_values);
    return right.failed != 0 ? right : left;
  }
  bool negated = (text.starts_with('!') && !text.starts_with("!=")) || text.starts_with("not ");
  if (!negated) return of_atom(text, errors_are_values);
  auto inner = failure_of(text.substr(text.front() == '!' ? 1 : 4), errors_are_values);
  return {-inner.failed, inner.weak};
}

}  // namespace retrial::scan
