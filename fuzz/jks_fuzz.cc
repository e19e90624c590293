// Hostile bytes as a Java key store.
#include "certs/jks.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  auto roots = retrial::certs::read_jks({reinterpret_cast<const char*>(data), size});
  if (!roots) return 0;
  std::size_t bytes = 0;
  for (auto& root : *roots) bytes += root.der.size() + root.alias.size();
  if (bytes > size) __builtin_trap();
  return 0;
}
