#include "proxy/codec/chunks.h"

#include <gtest/gtest.h>

#include "proxy/codec/h1.h"

namespace retrial::proxy {
namespace {

struct Read {
  std::string content, trailers;
  std::size_t taken = 0;
  bool ended = false, bad = false;
  bool operator==(const Read&) const = default;
};
Read read_in_pieces(std::string_view bytes, std::size_t piece) {
  Read r;
  ChunkReader reader;
  reader.begin();
  for (std::size_t from = 0; from < bytes.size() && !r.ended && !r.bad; from += piece) {
    auto rest = bytes.substr(from, piece);
    while (!rest.empty() && !r.ended && !r.bad) {
      auto [step, size, data] = reader.take(rest);
      EXPECT_LE(size, rest.size());
      EXPECT_TRUE(step != ChunkReader::Step::data || data.data() + data.size() == rest.data() + size);
      EXPECT_TRUE(step != ChunkReader::Step::more || size == rest.size());
      r.content += data;
      r.taken += size;
      r.ended = step == ChunkReader::Step::end;
      r.bad = step == ChunkReader::Step::bad;
      rest.remove_prefix(size);
    }
  }
  r.trailers = reader.trailers();
  return r;
}
Read read(std::string_view bytes) {
  auto whole = read_in_pieces(bytes, bytes.size());
  for (std::size_t piece = 1; piece < bytes.size(); piece++)
    EXPECT_EQ(read_in_pieces(bytes, piece), whole) << bytes << " in pieces of " << piece;
  return whole;
}
void is_whole(std::string_view body, std::string_view content, std::string_view trailers = "") {
  for (std::string_view behind : {"", "GET / HTTP/1.1\r\n", "0\r\n\r\n"}) {
    auto r = read(std::string(body) + std::string(behind));
    EXPECT_TRUE(r.ended) << body;
    EXPECT_EQ(r.taken, body.size()) << body;
    EXPECT_EQ(r.content, content);
    EXPECT_EQ(r.trailers, trailers);
  }
}

TEST(Chunks, content_is_what_the_sizes_say) {
  is_whole("0\r\n\r\n", "");
  is_whole("3\r\nabc\r\n0\r\n\r\n", "abc");
  is_whole("00000000000003\r\nabc\r\n000\r\n\r\n", "abc");
  is_whole("a\r\n0123456789\r\nA\r\n0\r\n\r\n\r\nabc\r\n0\r\n\r\n", "01234567890\r\n\r\n\r\nabc");
}
TEST(Chunks, extensions_are_left_out_and_quotes_in_them_understood) {
  is_whole("3;a\r\nabc\r\n0;b=c\r\n\r\n", "abc");
  is_whole("3 ; a = \"b\\\"; c\"\r\nabc\r\n0\t\r\n\r\n", "abc");
}
TEST(Chunks, trailers_are_kept_but_for_those_that_could_change_the_message) {
  is_whole("0\r\nX-Sum: 7\r\nContent-Length: 5\r\nY:\r\nTRANSFER-ENCODING: chunked\r\nhost: x\r\nSet-Cookie: a\r\n\r\n",
           "", "X-Sum: 7\r\nY:\r\n");
}
TEST(Chunks, of_a_body_that_is_not_whole_nothing_is_said_to_end) {
  std::string_view body = "3;a=\"b\"\r\nabc\r\n0\r\nX: 1\r\n\r\n";
  for (std::size_t n = 1; n < body.size(); n++) {
    auto r = read(body.substr(0, n));
    EXPECT_FALSE(r.ended || r.bad) << n;
    EXPECT_EQ(r.taken, n);
  }
}
TEST(Chunks, what_could_be_read_in_another_way_cannot_be_read) {
  for (std::string_view body : {"\r\n",
                                ";a\r\n",
                                " 3\r\nabc",
                                "+3\r\nabc",
                                "-3\r\nabc",
                                "0x3\r\nabc",
                                "3\nabc\r\n0\r\n\r\n",
                                "3\rabc",
                                "3\r\rabc",
                                "g\r\n",
                                "3 3\r\nabc",
                                "3 a\r\nabc",
                                "3,a\r\nabc",
                                "3\x0b\r\nabc",
                                "3;\x01\r\nabc",
                                "3;a\nabc",
                                "3;a=\"b\r\nabc",
                                "3\r\nabcd\r\n",
                                "3\r\nabc\n0\r\n\r\n",
                                "3\r\nabc\r0\r\n",
                                "3\r\nabc0\r\n\r\n",
                                "1000000000000000\r\n",
                                "0\r\nX\r\n\r\n",
                                "0\r\n: 1\r\n\r\n",
                                "0\r\nX : 1\r\n\r\n",
                                "0\r\n X: 1\r\n\r\n",
                                "0\r\nX: 1\n\r\n",
                                "0\r\nX: \x01\r\n\r\n",
                                "0\r\nX: 1\r\n folded\r\n\r\n",
                                "0\r\n\n",
                                "0\n\n"}) {
    auto r = read(body);
    EXPECT_TRUE(r.bad) << body;
    EXPECT_FALSE(r.ended) << body;
  }
}
TEST(Chunks, lines_have_an_end) {
  auto long_line = std::string(70 << 10, 'a');
  EXPECT_TRUE(read_in_pieces("3;" + long_line, 1000).bad);
  EXPECT_TRUE(read_in_pieces("3;a=\"" + long_line, 1000).bad);
  EXPECT_TRUE(read_in_pieces("3" + std::string(70 << 10, ' '), 1000).bad);
  EXPECT_TRUE(read_in_pieces("0\r\nX: " + long_line, 1000).bad);
  EXPECT_FALSE(read_in_pieces("0\r\nX: " + long_line.substr(0, 1000) + "\r\n\r\n", 7).bad);
}

TEST(Chunks, extensions_of_many_chunks_have_no_end_together) {
  std::string body;
  for (int i = 0; i < 3000; i++) body += "1;a=" + std::string(40, 'b') + "\r\nx\r\n";
  auto r = read_in_pieces(body + "0\r\n\r\n", 1000);
  EXPECT_TRUE(r.ended);
  EXPECT_EQ(r.content, std::string(3000, 'x'));
}

// What a codec gives of a chunked body, however it comes.
TEST(H1Codec, gives_the_content_of_chunks_and_every_byte_around_it) {
  std::string head = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  std::string body = "3;a=b\r\nabc\r\n00b\r\nhello world\r\n0\r\nX: 1\r\nHost: x\r\nY:\r\n\r\n";
  for (std::size_t piece = 1; piece <= body.size(); piece++) {
    H1Codec codec(H1Codec::Side::request, {});
    ASSERT_EQ(codec.take(head).step, H1Codec::Step::head);
    std::string content, wire;
    for (std::size_t from = 0; from < body.size(); from += piece)
      for (auto rest = std::string_view(body).substr(from, piece); !rest.empty();) {
        auto [step, size, some] = codec.take(rest);
        content += some;
        wire += rest.substr(0, size);
        EXPECT_EQ(rest.substr(size - some.size(), some.size()), some) << "at their end";
        rest.remove_prefix(size);
      }
    EXPECT_TRUE(codec.at_start());
    EXPECT_EQ(content, "abchello world");
    EXPECT_EQ(wire, body);
    auto& trailers = codec.trailers();
    EXPECT_EQ(trailers.raw, "X: 1\r\nY:\r\n\r\n");
    ASSERT_EQ(trailers.fields.size(), 2u);
    EXPECT_EQ(trailers.name(trailers.fields[0]), "X");
    EXPECT_EQ(trailers.value(trailers.fields[0]), "1");
    EXPECT_EQ(trailers.name(trailers.fields[1]), "Y");
    EXPECT_EQ(trailers.value(trailers.fields[1]), "");
  }
}
TEST(H1Codec, what_passes_it_by_counts_as_read) {
  H1Codec codec(H1Codec::Side::response, {});
  codec.take("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n");
  EXPECT_EQ(codec.plain_left(), 10u);
  codec.take("abc");
  EXPECT_EQ(codec.plain_left(), 7u);
  EXPECT_EQ(codec.passed_by(6), H1Codec::Step::body);
  EXPECT_EQ(codec.passed_by(1), H1Codec::Step::end);
  EXPECT_TRUE(codec.at_start());
  codec.take("HTTP/1.1 200 OK\r\n\r\n");
  EXPECT_EQ(codec.plain_left(), UINT64_MAX);
  EXPECT_EQ(codec.passed_by(1000), H1Codec::Step::body);
}

}  // namespace
}  // namespace retrial::proxy
