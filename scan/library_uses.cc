// Decorators, wrappers, client options and annotations that make others try again.
#include "base/text.h"
#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/language.h"
#include "scan/libraries.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

bool gives_function(const Tree& tree, int call) {
  int arguments = tree.child(call, Part::arguments);
  if (arguments < 0) return false;
  for (int c = tree.first(arguments); c >= 0; c = tree.next(c)) {
    auto role = tree[c].role;
    auto kind = tree.kind(c);
    if (role == Role::function || kind == "method_reference") return true;
    // A name that may be a function's, where it comes first.
    bool named =
        role == Role::name || kind == "attribute" || kind == "member_expression" || kind == "selector_expression";
    auto text = tree.text(c);
    if (named && text != "ctx" && text != "this" && text != "self" && !says_failed(last_name(text)))
      if (!tree.functions(last_name(text)).empty()) return true;
  }
  return false;
}

// A number above zero, an object, a call, `true`: said here. A name is handed on from elsewhere.
bool says_so(const Tree& tree, int value) {
  auto text = trim(tree.text(value));
  auto kind = tree.kind(value);
  if (tree[value].role == Role::number) return text != "0";
  if (text.find("type") != text.npos || text.find("default") != text.npos) return false;
  if (kind == "object" || kind == "dictionary") return text.size() > 2 && !text.contains("limit: 0");
  if (tree[value].role == Role::call)
    return makes_retrying(callee_of(tree, value)) && text.find("(False)") == text.npos && text.find("(0)") == text.npos;
  return text == "true" || text == "True";
}

// `(0, p_retry_1.default)` is what compilers make of pRetry.
std::string_view as_written(std::string_view callee) {
  if (!callee.starts_with("(0, ") || !callee.ends_with(')')) return callee;
  callee = callee.substr(4, callee.size() - 5);
  return callee.ends_with(".default") ? callee.substr(0, callee.size() - 8) : callee;
}

bool told_to_a_call(const Tree& tree, int option) {
  for (int p = tree[option].parent; p >= 0 && tree[p].role != Role::function; p = tree[p].parent) {
    if (tree[p].part == Part::arguments || tree.kind(p) == "composite_literal" || tree[p].role == Role::decorator)
      return true;
    if (tree[p].role == Role::assign) return false;
  }
  return false;
}

int call_around(const Tree& tree, int i) {
  for (int p = tree[i].parent; p >= 0 && tree[p].role != Role::function; p = tree[p].parent)
    if (tree[p].role == Role::call || tree.kind(p) == "composite_literal") return p;
  return -1;
}

// With what is spread into them: `@retry(**RETRY)`, `axiosRetry(client, {...options})` say what RETRY and options were
// set to.
std::string with_spread(const Tree& tree, std::string_view arguments) {
  std::string all(arguments);
  for (std::string_view sign : {"**", "..."})
    for (auto at = arguments.find(sign); at != arguments.npos; at = arguments.find(sign, at + 1)) {
      auto before = trim(arguments.substr(0, at));
      if (!before.empty() && before.back() != '(' && before.back() != ',' && before.back() != '{') continue;
      auto names = identifiers(arguments.substr(at));
      if (names.empty()) continue;
      for (int set : tree.assignments(names.front())) all.append("\n").append(tree.text(set));
    }
  return all;
}

struct Uses {
  const Tree& tree;
  std::vector<Location>& found;
  int covered = -1;  // what a library's place reported already holds

  Location& add(int node, std::string_view by, std::string_view arguments) {
    auto place = location_at(tree, node, Shape::library);
    place.by = one_line(by, 40);
    read_arguments(tree, by, with_spread(tree, arguments), place);
    covered = tree[node].past;
    found.push_back(std::move(place));
    return found.back();
  }

  void decorator(int i) {
    auto text = tree.text(i);
    while (!text.empty() && (text.front() == '@' || text.front() == ' ')) text.remove_prefix(1);
    auto open = text.find('(');
    auto name = trim(text.substr(0, open));
    if (!is_retry_decorator(name)) return;
    auto& place = add(i, name, open == text.npos ? std::string_view{} : text.substr(open));
    place.by.insert(0, "@");
    int holder = tree[i].parent;
    for (int c = holder >= 0 ? holder : 0; c >= 0 && c < tree[holder].past; c++)
      if (tree[c].role == Role::function && c > holder) {
        place.calls = one_line(name_of_function(tree, c));
        place.function = place.calls;
        place.function_line = tree[c].line;
        describe_calls(tree, c, place);
        place.calls = place.function;
        break;
      }
  }

