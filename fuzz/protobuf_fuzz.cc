// Any bytes as what a receiver of OTLP answers, and as messages whose schema is not known: fields within what was
// given, and an end.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "proxy/codec/protobuf.h"
#include "trace/profiles/grpc_message.h"

namespace {
void read_without_schema(std::string_view text) {
  std::size_t held = 0;
  auto fields = retrial::trace::fields_of(text);
  for (auto& field : fields.value_or(std::vector<retrial::trace::RpcField>()))
    if (field.kind != retrial::trace::RpcField::Kind::number) held += field.value.size();
  if (held > text.size() || (fields && fields->size() > retrial::trace::kMostFields)) std::abort();
  auto messages = retrial::trace::whole_messages({}, text);
  if (!messages) return;
  std::size_t size = 0;
  for (auto message : *messages) size += message.size() + 5;
  if (size != text.size()) std::abort();
}
}  // namespace

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
  read_without_schema(text);
  return 0;
}
