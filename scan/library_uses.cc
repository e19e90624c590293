// Decorators, wrappers, client options and annotations that make others try again.
#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "base/text.h"
#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/given.h"
#include "scan/language.h"
#include "scan/libraries.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

struct Uses {
  const Tree& tree;
  std::vector<Location>& found;
  int covered = -1;                                          // what a library's place reported already holds
  std::unordered_map<std::string_view, std::size_t> made{};  // what was set to a place's client: its place

  Location& add(int node, std::string_view by, std::string_view arguments) {
    auto place = location_at(tree, node, Shape::library);
    place.by = one_line(by, 40);
    auto given = with_spread(tree, arguments);
    read_arguments(tree, by, given, place);
    if (tries_whatever_fails(tree, by, given)) place.back.emplace_back("any");
    auto elsewhere = tree[node].role == Role::call ? handed_on(tree, node) : std::string_view();
    bool said =
        std::ranges::any_of(place.bound.text, [](char c) { return std::isdigit(static_cast<unsigned char>(c)); });
    if (!elsewhere.empty() && !said) {
      place.bound = {Bound::elsewhere, one_line(elsewhere)};
      place.wait = {Wait::elsewhere, false, false, one_line(elsewhere)};
    }
    covered = tree[node].past;
    if (int set = tree[node].parent; set >= 0)
      for (int up = 0; up < 3 && set >= 0; up++, set = tree[set].parent)
        if (tree[set].role == Role::assign) made[last_name(tree.text(tree.target_of(set)))] = found.size();
    found.push_back(std::move(place));
    return found.back();
  }

  // The function that a decorator or an annotation stands on, or -1.
  int decorated(int i) const {
    for (int p = tree[i].parent; p >= 0 && tree[p].line + 20 > tree[i].line; p = tree[p].parent) {
      if (tree[p].role == Role::function) return p;
      for (int c = tree.first(p); c >= 0; c = tree.next(c))
        if (tree[c].role == Role::function && c > i) return c;
    }
    return -1;
  }

  void decorator(int i) {
    auto text = tree.text(i);
    while (!text.empty() && (text.front() == '@' || text.front() == ' ')) text.remove_prefix(1);
    auto open = text.find('(');
    auto name = trim(text.substr(0, open));
    bool celery = text.find("autoretry_for") != text.npos;
    if (!celery && !is_retry_decorator(name)) {
      if (last_name(name).ends_with("task")) covered = tree[i].past;  // its number is that of self.retry
      return;
    }
    auto& place = add(i, celery ? "autoretry_for" : name, open == text.npos ? std::string_view{} : text.substr(open));
    place.by = "@" + one_line(name, 40);
    int function = decorated(i);
    if (function < 0) return;
    describe_decorated(tree, function, place);
  }

  // Celery's `raise self.retry(exc=exc)`: how often stands at the task.
  void retry_of_task(int i, std::string_view callee, std::string_view given) {
    int function = tree.function_of(i);
    auto holder = function >= 0 && tree[function].parent >= 0 ? tree.text(tree[function].parent) : std::string_view();
    auto task = holder.starts_with("@") ? holder.substr(0, holder.find("def ")) : std::string_view();
    auto& place = add(i, callee, std::string(given) + "\n" + std::string(task));
    int handler = tree.around(i, Role::handler);
    place.back = handler >= 0 ? errors_of(tree, handler) : std::vector<std::string>{"any"};
    place.looked_at = true;
    if (handler >= 0) describe_calls(tree, tree.child(tree[handler].parent, Part::body), place);
  }

  void call(int i) {
    auto callee = as_written(callee_of(tree, i));
    int arguments = tree.child(i, Part::arguments), block = tree.child(i, Part::body);
    if (arguments < 0 && block < 0) return;
    if (arguments < 0) callee = callee.substr(0, callee.find_first_of(" {"));
    auto given = arguments >= 0 ? tree.text(arguments) : std::string_view("()");
    if (tree.language().family == "python" && last_name(callee) == "retry" && receiver(callee) == "self" &&
        given.find("exc=") != given.npos)
      return retry_of_task(i, callee, given);
    if (last_name(callee) == "request" && given.find(":retry") != given.npos) {  // Faraday's
      add(i, ":retry", given);
      return;
    }
    if (is_decorator_made_here(tree, i) || is_heard_by_bottleneck(tree, i)) {
      auto& place = add(i, callee, given);
      if (last_name(callee) != "on") return;
      int function = function_tried_by(i);
      place.bound = function >= 0 ? bound_of_function(tree, function, -1) : Bound{Bound::elsewhere, "its listener"};
      place.wait = {Wait::elsewhere, false, false, "its listener"};
      return;
    }
    if (is_operator(tree, i)) {
      add(i, callee, given);
      return;
    }
    auto by = receiver(callee);
    auto& held = tree.assignments(last_name(by));
    auto name = last_name(callee);
    bool holds = held.size() == 1 && identifiers(by).size() == 1 && text_says_retry(tree.text(held.front())) &&
                 (name == "execute" || name == "call" || name == "run");
    // What Go's makers are given is no function: a `Retry` that is given one runs it.
    bool runs = tree.language().family == "go" && gives_function(tree, i);
    bool makes = makes_retrying(callee) && tree.functions(name).empty() && !runs;
    // Go's makers are called New: `settings.Retry()` and `policy.Retry(err)` ask. And who makes a policy of its own, as
    // nothing was said, uses none yet.
    bool asks = tree.language().family == "go" && name == "Retry" && !runs && !runs_again(callee, false);
    bool default_one =
        given == "()" && callee.starts_with("new ") && (!makes || tree[tree[i].parent].role == Role::leave);
    if (asks || default_one) return;
    auto behind = tree.language().family == "rust" ? chain_of(tree, i).substr(tree.text(i).size()) : std::string_view();
    bool by_strategy = name == "retry" && is_strategy(given);  // backon's
    if (!makes &&
        (by_strategy || runs_again(holds ? "retry." + std::string(last_name(callee)) : std::string(callee),
                                   gives_function(tree, i))) &&
        !is_own(i, callee)) {
      int function = tree.function_of(i);
      if (function >= 0 && name_of_function(tree, function) == last_name(callee)) return;  // an overload
      auto& place = add(i, callee, with_names(tree, i, said_by(tree, i) + std::string(behind)));
      if (int tried = function_tried_by(i); tried >= 0) {
        describe_calls(tree, tried, place);
        place.looked_at |= tells_for_good(tree, tried);
      }
      place.never_cancelled = given.contains("context.Background()") || given.contains("context.TODO()");
      return;
    }
    // An error of that name holds what was met, or is thrown.
    bool error = mentions(given, "exc") || tree.kind(tree[i].parent).find("raise") != std::string_view::npos;
    bool none =
        given.starts_with("(False") || given.starts_with("(0)") || given.starts_with("(0,") || given == "(false)";
    if (makes_retrying(callee) && !none && !error && (makes || tree.language().family != "c#")) {
      bool begins = name == "builder" || name == "custom";  // the setters behind it say how
      add(i, callee, with_names(tree, i, std::string(begins ? chain_of(tree, i) : given)));
      return;
    }
    int first = arguments >= 0 ? tree.first(arguments) : -1;
    if (is_retry_option(last_name(callee)) && !receiver(callee).empty() && first >= 0 &&
        tree[first].role == Role::number && tree.text(first) != "0" && tree.next(first) < 0)
      add(i, callee, chain_of(tree, i)).bound = {Bound::count, one_line(tree.text(first))};
  }

