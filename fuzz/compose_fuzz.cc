// Any bytes as a Compose file: either an error in one line, or an override that is YAML again.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "deploy/compose/file.h"
#include "deploy/compose/override.h"
#include "deploy/compose/talks.h"
#include "deploy/yaml/documents.h"

using namespace retrial::deploy;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int fd = memfd_create("compose", 0);
  if (ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != static_cast<ssize_t>(size)) return 0;
  auto file = read_compose("/proc/self/fd/" + std::to_string(fd));
  if (!file) {
    if (file.error().line().find('\n') != std::string::npos) std::abort();
    return 0;
  }
  auto made = compose_override(*file, talks_of(*file), "retrial:0.1.0");
  if (!made.starts_with(kOverrideMark) || !YamlDocuments::parse(made, "override.yaml")) std::abort();
  return 0;
}
