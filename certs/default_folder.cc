#include <cstdlib>

#include "certs/authority.h"

namespace retrial::certs {

std::filesystem::path default_folder() {
  // The XDG base directory specification has a relative or empty value ignored.
  if (auto* data = std::getenv("XDG_DATA_HOME"); data && *data == '/') return std::filesystem::path(data) / "retrial";
  auto* home = std::getenv("HOME");
  return std::filesystem::path(home && *home ? home : ".") / ".local/share/retrial";
}

}  // namespace retrial::certs
