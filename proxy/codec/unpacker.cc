#include "proxy/codec/unpacker.h"

#include <zlib.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace retrial::proxy {
namespace {

class Inflater final : public Unpacker {
 public:
  Inflater() { ready_ = inflateInit2(&stream_, kWindow) == Z_OK; }
  Inflater(const Inflater&) = delete;
  ~Inflater() override { inflateEnd(&stream_); }

  bool take(std::string_view piece, const Out& out) override {
    if (!ready_) return false;
    std::array<char, 16384> some;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream_.avail_in = static_cast<uInt>(piece.size());
    do {
      if (ended_ && stream_.avail_in == 0) break;
      if (ended_ && inflateReset(&stream_) != Z_OK) return false;  // the next member
      ended_ = false;
      stream_.next_out = reinterpret_cast<Bytef*>(some.data());
      stream_.avail_out = some.size();
      auto result = inflate(&stream_, Z_NO_FLUSH);
      if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) return false;
      auto made = some.size() - stream_.avail_out;
      all_ += made;
      if (all_ > kMostUnpacked) return false;
      if (made) out({some.data(), made});
      ended_ = result == Z_STREAM_END;
    } while (stream_.avail_in != 0 || stream_.avail_out == 0);
    return true;
  }
  bool whole() const override { return ended_; }

 private:
  static constexpr int kWindow = 15 + 32;  // the largest; gzip or zlib, as its head says
  z_stream stream_{};
  std::uint64_t all_ = 0;
  bool ready_ = false;
  bool ended_ = false;
};

// "size;chunk-signature=...\r\n" and so many bytes and "\r\n", again and again; one of size 0 is the last, and what is
// behind it says nothing of the content.
class AwsChunks final : public Unpacker {
 public:
  explicit AwsChunks(std::unique_ptr<Unpacker> inner) : inner_(std::move(inner)) {}

  bool take(std::string_view piece, const Out& out) override {
    while (!piece.empty() && at_ != At::end) {
      if (at_ == At::content) {
        auto content = piece.substr(0, left_);
        piece.remove_prefix(content.size());
        left_ -= content.size();
        all_ += content.size();
        if (left_ == 0) at_ = At::behind;
        if (all_ > kMostUnpacked) return false;
        if (!inner_)
          out(content);
        else if (!inner_->take(content, out))
          return false;
        continue;
      }
      if (!read(piece.front())) return false;
      piece.remove_prefix(1);
    }
    return true;
  }
  bool whole() const override { return at_ == At::end && (!inner_ || inner_->whole()); }

 private:
  enum class At : std::uint8_t { size, rest_of_line, content, behind, end };
  bool read(char c) {
    switch (at_) {
      case At::size: {
        auto digit = std::string_view("0123456789abcdef").find(static_cast<char>(c >= 'A' && c <= 'F' ? c + 32 : c));
        if (digit != std::string_view::npos && digits_ < 8) {
          left_ = left_ * 16 + digit;
          digits_++;
          return true;
        }
        if (digits_ == 0 || (c != ';' && c != '\r')) return false;
        at_ = At::rest_of_line;
        return true;
      }
      case At::rest_of_line:
        if (c == '\n') {
          at_ = left_ == 0 ? At::end : At::content;
          digits_ = 0;
        }
        return true;
      case At::behind:
        if (c == '\n') at_ = At::size;
        return c == '\r' || c == '\n';
      default:
        return false;
    }
  }
  std::unique_ptr<Unpacker> inner_;
  At at_ = At::size;
  std::uint64_t left_ = 0, all_ = 0;
  int digits_ = 0;
};

}  // namespace

std::unique_ptr<Unpacker> Unpacker::of(std::string_view encoding) {
  std::unique_ptr<Unpacker> inner;
  bool chunks = false;
  for (auto one : split(encoding, ',')) {
    auto name = trim(one);
    if (iequals(name, "aws-chunked"))
      chunks = true;
    else if (!inner && (iequals(name, "gzip") || iequals(name, "x-gzip") || iequals(name, "deflate")))
      inner = std::make_unique<Inflater>();
    else if (!name.empty() && !iequals(name, "identity"))
      return nullptr;
  }
  if (chunks) return std::make_unique<AwsChunks>(std::move(inner));
  return inner;
}

}  // namespace retrial::proxy
