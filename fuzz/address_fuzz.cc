#include <cstdint>
#include <cstdlib>

#include "proxy/net/address.h"

// What is read is shown, and what is shown is read as the same, but for a mapped address, which is shown as IPv4.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using retrial::proxy::Address;
  const auto address = Address::parse({reinterpret_cast<const char*>(data), size});
  if (!address) return 0;
  const auto again = Address::parse(address->show());
  if (!again || again->port() != address->port()) std::abort();
  if (!address->mapped() && !(*again == *address)) std::abort();
  return 0;
}
