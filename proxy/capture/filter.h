#pragma once
#include <linux/types.h>

namespace retrial::proxy::capture {

// The filter of a captured tree. connect and getpeername wait for our answer, io_uring_setup answers ENOSYS (io_uring
// can connect without a system call that we could see), all else passes. So do system calls of another architecture (32
// bit).
struct Filter {
  int listener = -1;      // where notifications are read; -1: refused
  int error_number = 0;   // why; EBUSY: a listener above us
  bool killable = false;  // once received, only SIGKILL interrupts a notification (Linux 5.19)
};
// For the calling thread and all that it starts from now on. Async-signal-safe. Sets no_new_privs only where the kernel
// wants it: with CAP_SYS_ADMIN sudo and setuid programs go on working.
Filter install_filter();

// A getpeername that cannot be meant: the receiver answers it by itself. Its notification's id tells how many
// notifications there were before, for the kernel numbers them one after another. Async-signal-safe; called under the
// filter.
void tick();
bool is_tick(int system_call, const __u64* arguments);

}  // namespace retrial::proxy::capture
