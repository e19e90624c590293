// What is read of a packed body is the same in whatever pieces it comes, and never more than is allowed. The first byte
// chooses how it is said to be packed, the second the pieces.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "proxy/codec/unpacker.h"

namespace {
using retrial::proxy::Unpacker;

[[noreturn]] void wrong(const char* what) {
  std::fprintf(stderr, "unpacker_fuzz: %s\n", what);
  std::abort();
}

struct Read {
  std::string content;
  bool whole = false;
  bool operator==(const Read&) const = default;
};

Read read(std::string_view encoding, std::string_view body, std::size_t piece) {
  auto unpacker = Unpacker::of(encoding);
  Read read;
  for (; !body.empty(); body.remove_prefix(std::min(piece, body.size()))) {
    bool goes_on = unpacker->take(body.substr(0, piece), [&](auto part) { read.content += part; });
    if (read.content.size() > retrial::proxy::kMostUnpacked) wrong("it is more than is allowed");
    if (!goes_on) return {};
  }
  read.whole = unpacker->whole();
  return read;
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view kEncodings[] = {"gzip", "deflate", "aws-chunked", "aws-chunked,gzip"};
  if (size < 2) return 0;
  auto encoding = kEncodings[data[0] % 4];
  std::string_view body(reinterpret_cast<const char*>(data) + 2, size - 2);
  if (read(encoding, body, body.size() + 1) != read(encoding, body, std::size_t{data[1]} % 16 + 1))
    wrong("pieces make a difference");
  return 0;
}
