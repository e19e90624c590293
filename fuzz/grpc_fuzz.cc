// The reader of gRPC messages: whatever comes, in whatever pieces, it counts the same; and what is encoded for
// grpc-message decodes to what it was. The first byte chooses kind and pieces.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "proxy/codec/grpc.h"

using namespace retrial::proxy;

namespace {

GrpcReader read(GrpcKind kind, std::string_view bytes, std::size_t piece) {
  GrpcReader reader;
  reader.begin(kind);
  for (std::size_t from = 0; from < bytes.size(); from += piece) reader.take(bytes.substr(from, piece));
  return reader;
}
bool same(const GrpcReader& a, const GrpcReader& b) {
  return a.messages() == b.messages() && a.largest() == b.largest() && a.at_boundary() == b.at_boundary() &&
         a.trailers() == b.trailers();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  auto kind = static_cast<GrpcKind>(data[0] & 3);
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  auto whole = read(kind, bytes, size);
  if (!same(whole, read(kind, bytes, 1)) || !same(whole, read(kind, bytes, 1 + (data[0] >> 2)))) std::abort();
  if (whole.trailers().size() > 65536) std::abort();
  if (kind == GrpcKind::none && whole.messages() > 0) std::abort();
  if (kind != GrpcKind::web_text && whole.messages() > bytes.size() / 5) std::abort();
  if (kind == GrpcKind::grpc && whole.messages() > 0 && whole.at_boundary() && whole.largest() > bytes.size() - 5)
    std::abort();
  grpc_kind(bytes);
  if (auto timeout = grpc_timeout(bytes); timeout && *timeout < 0) std::abort();
  auto encoded = grpc_message_encoded(bytes);
  for (char c : encoded)
    if (c < 0x20 || c > 0x7e) std::abort();
  if (grpc_message_decoded(encoded) != bytes) std::abort();
  grpc_message_decoded(bytes);
  return 0;
}
