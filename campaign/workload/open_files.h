#pragma once
#include <sys/types.h>

#include <set>
#include <string>

namespace retrial::campaign {

// The files with a name that processes of this process group have open for writing, but for those that their output
// goes to, logs, and devices. Of one that we may not look into: none.
std::set<std::string> files_written_by(pid_t group);

}  // namespace retrial::campaign
