#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "scan/location.h"
#include "scan/tree.h"

// What is known of libraries that try again by themselves. A new one is a row in libraries.cc.
namespace retrial::scan {

// Without case and underscores: max_retries, maxRetries and MaxRetries are one name.
std::string plain_name(std::string_view name);

// Does a name that a decorator or an annotation has put a function on trial again?
bool is_retry_decorator(std::string_view name);
// Does a call by this name run what it is given until it works (tenacity, p-retry, backoff, Failsafe, …)?
// `function_given`: one of its arguments is a function.
bool runs_again(std::string_view callee, bool function_given);
// Does it make a client, a policy or an adapter that tries again?
bool makes_retrying(std::string_view callee);
// Is it an option, a setter or a field by which a client is told how often?
bool is_retry_option(std::string_view name);

// What is known of one where nothing is said.
struct Default {
  Bound bound;
  Wait wait;
  bool whatever = false;  // whatever fails is tried again
};
// Of what is called and what it is given, in the tree's language; the rest of the file says what a name means there.
std::optional<Default> default_of(const Tree& tree, std::string_view callee, std::string_view arguments);

// What its arguments say of bound and wait; what they leave out is the library's own.
void read_arguments(const Tree& tree, std::string_view callee, std::string_view arguments, Location& place);

// Whatever fails, as long as its arguments pick none.
bool tries_whatever_fails(const Tree& tree, std::string_view callee, std::string_view arguments);

}  // namespace retrial::scan
