#pragma once
#include <vector>

#include "scan/flow.h"
#include "scan/found.h"
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
void find_handed_on(const Tree& tree, std::vector<Location>& found);
void find_interceptors(const Tree& tree, std::vector<Location>& found);
void find_libraries(const Tree& tree, std::vector<Location>& found);
void find_own_decorators(const Tree& tree, Found& found);

// What they share: a location at a node, with its function; what is called in a stretch of code, and what that may do.
Location location_at(const Tree& tree, int node, Shape shape);
std::uint32_t last_line_of(const Tree& tree, int node);
int tried_call(const Tree& tree, int stretch);  // the first that is neither talk nor waiting nor
                                                // makes something for another, or -1
// How much speaks for it that a call fails as what is far away does, by its name and by what is done with what it
// gives: below zero it only looks or makes something here.
int may_fail(const Tree& tree, int call);
int failing_call(const Tree& tree, int stretch);         // the one of `tried_call`'s that may fail most, or -1
bool has_effect(std::string_view callee);                // by its name: send, create …
std::string without_arguments(std::string_view callee);  // `get(…).json` of `get(url, timeout=3).json`
Callee callee_at(const Tree& tree, int call);
void describe_calls(const Tree& tree, int stretch, Location& location);
// The function that a decorator makes others try again.
void describe_decorated(const Tree& tree, int function, Location& location);
// What a handler takes, by the names that stand there; "any" where it takes all.
std::vector<std::string> errors_of(const Tree& tree, int handler);

// Of a case of a match: does it stand for what failed (1), for what went well (-1), or for neither?
Says outcome_of(const Tree& tree, int arm);
// Is a function named for what failed: `onFailure`, `handle_rejected`?
bool is_for_failure(std::string_view function);
// Is `i` where only what failed leads?
bool on_error_path(const Tree& tree, int i, int function);
// Where a connection's end or its error is heard of, and nothing was caught?
bool hears_of_loss(const Tree& tree, int i, int function);

// What differs from turn to turn of a loop because its item or its index does: what is made of these, too.
std::vector<std::string_view> names_of_the_turn(const Tree& tree, int loop, const Header& header);
// Is what is called next another: its parent folder, the next name, the next port? Set behind the call, by a step or by
// another value, given to it, and compared with nothing.
bool moves_on(const Tree& tree, int loop, int call);
// `answer = get(url); url = answer.next`: a redirect, the next page.
bool follows_answer(const Tree& tree, int loop, int call);
// Is something taken in each turn: off a list, a queue, an iterator?
bool takes_another(const Tree& tree, int loop);
// Does `call`, in the stretch that is tried, get what was taken or typed before that in the same turn of the loop?
// `check(answer)` of `answer = input()`.
bool is_given_what_came(const Tree& tree, int loop, int stretch, int call);
// Is it only a text that was asked for anew and is read: a number that somebody types?
bool only_reads(const Tree& tree, int stretch, int call);
// Is an error what a call is given: `transient(err)`?
bool is_given_error(const Tree& tree, int call);

// After the last attempt, does nobody hear of the failure?
bool gives_up_silently(const Tree& tree, int loop, const Location& place);

}  // namespace retrial::scan
