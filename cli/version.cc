#include "cli/version.h"

#include <fmt/format.h>
#include <gnu/libc-version.h>

#include "commit.h"

namespace retrial::cli {

std::string_view version() { return RETRIAL_VERSION; }

std::string version_line(bool linked_statically) {
  return fmt::format("retrial {} (commit {}; glibc {}, {})", RETRIAL_VERSION, RETRIAL_COMMIT, gnu_get_libc_version(),
                     linked_statically ? "linked statically" : "shared");
}

}  // namespace retrial::cli
