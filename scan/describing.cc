#include <algorithm>
#include <array>

#include "base/text.h"
#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/language.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

constexpr std::uint32_t kNear = 20000;  // bytes of a function in which a key is looked for

// The HTTP method that a call names by itself, in what it is called on or is given: `client.delete(url).send()`,
// `http.send(get(url))`; looked for up to `past`. Empty: none.
std::string_view method_of(const Tree& tree, int call, int past) {
  static constexpr std::array<std::string_view, 7> all{"get", "head", "put", "delete", "options", "post", "patch"};
  for (int i = call; i < past; i++) {
    if (tree[i].role == Role::function) i = tree[i].past - 1;
    if (tree[i].role != Role::call) continue;
    auto name = lower(last_name(callee_of(tree, i)));
    if (auto at = std::ranges::find(all, name); at != all.end()) return *at;
  }
  return {};
}

bool names_method(std::string_view text) {
  for (std::string_view word : {"'POST'", "\"POST\"", "`POST`", "MethodPost", "HttpPost", "'PATCH'", "\"PATCH\""})
    if (text.find(word) != text.npos) return true;
  return false;
}

// Another than these, so that nothing comes of a second one.
bool names_other_method(std::string_view text) {
  for (std::string_view method : {"GET", "HEAD", "PUT", "DELETE", "OPTIONS"})
    for (char quote : {'"', '\'', '`'})
      if (text.find(quote + std::string(method) + quote) != text.npos) return true;
  for (std::string_view word :
       {"MethodGet", "MethodHead", "MethodPut", "MethodDelete", "HttpMethod.Get", "HttpMethod.GET", "HttpMethod.Put",
        "HttpMethod.PUT", "HttpMethod.Delete", "HttpMethod.DELETE", "Method::GET", "Method::PUT", "Method::DELETE"})
    if (text.find(word) != text.npos) return true;
  return false;
}

// `http.send(request)`: what is sent says whether it has an effect, and that was made somewhere else.
bool sends_a_request(const Tree& tree, int call, std::string_view callee) {
  auto name = lower(last_name(callee));
  int arguments = tree.child(call, Part::arguments), first = arguments >= 0 ? tree.first(arguments) : -1;
  if ((name != "send" && name != "sendasync") || first < 0 || tree[first].role != Role::name) return false;
  auto parts = parts_of(tree.text(first));
  if (parts.empty() || (parts.back() != "request" && parts.back() != "req")) return false;
  int function = tree.function_of(call);
  auto around = function >= 0 ? tree.text(function) : std::string_view();
  return !names_method(around) && !icontains(around, "post(");
}

bool names_key(std::string_view text) {
  for (std::string_view word :
       {"idempot", "request_id", "requestid", "client_token", "clienttoken", "dedup", "if-match", "ifmatch", "event_id",
        "message_id", "messageid", "etag", "if_match", "transaction_id"})
    if (icontains(text, word)) return true;
  return false;
}

bool makes_name(std::string_view text) {
  for (std::string_view word : {"uuid", "nanoid", "ulid", "token_hex"})
    if (icontains(text, word) && text.find('(') != text.npos) return true;
  return false;
}

}  // namespace

std::string without_arguments(std::string_view callee) {
  std::string out;
  int depth = 0;
  for (auto c : callee) {
    depth -= c == ')' && depth > 0;
    if (depth == 0) out += c;
    if (c == '(' && depth++ == 0) out += "…";
  }
  return out;
}

std::uint32_t last_line_of(const Tree& tree, int node) {
  return tree[node].line + static_cast<std::uint32_t>(std::ranges::count(tree.text(node), '\n'));
}

Location location_at(const Tree& tree, int node, Shape shape) {
  Location found;
  found.shape = shape;
  found.language = tree.language().name;
  auto lines = std::ranges::count(tree.text(node), '\n');
  found.line = tree[node].line;
  found.last_line = found.line + static_cast<std::uint32_t>(lines);
  int function = tree[node].role == Role::function ? node : tree.function_of(node);
  int outer = function;
  while (outer >= 0 && found.function.empty()) {
    found.function = one_line(name_of_function(tree, outer));
    if (found.function.empty()) outer = tree.function_of(outer);
  }
  if (outer < 0) outer = function;
  if (outer >= 0) {
    found.function_line = tree[outer].line;
    found.function_last_line = last_line_of(tree, outer);
  }
  return found;
}

