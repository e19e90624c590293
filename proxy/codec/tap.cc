#include "proxy/codec/tap.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "proxy/codec/grpc.h"

namespace retrial::proxy {
namespace {
constexpr std::uint64_t kSeed = 0xcbf29ce484222325ull;
constexpr std::uint64_t kOdd = 0x9fb21c651e98df25ull;
static_assert(std::endian::native == std::endian::little, "digests are compared between runs on one machine only");

std::uint64_t mixed(std::uint64_t state, std::uint64_t word) {
  state = (state ^ word) * kOdd;
  return state ^ (state >> 32);
}
}  // namespace

void BodyTap::reset(std::size_t sample) {
  most_ = sample;
  state_ = kSeed;
  carry_ = 0;
  size_ = 0;
  sample_.clear();
  release();
}

void BodyTap::unpacks(std::string_view encoding, std::size_t sample) {
  packed_ = Unpacker::of(encoding);
  if (!packed_) return;
  content_ = std::make_unique<BodyTap>(digests_);
  content_->reset(sample);
}

void BodyTap::take(std::string_view piece) {
  if (sample_.size() < most_) sample_.append(piece.substr(0, most_ - sample_.size()));
  if (messages_) messages_->take(piece);
  if (packed_ && !packed_->take(piece, [this](auto content) { content_->take(content); })) release();
  if (!digests_) {
    size_ += piece.size();
    return;
  }
  auto seen = std::min<std::uint64_t>(piece.size(), kDigested - std::min(size_, kDigested));
  auto rest = piece.size() - seen;
  piece = piece.substr(0, seen);
  while (!piece.empty() && size_ % 8 != 0) {
    carry_ |= std::uint64_t{static_cast<unsigned char>(piece.front())} << (size_ % 8 * 8);
    piece.remove_prefix(1);
    if (++size_ % 8 == 0) {
      state_ = mixed(state_, carry_);
      carry_ = 0;
    }
  }
  size_ += piece.size();
  for (; piece.size() >= 8; piece.remove_prefix(8)) {
    std::uint64_t word;
    std::memcpy(&word, piece.data(), 8);
    state_ = mixed(state_, word);
  }
  if (!piece.empty()) std::memcpy(&carry_, piece.data(), piece.size());
  size_ += rest;
}

std::uint64_t BodyTap::digest() const {
  if (size_ == 0) return 0;
  if (unpacked()) return content_->digest();
  auto digest = mixed(mixed(state_, carry_), size_);
  return digest ? digest : 1;
}

}  // namespace retrial::proxy
