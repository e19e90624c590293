#include "proxy/connections/location.h"

#include <fmt/format.h>

namespace retrial::proxy {
namespace {
bool local(const Address& address) { return address.loopback() || (address.is_private() && !address.metadata()); }
}  // namespace

Location::Location(const Route& route, const Options& options) : route_(route), options_(options) {
  bool six = route.host.find(':') != std::string::npos;
  auto address = Address::parse(fmt::format("{}{}{}:{}", six ? "[" : "", route.host, six ? "]" : "", route.port));
  if (!address) return;
  found({*address}, 0);
  literal_ = true;
}

bool Location::known(Nanos now) const { return literal_ || (looked_ && now - since_ < kLasts); }

void Location::found(const std::vector<Address>& addresses, Nanos now) {
  looked_ = true;
  since_ = now;
  lost_.reset();
  barred_.clear();
  spares_.clear();
  for (auto& address : addresses) {
    bool opened = options_.faults_also && options_.faults_also->allows(route_.host, address);
    if (!local(address) && !route_.allow && !opened)
      spares_ = fmt::format("{} is neither loopback nor private, and not allowed", host_of(address));
    if (route_.only && !route_.only->allows(route_.host, address)) barred_ = not_allowed(address);
  }
}

void Location::lost(const DialError& why, Nanos now) {
  found({}, now);
  spares_ = "where it is is not known";
  lost_ = why;
}

}  // namespace retrial::proxy
