// The ClientHello reader: any bytes; what is whole or none stays so whatever follows, and every beginning of it asks
// for more or says none.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "proxy/net/client_hello.h"

using namespace retrial::proxy;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  ClientHello whole;
  auto step = read_client_hello(bytes, whole);
  if (step != HelloStep::whole && (!whole.server_name.empty() || !whole.alpn.empty())) std::abort();
  bool over = false;
  std::size_t stride = 1 + size / 256;
  for (std::size_t end = 0; end <= size; end += stride) {
    ClientHello hello;
    auto at = read_client_hello(bytes.substr(0, end), hello);
    if (over && at == HelloStep::more) std::abort();
    if (at == HelloStep::whole && (step != at || hello.server_name != whole.server_name || hello.alpn != whole.alpn))
      std::abort();
    if (at == HelloStep::not_tls && step != at) std::abort();
    over = at != HelloStep::more;
  }
  return 0;
}
