// What failed is put back into the queue that it came from.
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

bool says_failing(std::string_view function) {
  auto parts = parts_of(function);
  for (std::string_view maker : {"add", "set", "make", "build", "raise", "format"})
    if (!parts.empty() && parts.front() == maker) return false;
  for (auto& part : parts)
    if (part == "rejected" || part == "failed" || part == "failure" || part == "error" || part == "nack") return true;
  return false;
}

bool failed_around(const Tree& tree, int i, int given) {
  int below = i;
  for (int p = tree[i].parent; p >= 0; below = p, p = tree[p].parent) {
    if (tree[p].role == Role::function) return says_failing(name_of_function(tree, p));
    if (tree[p].role == Role::handler) return !mentions(error_name(tree, p), last_name(tree.text(tree.first(given))));
    if (tree[p].role != Role::branch || tree[below].part == Part::condition) continue;
    int test = tree.child(p, Part::condition);
    if (test < 0) continue;
    auto says = failure_of(tree.text(test), tree.language().errors_are_values);
    bool error = false;
    for (auto id : identifiers(tree.text(test)))
      for (auto& part : parts_of(id))
        error |= part == "err" || part == "error" || part == "exc" || part == "exception" || part == "failed";
    if (error && !says.weak && says.failed == (tree[below].part == Part::then ? 1 : -1)) return true;
  }
  return false;
}

}  // namespace

void find_queues(const Tree& tree, std::vector<Location>& found) {
  for (int i = 0; i < tree.size(); i++) {
    if (tree[i].role != Role::call) continue;
    auto callee = callee_of(tree, i);
    int arguments = tree.child(i, Part::arguments);
    int holder = tree.function_of(i);
    bool wraps = holder >= 0 && icontains(name_of_function(tree, holder), last_name(callee));
    if (wraps || callee.starts_with("new ") || icontains(receiver(callee), "counter")) continue;
    if (!puts_back(callee) || arguments < 0 || tree.first(arguments) < 0) continue;
    auto name = lower(last_name(callee));
    bool own_word = says_retry(name) || (name.find("queue") != name.npos && name != "enqueue") ||
                    name == "addratelimited" || name == "addafter" || name == "nack";
    if (!own_word && !is_queue_name(receiver(callee))) continue;
    if (icontains(receiver(callee), "error") || icontains(receiver(callee), "fail") ||
        icontains(receiver(callee), "dead") || icontains(receiver(callee), "exception") ||
        icontains(receiver(callee), "result") || icontains(receiver(callee), "response") ||
        icontains(receiver(callee), "output") || icontains(receiver(callee), "event"))
      continue;
    if (!failed_around(tree, i, arguments)) continue;
    int function = tree.function_of(i);
    auto place = location_at(tree, i, Shape::queue);
    place.back.emplace_back("any");
    place.by = one_line(callee);
    int attempt = tree.around(i, Role::attempt);
    int body = attempt >= 0 ? tree.child(attempt, Part::body) : -1;
    if (int stretch = body >= 0 ? body : function; stretch >= 0) describe_calls(tree, stretch, place);
    if (function >= 0) {
      place.bound = bound_of_function(tree, function, -1);
      place.wait = wait_in(tree, function);
    }
    if (name == "addratelimited") place.wait = {Wait::growing, false, false, one_line(callee)};
    if (name == "addafter") place.wait = {Wait::fixed, false, false, one_line(tree.text(arguments))};
    found.push_back(std::move(place));
  }
}

}  // namespace retrial::scan
