#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace retrial::proxy {

inline constexpr std::uint64_t kMostUnpacked = 1u << 20;  // bytes that are read of a body, however small it is packed

// Reads a body that is packed as it passes, whatever pieces it comes in: gzip (RFC 1952, in any number of members),
// deflate as zlib writes it (RFC 1950, 9110 8.4.1.2), and aws-chunked, whose chunks carry signatures (Amazon S3,
// "Signature calculations for the authorization header: transferring a payload in multiple chunks"), around one of
// these or none.
class Unpacker {
 public:
  using Out = std::function<void(std::string_view)>;
  static constexpr std::size_t kHolds = 48u << 10;  // bytes of memory, about: zlib's window and state

  // By Content-Encoding. Null: how it is packed is not known here.
  static std::unique_ptr<Unpacker> of(std::string_view encoding);
  virtual ~Unpacker() = default;

  // Hands what a piece holds to `out`, in pieces. False: it cannot be read, or holds more than kMostUnpacked: no more
  // is to be given to it.
  virtual bool take(std::string_view piece, const Out& out) = 0;
  // It has come to its end.
  virtual bool whole() const = 0;
};

}  // namespace retrial::proxy
