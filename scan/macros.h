#pragma once
#include <string>
#include <string_view>

namespace retrial::scan {

// Rust's source with each rule of its `macro_rules!` as a function of the macro's name, so that what stands in it is
// read as code. Every line keeps its number. A parameter that is looked at, set or awaited becomes a call: `match
// $body` is `match body()`. Pure.
std::string with_macros_as_functions(std::string_view source);

}  // namespace retrial::scan
