// What failed is put back into the queue that it came from.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/language.h"
#include "scan/limits.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

// What a handler calls the error.
std::string_view error_name(const Tree& tree, int handler) {
  auto text = tree.text(handler);
  return text.substr(0, text.find_first_of("{:\n"));
}

// What a call or Go's `ch <- job` puts something into.
std::string_view put_into(const Tree& tree, int i) {
  if (tree.kind(i) == "send_statement") return tree.first(i) >= 0 ? tree.text(tree.first(i)) : std::string_view();
  return receiver(callee_of(tree, i));
}

// The two ends of a channel have names of their own: `tx` and `rx`, `jobs_sender` and `jobs_receiver`,
// `jobs.Writer` and `jobs.Reader`.
std::string without_end(std::string_view queue) {
  static constexpr std::array<std::string_view, 6> ends{"tx", "rx", "sender", "receiver", "writer", "reader"};
  std::string name;
  for (auto id : identifiers(queue))
    for (auto& part : parts_of(id))
      if (part != "self" && part != "this" && part != "clone" && std::ranges::count(ends, part) == 0)
        name += part + ".";
  return name;
}

bool is_end(std::string_view queue, std::initializer_list<std::string_view> ends) {
  auto parts = parts_of(last_name(queue));
  return !parts.empty() && std::ranges::count(ends, parts.back()) > 0;
}

bool is_other_end(std::string_view taken, std::string_view put) {
  return is_end(taken, {"rx", "receiver", "reader"}) && is_end(put, {"tx", "sender", "writer"}) &&
         without_end(taken) == without_end(put);
}

bool sends_into(std::string_view callee) {
  static constexpr std::array<std::string_view, 6> all{"send",       "trysend",  "blockingsend",
                                                       "writeasync", "trywrite", "sendasync"};
  auto name = lower(last_name(callee));
  std::erase(name, '_');
  return is_end(receiver(callee), {"tx", "sender", "writer"}) && std::ranges::count(all, name) > 0;
}

bool takes_from(const Tree& tree, int i, std::string_view queue) {
  static constexpr std::array<std::string_view, 21> all{
      "pop",        "lpop",    "rpop",    "brpop",     "take",       "shift",        "pop_front",
      "popleft",    "dequeue", "poll",    "receive",   "pop_back",   "popfront",     "recv",
      "trydequeue", "blpop",   "tryread", "readasync", "recv_async", "readallasync", "try_recv"};
  auto kind = tree.kind(i);
  auto text = tree.text(i);
  if (kind == "range_clause") return text.ends_with("range " + std::string(queue));
  if (kind == "unary_expression") return text.starts_with("<-") && trim(text.substr(2)) == queue;
  if (tree[i].role != Role::call) return false;
  auto callee = callee_of(tree, i);
  auto from = receiver(callee);
  return (from == queue || is_other_end(from, queue)) && std::ranges::count(all, lower(last_name(callee))) > 0;
}

// Is what was taken given back to where it came from, whatever that is called?
bool gives_back(const Tree& tree, int i, int given) {
  int function = tree.function_of(i);
  auto queue = put_into(tree, i);
  auto item = identifiers(tree.text(given));
  if (function < 0 || item.empty()) return false;
  bool taken = false, same = false;
  for (int n = function; n < i; n++) {
    if (!takes_from(tree, n, queue)) continue;
    taken = true;
    if (int arguments = tree.child(n, Part::arguments); tree[n].role == Role::call && arguments >= 0)
      for (auto id : identifiers(tree.text(arguments))) same |= std::ranges::count(item, id) > 0;  // `out var job`
    for (int p = n; p > function && tree[p].role != Role::loop; p = tree[p].parent) {
      auto kind = tree.kind(p);
      bool names = tree[p].role == Role::assign || kind == "range_clause" || kind == "let_condition";
      int target = names ? tree.target_of(p) : -1;
      if (tree[p].role == Role::each)
        for (auto id : identifiers(header_of(tree, p).item)) same |= std::ranges::count(item, id) > 0;
      for (auto id : target >= 0 ? identifiers(tree.text(target)) : std::vector<std::string_view>())
        same |= std::ranges::count(item, id) > 0;
    }
  }
  return taken && same;
}

bool failed_around(const Tree& tree, int i, int given, bool back) {
  int below = i;
  for (int p = tree[i].parent; p >= 0; below = p, p = tree[p].parent) {
    if (tree[p].role == Role::function) return is_for_failure(name_of_function(tree, p));
    if (tree[p].role == Role::handler) return !mentions(error_name(tree, p), last_name(tree.text(given)));
    if (back && outcome_of(tree, p).failed > 0) return true;
    if (tree[p].role != Role::branch || tree[below].part == Part::condition) continue;
    int test = tree.child(p, Part::condition);
    if (test < 0) continue;
    auto says = failure_of(tree.text(test), tree.language().errors_are_values);
    bool error = false;
    for (auto id : identifiers(tree.text(test)))
      for (auto& part : parts_of(id))
        error |= part == "err" || part == "error" || part == "exc" || part == "exception" || part == "failed";
    if (back && tree.text(test).find('(') != std::string_view::npos)  // `if (!task.run())`
      for (auto id : identifiers(tree.text(given))) error |= mentions(tree.text(test), id);
    if (error && (back || !says.weak) && says.failed == (tree[below].part == Part::then ? 1 : -1)) return true;
  }
  return false;
}

