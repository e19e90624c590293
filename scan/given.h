#pragma once
#include <string>
#include <string_view>

#include "scan/tree.h"

// What a call is given that may say how often, and when, something is tried again. Nodes are of `tree`.
namespace retrial::scan {

// Is it given a function to run: one that stands there, a block, or a name that means one?
bool gives_function(const Tree& tree, int call);
// A number above zero, an object, a call, `true`: said here. A name is handed on from elsewhere.
bool says_so(const Tree& tree, int value);
// `(0, p_retry_1.default)` is what compilers make of pRetry.
std::string_view as_written(std::string_view callee);
// Does the option stand among what a call, or a struct's literal, is given?
bool told_to_a_call(const Tree& tree, int option);
// The nearest call or struct's literal around it, in its function; -1: there is none.
int call_around(const Tree& tree, int i);
// All arguments but the functions that are run: what they do says nothing of how often.
std::string said_by(const Tree& tree, int call);
// With what names among them hold: `backoff.WithContext(b, ctx)` says what b and its fields were set to, and
// `c.policy(ctx)` what that function of the file makes.
std::string with_names(const Tree& tree, int node, std::string text);
// What is tried, or a function of the file that it calls, says itself which failures are for good: p-retry's
// AbortError, async-retry's bail, Go's Permanent.
bool tells_for_good(const Tree& tree, int tried);
// The whole of what one setter is part of: `RetryConfig.custom().maxAttempts(3).waitDuration(…).build()`.
std::string_view chain_of(const Tree& tree, int call);
// Is a strategy of Rust's backon among them?
bool is_strategy(std::string_view given);
// Among the operators of a stream: `source.pipe(retry(3))`.
bool is_operator(const Tree& tree, int call);
// `self.retry = backoff.on_exception(…)` in a function: what it is given later is tried again.
bool is_decorator_made_here(const Tree& tree, int call);
// Bottleneck's `limiter.on("failed", (error, info) => 1000)`: what it gives is how long it waits to try again.
bool is_heard_by_bottleneck(const Tree& tree, int call);
// With what is spread into them: `@retry(**RETRY)`, `axiosRetry(client, {...options})` say what RETRY and options were
// set to.
std::string with_spread(const Tree& tree, std::string_view arguments);
// What says how often is handed on: `Retry::spawn(strategy, …)` in a function that was given it, `Retrying(**options)`.
std::string_view handed_on(const Tree& tree, int call);

}  // namespace retrial::scan
