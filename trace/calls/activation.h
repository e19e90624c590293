#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace retrial::trace {

// A stack (Tag::stack) is "run:place,run:place", the outermost first: of functions that had not returned when the
// request was written, a number of that one run (an activation; unique in its process) and a hash of file, line and
// function, the same in every run of the program. Where functions cannot be marked (Node), "run.place" of each entry
// into a library, in whose course any number of them may have run. "/strand" stands between the functions that handed
// work over (to a thread, a task, a pool) and those that do it; "+strand" and "+@process" name what was waited for
// until it had ended. docs/agents.md.

struct Activation {
  std::uint64_t run = 0, place = 0;
  bool entry = false;
};
// Takes the first off a stack, and what strands stand before it; none: it is at its end, or no stack.
std::optional<Activation> take_activation(std::string_view& stack);

// Where the stacks of two requests of one process part: the places at which the innermost activation that both came
// from then stood. The same place: its loop has gone round. None where they have no activation in common, and of a
// text that is no stack.
struct Parting {
  std::uint64_t before = 0, now = 0;
  bool entry = false;
};
// Does a stack say which functions run?
bool names_functions(std::string_view stack);
std::optional<Parting> parting(std::string_view before, std::string_view now);

// The strands that a request belongs to, its own last: each was handed over by the one before it. Their numbers and
// those of runs are drawn in turn: whatever had a smaller one was there before. Empty: what its process began with, or
// nothing is known.
std::vector<std::uint64_t> strands_of(std::string_view stack);
// Does `now` belong to another piece of work, which was handed over before `before` was sent: two tasks that are waited
// for together? What goes on from a failure was handed over after it, or had waited for it.
bool side_by_side(std::string_view before, std::string_view now);
// What whoever sent it had waited for.
struct WaitedFor {
  std::vector<std::uint64_t> strands;  // of its own process
  std::vector<std::int32_t> processes;
};
WaitedFor waited_for(std::string_view stack);
// The greatest number in it: of what was entered last. 0: no stack.
std::uint64_t latest_run(std::string_view stack);

}  // namespace retrial::trace