// `if retries >= most: return fail(m)` before `broker.enqueue(m, delay=d)`: it is one of so many.
bool counts_retries_before(const Tree& tree, int i, int holder) {
  if (holder < 0 || !lower(last_name(callee_of(tree, i))).starts_with("enqueue")) return false;
  auto bound = bound_of_function(tree, holder, i);
  return bound.kind == Bound::count && text_says_retry(bound.text);
}

// `for batch in self._to_reenqueue: accumulator.reenqueue(batch)`: it failed before, and was kept for that.
bool was_kept_for_that(const Tree& tree, int i, int holder) {
  if (tree[i].role != Role::call || !says_retry(last_name(callee_of(tree, i))) || holder < 0) return false;
  for (int p = tree[i].parent; p > holder; p = tree[p].parent)
    if (tree[p].role == Role::each && text_says_retry(header_of(tree, p).text)) return true;
  return false;
}

// Of errors, results and the like: what nobody takes up again.
bool is_for_others(std::string_view queue) {
  for (std::string_view what : {"error", "fail", "dead", "exception", "result", "response", "output", "event"})
    if (icontains(queue, what)) return true;
  return false;
}

// What was told of a failure, or a part of that, not what failed.
bool is_error(std::string_view given) {
  auto ids = identifiers(given);
  return !ids.empty() && failure_of(ids.front(), true).failed > 0;
}

}  // namespace

bool is_for_failure(std::string_view function) {
  auto parts = parts_of(function);
  for (std::string_view maker : {"add", "set", "make", "build", "raise", "format", "get", "collect", "print", "is"})
    if (!parts.empty() && parts.front() == maker) return false;
  for (auto& part : parts)
    if (part == "rejected" || part == "failed" || part == "failure" || part == "error" || part == "nack") return true;
  return false;
}

void find_queues(const Tree& tree, std::vector<Location>& found) {
  for (int i = 0; i < tree.size(); i++) {
    bool sent = tree.kind(i) == "send_statement";
    if (tree[i].role != Role::call && !sent) continue;
    auto callee = sent ? tree.text(tree.first(i)) : callee_of(tree, i);
    int arguments = tree.child(i, Part::arguments), holder = tree.function_of(i);
    int given = sent ? tree.child(i, Part::value) : arguments >= 0 ? tree.first(arguments) : -1;
    bool channel = !sent && sends_into(callee);
    for (int c = given; !sent && !channel && c >= 0; c = tree.next(c))
      if (tree[c].role != Role::text && tree[c].role != Role::option) given = c;  // `redis.rpush('jobs', raw)`
    bool wraps = holder >= 0 && icontains(name_of_function(tree, holder), last_name(callee));
    if (wraps || callee.starts_with("new ") || icontains(receiver(callee), "counter")) continue;
    if ((!sent && !channel && !puts_back(callee)) || given < 0) continue;
    auto name = lower(last_name(callee));
    bool later = name == "addafter" || name.ends_with("_in") || name.ends_with("_at");
    bool own_word = !sent && (says_retry(name) || (name.find("queue") != name.npos && name != "enqueue") ||
                              name == "addratelimited" || later || name == "nack");
    bool back = gives_back(tree, i, given);
    bool counted = !sent && counts_retries_before(tree, i, holder);
    if (!own_word && !back && !counted && !is_queue_name(receiver(callee))) continue;
    if ((sent || channel) && !back) continue;
    if (is_for_others(receiver(callee)) || is_error(tree.text(given))) continue;
    if (!failed_around(tree, i, given, back) && !(counted && on_error_path(tree, i, holder)) &&
        !was_kept_for_that(tree, i, holder))
      continue;
    if (!own_word && !counted && !is_queue_name(receiver(callee)) && flow_after(tree, i, holder).leaves) continue;
    auto place = location_at(tree, i, Shape::queue);
    int handler = tree.around(i, Role::handler), attempt = tree.around(i, Role::attempt);
    place.back = handler >= 0 ? errors_of(tree, handler) : std::vector<std::string>{"any"};
    place.by = one_line(sent ? tree.text(i) : callee);
    int body = attempt >= 0 ? tree.child(attempt, Part::body) : -1;
    if (int stretch = body >= 0 ? body : holder; stretch >= 0) describe_calls(tree, stretch, place);
    if (place.effect == one_line(without_arguments(callee))) place.effect.clear();  // that it is put back
    if (holder >= 0) {
      place.bound = bound_of_function(tree, holder, -1);
      place.wait = wait_in(tree, holder);
    }
    for (int f : tree.functions(last_name(callee)))
      if (place.wait.kind == Wait::none && own_word && f != holder) place.wait = wait_in(tree, f);
    if (name == "addratelimited") place.wait = {Wait::growing, false, false, one_line(callee)};
    if (place.wait.kind == Wait::none && (icontains(callee, "delay") || icontains(callee, "later")))
      place.wait = {Wait::elsewhere, false, false, one_line(callee)};
    if (auto told = wait_told(tree, i); place.wait.kind == Wait::none && told.kind != Wait::none) place.wait = told;
    if (later) place.wait = {Wait::fixed, false, false, one_line(tree.text(tree.first(arguments)))};
    found.push_back(std::move(place));
  }
}

}  // namespace retrial::scan
