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
                 "InternalServerError", "INTERNAL_SERVER_ERROR", "BadGateway", "GatewayTimeout", "BAD_GATEWAY",
                 "GATEWAY_TIMEOUT", "RequestTimeout", "REQUEST_TIMEOUT"}))
    return 503;
  if (has(text, {"Unauthorized", "UNAUTHORIZED"})) return 401;
  return 0;
}

// What a result is compared with, as C's calls tell it: `rc != 0`, `(fd = dial()) < 0`, `connect(fd, a, n) == 0`.
Says of_result(std::string_view text) {
  auto at = text.find_last_of("=<>!");
  if (at == text.npos || at + 1 >= text.size()) return {};
  auto number = trim(text.substr(at + 1));
  if (number != "0" && number != "-1") return {};
  auto from = text.find_last_not_of("=<>! ", at);
  if (from == text.npos) return {};
  auto head = bare(text.substr(0, from + 1)), sign = trim(text.substr(from + 1, at - from));
  bool called = head.find('(') != head.npos;
  if (auto set = head.find(" = "); called && set != head.npos) head = trim(head.substr(set + 3));
  auto name = called ? std::string_view() : last_name(head);
  bool code = name == "rc" || name == "ret" || name == "rv" || name == "code" || name == "retval" || name == "err";
  bool below = sign == "<" || (number == "-1" && sign == "=="),
       above = sign == ">=" || (number == "-1" && sign == "!=");
  bool acts = called && reaches_out(head.substr(0, head.find('(')));
  if ((below || above) && (code || acts || name == "fd" || name == "sock")) return {below ? 1 : -1};
  bool one = code || acts;
  if (number != "0" || !one || (sign != "==" && sign != "!=")) return {};
  return {sign == "!=" ? 1 : -1};
}

// `rc == DB_BUSY`: a constant that names what failed.
bool names_failure(std::string_view id) {
  if (std::ranges::any_of(id, [](char c) { return std::islower(static_cast<unsigned char>(c)); })) return false;
  return has(id, {"BUSY", "LOCKED", "TIMEOUT", "UNAVAILABLE", "DEADLOCK", "TEMPORARY"});
}

// `count < 200`: a number of things, no status.
bool counts_things(std::string_view text) {
  for (auto id : identifiers(text))
    for (auto& part : parts_of(id))
      if (part == "count" || part == "size" || part == "length" || part == "len" || part == "total" || part == "width")
        return true;
  return false;
}

bool is_error_name(std::string_view id) {
  return id == "err" || id == "error" || id == "exc" || id == "ex" || id == "e" || id == "exception";
}

// `rc != SQLITE_OK`, `answer == Status::Success`: 1 if it differs, -1 if it is that, 0 if nothing of the kind is asked.
int compared_with_success(std::string_view text) {
  auto at = text.find("==");
  bool differs = at == text.npos;
  if (differs) at = text.find("!=");
  if (at == text.npos) return 0;
  auto with = trim(text.substr(text.find_first_not_of("!=", at)));
  auto parts = parts_of(last_name(with));
  bool constant = with.find_first_of(".:") != with.npos ||
                  std::ranges::none_of(with, [](unsigned char c) { return std::islower(c) != 0; });
  bool name = constant && !parts.empty() && with.ends_with(last_name(with)) &&
              (parts.back() == "ok" || parts.back() == "success");
  return !name ? 0 : differs ? 1 : -1;
}

// `if (shouldRetry)`, `!attempt_retry`: what was asked for and kept.
bool is_word_for_retry(std::string_view text) {
  auto parts = parts_of(text);
  return identifiers(text).size() == 1 && last_name(text) == text && parts.size() > 1 && parts.back() == "retry";
}

