#pragma once
#include <memory>
#include <vector>

#include "proxy/net/tls.h"

namespace retrial::proxy {

// One TlsToService for all services that are verified in the same way, over a reload as well, as long as the files it
// was made of are the same. It keeps each that it made: connections may still use it.
class Trusts {
 public:
  Result<std::shared_ptr<TlsToService>> of(const ServiceTlsSettings& settings);

 private:
  using Stamp = std::vector<std::int64_t>;  // when each file was written, and its size
  static Stamp stamp_of(const ServiceTlsSettings& settings);
  struct Made {
    ServiceTlsSettings settings;
    Stamp stamp;
    std::shared_ptr<TlsToService> trust;
  };
  std::vector<Made> made_;
};

}  // namespace retrial::proxy