// `transient(err)`, `handle(error)`: what is done with an error is not what failed.
bool is_given_error(const Tree& tree, int call) {
  int arguments = tree.child(call, Part::arguments);
  for (int c = arguments >= 0 ? tree.first(arguments) : -1; c >= 0; c = tree.next(c)) {
    auto text = tree.text(c);
    if (tree[c].role == Role::name && (says_failed(text) || text == "e")) return true;
  }
  return false;
}

int tried_call(const Tree& tree, int stretch) {
  int talk = -1, maker = -1;
  for (int i = stretch; i < tree[stretch].past; i++) {
    if (tree[i].role == Role::function && i != stretch) {
      i = tree[i].past - 1;
      continue;
    }
    if (tree[i].role != Role::call) continue;
    auto callee = callee_of(tree, i);
    if (!is_talk(callee) && !ends_process(callee)) {
      if (!is_maker(callee) && !is_given_error(tree, i)) return i;
      if (maker < 0) maker = i;
      if (callee.starts_with("new ")) i = tree[i].past - 1;  // and what is made for it
      continue;
    }
    if (talk < 0 && (callee.find("append") != callee.npos || callee.find("emit") != callee.npos)) talk = i;
  }
  return maker >= 0 ? maker : talk;
}

Callee callee_at(const Tree& tree, int call) {
  auto callee = callee_of(tree, call);
  auto by = receiver(callee);
  return {std::string(last_name(callee)), std::string(tree.imports(by) ? by : std::string_view()),
          by.empty() || by == "this" || by == "self" || by == "cls"};
}

void describe_calls(const Tree& tree, int stretch, Location& location) {
  if (stretch < 0) return;
  int named = failing_call(tree, stretch);
  if (named >= 0) location.calls = one_line(without_arguments(callee_of(tree, named)));
  for (int i = stretch; i < tree[stretch].past; i++) {
    if (tree[i].role != Role::call) continue;
    auto callee = callee_of(tree, i);
    if (is_talk(callee)) continue;
    location.callees.push_back(callee_at(tree, i));
    if (is_given_error(tree, i)) continue;
    int arguments = tree.child(i, Part::arguments);
    bool once = has_effect(callee);
    auto method = method_of(tree, i, tree[i].past);
    if (!method.empty()) once = method == "post" || method == "patch";
    auto given = arguments >= 0 ? tree.text(arguments) : std::string_view();
    once = names_method(given) || (once && !names_other_method(given) && !sends_a_request(tree, i, callee));
    bool harmless =
        i == named && !once && arguments >= 0 && (!method_of(tree, i, arguments).empty() || names_other_method(given));
    if (once && location.effect.empty()) location.effect = one_line(without_arguments(callee));
    if (harmless) location.harmless = one_line(without_arguments(callee));
  }
  if (names_key(tree.text(stretch)) && makes_name(tree.text(stretch))) location.new_key = true;
  int function = tree.function_of(stretch);
  bool near = function >= 0 && tree[function].end - tree[function].begin < kNear;
  location.key |= names_key(tree.text(near ? function : stretch));
}

void describe_decorated(const Tree& tree, int function, Location& location) {
  describe_calls(tree, function, location);
  location.calls = location.function = one_line(name_of_function(tree, function));
  location.function_line = tree[function].line;
  location.function_last_line = last_line_of(tree, function);
}

std::vector<std::string> errors_of(const Tree& tree, int handler) {
  std::vector<std::string> names;
  auto add = [&](std::string_view text) {
    std::string name(trim(text));
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(one_line(name));
  };
  for (int c = tree.first(handler); c >= 0; c = tree.next(c)) {
    if (tree[c].part == Part::body || tree.kind(c) == "block") continue;
    auto family = tree.language().family;
    if (family == "java") {
      for (int d = c; d < tree[c].past; d++)
        if (tree.kind(d) == "catch_type")
          for (int t = tree.first(d); t >= 0; t = tree.next(t)) add(last_name(tree.text(t)));
    } else if (family == "c#" || family == "c++") {
      for (int d = c; d < tree[c].past; d++)
        if (tree.kind(d) == "catch_declaration" || tree.kind(d) == "parameter_declaration")
          if (int type = tree.child(d, Part::header); type >= 0) add(last_name(tree.text(type)));
    } else if (family == "ruby" && tree.kind(c) == "exceptions") {
      for (int t = tree.first(c); t >= 0; t = tree.next(t)) add(last_name(tree.text(t)));
    } else if (family == "python" && tree[c].role != Role::comment) {
      auto text = tree.text(c);
      if (auto as = text.find(" as "); as != text.npos) text = text.substr(0, as);
      for (auto one : split(bare(text), ',')) add(last_name(one));
    }
  }
  if (names.empty()) names.emplace_back("any");
  return names;
}

}  // namespace retrial::scan
