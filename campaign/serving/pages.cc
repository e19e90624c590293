#include "campaign/serving/pages.h"

#include <algorithm>

#include "base/embedded.h"

namespace retrial::campaign {

std::span<const EmbeddedFile> admin_files();  // embedded

std::string_view page_file(std::string_view name) {
  auto files = admin_files();
  auto at = std::ranges::find(files, name, &EmbeddedFile::path);
  return at == files.end() ? std::string_view{} : at->bytes;
}

}  // namespace retrial::campaign