Says of_atom(std::string_view text, bool values) {
  if (is_error_name(text) || text == "ec") return {1};
  if (auto says = of_result(text); says.failed != 0) return says;
  if (has(text, {"let Err(", ".is_err()"})) return {1};
  if (has(text, {"let Ok(", ".is_ok()", ").ok()"})) return {-1};
  if (text.starts_with("let Some(") || text.starts_with("let None")) return {text.starts_with("let N") ? 1 : -1, true};
  if (int with = compared_with_success(text); with != 0) return {with};
  if (is_word_for_retry(text)) return {1};
  auto ids = identifiers(text);
  bool failed_named = false, retry_named = false;
  for (auto id : ids) {
    failed_named |= says_failed(id);
    retry_named |= says_retry(id) &&
                   (lower(id).find("able") != std::string::npos || lower(id).find("should") != std::string::npos ||
                    lower(id).find("can") != std::string::npos || lower(id).starts_with("is"));
    bool called = text.find(std::string(id) + "(") != text.npos;
    retry_named |= !called && (lower(id) == "shouldcontinue" || lower(id) == "should_continue");
  }
  if (retry_named) return {1};
  bool absent = has(text, {"== nil", "=== null", "== null", "is None", "=== undefined", "== undefined", "== None"});
  bool present =
      has(text, {"!= nil", "!== null", "!= null", "is not None", "!== undefined", "!= undefined", "!= None"});
  if (absent || present) {
    if (failed_named || (!ids.empty() && ids.front() == "e")) return {present ? 1 : -1};
    auto asked = text.substr(0, text.find('('));
    if (values && asked.size() < text.size() && reaches_out(asked)) return {present ? 1 : -1};  // `c.Do() == nil`
    if (values) return {};
    return {present ? -1 : 1, true};
  }
  if (int status = counts_things(text) ? 0 : status_in(text)) {
    bool bad = status >= 400;
    if (has(text, {"!=", "not in ", "<"})) return {bad || text.find('<') != text.npos ? -1 : 1};
    if (has(text, {"in ", "==", ">", "contains", "includes", "has("}))
      return {bad ? 1 : status < 300 && text.find('>') == text.npos ? -1 : 0};
  }
  if (has(text, {"instanceof", "isinstance(", "errors.Is(", "errors.As("}) && failed_named) return {1};
  for (auto id : ids)  // `r.status().is_success()`
    for (auto& part : parts_of(id))
      if ((part == "success" || part == "successful" || part == "succeeded") && !has(text, {"<", ">"}))
        return {has(text, {"false", "False", "!="}) ? 1 : -1};
  // What is named is the value itself, what a question is asked of (`isTemporary(err)`), or nothing of the kind.
  auto head = text.substr(0, text.find('('));
  bool asked = head.size() < text.size() && std::ranges::any_of(ids, is_error_name);
  failed_named = std::ranges::any_of(identifiers(head), says_failed);
  if (!failed_named && asked) return {1};
  bool plain = !has(text, {"<", ">", "==", "!=", " in ", "%"});
  if (std::ranges::any_of(ids, names_failure) && has(text, {"=="})) return {1};
  if (!failed_named || ids.empty()) return plain && !ids.empty() ? Says{-1, true} : Says{};
  if (has(text, {"<", ">"})) return {};  // a number that comes nearer: no failure
  auto last = identifiers(head).back();
  for (auto& part : parts_of(last))
    if (part == "ok")
      return {has(text, {"false", "False", "!="}) ? 1 : -1, last == "ok" && head.find('.') == head.npos};
  return {has(text, {"!="}) ? -1 : 1};
}

}  // namespace

bool asks_how(std::string_view condition) {
  if (has(condition, {"instanceof", "isinstance(", "errors.Is(", "errors.As(", "let Err("}) || status_in(condition))
    return true;
  bool how = false, whether = false;
  for (auto id : identifiers(condition))
    for (auto& part : parts_of(id)) {
      whether |= part == "success" || part == "successful" || part == "ok";
      how |= part == "status" || part == "code" || part == "kind" || part == "type" || part == "errno" ||
             part == "retryable" || part == "transient" || part == "temporary" || part == "should";
    }
  return (how && !whether) || std::ranges::any_of(identifiers(condition), names_failure);
}

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
