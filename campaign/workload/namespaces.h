#pragma once
#include <sys/types.h>

#include "base/result.h"

namespace retrial::campaign {

// Kernel namespaces (namespaces(7)) in which fixed ports disturb nobody: a network that has loopback and nothing else,
// and mounts that can be changed. Where the rights for that are not there, in a user namespace too, in which user and
// group are who they were; then programs that are setuid gain nothing, and other users' files stay out of reach.

// Leaves the namespaces of this process, which has one thread, for new ones. An error says what the machine refused.
Result<void> leave_namespaces();

// Goes where that process has gone by leave_namespaces. This process has one thread; its PR_SET_PDEATHSIG is lost. The
// working directory stays.
Result<void> enter_namespaces_of(pid_t process);

}  // namespace retrial::campaign
