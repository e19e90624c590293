#include "proxy/codec/h1.h"
#include "proxy/codec/tap.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "trace/exchange.h"

namespace retrial::proxy {
namespace {

// What a codec made of a stream, in a form that does not show how the stream was cut into pieces.
struct Heard {
  struct Message {
    std::string head, wire;
    std::string start;  // "GET /x" or "200"
    std::vector<std::string> fields;
    std::string sample;
    std::uint64_t digest = 0;
    bool ended = false, keep_alive = false, bodiless = false, until_close = false;
    bool operator==(const Message&) const = default;
  };
  std::vector<Message> messages;
  std::string unfinished;  // of a head
  std::string refused;     // everything from the message on that was refused
  bool operator==(const Heard&) const = default;
};

Heard hear(H1Codec::Side side, std::string_view bytes, std::size_t piece, bool answers_head = false,
           std::size_t limit = 1 << 16) {
  BodyTap tap(true);
  H1Codec codec(side, {.head = limit});
  codec.answers_head(answers_head);
  Heard heard;
  for (std::size_t from = 0; from < bytes.size(); from += piece) {
    auto rest = bytes.substr(from, piece);
    while (!rest.empty()) {
      auto [step, size, content] = codec.take(rest);
      if (step == H1Codec::Step::head) {
        auto& h = codec.head();
        tap.reset(trace::kSampleBytes);
        Heard::Message m;
        m.head = h.raw;
        m.start = side == H1Codec::Side::request ? std::string(h.method) + " " + std::string(h.target)
                                                 : std::to_string(h.status);
        for (auto& f : h.fields) m.fields.push_back(std::string(h.name(f)) + "=" + std::string(h.value(f)));
        m.keep_alive = h.keep_alive;
        m.until_close = h.until_close;
        m.bodiless = m.ended = h.bodiless;
        heard.messages.push_back(m);
      } else if (step == H1Codec::Step::body || step == H1Codec::Step::end) {
        auto& m = heard.messages.back();
        m.wire += rest.substr(0, size);
        tap.take(content);
        m.ended = step == H1Codec::Step::end;
        m.sample = tap.sample();
        m.digest = tap.digest();
      } else if (step == H1Codec::Step::refused) {
        // Cut finely, a broken body is passed on until the very byte that breaks it; what counts is that no byte is
        // lost.
        if (codec.unfinished().empty() && !heard.messages.empty() && !heard.messages.back().ended) {
          heard.refused = heard.messages.back().wire;
          heard.messages.back().wire.clear();
        }
        heard.refused += std::string(codec.unfinished()) +
                         std::string(bytes.substr(from + (std::min(piece, bytes.size() - from) - rest.size())));
        return heard;
      }
      rest.remove_prefix(size);
    }
  }
  heard.unfinished = codec.unfinished();
  return heard;
}

// The whole stream at once; and the same must come out for pieces of every size.
Heard hear_in_all_pieces(H1Codec::Side side, std::string_view bytes, bool answers_head = false,
                         std::size_t limit = 1 << 16) {
  auto whole = hear(side, bytes, bytes.size() + 1, answers_head, limit);
  for (std::size_t piece = 1; piece <= bytes.size(); piece++) {
    auto again = hear(side, bytes, piece, answers_head, limit);
    // A refused body's sample depends on how far it was read.
    if (!whole.refused.empty() && !again.messages.empty() && !again.messages.back().ended) {
      again.messages.back().sample = whole.messages.back().sample;
      again.messages.back().digest = whole.messages.back().digest;
    }
    EXPECT_EQ(whole, again) << "in pieces of " << piece;
  }
  return whole;
}
constexpr auto kRequest = H1Codec::Side::request;
constexpr auto kResponse = H1Codec::Side::response;

TEST(H1Codec, a_request_keeps_its_bytes_as_they_were_sent) {
  std::string_view bytes = "GET /a?b=c%20d HTTP/1.1\r\nhOsT:  example:80  \r\nX-Empty:\r\nAccept: */*\r\n\r\n";
  auto heard = hear_in_all_pieces(kRequest, bytes);
  ASSERT_EQ(heard.messages.size(), 1u);
  auto& m = heard.messages[0];
  EXPECT_EQ(m.head, bytes);
  EXPECT_EQ(m.start, "GET /a?b=c%20d");
  EXPECT_EQ(m.fields, (std::vector<std::string>{"hOsT=example:80", "X-Empty=", "Accept=*/*"}));
  EXPECT_TRUE(m.bodiless);
  EXPECT_TRUE(m.keep_alive);
}
TEST(H1Codec, a_line_of_a_head_ends_where_the_next_one_begins) {
  H1Codec codec(kRequest, {});
  std::string_view bytes = "GET / HTTP/1.1\r\nA: 1\r\nB:2 \r\n\r\n";
  ASSERT_EQ(codec.take(bytes).step, H1Codec::Step::head);
  EXPECT_EQ(codec.head().line(0), "A: 1\r\n");
  EXPECT_EQ(codec.head().line(1), "B:2 \r\n");
}
TEST(H1Codec, a_sized_body_ends_at_its_length_and_the_next_request_follows) {
  auto heard = hear_in_all_pieces(kRequest, "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhelloGET / HTTP/1.1\r\n\r\n");
  ASSERT_EQ(heard.messages.size(), 2u);
  EXPECT_EQ(heard.messages[0].wire, "hello");
  EXPECT_EQ(heard.messages[0].sample, "hello");
  EXPECT_TRUE(heard.messages[0].ended);
  EXPECT_EQ(heard.messages[1].start, "GET /");
  EXPECT_EQ(heard.messages[1].digest, 0u);
}
TEST(H1Codec, a_chunked_body_keeps_its_framing_and_trailers_and_shows_its_payload) {
  std::string_view body = "3\r\nabc\r\n4;ext=\"1\"\r\ndefg\r\n0\r\nX-Sum: 7\r\n\r\n";
  auto heard =
      hear_in_all_pieces(kRequest, "PUT /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string(body));
  ASSERT_EQ(heard.messages.size(), 1u);
  EXPECT_EQ(heard.messages[0].wire, body);
  EXPECT_EQ(heard.messages[0].sample, "abcdefg");
  EXPECT_EQ(heard.messages[0].fields.size(), 1u);
  EXPECT_TRUE(heard.messages[0].ended);
}
TEST(H1Codec, the_digest_is_that_of_the_decoded_body_whatever_its_framing) {
  auto sized = hear(kRequest, "PUT / HTTP/1.1\r\nContent-Length: 11\r\n\r\nhello world", 1000);
  auto chunked =
      hear(kRequest, "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nhello \r\n5\r\nworld\r\n0\r\n\r\n", 7);
  auto other = hear(kRequest, "PUT / HTTP/1.1\r\nContent-Length: 11\r\n\r\nhello worle", 1000);
  EXPECT_NE(sized.messages[0].digest, 0u);
  EXPECT_EQ(sized.messages[0].digest, chunked.messages[0].digest);
  EXPECT_NE(sized.messages[0].digest, other.messages[0].digest);
}
TEST(H1Codec, a_response_without_a_length_goes_on_until_the_connection_closes) {
  auto heard = hear_in_all_pieces(kResponse, "HTTP/1.0 200 OK\r\nServer: x\r\n\r\nsome bytes");
  ASSERT_EQ(heard.messages.size(), 1u);
  EXPECT_TRUE(heard.messages[0].until_close);
  EXPECT_FALSE(heard.messages[0].ended);
  EXPECT_EQ(heard.messages[0].wire, "some bytes");
}
TEST(H1Codec, answers_to_head_and_204_and_304_have_no_body_whatever_their_length_says) {
  std::string_view ok = "HTTP/1.1 200 OK\r\nContent-Length: 70\r\n\r\n";
  EXPECT_TRUE(hear_in_all_pieces(kResponse, ok, true).messages[0].bodiless);
  EXPECT_FALSE(hear_in_all_pieces(kResponse, ok).messages[0].bodiless);
  auto heard = hear_in_all_pieces(kResponse,
                                  "HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\nHTTP/1.1 304 Not "
                                  "Modified\r\nTransfer-Encoding: chunked\r\n\r\n");
  ASSERT_EQ(heard.messages.size(), 2u);
  EXPECT_TRUE(heard.messages[0].bodiless);
  EXPECT_TRUE(heard.messages[1].bodiless);
}
TEST(H1Codec, an_interim_response_is_a_message_of_its_own) {
  auto heard =
      hear_in_all_pieces(kResponse, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok");
  ASSERT_EQ(heard.messages.size(), 2u);
  EXPECT_EQ(heard.messages[0].start, "100");
  EXPECT_TRUE(heard.messages[0].bodiless);
  EXPECT_EQ(heard.messages[1].wire, "ok");
}
TEST(H1Codec, a_message_may_follow_one_that_wanted_the_connection_closed) {
  auto heard = hear_in_all_pieces(kRequest, "GET / HTTP/1.1\r\nConnection: close\r\n\r\nGET /2 HTTP/1.0\r\n\r\n");
  ASSERT_EQ(heard.messages.size(), 2u);
  EXPECT_FALSE(heard.messages[0].keep_alive);
  EXPECT_FALSE(heard.messages[1].keep_alive);
}
TEST(H1Codec, an_upgrade_and_a_connect_are_messages_until_they_are_answered) {
  auto heard =
      hear_in_all_pieces(kRequest,
                         "POST / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\nhi"
                         "CONNECT a:1 HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n");
  ASSERT_EQ(heard.messages.size(), 3u);
  EXPECT_EQ(heard.messages[0].wire, "hi");
  EXPECT_EQ(heard.messages[1].start, "CONNECT a:1");
  EXPECT_EQ(heard.messages[2].start, "GET /");
}
TEST(H1Codec, what_is_no_http_1_is_refused_with_every_byte_in_hand) {
  for (std::string_view bytes : {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\x16\x03\x01\x02", "*1\r\n$4\r\nPING\r\n",
                                 "PING\r\n", "get x\r\n", "GET /\r\n\r\n", "DESCRIBE rtsp://x RTSP/1.0\r\n\r\n",
                                 "GET / HTTP/2.0\r\n\r\n", "GET / HTTP/1.1\r\nA{b}: 1\r\n\r\n"}) {
    auto heard = hear_in_all_pieces(kRequest, bytes);
    EXPECT_TRUE(heard.messages.empty()) << bytes;
    EXPECT_EQ(heard.refused, bytes);
  }
}
TEST(H1Codec, a_broken_chunk_is_refused_without_losing_a_byte) {
  auto heard = hear_in_all_pieces(kResponse, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\nzz\r\n");
  ASSERT_EQ(heard.messages.size(), 1u);
  EXPECT_FALSE(heard.messages[0].ended);
  EXPECT_EQ(heard.refused, "2\r\nab\r\nzz\r\n");
}
TEST(H1Codec, a_head_beyond_the_limit_is_refused) {
  std::string bytes = "GET / HTTP/1.1\r\nA: " + std::string(100, 'a') + "\r\n\r\n";
  EXPECT_EQ(hear_in_all_pieces(kRequest, bytes, false, bytes.size()).messages.size(), 1u);
  auto heard = hear_in_all_pieces(kRequest, bytes, false, bytes.size() - 1);
  EXPECT_TRUE(heard.messages.empty());
  EXPECT_EQ(heard.refused, bytes);
}
TEST(H1Codec, empty_lines_before_a_request_belong_to_its_head) {
  auto heard = hear_in_all_pieces(kRequest, "\r\n\r\nGET /x HTTP/1.1\r\n\r\n");
  ASSERT_EQ(heard.messages.size(), 1u);
  EXPECT_EQ(heard.messages[0].start, "GET /x");
  EXPECT_EQ(heard.messages[0].head, "\r\n\r\nGET /x HTTP/1.1\r\n\r\n");
}
TEST(H1Codec, a_folded_line_is_one_also_where_the_head_before_had_the_same) {
  std::string folded = "GET /x HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n";
  H1Codec codec(H1Codec::Side::request, {});
  for (int i = 0; i < 3; i++) {
    ASSERT_EQ(codec.take(folded).step, H1Codec::Step::head);
    EXPECT_TRUE(codec.head().folded);
    EXPECT_FALSE(codec.head().ambiguous.empty());
  }
}
TEST(H1Codec, a_head_that_is_not_yet_whole_is_at_hand) {
  auto heard = hear_in_all_pieces(kRequest, "GET /x HTTP/1.1\r\nHo");
  EXPECT_TRUE(heard.messages.empty());
  EXPECT_EQ(heard.unfinished, "GET /x HTTP/1.1\r\nHo");
}
TEST(BodyTap, keeps_the_first_bytes_only) {
  BodyTap tap(false);
  tap.reset(trace::kSampleBytes);
  for (int i = 0; i < 100; i++) tap.take(std::string(100, 'a'));
  EXPECT_EQ(tap.sample().size(), 2048u);
}

std::string refusal(H1Codec::Side side, std::string_view bytes, std::size_t piece) {
  H1Codec codec(side, {});
  for (std::size_t from = 0; from < bytes.size(); from += piece)
    for (auto rest = bytes.substr(from, piece); !rest.empty();) {
      auto [step, size, content] = codec.take(rest);
      if (step == H1Codec::Step::refused) return codec.why();
      rest.remove_prefix(size);
    }
  return "";
}

TEST(H1Codec, says_what_it_cannot_read_and_where_however_it_comes) {
  using enum H1Codec::Side;
  const std::string get = "GET / HTTP/1.1\r\n", chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  struct Wrong {
    H1Codec::Side side;
    std::string bytes, why;
  };
  for (auto& w : {
           Wrong{request, "G@T / HTTP/1.1\r\n", "line 1, byte 2 of its head: a request begins with a method"},
           {request, std::string(65, 'A') + " / HTTP/1.1\r\n",
            "line 1, byte 1 of its head: the method has more than 64"},
           {request, "GET  / HTTP/1.1\r\n",
            "line 1, byte 5 of its head: the request target is empty, or there are two"},
           {request, "GET /\r\n", "line 1, byte 6 of its head: no HTTP version follows the request target"},
           {request, "GET /a b HTTP/1.1\r\n", "line 1, byte 8 of its head: \"HTTP/1.1\" or \"HTTP/1.0\" must follow"},
           {request, "GET / HTTP/2.0\r\n", "line 1, byte 7 of its head: \"HTTP/1.1\" or \"HTTP/1.0\" must follow"},
           {request, get + "Host: x\r\nA b: zerah\r\n\r\n",
            "line 3, byte 2 of its head: a header field's name holds a space or a byte that no name may"},
           {request, get + "no field\r\n\r\n",
            "line 2, byte 1 of its head: a header field is a name, a colon and a value"},
           {request, get + " Host: x\r\n\r\n", "line 2, byte "},
           {request, get + "X-Key: ze\x01rah\r\n\r\n",
            "line 2, byte 10 of its head: there is a control byte in the value of X-Key"},
           {request, get + "Content-Length: 1x\r\n\r\n",
            "line 2, byte 17 of its head: 1 to 18 digits are expected as the value of Content-Length"},
           {request, get + "Content-Length: 1\r\n 2\r\n\r\n", "line 3, byte "},
           {response, "HTTP/1.1 2OO OK\r\n", "line 1, byte 10 of its head: a response begins with"},
           {response, "HTTP/1.1 099 OK\r\n", "line 1, byte 10 of its head: the status is below 100"},
           {response, "220 ready\r\n", "line 1, byte 1 of its head: a response begins with \"HTTP/1.1\", one space"},
           {response, chunked + "zz\r\n", "its chunked body: a chunk's size is 1 to 15 hexadecimal digits"},
           {response, chunked + "1\r\nab\r\n", "its chunked body: CRLF follows the content of a chunk"},
           {response, chunked + "1;a=\x01\r\n", "its chunked body: a chunk's extension holds a control byte"},
           {response, chunked + "1\rx", "its chunked body: the line of a chunk's size ends with CRLF"},
           {response, chunked + "0\r\nno field\r\n\r\n", "its chunked body: a trailer field cannot be read"},
       }) {
    auto why = refusal(w.side, w.bytes, w.bytes.size());
    EXPECT_TRUE(why.starts_with(w.why)) << w.bytes << why;
    EXPECT_EQ(why.find("rah"), why.npos) << "a value is nobody's business";
    for (std::size_t piece = 1; piece < 8; piece++) EXPECT_EQ(refusal(w.side, w.bytes, piece), why) << w.bytes << piece;
  }
  H1Codec few(request, {.fields = 1});
  EXPECT_EQ(few.take(get + "A: 1\r\nB: 2\r\n\r\n").step, H1Codec::Step::refused);
  EXPECT_EQ(few.why(), "1 fields");
}

}  // namespace
}  // namespace retrial::proxy
