#include "proxy/codec/grpc_messages.h"

#include <algorithm>
#include <utility>

#include "proxy/codec/h2_frames.h"

namespace retrial::proxy {
namespace {
constexpr std::size_t kPrefix = 5;
constexpr std::size_t kMostRoomKept = 16u << 10;  // bytes of room, for the next message
}  // namespace

bool GrpcMessages::sized(std::string_view prefix, std::size_t& size) {
  size = h2_number(prefix, 1);
  if (prefix[0] != 0)
    wrong_ = Wrong::compressed;
  else if (size > most_)
    wrong_ = Wrong::too_large;
  return wrong_ == Wrong::nothing;
}

bool GrpcMessages::next(std::string_view& piece, std::string_view& message) {
  if (std::exchange(told_, false)) {
    held_.clear();
    if (held_.capacity() > kMostRoomKept) std::string().swap(held_);
  }
  std::size_t size = 0;
  if (wrong_ != Wrong::nothing) return false;
  if (held_.empty() && piece.size() >= kPrefix) {
    if (!sized(piece, size)) return false;
    if (piece.size() - kPrefix >= size) {
      message = piece.substr(kPrefix, size);
      piece.remove_prefix(kPrefix + size);
      return true;
    }
  }
  auto take = [&](std::size_t up_to) {
    auto some = std::min(piece.size(), up_to - held_.size());
    held_.append(piece.substr(0, some));
    piece.remove_prefix(some);
    return held_.size() == up_to;
  };
  if (held_.size() < kPrefix && !take(kPrefix)) return false;
  if (!sized(held_, size) || !take(kPrefix + size)) return false;
  message = std::string_view(held_).substr(kPrefix);
  told_ = true;
  return true;
}

void grpc_put(std::string& out, std::string_view message) {
  auto at = out.size();
  out.resize(at + kPrefix);
  out[at] = 0;
  h2_put_number(&out[at + 1], static_cast<std::uint32_t>(message.size()));
  out.append(message);
}

}  // namespace retrial::proxy