  // Its block, or the first function among its arguments: it stands there, or a name means it, sooner one of the same
  // function.
  int function_tried_by(int i) const {
    if (int block = tree.child(i, Part::body); block >= 0) return block;
    int arguments = tree.child(i, Part::arguments), around = tree.function_of(i), named = -1;
    for (int c = arguments >= 0 ? tree.first(arguments) : -1; c >= 0; c = tree.next(c)) {
      if (tree[c].role == Role::function) return c;
      bool method =
          tree.kind(c) == "attribute" && c == tree.first(arguments);  // of another object: not to be seen here
      if (method && tree.functions(last_name(tree.text(c))).empty()) return -1;
      if (tree[c].role != Role::name) continue;
      for (int f : tree.functions(tree.text(c)))
        if (named < 0 || (around >= 0 && tree.within(f, around))) named = f;
      if (named >= 0) break;
    }
    return named;
  }

  // A method of the object itself, which is given no function: it does something for its retries, and tries nothing.
  bool is_own(int i, std::string_view callee) const {
    auto by = receiver(callee);
    return (by == "this" || by == "self") && !gives_function(tree, i);
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
    int of = call_around(tree, i);
    if ((!is_retry_option(word) && !is_attempts_of_job(of, word)) || !says_so(tree, value) || !told_to_a_call(tree, i))
      return;
    int all = tree[i].parent;  // the options beside it
    auto& place = add(i, word == "retry" && of >= 0 ? callee_of(tree, of) : word,
                      tree[value].role == Role::number ? tree.text(all) : tree.text(value));
    place.by = one_line(word, 40);
    if (of >= 0 && tree[of].role == Role::call && word != "attempts")
      read_arguments(tree, callee_of(tree, of), tree.text(value), place);
    if (tree[value].role == Role::number) place.bound = {Bound::count, one_line(tree.text(value))};
    if (of >= 0) place.calls = one_line(tree[of].role == Role::call ? callee_of(tree, of) : tree.text(tree.first(of)));
  }

  // BullMQ's: queue.add(name, data, { attempts: 5, backoff: … })
  bool is_attempts_of_job(int of, std::string_view word) const {
    if (word != "attempts" || of < 0 || tree[of].role != Role::call) return false;
    auto name = last_name(callee_of(tree, of));
    return name == "add" || name == "addBulk" || name == "Queue";
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
    if (auto at = made.find(last_name(by)); at != made.end() && is_retry_option(last_name(text)) && to_int(number)) {
      found[at->second].bound = {Bound::count, std::string(number)};
      return;
    }
    bool initial = tree[i].parent >= 0 && tree.kind(tree[i].parent) == "initializer_expression";
    if (initial && by.empty() && is_retry_option(text) && to_int(number) && number != "0") {
      add(i, text, tree.text(tree[i].parent)).bound = {Bound::count, std::string(number)};
      return;
    }
    if (std::ranges::none_of(last_name(text), [](char c) { return std::islower(static_cast<unsigned char>(c)); }))
      return;  // a constant
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
    auto& place = add(i, "retryPolicy", text);
    auto behind = text.substr(text.find("maxAttempts") + 11);
    auto digit = behind.find_first_of("0123456789");
    auto number = digit == behind.npos ? std::string_view()
                                       : behind.substr(digit, behind.find_first_not_of("0123456789", digit) - digit);
    place.bound = {Bound::count, std::string(number)};
    place.wait = {Wait::growing, true};  // gRPC's own way
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
  std::erase_if(
      found, [](auto& l) { return l.shape == Shape::library && l.bound.kind == Bound::count && l.bound.text == "0"; });
}

}  // namespace retrial::scan
