// Byte by byte: what stands on the wire, and what comes of it in whatever pieces it arrives.
#include "tests/proxy/h2_ends.h"

namespace retrial::proxy {
namespace {
using namespace h2_test;

TEST(H2Frames, a_preface_says_what_differs_from_the_defaults) {
  End server(Role::server, {.window = 65535}, {.max_streams = 100, .connect_protocol = true});
  EXPECT_EQ(server.sent(),
            "\0\0\x0c\4\0\0\0\0\0"
            "\0\3\0\0\0\x64"
            "\0\x8\0\0\0\1"
            "\0\0\4\x8\0\0\0\0\0\0\xff\0\1"s);
  End client(Role::client);
  EXPECT_EQ(client.sent(),
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
            "\0\0\x0c\4\0\0\0\0\0"
            "\0\2\0\0\0\0"
            "\0\4\0\4\0\0"
            "\0\0\4\x8\0\0\0\0\0\0\xff\0\1"s);
}
TEST(H2Frames, the_window_that_start_is_handed_wins_over_that_of_limits) {
  End server(Role::server, {.window = 100}, {.initial_window = 70000});
  EXPECT_EQ(server.sent().substr(9, 6), setting(4, 70000));
}
TEST(H2Frames, what_is_answered_before_start_waits_behind_the_preface) {
  End heard(Role::server);
  H2Codec codec(Role::server, heard, {.window = 65535});
  EXPECT_TRUE(codec.take(client_hello() + frame(H2Type::ping, 0, 0, "12345678"), 1));
  EXPECT_EQ(codec.out(), "");
  codec.start({});
  EXPECT_EQ(codec.out(), frame(H2Type::settings, 0, 0) + window(0, (16u << 20) - 65535) + settings_ack() +
                             frame(H2Type::ping, h2_flag::ack, 0, "12345678"));
}
TEST(H2Frames, other_limits_are_said_in_settings_again_and_only_what_changed) {
  Greeted server(Role::server, {}, {.max_streams = 100});
  server.codec.settings({.max_streams = 100});
  EXPECT_EQ(server.sent(), "");
  server.codec.settings({.max_streams = 50});
  EXPECT_EQ(server.sent(), frame(H2Type::settings, 0, 0, setting(3, 50)));
}

TEST(H2Frames, a_request_is_told_in_the_words_of_http_1) {
  auto o = in_all_pieces(Role::server, client_hello() + headers(1, get({{"host", "A:80"}, {"x-y", "1"}, {"x-y", ""}})));
  EXPECT_EQ(o.told, (Told{"settings", "1 GET / a host=A:80 x-y=1 x-y= end"}));
  EXPECT_EQ(o.out, settings_ack());
}
TEST(H2Frames, a_body_comes_in_pieces_padding_left_out_and_ends_with_trailers) {
  auto bytes = client_hello() + headers(1, post(), kEndHeaders) + data(1, "abc") +
               frame(H2Type::data, h2_flag::padded, 1, "\3def\0\0\0"s) + data(1, "") + headers(1, {{"x-sum", "1"}});
  auto o = in_all_pieces(Role::server, bytes);
  EXPECT_EQ(o.told, (Told{"settings", "1 POST / a", "1 data abcdef", "1 trailers x-sum=1"}));
}
TEST(H2Frames, a_body_may_end_with_an_empty_frame_or_one_of_padding) {
  auto o = in_all_pieces(Role::server, client_hello() + headers(1, post(), kEndHeaders) + data(1, "a") +
                                           data(1, "", true) + headers(3, post(), kEndHeaders) +
                                           frame(H2Type::data, h2_flag::padded | kEndStream, 3, "\2\0\0"s));
  EXPECT_EQ(o.told, (Told{"settings", "1 POST / a", "1 data a end", "3 POST / a", "3 data  end"}));
}
TEST(H2Frames, a_field_section_may_be_padded_prioritised_and_continued) {
  auto all = block(get({{"x", "y"}}));
  auto bytes = client_hello() +
               frame(H2Type::headers, kEndStream | h2_flag::padded | h2_flag::priority, 1,
                     "\2" + "\0\0\0\0\7"s + all.substr(0, 5) + "\0\0"s) +
               frame(H2Type::continuation, 0, 1, all.substr(5, 10)) + frame(H2Type::continuation, 0, 1, "") +
               frame(H2Type::continuation, kEndHeaders, 1, all.substr(15));
  EXPECT_EQ(in_all_pieces(Role::server, bytes).told, (Told{"settings", "1 GET / a x=y end"}));
}
TEST(H2Frames, unknown_frames_and_settings_are_nothing_and_pings_are_answered) {
  auto bytes = client_hello() + "\0\0\5\x7f\xff\0\0\0\x63hello"s + frame(H2Type::settings, 0, 0, setting(0x99, 7)) +
               frame(H2Type::ping, 0, 0, "pingpong") + frame(H2Type::ping, h2_flag::ack, 0, "whatever") +
               frame(H2Type::priority, 0, 7, "\0\0\0\1\0"s) + headers(1, get());
  auto o = in_all_pieces(Role::server, bytes);
  EXPECT_EQ(o.told, (Told{"settings", "settings", "1 GET / a end"}));
  EXPECT_EQ(o.out, settings_ack() + settings_ack() + frame(H2Type::ping, h2_flag::ack, 0, "pingpong"));
}
TEST(H2Frames, a_response_may_be_preceded_by_interim_ones_and_ends_with_trailers) {
  auto bytes = service_hello() + headers(1, {{":status", "100"}}, kEndHeaders) +
               headers(1, {{":status", "103"}, {"link", "x"}}, kEndHeaders) +
               headers(1, {{":status", "200"}, {"a", "b"}}, kEndHeaders) + data(1, "xyz") +
               headers(1, {{"grpc-status", "0"}}) + headers(3, {{":status", "204"}});
  auto o = in_all_pieces(Role::client, bytes, 2);
  EXPECT_EQ(o.told, (Told{"settings", "1 100", "1 103 link=x", "1 200 a=b", "1 data xyz", "1 trailers grpc-status=0",
                          "3 204 end"}));
  EXPECT_EQ(o.out, settings_ack());
}
TEST(H2Frames, what_is_no_preface_is_known_by_the_first_bytes_that_differ) {
  auto http1 = in_all_pieces(Role::server, "GET / HTTP/1.1\r\n\r\n");
  EXPECT_FALSE(http1.speaks_h2);
  EXPECT_EQ(http1.out, goaway(0, H2Error::protocol_error, http1.failure));
  EXPECT_EQ(http1.failure, "the client's first bytes are not the preface of HTTP/2");
  EXPECT_FALSE(outcome(Role::server, "PRI * HTTP/1.1", 1).speaks_h2);
  EXPECT_TRUE(outcome(Role::server, "PRI * HTTP/2.0\r\n", 1).ok);
  auto answer = in_all_pieces(Role::client, "HTTP/1.1 400 Bad Request\r\n\r\n", 1);
  EXPECT_FALSE(answer.ok);
  EXPECT_FALSE(answer.speaks_h2);
  EXPECT_EQ(answer.failure, "the service answered with HTTP/1, not HTTP/2");
  EXPECT_EQ(in_all_pieces(Role::client, "220 ready\r\n").failure, "the service's first bytes are not HTTP/2");
  EXPECT_FALSE(outcome(Role::client, "HTTP", 1).speaks_h2);
  EXPECT_TRUE(outcome(Role::client, "\0\0\0"s, 1).ok);
}
TEST(H2Frames, a_section_larger_than_a_frame_goes_out_in_several) {
  Greeted client(Role::client);
  std::string value(40000, '~');  // 13 bits each in Huffman's code: stays as it is
  H2Field fields[] = {{":method", "GET"}, {":scheme", "http"}, {":path", "/"}, {":authority", "a"}, {"x", value, true}};
  client.codec.head(client.codec.open(), fields, true);
  auto out = client.sent();
  auto first = h2_frame(out.data());
  EXPECT_TRUE(first.is(H2Type::headers) && first.flags == kEndStream && first.length == 16384);
  auto second = h2_frame(out.data() + 9 + 16384);
  EXPECT_TRUE(second.is(H2Type::continuation) && second.flags == 0 && second.length == 16384);
  auto third = h2_frame(&out[2 * (9u + 16384u)]);
  EXPECT_TRUE(third.is(H2Type::continuation) && third.flags == kEndHeaders);
  Greeted server(Role::server);
  ASSERT_TRUE(server.take(out));
  EXPECT_EQ(server.heard(), Told{"1 GET / a x=" + value + " end"});
}
TEST(H2Frames, data_goes_out_in_frames_of_the_peers_size) {
  Greeted server(Role::server, {}, {}, setting(5, 20000) + setting(4, 100000));
  ASSERT_TRUE(server.take(headers(1, get()) + window(0, 100000)));
  server.answer(1, false);
  server.codec.data(1, std::string(45000, 'x'), true);
  EXPECT_EQ(server.sent(), data(1, std::string(20000, 'x')) + data(1, std::string(20000, 'x')) +
                               data(1, std::string(5000, 'x'), true));
  EXPECT_EQ(server.codec.streams(), 0u);
}
TEST(H2Frames, a_field_that_no_hop_may_index_stays_one) {
  Greeted client(Role::client), server(Role::server);
  H2Field fields[] = {{":method", "GET"},  {":scheme", "http"},          {":path", "/"},
                      {":authority", "a"}, {"authorization", "s", true}, {"x", "1"}};
  struct Listen : End {
    using End::End;
    void on_head(std::uint32_t, const Head& h, bool) override {
      for (auto& f : h.fields)
        if (f.sensitive) told.push_back(std::string(h.name(f)));
    }
  } listens(Role::server);
  client.codec.head(client.codec.open(), fields, true);
  ASSERT_TRUE(listens.codec.take(client_hello() + client.sent(), 1));
  EXPECT_EQ(listens.heard(), (Told{"settings", "authorization"}));
}
TEST(H2Frames, errors_have_the_names_of_the_rfc) {
  EXPECT_EQ(show_h2_error(0), "NO_ERROR");
  EXPECT_EQ(show_h2_error(7), "REFUSED_STREAM");
  EXPECT_EQ(show_h2_error(13), "HTTP_1_1_REQUIRED");
  EXPECT_EQ(show_h2_error(0x1f), "error 0x1f");
}

}  // namespace
}  // namespace retrial::proxy
