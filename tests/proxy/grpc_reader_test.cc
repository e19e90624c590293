#include <gtest/gtest.h>

#include "proxy/codec/grpc.h"

namespace retrial::proxy {
namespace {

using namespace std::string_literals;

std::string framed(unsigned char flags, std::string_view message) {
  auto n = message.size();
  std::string out{static_cast<char>(flags), static_cast<char>(n >> 24), static_cast<char>(n >> 16),
                  static_cast<char>(n >> 8), static_cast<char>(n)};
  return out.append(message);
}

struct Read {
  std::uint64_t messages = 0, largest = 0;
  bool at_boundary = false;
  std::string trailers;
  bool operator==(const Read&) const = default;
};
Read read(GrpcKind kind, std::string_view bytes, std::size_t piece) {
  GrpcReader reader;
  reader.begin(kind);
  for (std::size_t from = 0; from < bytes.size(); from += piece) reader.take(bytes.substr(from, piece));
  return {reader.messages(), reader.largest(), reader.at_boundary(), reader.trailers()};
}
Read read_in_all_pieces(GrpcKind kind, std::string_view bytes) {
  auto whole = read(kind, bytes, bytes.size() + 1);
  for (std::size_t piece = 1; piece <= bytes.size(); piece++) EXPECT_EQ(read(kind, bytes, piece), whole) << piece;
  return whole;
}

TEST(GrpcReader, whole_messages_are_counted_and_the_largest_is_known) {
  auto bytes = framed(0, "abc") + framed(1, std::string(300, 'x')) + framed(0, "");
  EXPECT_EQ(read_in_all_pieces(GrpcKind::grpc, bytes), (Read{3, 300, true, ""}));
  EXPECT_EQ(read_in_all_pieces(GrpcKind::grpc, ""), (Read{0, 0, true, ""}));
}
TEST(GrpcReader, a_message_that_is_not_whole_is_no_message_but_its_length_is_known) {
  auto bytes = framed(0, "abc") + "\0\0\1\0\0only this"s;
  EXPECT_EQ(read_in_all_pieces(GrpcKind::grpc, bytes), (Read{1, 65536, false, ""}));
  EXPECT_EQ(read_in_all_pieces(GrpcKind::grpc, "\0\0\0"s), (Read{0, 0, false, ""}));
  EXPECT_EQ(read_in_all_pieces(GrpcKind::grpc, "\0\xff\xff\xff\xff"s), (Read{0, 0xffffffff, false, ""}));
}
TEST(GrpcReader, trailers_of_grpc_web_stand_in_a_frame_of_their_own) {
  auto bytes = framed(0, "abc") + framed(0x80, "grpc-status: 5\r\ngrpc-message: no\r\n");
  EXPECT_EQ(read_in_all_pieces(GrpcKind::web, bytes), (Read{1, 3, true, "grpc-status: 5\r\ngrpc-message: no\r\n"}));
  EXPECT_EQ(read_in_all_pieces(GrpcKind::web, framed(0x81, "compressed")), (Read{0, 0, true, ""}));
}
TEST(GrpcReader, no_more_than_64_KiB_of_trailers_are_kept) {
  auto read_all = read(GrpcKind::web, framed(0x80, std::string(100'000, 't')) + framed(0, "a"), 999);
  EXPECT_EQ(read_all.trailers, std::string(65536, 't'));
  EXPECT_EQ(read_all.messages, 1u);
}
TEST(GrpcReader, text_is_base64_in_pieces_that_each_have_their_padding) {
  // 00 00000001 'a', padded; then 80 0000000f "grpc-status:0\r\n" begins in a group of its own.
  EXPECT_EQ(read_in_all_pieces(GrpcKind::web_text, "AAAAAAFhgAAAAA9ncnBjLXN0YXR1czowDQo="),
            (Read{1, 1, true, "grpc-status:0\r\n"}));
  EXPECT_EQ(read_in_all_pieces(GrpcKind::web_text, "AAAAAAJhYg==AAAAAAFh"), (Read{2, 2, true, ""}));
  EXPECT_EQ(read_in_all_pieces(GrpcKind::web_text, "AAAAAAJhYg==\r\nAAAAAAFh\n"), (Read{2, 2, true, ""}));
  EXPECT_EQ(read_in_all_pieces(GrpcKind::web_text, "AAAAAAFh\nAA"), (Read{1, 1, false, ""}));
}
TEST(GrpcReader, what_is_no_grpc_is_not_counted) {
  EXPECT_EQ(read(GrpcKind::none, framed(0, "abc"), 2), (Read{0, 0, true, ""}));
}
TEST(GrpcReader, another_call_begins_anew) {
  GrpcReader reader;
  reader.begin(GrpcKind::web);
  reader.take(framed(0x80, "a: b\r\n") + "\0\0"s);
  reader.begin(GrpcKind::grpc);
  EXPECT_TRUE(reader.at_boundary());
  EXPECT_EQ(reader.trailers(), "");
  reader.take(framed(0x80, "abc"));
  EXPECT_EQ(reader.messages(), 1u);
}

TEST(Grpc, the_kind_is_said_by_the_content_type) {
  EXPECT_EQ(grpc_kind("application/grpc"), GrpcKind::grpc);
  EXPECT_EQ(grpc_kind("Application/gRPC+proto"), GrpcKind::grpc);
  EXPECT_EQ(grpc_kind("application/grpc; charset=utf-8"), GrpcKind::grpc);
  EXPECT_EQ(grpc_kind("application/grpc-web"), GrpcKind::web);
  EXPECT_EQ(grpc_kind("application/grpc-web+json"), GrpcKind::web);
  EXPECT_EQ(grpc_kind("application/grpc-web-text+proto"), GrpcKind::web_text);
  for (auto other : {"", "application/json", "application/grpcx", "application/grpc-webs", "application/grpc-web-texts",
                     "application/grp", "text/application/grpc"})
    EXPECT_EQ(grpc_kind(other), GrpcKind::none) << other;
}
TEST(Grpc, a_timeout_is_eight_digits_at_most_and_a_unit) {
  EXPECT_EQ(grpc_timeout("100m"), 100 * kMillisecond);
  EXPECT_EQ(grpc_timeout("1H"), 3600 * kSecond);
  EXPECT_EQ(grpc_timeout("2M"), 120 * kSecond);
  EXPECT_EQ(grpc_timeout("3S"), 3 * kSecond);
  EXPECT_EQ(grpc_timeout("4u"), 4000);
  EXPECT_EQ(grpc_timeout("00000005n"), 5);
  EXPECT_EQ(grpc_timeout("99999999H"), INT64_MAX);
  for (auto none : {"", "m", "5", "5s", "5 S", "-5S", "+5S", "5.0S", "123456789S", "5SS"})
    EXPECT_EQ(grpc_timeout(none), std::nullopt) << none;
}
TEST(Grpc, a_message_is_percent_encoded) {
  EXPECT_EQ(grpc_message_encoded("a b%~\x7f\t\xc3\xa9"), "a b%25~%7F%09%C3%A9");
  EXPECT_EQ(grpc_message_decoded("a b%25~%7f%09%C3%A9"), "a b%~\x7f\t\xc3\xa9");
  EXPECT_EQ(grpc_message_decoded("100%, %zz %4"), "100%, %zz %4");
  EXPECT_EQ(grpc_message_decoded("a+b"), "a+b");
  std::string all;
  for (int c = 0; c < 256; c++) all += static_cast<char>(c);
  EXPECT_EQ(grpc_message_decoded(grpc_message_encoded(all)), all);
}

}  // namespace
}  // namespace retrial::proxy
