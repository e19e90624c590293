#include "cli/version.h"

#include <fmt/format.h>
#include <gnu/libc-version.h>

#include "commit.h"

namespace retrial::cli {

std::string version_line(bool linked_statically) {
  return fmt::format("retrial 0.1.0 (commit {}; glibc {}, {})", RETRIAL_COMMIT, gnu_get_libc_version(),
                     linked_statically ? "linked statically" : "shared");
}

}  // namespace retrial::cli