  void call(int i) {
    auto callee = as_written(callee_of(tree, i));
    int arguments = tree.child(i, Part::arguments);
    if (arguments < 0) return;
    auto given = tree.text(arguments);
    if (tree.language().family == "python" && last_name(callee) == "retry" && receiver(callee) == "self" &&
        tree.text(arguments).find("exc=") != std::string_view::npos) {  // Celery
      add(i, callee, given).back.emplace_back("any");
      return;
    }
    if (runs_again(callee, gives_function(tree, i)) && !is_own(i, callee)) {
      int function = tree.function_of(i);
      if (function >= 0 && name_of_function(tree, function) == last_name(callee)) return;  // an overload
      auto& place = add(i, callee, given);
      int first = tree.first(arguments), given_function = first;
      while (given_function >= 0 && tree[given_function].role != Role::function)
        given_function = tree.next(given_function);
      if (given_function >= 0) describe_calls(tree, given_function, place);
      if (first >= 0 && tree[first].role == Role::name)
        for (int f : tree.functions(tree.text(first))) describe_calls(tree, f, place);
      return;
    }
    // An error of that name holds what was met, or is thrown.
    bool error = mentions(given, "exc") || tree.kind(tree[i].parent).find("raise") != std::string_view::npos;
    bool none =
        given.starts_with("(False") || given.starts_with("(0)") || given.starts_with("(0,") || given == "(false)";
    if (makes_retrying(callee) && !none && !error) {
      add(i, callee, given);
      return;
    }
    int first = tree.first(arguments);
    if (is_retry_option(last_name(callee)) && !receiver(callee).empty() && first >= 0 &&
        tree[first].role == Role::number && tree.text(first) != "0" && tree.next(first) < 0)
      add(i, callee, given).bound = {Bound::count, one_line(tree.text(first))};
  }

  // A method of the object itself, which is given no function: it does something for its retries, and tries nothing.
  bool is_own(int i, std::string_view callee) const {
    auto by = receiver(callee);
    if (by != "this" && by != "self") return false;
    int arguments = tree.child(i, Part::arguments);
    for (int c = arguments >= 0 ? tree.first(arguments) : -1; c >= 0; c = tree.next(c))
      if (tree[c].role == Role::function) return false;
    return true;
  }

  void option(int i) {
    int name = tree.child(i, Part::name), value = tree.child(i, Part::value);
    if (name < 0) name = tree.first(i);
    if (value < 0 && name >= 0) value = tree.next(name);
    if (name < 0 || value < 0) return;
    auto word = trim(tree.text(name));
    while (!word.empty() && (word.front() == '"' || word.front() == '\'')) word.remove_prefix(1);
    while (!word.empty() && (word.back() == '"' || word.back() == '\'')) word.remove_suffix(1);
    if (tree.kind(value) == "literal_element" && tree.first(value) >= 0) value = tree.first(value);
    if (!is_retry_option(word) || !says_so(tree, value) || !told_to_a_call(tree, i)) return;
    int of = call_around(tree, i);
    auto& place = add(i, word, tree.text(value));
    if (of >= 0 && tree[of].role == Role::call) read_arguments(tree, callee_of(tree, of), tree.text(value), place);
    if (tree[value].role == Role::number) place.bound = {Bound::count, one_line(tree.text(value))};
    if (of >= 0) place.calls = one_line(tree[of].role == Role::call ? callee_of(tree, of) : tree.text(tree.first(of)));
  }

  // `if opt.MaxRetries == 0 { opt.MaxRetries = 3 }`: what its own options stand for, no use of them.
  bool is_default(int i, std::string_view text) const {
    for (int p = tree[i].parent; p >= 0 && tree[p].role != Role::function; p = tree[p].parent)
      if (int test = tree.child(p, Part::condition);
          tree[p].role == Role::branch && test >= 0 && mentions(tree.text(test), last_name(text)))
        return true;
    return tree.kind(i).find("case") != std::string_view::npos;
  }

  // client.RetryMax = 5
  void field(int i) {
    int target = tree.child(i, Part::target), value = tree.child(i, Part::value);
    if (target < 0 || value < 0) return;
    auto text = tree.text(target), by = receiver(text);
    if (tree.text(i).find("+=") != std::string_view::npos || tree.text(i).find("-=") != std::string_view::npos ||
        is_default(i, text))
      return;
    auto number = trim(tree.text(value));
    if (by.empty() || by == "self" || by == "this" || !is_retry_option(last_name(text)) || number == "0" ||
        !to_int(number))
      return;
    auto& place = add(i, last_name(text), number);
    place.bound = {Bound::count, std::string(number)};
    place.calls = one_line(by);
  }

  void service_config(int i) {
    auto text = tree.text(i);
    if (text.find("retryPolicy") == text.npos || text.find("maxAttempts") == text.npos) return;
    add(i, "retryPolicy", text);
  }
};

}  // namespace

void find_libraries(const Tree& tree, std::vector<Location>& found) {
  Uses uses{tree, found};
  for (int i = 0; i < tree.size(); i++) {
    if (i < uses.covered) continue;
    switch (tree[i].role) {
      case Role::decorator:
        uses.decorator(i);
        break;
      case Role::call:
        uses.call(i);
        break;
      case Role::option:
        uses.option(i);
        break;
      case Role::assign:
        uses.field(i);
        break;
      case Role::text:
        uses.service_config(i);
        break;
      default:
        break;
    }
  }
}

}  // namespace retrial::scan
