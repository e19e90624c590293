#include "base/text.h"
#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/language.h"
#include "scan/limits.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

bool is_nothing(std::string_view text) {
  return text.empty() || text == "None" || text == "null" || text == "undefined" || text == "nil" || text == "nullptr";
}

// What a return gives: "err" of `return err;`.
std::string_view given_by(const Tree& tree, int leave) {
  auto text = tree.text(leave);
  auto from = text.find_first_of(" (\n");
  if (from == text.npos) return {};
  text = trim(text.substr(from));
  while (!text.empty() && text.back() == ';') text.remove_suffix(1);
  return bare(text);
}

// A name that held nothing before the loop, and what was tried sets alone: `c` of `c = null; do { c = connect() }`.
bool still_nothing(const Tree& tree, int loop, std::string_view name) {
  bool nothing = false;
  for (int i : tree.assignments(name)) {
    if (tree.function_of(i) != tree.function_of(loop)) continue;
    int value = tree.child(i, Part::value);
    if (i < loop) nothing = value >= 0 && is_nothing(tree.text(value));
    if (tree.within(i, loop) && tree.around(i, Role::handler) >= 0) return false;
  }
  return nothing;
}

// `other => return other`: what is given on is how it went, whichever that was.
bool gives_on_outcome(const Tree& tree, int leave, std::string_view given) {
  for (int p = tree[leave].parent; p >= 0 && tree[p].role != Role::function; p = tree[p].parent) {
    int pattern = tree.kind(p) == "match_arm" ? tree.first(p) : -1;
    if (pattern >= 0) return outcome_of(tree, p).failed == 0 && !given.empty() && trim(tree.text(pattern)) == given;
  }
  return false;
}

// Rust's `break Err(e)`, `break outcome`: what the loop gives.
bool breaks_with_outcome(const Tree& tree, int stop) {
  auto given = tree.language().family == "rust" ? given_by(tree, stop) : std::string_view();
  return !given.empty() && !given.starts_with('\'') && !given.starts_with("Ok(") && given != "None";
}

bool tells_of_failure(const Tree& tree, int i, int loop) {
  if (tree[i].role == Role::raise) return true;
  if (tree[i].role == Role::stop && i < tree[loop].past) return breaks_with_outcome(tree, i);
  if (tree[i].role == Role::call) {
    auto callee = callee_of(tree, i);
    auto name = lower(last_name(callee));
    bool fails = name == "reject" || name == "fail" || name.find("error") != name.npos || name.starts_with("on_fail");
    return ends_process(callee) || (fails && !is_talk(callee));
  }
  if (tree[i].role != Role::leave) return false;
  auto given = given_by(tree, i);
  if (i >= tree[loop].past) return !is_nothing(given) && !still_nothing(tree, loop, given);
  return given.starts_with("Err(") || gives_on_outcome(tree, i, given) ||
         (!given.empty() && tree.around(i, Role::handler) >= 0);
}

// Within the loop, only where the last attempt leads: its way out there says nothing of what happens behind it.
bool ends_here(const Tree& tree, int i, int loop, const Header& header) {
  if (header.kind == Header::endless) return true;
  for (int p = tree[i].parent; p > loop; p = tree[p].parent) {
    int test = tree[p].role == Role::branch ? tree.child(p, Part::condition) : -1;
    if (test < 0) continue;
    for (auto id : identifiers(tree.text(test)))
      if (mentions(header.item, id) || mentions(header.text, id) || says_retry(id)) return true;
    if (says_time(tree.text(test))) return true;
    for (auto id : counters_in(tree, loop))
      if (mentions(tree.text(test), id)) return true;
  }
  return false;
}

}  // namespace

// After the last attempt: does the function say that it failed?
bool gives_up_silently(const Tree& tree, int loop, const Location& place) {
  if (place.bound.kind == Bound::none || place.bound.kind == Bound::caller) return false;
  int function = tree.function_of(loop);
  if (!limit_around(tree, loop).empty()) return false;  // what ends it fails by itself
  if (function < 0 || tree[function].role != Role::function) return false;
  if (tree[function].past - tree[loop].past > 5000) return false;  // too far to be followed
  auto header = header_of(tree, loop);
  if (place.bound.kind == Bound::elsewhere && header.kind != Header::each) return false;  // who ends it may tell of it
  for (int i = loop; i < tree[function].past; i++) {
    if (i < tree[loop].past && guard_of(tree, i) >= 0 && tree[i].role == Role::handler)
      return false;  // it is thrown on
    if (tells_of_failure(tree, i, loop) && (i >= tree[loop].past || ends_here(tree, i, loop, header))) return false;
  }
  if (!tree.language().errors_are_values) return true;
  auto text = tree.text(loop);
  int body = tree.child(function, Part::body);
  auto head = tree.source().substr(tree[function].begin, body >= 0 ? tree[body].begin - tree[function].begin : 0);
  auto rest = tree.source().substr(tree[loop].end, tree[function].end - tree[loop].end);
  return text.find("return err") == text.npos && text.find(", err") == text.npos && rest.find("err") == rest.npos &&
         rest.find("Err(") == rest.npos && head.find(" error)") == head.npos;  // by a named result
}

}  // namespace retrial::scan
