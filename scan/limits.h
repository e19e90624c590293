#pragma once
#include <string_view>
#include <vector>

#include "scan/location.h"
#include "scan/tree.h"

// How many, how long, and with what pauses: read off conditions, counters and calls that wait.
namespace retrial::scan {

// Names that a stretch of code counts up or down in.
std::vector<std::string_view> counters_in(const Tree& tree, int within);

// `attempts = 0` where it failed: what is set back there counts nothing.
bool is_set_back(const Tree& tree, int within, std::string_view name);

Bound bound_of_loop(const Tree& tree, int loop);
// Of a function that begins itself anew by `call`; -1: it is begun anew by others.
Bound bound_of_function(const Tree& tree, int function, int call);

// A limit of time around a loop, as the source has it (`async with asyncio.timeout(20):`), or one that each attempt of
// it races against (`Promise.race([attempt(), timedOut])`); empty: none.
std::string_view limit_around(const Tree& tree, int loop);
std::string_view limit_raced(const Tree& tree, int call, int loop);

// `if first: return f(x, first=False)`: is what lets it begin itself anew taken from it as it does?
bool spends_a_flag(const Tree& tree, int call, int function, std::string_view test);

// Of all that waits within `stretch` before `past` (-1: all of it), read with what stands in the function around it.
Wait wait_in(const Tree& tree, int stretch, int past = -1);

// What a call is told of when: `schedule(task, nextTry)`, `enqueue(m, delay=d)`. None: nothing.
Wait wait_told(const Tree& tree, int call);

// Does a call wait: by its name, or of what it is called on?
bool waits(const Tree& tree, int call);
// What a function of this file waits for that is called where something failed.
Wait wait_of_helper(const Tree& tree, int call);
// Of a function of this file that is tried: it waits first, and tries then.
Wait wait_before_trying(const Tree& tree, int call);

// A function that says how long to wait, or that waits: for who calls it from another file.
struct Delay {
  std::string name;
  Wait wait;
};
std::vector<Delay> delays_of(const Tree& tree);

}  // namespace retrial::scan
