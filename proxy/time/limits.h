#pragma once
#include <string_view>

namespace retrial::proxy {

// Reads /proc/PID/task/TID/syscall: is this thread in a call that ends by itself after a time? Also where the text
// cannot be read ("" of a process that is not ours to look at); "running" is no call. Pure.
bool has_limit(std::string_view call);
// Is that call one in which a Go runtime waits for the next of its program's timers (netpoll)? Its own thread (sysmon)
// waits in others.
bool waits_for_timer_of_go(std::string_view call);

}  // namespace retrial::proxy
