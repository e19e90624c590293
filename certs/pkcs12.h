#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "certs/trust_store.h"

namespace retrial::certs {

// The certificates of a PKCS#12 file (RFC 7292) whose safes are open or encrypted by `password`; its MAC is not
// verified. Nothing if it is no PKCS#12 file.
std::optional<std::vector<Root>> read_pkcs12(std::string_view bytes, const std::string& password);

}  // namespace retrial::certs
