#pragma once
#include <vector>

#include "scan/flow.h"
#include "scan/location.h"
#include "scan/tree.h"

// One file a way to try again. Each adds what it sees in one file to `found`; none decides by names alone but the
// libraries'.
namespace retrial::scan {

void find_loops(const Tree& tree, std::vector<Location>& found);
void find_recursion(const Tree& tree, std::vector<Location>& found);
void find_jumps(const Tree& tree, std::vector<Location>& found);
void find_retry_words(const Tree& tree, std::vector<Location>& found);
void find_repeats(const Tree& tree, std::vector<Location>& found);
void find_timers(const Tree& tree, std::vector<Location>& found);
void find_queues(const Tree& tree, std::vector<Location>& found);
void find_libraries(const Tree& tree, std::vector<Location>& found);

// What they share: a location at a node, with its function; what is called in a stretch of code, and what that may do.
Location location_at(const Tree& tree, int node, Shape shape);
int tried_call(const Tree& tree, int stretch);  // the first that is neither talk nor waiting, or -1
void describe_calls(const Tree& tree, int stretch, Location& location);
// What a handler takes, by the names that stand there; "any" where it takes all.
std::vector<std::string> errors_of(const Tree& tree, int handler);

// What differs from turn to turn of a loop because its item or its index does: what is made of these, too.
std::vector<std::string_view> names_of_the_turn(const Tree& tree, int loop, const Header& header);
// After the last attempt, does nobody hear of the failure?
bool gives_up_silently(const Tree& tree, int loop, const Location& place);

}  // namespace retrial::scan
