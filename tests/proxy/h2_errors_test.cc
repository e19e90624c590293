// Which error a wrong frame is, and that a stream's error leaves the others alone.
#include "tests/proxy/h2_ends.h"

namespace retrial::proxy {
namespace {
using namespace h2_test;

// The whole connection ends.
void ends(std::string_view bytes, H2Error code, std::string_view failure, std::uint32_t last = 0,
          Role role = Role::server, unsigned requests = 0) {
  auto hello = role == Role::server ? client_hello() : service_hello();
  auto o = in_all_pieces(role, hello + std::string(bytes), requests);
  EXPECT_FALSE(o.ok) << failure;
  EXPECT_EQ(show_h2_error(o.code), show_h2_error(static_cast<std::uint32_t>(code))) << failure;
  EXPECT_EQ(o.failure, failure);
  EXPECT_TRUE(o.out.ends_with(goaway(last, code, failure))) << failure;
  EXPECT_TRUE(o.speaks_h2);
}
// One stream ends; a request after it is heard.
void resets(std::string_view bytes, std::uint32_t stream, H2Error code, std::string_view why, Told told = {}) {
  auto o = in_all_pieces(Role::server, client_hello() + std::string(bytes) + headers(99, get()));
  EXPECT_TRUE(o.ok) << o.failure;
  told.insert(told.begin(), "settings");
  told.push_back("99 GET / a end");
  EXPECT_EQ(o.told, told) << why;
  EXPECT_EQ(o.out, settings_ack() + rst(stream, code)) << why;
  EXPECT_EQ(o.last_fault, why);
}
constexpr auto kProtocol = H2Error::protocol_error, kSize = H2Error::frame_size_error,
               kFlow = H2Error::flow_control_error, kClosed = H2Error::stream_closed;

TEST(H2Errors, frames_of_a_wrong_length_end_the_connection) {
  auto open = headers(1, post(), kEndHeaders);
  ends(frame(H2Type::ping, 0, 0, "1234567"), kSize, "PING on stream 0: not of 8 bytes");
  ends(frame(H2Type::settings, 0, 0, "12345"), kSize, "SETTINGS on stream 0: not of 6 bytes each");
  ends(frame(H2Type::settings, h2_flag::ack, 0, setting(3, 1)), kSize,
       "SETTINGS on stream 0: an acknowledgement with a payload");
  ends(open + frame(H2Type::rst_stream, 0, 1, "123"), kSize, "RST_STREAM on stream 1: not of 4 bytes", 1);
  ends(open + frame(H2Type::window_update, 0, 1, "12345"), kSize, "WINDOW_UPDATE on stream 1: not of 4 bytes", 1);
  ends(frame(H2Type::goaway, 0, 0, "1234567"), kSize, "GOAWAY on stream 0: less than 8 bytes");
  ends(open + data(1, std::string(16385, 'x')).substr(0, 9), kSize, "DATA on stream 1: larger than it may be", 1);
  ends(frame(H2Type::headers, h2_flag::padded, 1), kSize, "HEADERS on stream 1: no length of padding");
  ends(frame(H2Type::headers, h2_flag::priority, 1, "1234"), kSize, "HEADERS on stream 1: no priority");
  ends(open + frame(H2Type::data, h2_flag::padded, 1), kSize, "DATA on stream 1: no length of padding", 1);
  ends(open + frame(H2Type::data, h2_flag::padded, 1, "\1"), kProtocol, "DATA on stream 1: more padding than payload",
       1);
  ends(frame(H2Type::headers, h2_flag::padded | kWhole, 1, "\3ab"), kProtocol,
       "HEADERS on stream 1: more padding than payload");
  ends(frame(H2Type::priority, 0, 1, "1234"), kSize, "PRIORITY on stream 1: not of 5 bytes");
  resets(headers(1, get()) + frame(H2Type::priority, 0, 1, "1234"), 1, kSize, "PRIORITY on stream 1: not of 5 bytes",
         {"1 GET / a end", "1 reset FRAME_SIZE_ERROR by us"});
}
TEST(H2Errors, frames_of_the_wrong_stream_end_the_connection) {
  ends(data(0, "x"), kProtocol, "DATA on stream 0: the stream is idle");
  ends(headers(0, get()), kProtocol, "HEADERS on stream 0: not of a stream of the client's");
  ends(headers(2, get()), kProtocol, "HEADERS on stream 2: not of a stream of the client's");
  ends(frame(H2Type::settings, 0, 1), kProtocol, "SETTINGS on stream 1: not of stream 0");
  ends(frame(H2Type::ping, 0, 1, "12345678"), kProtocol, "PING on stream 1: not of stream 0");
  ends(frame(H2Type::goaway, 0, 1, "12345678"), kProtocol, "GOAWAY on stream 1: not of stream 0");
  ends(frame(H2Type::priority, 0, 0, "12345"), kProtocol, "PRIORITY on stream 0: of no stream");
  ends(rst(0, H2Error::cancel), kProtocol, "RST_STREAM on stream 0: the stream is idle");
}
TEST(H2Errors, a_stream_that_is_idle_takes_nothing_but_headers_and_priority) {
  ends(data(1, "x"), kProtocol, "DATA on stream 1: the stream is idle");
  ends(rst(1, H2Error::cancel), kProtocol, "RST_STREAM on stream 1: the stream is idle");
  ends(window(1, 1), kProtocol, "WINDOW_UPDATE on stream 1: the stream is idle");
  ends(window(2, 1), kProtocol, "WINDOW_UPDATE on stream 2: the stream is idle");
  ends(headers(3, {{":status", "200"}}), kProtocol, "HEADERS on stream 3: the stream is idle", 0, Role::client, 1);
  ends(data(3, "x"), kProtocol, "DATA on stream 3: the stream is idle", 0, Role::client, 1);
}
TEST(H2Errors, a_field_section_is_not_interrupted) {
  auto begun = frame(H2Type::headers, kEndStream, 1, block(get()));
  ends(begun + data(1, "x"), kProtocol, "DATA on stream 1: in the middle of a field section");
  ends(begun + frame(H2Type::ping, 0, 0, "12345678"), kProtocol, "PING on stream 0: in the middle of a field section");
  ends(begun + frame(H2Type::continuation, kEndHeaders, 3), kProtocol,
       "CONTINUATION on stream 3: in the middle of a field section");
  ends(begun + "\0\0\1\x55\0\0\0\0\0x"s, kProtocol,
       "a frame of no known type on stream 0: in the middle of a field section");
  ends(frame(H2Type::continuation, kEndHeaders, 1), kProtocol, "CONTINUATION on stream 1: of no field section");
}
TEST(H2Errors, settings_have_their_bounds) {
  auto says = [](std::uint16_t id, std::uint32_t value) { return frame(H2Type::settings, 0, 0, setting(id, value)); };
  ends(says(2, 2), kProtocol, "SETTINGS on stream 0: a value that it may not have");
  ends(says(4, 0x80000000), kFlow, "SETTINGS on stream 0: a value that it may not have");
  ends(says(5, 16383), kProtocol, "SETTINGS on stream 0: a value that it may not have");
  ends(says(5, 1u << 24), kProtocol, "SETTINGS on stream 0: a value that it may not have");
  ends(says(8, 2), kProtocol, "SETTINGS on stream 0: a value that it may not have");
  ends(says(8, 1) + says(8, 0), kProtocol, "SETTINGS on stream 0: a value that it may not have");
  ends(says(2, 1), kProtocol, "SETTINGS on stream 0: a value that it may not have", 0, Role::client);
}
TEST(H2Errors, the_first_frame_is_settings) {
  auto o = in_all_pieces(Role::server, std::string(kH2Preface) + frame(H2Type::ping, 0, 0, "12345678"));
  EXPECT_EQ(o.failure, "PING on stream 0: before SETTINGS");
  EXPECT_TRUE(o.speaks_h2);
  EXPECT_EQ(in_all_pieces(Role::server, std::string(kH2Preface) + settings_ack()).failure,
            "SETTINGS on stream 0: before SETTINGS");
}
TEST(H2Errors, push_is_refused) {
  ends(frame(H2Type::push_promise, kEndHeaders, 1, "\0\0\0\2"s), kProtocol, "PUSH_PROMISE on stream 1: push is off", 0,
       Role::client, 1);
}
TEST(H2Errors, a_section_that_cannot_be_decoded_ends_the_connection) {
  ends(frame(H2Type::headers, kWhole, 1, "\x80"), H2Error::compression_error,
       "HEADERS on stream 1: the field section cannot be decoded");
  ends(frame(H2Type::headers, kWhole, 1, "\xff\xff\xff\xff\xff\xff"), H2Error::compression_error,
       "HEADERS on stream 1: the field section cannot be decoded");
  ends(frame(H2Type::headers, kWhole, 1, block(get()) + "\x41"), H2Error::compression_error,
       "HEADERS on stream 1: the field section cannot be decoded");
  // A table larger than we said.
  ends(frame(H2Type::headers, kWhole, 1, "\x3f\xe2\x1f" + block(get())), H2Error::compression_error,
       "HEADERS on stream 1: the field section cannot be decoded");
}
TEST(H2Errors, a_window_of_more_than_2_to_31_is_an_error_of_what_it_is_of) {
  ends(window(0, 0x7fffffff), kFlow, "WINDOW_UPDATE on stream 0: beyond 2^31-1");
  ends(window(0, 0), kProtocol, "WINDOW_UPDATE on stream 0: by nothing");
  resets(headers(1, get()) + window(1, 0x7fffffff), 1, kFlow, "WINDOW_UPDATE on stream 1: beyond 2^31-1",
         {"1 GET / a end", "1 reset FLOW_CONTROL_ERROR by us"});
  resets(headers(1, get()) + window(1, 0), 1, kProtocol, "WINDOW_UPDATE on stream 1: by nothing",
         {"1 GET / a end", "1 reset PROTOCOL_ERROR by us"});
  ends(headers(1, get()) + window(1, 0x7fff0000) + frame(H2Type::settings, 0, 0, setting(4, 0x20000)), kFlow,
       "SETTINGS on stream 0: a stream's window grows beyond 2^31-1", 1);
}
TEST(H2Errors, what_follows_the_end_of_a_stream_resets_it) {
  resets(headers(1, get()) + data(1, "x"), 1, kClosed, "DATA on stream 1: after its end",
         {"1 GET / a end", "1 reset STREAM_CLOSED by us"});
  resets(headers(1, get()) + headers(1, get()), 1, kClosed, "HEADERS on stream 1: after its end",
         {"1 GET / a end", "1 reset STREAM_CLOSED by us"});
}
TEST(H2Errors, a_stream_that_ended_on_both_sides_takes_no_headers) {
  Greeted server(Role::server);
  ASSERT_TRUE(server.take(headers(1, get()) + headers(3, get())));
  server.answer(1, true);
  server.answer(3, true);
  EXPECT_EQ(server.codec.streams(), 0u);
  ASSERT_TRUE(server.take(data(1, "x") + window(3, 1) + rst(3, H2Error::cancel)));
  EXPECT_EQ(server.sent(), rst(1, kClosed));
  ASSERT_TRUE(server.take(data(1, "x")));  // on its way before it heard of that
  EXPECT_EQ(server.sent(), "");
  EXPECT_FALSE(server.take(headers(3, get())));
  EXPECT_EQ(server.sent(), goaway(3, kClosed, "HEADERS on stream 3: it has ended"));
}
TEST(H2Errors, of_a_stream_that_the_peer_reset_nothing_more_is_taken) {
  auto begun = headers(1, post(), kEndHeaders) + rst(1, H2Error::cancel);
  Told told{"1 POST / a", "1 reset CANCEL"};
  resets(begun + data(1, "x"), 1, kClosed, "DATA on stream 1: it is closed", told);
  resets(begun + headers(1, get()), 1, kClosed, "HEADERS on stream 1: it is closed", told);
  auto o = in_all_pieces(Role::server, client_hello() + begun + window(1, 1) + rst(1, H2Error::cancel) +
                                           frame(H2Type::priority, 0, 1, "\0\0\0\0\0"s));
  EXPECT_TRUE(o.ok);
  EXPECT_EQ(o.out, settings_ack());
}
TEST(H2Errors, of_a_stream_that_we_reset_what_is_on_its_way_is_dropped_and_its_fields_are_decoded) {
  Greeted client(Role::client), server(Role::server);
  auto stream = client.codec.open();
  H2Field head[] = {{":method", "POST"}, {":scheme", "http"}, {":path", "/"}, {":authority", "a"}, {"x-first", "1"}};
  client.codec.head(stream, head, false);
  ASSERT_TRUE(server.take(client.sent()));
  server.codec.reset(stream, static_cast<std::uint32_t>(H2Error::cancel));
  EXPECT_EQ(server.sent(), rst(stream, H2Error::cancel));
  client.codec.data(stream, "on its way", false);
  H2Field trailers[] = {{"x-second", "2"}};
  client.codec.trailers(stream, trailers);
  H2Field again[] = {{":method", "GET"}, {":scheme", "http"}, {":path", "/"}, {":authority", "a"}, {"x-second", "2"}};
  client.codec.head(client.codec.open(), again, true);
  server.heard();
  ASSERT_TRUE(server.take(client.sent()));
  EXPECT_EQ(server.heard(), Told{"3 GET / a x-second=2 end"});
  EXPECT_EQ(server.sent(), "");
  server.codec.head(stream, again, true);
  server.codec.data(stream, "x", true);
  server.codec.reset(stream, 8);
  server.codec.consumed(stream, 1 << 20);
  EXPECT_EQ(server.sent(), "");
}
TEST(H2Errors, numbers_that_were_skipped_are_gone) {
  ends(headers(5, get()) + headers(3, get()), kProtocol, "HEADERS on stream 3: a higher stream was opened before", 5);
  resets(headers(5, get()) + data(3, "x"), 3, kClosed, "DATA on stream 3: it is closed", {"5 GET / a end"});
  // So long ago that it is not known what was of it.
  Greeted server(Role::server);
  for (std::uint32_t stream = 1; stream < 5001; stream += 4) {
    ASSERT_TRUE(server.take(headers(stream, get())));
    server.answer(stream, true);
  }
  ASSERT_TRUE(server.take(headers(3, get())));
  EXPECT_EQ(server.sent(), rst(3, kClosed));
  EXPECT_FALSE(server.take(headers(4995, get())));
  EXPECT_EQ(server.codec.failure(), "HEADERS on stream 4995: a higher stream was opened before");
}
TEST(H2Errors, a_stream_that_depends_on_itself_is_reset) {
  auto itself = frame(H2Type::headers, kWhole | h2_flag::priority, 1, "\0\0\0\1\7"s + block(get()));
  resets(itself, 1, kProtocol, "HEADERS on stream 1: depends on itself");
  resets(headers(1, get()) + frame(H2Type::priority, 0, 1, "\x80\0\0\1\7"s), 1, kProtocol,
         "PRIORITY on stream 1: depends on itself", {"1 GET / a end", "1 reset PROTOCOL_ERROR by us"});
  ends(frame(H2Type::priority, 0, 1, "\0\0\0\1\7"s), kProtocol, "PRIORITY on stream 1: depends on itself");
}
TEST(H2Errors, more_streams_than_may_be_open_are_refused) {
  Greeted server(Role::server, {}, {.max_streams = 2});
  ASSERT_TRUE(server.take(headers(1, get()) + headers(3, get()) + headers(5, get())));
  EXPECT_EQ(server.heard(), (Told{"1 GET / a end", "3 GET / a end"}));
  EXPECT_EQ(server.sent(), rst(5, H2Error::refused_stream));
  EXPECT_EQ(server.codec.faults(), 1u);
  EXPECT_EQ(server.codec.last_stream(), 3u);
  server.answer(1, true);
  ASSERT_TRUE(server.take(headers(7, get())));
  EXPECT_EQ(server.heard(), Told{"7 GET / a end"});
}
TEST(H2Errors, a_limit_that_is_lowered_holds_once_it_is_acknowledged) {
  Greeted server(Role::server, {}, {.max_streams = 2});
  server.codec.settings({.max_streams = 1});
  server.sent();
  ASSERT_TRUE(server.take(headers(1, get()) + headers(3, get())));
  EXPECT_EQ(server.sent(), "");
  ASSERT_TRUE(server.take(settings_ack() + headers(5, get())));
  EXPECT_EQ(server.sent(), rst(5, H2Error::refused_stream));
}
TEST(H2Errors, a_service_that_sends_a_body_before_a_head_resets_its_stream) {
  auto o = in_all_pieces(Role::client, service_hello() + data(1, "x") + headers(3, {{":status", "200"}}), 2);
  EXPECT_EQ(o.told, (Told{"settings", "1 reset PROTOCOL_ERROR by us", "3 200 end"}));
  EXPECT_EQ(o.last_fault, "DATA on stream 1: before the response's head");
  auto interim =
      in_all_pieces(Role::client, service_hello() + headers(1, {{":status", "100"}}, kEndHeaders) + data(1, "x"), 1);
  EXPECT_EQ(interim.told, (Told{"settings", "1 100", "1 reset PROTOCOL_ERROR by us"}));
}

TEST(H2Goaway, streams_above_the_last_are_dropped_unheard) {
  Greeted server(Role::server);
  ASSERT_TRUE(server.take(headers(1, post(), kEndHeaders) + headers(3, post(), kEndHeaders)));
  server.heard();
  server.codec.goaway(1, 0, "bye");
  EXPECT_EQ(server.sent(), goaway(1, H2Error::no_error, "bye"));
  EXPECT_EQ(server.codec.streams(), 1u);
  auto indexed = "\x40"s + literal("x-new") + literal("1");  // what is dropped counts for HPACK
  ASSERT_TRUE(server.take(data(3, "x", true) + frame(H2Type::headers, kEndHeaders, 5, block(get()) + indexed) +
                          data(5, "y") + window(5, 1) + rst(5, H2Error::cancel) + data(1, "z") +
                          frame(H2Type::headers, kWhole, 1, "\xbe")));
  EXPECT_EQ(server.heard(), (Told{"1 data z", "1 trailers x-new=1"}));
  EXPECT_EQ(server.sent(), "");
  server.codec.goaway(5, 0);  // never higher than before
  EXPECT_EQ(server.sent(), goaway(1, H2Error::no_error, ""));
}
TEST(H2Goaway, a_client_is_told_what_will_not_be_executed_and_opens_no_more) {
  Greeted client(Role::client);
  client.request();
  client.request();
  ASSERT_TRUE(client.take(goaway(1, H2Error::enhance_your_calm, "too_many_pings")));
  EXPECT_EQ(client.heard(), Told{"goaway 1 ENHANCE_YOUR_CALM too_many_pings"});
  EXPECT_EQ(client.codec.streams(), 1u);
  EXPECT_EQ(client.codec.open(), 0u);
  ASSERT_TRUE(client.take(headers(1, {{":status", "200"}}) + headers(3, {{":status", "200"}})));
  EXPECT_EQ(client.heard(), Told{"1 200 end"});
}

}  // namespace
}  // namespace retrial::proxy
