#include "proxy/codec/unpacker.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <optional>

#include "proxy/codec/tap.h"

namespace retrial::proxy {
namespace {

std::string packed(std::string_view text, int window = 15 + 16) {
  z_stream z{};
  deflateInit2(&z, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&z, text.size()) + 32, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}
std::string in_chunks(std::string_view text, std::size_t size = 7) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += size) {
    auto chunk = text.substr(at, size);
    out += std::string(1, "0123456789ABCDEF"[chunk.size()]) + ";chunk-signature=" + std::string(64, 'a') + "\r\n";
    out.append(chunk).append("\r\n");
  }
  return out + "0;chunk-signature=b\r\nx-amz-checksum-crc32:AAAA\r\n\r\n";
}
// What is read of it in pieces of that size; nothing: it cannot be.
std::optional<std::string> read(std::string_view encoding, std::string_view body, std::size_t size) {
  auto unpacker = Unpacker::of(encoding);
  if (!unpacker) return {};
  std::string out;
  for (std::size_t at = 0; at < body.size(); at += size)
    if (!unpacker->take(body.substr(at, size), [&](auto piece) { out += piece; })) return {};
  if (!unpacker->whole()) return {};
  return out;
}
// The same whatever pieces it comes in.
std::optional<std::string> read(std::string_view encoding, std::string_view body) {
  auto whole = read(encoding, body, body.size());
  for (std::size_t size = 1; size < body.size(); size++) EXPECT_EQ(read(encoding, body, size), whole) << size;
  return whole;
}

const std::string kText = R"({"event_id":"1"}{"type":"event"}{"message":"lost"})";

TEST(Unpacker, reads_gzip_zlib_and_signed_chunks_in_whatever_pieces_they_come) {
  EXPECT_EQ(read("gzip", packed(kText)), kText);
  EXPECT_EQ(read(" X-GZIP ", packed(kText)), kText);
  EXPECT_EQ(read("deflate", packed(kText, 15)), kText);
  EXPECT_EQ(read("gzip", packed("one ") + packed("two")), "one two") << "two members";
  EXPECT_EQ(read("aws-chunked", in_chunks(kText)), kText);
  EXPECT_EQ(read("aws-chunked,gzip", in_chunks(packed(kText))), kText);
  EXPECT_EQ(read("gzip,identity", packed("")), "");
}

TEST(Unpacker, says_nothing_of_what_it_does_not_know_or_cannot_read_to_its_end) {
  for (auto* encoding : {"br", "zstd", "gzip,gzip", "gzip,br"}) EXPECT_EQ(Unpacker::of(encoding), nullptr) << encoding;
  auto whole = packed(kText);
  for (std::size_t size = 1; size < whole.size(); size++)
    EXPECT_EQ(read("gzip", whole.substr(0, size)), std::nullopt) << size;
  EXPECT_EQ(read("gzip", kText), std::nullopt);
  EXPECT_EQ(read("gzip", whole + "more"), std::nullopt);
  EXPECT_EQ(read("deflate", packed(kText, -15)), std::nullopt) << "without zlib's head";
  EXPECT_EQ(read("aws-chunked", kText), std::nullopt);
  EXPECT_EQ(read("aws-chunked", "3;a\r\nabcd\r\n0\r\n"), std::nullopt);
  EXPECT_EQ(read("aws-chunked", "100000000;a\r\n"), std::nullopt);
  EXPECT_EQ(read("aws-chunked", "3;a\r\nabc\r\n"), std::nullopt);
}

TEST(Unpacker, reads_no_more_than_a_mebibyte_however_small_it_is_packed) {
  EXPECT_EQ(read("gzip", packed(std::string(kMostUnpacked, 'a')), 1 << 20)->size(), kMostUnpacked);
  auto bomb = packed(std::string(64 * kMostUnpacked, 'a'));
  std::size_t most = 0;
  auto unpacker = Unpacker::of("gzip");
  EXPECT_FALSE(unpacker->take(bomb, [&](auto piece) { most += piece.size(); }));
  EXPECT_LE(most, kMostUnpacked);
  EXPECT_EQ(read("aws-chunked,gzip", in_chunks(bomb), 4096), std::nullopt);
}

TEST(Taps, take_a_digest_and_a_sample_of_what_a_body_holds_and_else_of_its_bytes) {
  auto tapped = [](std::string_view body, std::string_view encoding) {
    auto tap = std::make_unique<BodyTap>(true);
    tap->reset(16);
    if (!encoding.empty()) tap->unpacks(encoding, 2048);
    tap->take(body.substr(0, 5));
    tap->take(body.substr(5));
    return tap;
  };
  auto plain = tapped(kText, ""), small = tapped(packed(kText), "gzip"), zlib = tapped(packed(kText, 15), "deflate");
  EXPECT_EQ(small->sample(), kText);
  EXPECT_EQ(small->digest(), plain->digest());
  EXPECT_EQ(small->digest(), zlib->digest());
  auto other = tapped(packed(kText), "br");
  EXPECT_FALSE(other->unpacked());
  EXPECT_EQ(other->digest(), tapped(packed(kText), "")->digest());
  small->pass_by(1);
  EXPECT_FALSE(small->unpacked()) << "what went by was not read";
}

}  // namespace
}  // namespace retrial::proxy
