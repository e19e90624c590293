#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "proxy/codec/unpacker.h"

namespace retrial::proxy {

class GrpcReader;

inline constexpr std::uint64_t kDigested = 1u << 20;  // bytes; a multiple of 8

// Looks at a decoded body as it passes: its first bytes and a digest, which is over its first kDigested bytes and its
// size, whatever pieces it comes in. 64 bits, for telling bodies apart; not for hostile input.
class BodyTap {
 public:
  explicit BodyTap(bool digests) : digests_(digests) {}

  void reset(std::size_t sample);  // how many bytes of the next body are kept
  // After reset(): the next body is packed so (Content-Encoding). Sample and digest are of what it holds, if that can
  // be read to its end.
  void unpacks(std::string_view encoding, std::size_t sample);
  void release() {  // what reading it took: nothing more is asked of this body
    if (!packed_) return;
    packed_.reset();
    content_.reset();
  }
  bool unpacked() const { return packed_ && packed_->whole(); }
  void take(std::string_view piece);
  bool has_seen_enough() const { return size_ >= kDigested && !messages_; }  // of the rest, the size alone counts
  void pass_by(std::uint64_t bytes) {                                        // as if they had been taken
    size_ += bytes;
    if (bytes != 0) release();
  }
  void reads(GrpcReader* messages) { messages_ = messages; }            // gets all of it too; null: nobody does
  std::uint64_t digest() const;                                         // 0 for an empty body
  std::size_t holds() const { return packed_ ? Unpacker::kHolds : 0; }  // bytes of memory, about
  std::string_view sample() const { return unpacked() ? content_->sample() : std::string_view(sample_); }

 private:
  bool digests_;
  std::size_t most_ = 0;
  std::uint64_t state_ = 0;
  std::uint64_t carry_ = 0;  // the bytes of a word that is not yet full, low byte first
  std::uint64_t size_ = 0;
  std::string sample_;
  GrpcReader* messages_ = nullptr;
  std::unique_ptr<Unpacker> packed_;  // null: it is not, or cannot be read
  std::unique_ptr<BodyTap> content_;  // of what it holds
};

}  // namespace retrial::proxy
