// `switch` and `match` over how it went.
#include <algorithm>

#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/loop_reader.h"
#include "scan/words.h"

namespace retrial::scan {

void LoopReader::read_choice(int choice) {
  if (tree.kind(choice) == "match_expression") return read_match(choice);
  if (tree.kind(choice) != "select_statement") read_switch(choice);
}

// `switch { case err == nil: return; default: wait }`.
void LoopReader::read_switch(int choice) {
  bool fine = false, failed = false, waits = false;
  auto rest = flow_after(tree, choice, loop);
  for (int c = tree.first(choice); c >= 0; c = tree.next(c)) {
    auto says = says_of_case(c);
    if (!says) continue;
    auto flow = tree.kind(c) == "expression_case" ? flow_of_case(c) : flow_of(tree, c, loop);
    if (says->failed < 0) fine |= flow.leaves || flow.again || sets_condition(c, c);
    if (says->failed > 0 && (flow.again || (flow.falls && rest.again))) {
      failed = true;
      waits |= waits_within(c);
    }
  }
  int tried = call_before(choice, -1);
  if (!fine || !failed || tried < 0) return;
  // Without a wait the turns must be counted, or the error itself be what is chosen by.
  if (!waits && !(switches_on_error(choice) && header.kind != Header::each)) return;
  seen = {.back = true, .success = true, .waits_then = waits, .stretch = tried};
  place.back.emplace_back("err != nil");
  place.looked_at = true;
}

// `match get() { Ok(v) => return v, Err(e) if n < 3 => wait, other => return other }`. A case for what is left stands
// for what failed if it leads back, and for what went well if it leaves.
void LoopReader::read_match(int choice) {
  bool fine = false, back = false, waits = false, by_result = false;
  bool went_well = false;  // a case of its own stands for what went well
  auto rest = flow_after(tree, choice, loop);
  for (int c = choice; c < tree[choice].past; c++) {
    if (tree.kind(c) != "match_arm" || tree.around(c, Role::choice) != choice) continue;
    auto says = outcome_of(tree, c);
    int guard = guard_of(tree, c);
    if (guard >= 0 && asks_whether_ready(tree.text(guard))) continue;
    if (says.failed > 0 && asks_whether_ready(tree.text(tree.first(c)))) continue;
    auto flow = flow_of(tree, c, loop);
    bool again = flow.again || (flow.falls && rest.again);
    by_result |= says.failed != 0;
    auto asked = guard >= 0 ? failure_of(tree.text(guard), false) : Says{-1};
    went_well |= says.failed < 0 && asked.failed < 0;
    if (guard >= 0 && says.failed != 0 && !went_well_there(c, says))
      place.looked_at |= text_names_error(tree.text(guard));
    if ((says.failed > 0 || (says.failed == 0 && went_well)) && again) back = true, waits |= waits_within(c);
    fine |= says.failed <= 0 && (flow.leaves || (flow.falls && rest.leaves) || sets_condition(c, c));
  }
  for (int p = tree[choice].parent; p > loop && !fine; p = tree[p].parent)
    fine = went_well && tree[p].role == Role::leave;  // `return match …`
  int value = tree.child(choice, Part::value);
  int tried = value >= 0 && tried_call(tree, value) >= 0 ? value : call_before(choice, value);
  if (!fine || !back || !by_result || tried < 0) return;
  seen = {.back = true, .success = true, .waits_then = waits, .stretch = tried};
  place.back.emplace_back("Err");
}

// What a case of a switch stands for: `case err == nil`.
std::optional<Says> LoopReader::says_of_case(int i) const {
  auto kind = tree.kind(i);
  if (kind != "expression_case" && kind != "default_case") return {};
  int value = tree.child(i, Part::value);
  if (value < 0) return Says{.failed = 1};
  if (!switches_on_error(tree[i].parent)) return failure_of(tree.text(value), true);
  return tree.text(value) == "nil" ? Says{.failed = -1} : Says{.failed = 1};
}

// Go's `switch err { case ErrClosed: … case nil: … }`.
bool LoopReader::switches_on_error(int choice) const {
  int value = tree.child(choice, Part::value);
  return value >= 0 && tree[value].past == value + 1 && failure_of(tree.text(value), true).failed > 0;
}

// An `expression_case` holds what it is compared with, too.
Flow LoopReader::flow_of_case(int i) const {
  Flow all{.falls = true};
  for (int c = tree.first(i); c >= 0 && all.falls; c = tree.next(c)) {
    if (tree[c].part == Part::value) continue;
    auto one = flow_of(tree, c, loop);
    all = {one.falls, all.again || one.again, all.leaves || one.leaves};
  }
  return all;
}

// `Ok(r) if r.status() < 500 => return Err(…)` looks at what failed.
bool LoopReader::went_well_there(int arm, Says says) const {
  return says.failed < 0 && tree.text(arm).find("Err(") == std::string_view::npos;
}

bool LoopReader::text_names_error(std::string_view text) {
  return std::ranges::any_of(identifiers(text), [](auto id) { return id == "e" || says_failed(id); });
}

}  // namespace retrial::scan
