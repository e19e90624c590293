#pragma once
#include <string_view>

namespace retrial::proxy {

// Reads /proc/PID/task/TID/syscall: is this thread in a call that ends by itself after a time? Also where the text
// cannot be read ("" of a process that is not ours to look at); "running" is no call. Pure.
bool has_limit(std::string_view call);

}  // namespace retrial::proxy
