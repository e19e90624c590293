#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "certs/trust_store.h"

namespace retrial::certs {

// The certificates that a JKS file (Java's own key store format; there is no standard, OpenJDK's JavaKeyStore.java is
// its definition) holds as trusted. Nothing if it is no JKS file, or cut short. Pure.
std::optional<std::vector<Root>> read_jks(std::string_view bytes);

}  // namespace retrial::certs
