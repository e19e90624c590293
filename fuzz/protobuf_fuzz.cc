// Any bytes as what a receiver of OTLP answers: fields within what was given, and an end.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "proxy/codec/protobuf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  retrial::proxy::ProtoReader in(text);
  std::size_t fields = 0;
  for (retrial::proxy::ProtoField f; in.next(f);) {
    if (++fields > size) std::abort();
    if (!f.bytes.empty() && (f.bytes.data() < text.data() || f.bytes.data() + f.bytes.size() > text.data() + size))
      std::abort();
  }
  auto clean = retrial::proxy::Protobuf::as_utf8(text);
  if (retrial::proxy::Protobuf::as_utf8(clean) != clean) std::abort();
  return 0;
}
