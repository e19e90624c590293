#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/location.h"
#include "scan/tree.h"

namespace retrial::scan {

// What speaks for it and against it. Control flow alone is enough where a failure leads back and a success leaves;
// where one of them is not to be seen, a wait on the error path or words must stand in for it.
struct Evidence {
  bool back = false;        // a failure leads to the head
  bool caught = false;      // by a handler, not by looking at a value
  bool success = false;     // what went well leaves
  bool waits_then = false;  // there is a wait on the error path alone
  int stretch = -1;         // what is tried
  bool asked = false;       // the loop's own condition says that it failed
  bool weak = false;        // only that a value is there says that it went well
  int past = -1;            // what failed meets none of what stands from here on; -1: all of the loop
};

// Reads one loop: what of it is tried, whether a failure leads back to its head, and whether what went well leaves it.
// Each `read_` looks for one shape and adds what it sees to `seen` and `place`.
struct LoopReader {
  const Tree& tree;
  int loop;
  Header header = header_of(tree, loop);
  Evidence seen;
  Location place = location_at(tree, loop, Shape::loop);

  // Of no loop within, but for one that goes through the same hosts in each turn.
  bool ours(int i) const {
    int at = loop_of(tree, i);
    return at == loop || (at > loop && loop_of(tree, at) == loop && goes_through_the_same(at));
  }
  bool goes_through_the_same(int inner) const;
  void read();
  bool is_retry() const;  // by all that was read
  bool is_for_each_thing() const;

  // loop_attempts.cc
  void read_attempt(int attempt);
  int body_of_attempt(int attempt) const;
  bool branches_on_error(int block, int handler) const;
  bool leads_where_not_ready(int block) const;
  bool looks_at_error(std::string_view test, int handler) const;
  bool handler_falls_into_rest(int attempt) const;
  bool rest_leaves_on_success(int attempt) const;
  bool gives_what_came(int attempt) const;
  bool sets_after(int attempt) const;
  static bool interrupts(const std::string& error);

  // loop_branches.cc
  void read_branch(int branch);
  Flow behind_elif(int first, Flow rest) const;
  bool names_error(std::string_view text) const;
  bool leaves_surely(int branch, int otherwise) const;
  bool always_reached(int i) const;
  bool stands_in_err(int i) const;
  void look_for_looks();

  // loop_choices.cc
  void read_choice(int choice);
  void read_switch(int choice);
  void read_match(int choice);
  std::optional<Says> says_of_case(int i) const;
  bool switches_on_error(int choice) const;
  Flow flow_of_case(int i) const;
  bool went_well_there(int arm, Says says) const;
  static bool text_names_error(std::string_view text);

  // loop_heads.cc
  void read_own_condition();
  Says says_of_header() const;
  void read_counted();
  bool where_failed(int i) const;
  void read_retry_timer();
  void read_supervised();

  // loops.cc
  bool asks_policy_each_turn() const;
  bool counts_to_retries() const;
  bool waits_for_what_was_begun(int call) const;
  bool says_retry_within(int stretch) const;
  bool is_told_the_turn(int call) const;
  bool takes_items() const;
  bool uses(int stretch, std::string_view name) const;
  bool is_pump() const;

  // What they share.
  bool waits_within(int stretch) const;
  bool sets_condition(int stretch, int after) const;
  bool sets_by_call(int call) const;
  bool is_done_beside_attempts(std::string_view name) const;
  bool in_function(int i, int within) const;
  bool in_header(int i) const;
  bool is_tried(int call) const;
  int outermost(int call) const;
  int call_before(int branch, int test) const;
  bool counts_attempts() const;
  bool bound_text_only(std::string_view test) const;
  static bool asks_whether_ready(std::string_view test);
  static bool says_delay(std::string_view text);
  static bool asks_for_room(const std::string& error);
};

LoopReader read_loop(const Tree& tree, int loop);

}  // namespace retrial::scan
