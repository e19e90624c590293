#pragma once
#include <string_view>

#include "scan/tree.h"

// Where control goes from a statement, seen from one loop around it. Approximate on purpose: every branch may be taken,
// what is called comes back unless it is known to end the process.
namespace retrial::scan {

struct Flow {
  bool falls = false;   // on to what follows
  bool again = false;   // to the loop's head
  bool leaves = false;  // out of the loop, whatever for
};

Flow flow_of(const Tree& tree, int statement, int loop);
// Of what follows `statement` up to the end of the loop's body; falling out of that is `again`.
Flow flow_after(const Tree& tree, int statement, int loop);

struct Header {
  enum Kind { endless, condition, counted, each } kind = endless;
  int test = -1;          // the condition's node
  std::string_view text;  // of the condition, or of what is gone through
  std::string_view item;  // each: what each is called
  int body = -1;
};

Header header_of(const Tree& tree, int loop);

// Does a condition, being true, say that something failed (1), that it went well (-1), or neither (0)?
struct Says {
  int failed = 0;
  bool weak = false;  // by a value's being there at all: `if (found)`
};
Says failure_of(std::string_view condition, bool errors_are_values);

// Does a condition ask how it failed: by a status, a code, an error's kind? Not only whether.
bool asks_how(std::string_view condition);
// The same of what a branch or a loop asks; `unless` and `until` ask for the opposite.
Says says_at(const Tree& tree, int holder);

// The condition on a handler or on a case (`catch … when (n < 3)`, `Err(e) if n < 3 =>`), or -1.
int guard_of(const Tree& tree, int holder);

std::string_view bare(std::string_view condition);  // without the parentheses around all of it

// The innermost loop that `i` is in, in the same function, or -1.
int loop_of(const Tree& tree, int i);
bool is_loop(const Tree& tree, int i);
// The name of a function, by its own or by what it is assigned to; empty: none.
std::string_view name_of_function(const Tree& tree, int function);
std::string_view callee_of(const Tree& tree, int call);  // "self.client.get", "new Client"

}  // namespace retrial::scan
