// Windows, both ways; and what is bounded.
#include "tests/proxy/h2_ends.h"

namespace retrial::proxy {
namespace {
using namespace h2_test;

constexpr H2Codec::Limits kSmall{.window = 1000};

TEST(H2Flow, a_stream_that_is_not_consumed_stops_no_other) {
  Greeted server(Role::server);
  ASSERT_TRUE(server.take(headers(1, post(), kEndHeaders) + headers(3, post(), kEndHeaders)));
  auto piece = data(3, std::string(16384, 'x'));
  ASSERT_TRUE(server.take(data(1, std::string(16384, 'y'))));
  std::uint32_t given_stream = 0, given_all = 0;
  for (int i = 0; i < 2000; i++) {  // 32 MiB, twice the connection's window
    ASSERT_TRUE(server.take(piece)) << server.codec.failure();
    server.codec.consumed(3, 16384);
    auto out = server.sent();
    for (std::string_view left = out; !left.empty(); left.remove_prefix(13)) {
      auto f = h2_frame(&left[0]);
      ASSERT_TRUE(f.is(H2Type::window_update));
      ASSERT_NE(f.stream, 1u);
      (f.stream ? given_stream : given_all) += h2_number(left, 9);
    }
  }
  EXPECT_EQ(server.codec.faults(), 0u);
  EXPECT_GT(given_stream, 2000u * 16384 - (256u << 10) / 2 - 1);
  EXPECT_GT(given_all, 2000u * 16384 - (8u << 20) - 1);
}
TEST(H2Flow, a_window_is_given_back_when_half_of_it_was_consumed) {
  Greeted server(Role::server, kSmall);
  ASSERT_TRUE(server.take(headers(1, post(), kEndHeaders) + data(1, std::string(1000, 'x'))));
  server.codec.consumed(1, 499);
  EXPECT_EQ(server.sent(), "");
  server.codec.consumed(1, 1);
  EXPECT_EQ(server.sent(), window(1, 500));
  ASSERT_TRUE(server.take(data(1, std::string(500, 'x'))));
  server.codec.consumed(1, 1000);
  EXPECT_EQ(server.sent(), window(1, 1000));
  ASSERT_TRUE(server.take(data(1, std::string(1001, 'x'))));
  EXPECT_EQ(server.sent(), rst(1, H2Error::flow_control_error));
  EXPECT_EQ(server.codec.last_fault(), "DATA on stream 1: beyond its window");
}
TEST(H2Flow, a_window_may_grow_with_what_was_consumed) {
  Greeted server(Role::server, kSmall);
  ASSERT_TRUE(server.take(headers(1, post(), kEndHeaders) + data(1, std::string(1000, 'x'))));
  server.codec.consumed(1, 500, 9000);
  EXPECT_EQ(server.sent(), window(1, 9500));
  ASSERT_TRUE(server.take(data(1, std::string(9500, 'x'))));
  EXPECT_EQ(server.codec.faults(), 0u);
  server.codec.consumed(1, 4999);
  EXPECT_EQ(server.sent(), "");
  server.codec.consumed(1, 1);
  EXPECT_EQ(server.sent(), window(1, 5000));
}
TEST(H2Flow, padding_is_given_back_by_the_codec) {
  Greeted server(Role::server, kSmall);
  ASSERT_TRUE(server.take(headers(1, post(), kEndHeaders)));
  ASSERT_TRUE(server.take(frame(H2Type::data, h2_flag::padded, 1, "\xff" + std::string(255, 0))));
  EXPECT_EQ(server.sent(), "");
  ASSERT_TRUE(server.take(frame(H2Type::data, h2_flag::padded, 1, "\xff" + std::string(255, 0))));
  EXPECT_EQ(server.sent(), window(1, 512));
}
TEST(H2Flow, after_the_end_of_a_body_its_window_is_not_given_back) {
  Greeted server(Role::server, kSmall);
  ASSERT_TRUE(server.take(headers(1, post(), kEndHeaders) + data(1, std::string(1000, 'x'), true)));
  server.codec.consumed(1, 1000);
  EXPECT_EQ(server.sent(), "");
}
TEST(H2Flow, the_windows_are_signed_and_follow_the_settings) {
  Greeted server(Role::server, {}, {}, setting(4, 100));
  ASSERT_TRUE(server.take(headers(1, get()) + headers(3, get())));
  server.answer(1, false);
  EXPECT_EQ(server.codec.room(1), 100u);
  server.codec.data(1, std::string(100, 'x'), false);
  EXPECT_EQ(server.codec.room(1), 0u);
  server.heard();
  ASSERT_TRUE(server.take(frame(H2Type::settings, 0, 0, setting(4, 40))));  // -60
  ASSERT_TRUE(server.take(window(1, 60)));
  EXPECT_EQ(server.codec.room(1), 0u);
  EXPECT_EQ(server.codec.room(3), 40u);
  EXPECT_EQ(server.heard(), Told{"settings"});
  ASSERT_TRUE(server.take(window(1, 1)));
  EXPECT_EQ(server.codec.room(1), 1u);
  ASSERT_TRUE(server.take(window(1, 1)));
  EXPECT_EQ(server.heard(), Told{"1 room"});
  ASSERT_TRUE(server.take(frame(H2Type::settings, 0, 0, setting(4, 50))));
  EXPECT_EQ(server.codec.room(1), 12u);
  EXPECT_EQ(server.heard(), (Told{"settings", "0 room"}));
}
TEST(H2Flow, the_connections_window_holds_for_all_streams) {
  Greeted server(Role::server, {}, {}, setting(4, 100000));
  ASSERT_TRUE(server.take(headers(1, get()) + headers(3, get())));
  server.heard();
  server.answer(1, false);
  server.answer(3, false);
  EXPECT_EQ(server.codec.room(1), 65535u);
  server.codec.data(1, std::string(65535, 'x'), false);
  EXPECT_EQ(server.codec.room(3), 0u);
  ASSERT_TRUE(server.take(window(3, 5)));
  EXPECT_EQ(server.heard(), Told{});
  ASSERT_TRUE(server.take(window(0, 7)));
  EXPECT_EQ(server.heard(), Told{"0 room"});
  EXPECT_EQ(server.codec.room(3), 7u);
  server.codec.data(3, "", true);  // an end needs no room
  EXPECT_EQ(server.codec.room(3), 0u);
  EXPECT_TRUE(server.sent().ends_with(data(3, "", true)));
}
TEST(H2Flow, a_client_knows_the_room_of_a_stream_before_it_is_opened) {
  Greeted client(Role::client, {}, {}, setting(4, 10));
  auto stream = client.codec.open();
  EXPECT_EQ(client.codec.room(stream), 10u);
}
TEST(H2Flow, a_peer_that_sends_beyond_the_connections_window_is_cut_off) {
  End server(Role::server, {.window = 0x7fffffff});
  std::string bytes = client_hello() + headers(1, post(), kEndHeaders);
  ASSERT_TRUE(server.codec.take(bytes, 1));
  H2Codec late(Role::server, server, {.window = 0x7fffffff});  // nothing was said yet: 65535
  ASSERT_TRUE(late.take(bytes, 1));
  auto piece = data(1, std::string(16384, 'x'));
  for (int i = 0; i < 3; i++) ASSERT_TRUE(late.take(piece, 1));
  EXPECT_FALSE(late.take(piece, 1));
  EXPECT_EQ(late.failure(), "DATA on stream 1: beyond the connection's window");
  EXPECT_EQ(late.failure_code(), static_cast<std::uint32_t>(H2Error::flow_control_error));
}
TEST(H2Flow, a_smaller_window_holds_once_it_is_acknowledged) {
  Greeted server(Role::server, {}, {.initial_window = 1000});
  ASSERT_TRUE(server.take(headers(1, post(), kEndHeaders)));
  server.codec.settings({.initial_window = 10});
  ASSERT_TRUE(server.take(data(1, std::string(500, 'x'))));
  EXPECT_EQ(server.codec.faults(), 0u);
  ASSERT_TRUE(server.take(settings_ack() + data(1, "x")));
  EXPECT_EQ(server.codec.last_fault(), "DATA on stream 1: beyond its window");
}
TEST(H2Flow, an_end_without_data_passes_a_window_below_zero) {
  Greeted server(Role::server, {}, {.initial_window = 1000});
  ASSERT_TRUE(server.take(headers(1, post(), kEndHeaders)));
  server.codec.settings({.initial_window = 10});
  ASSERT_TRUE(server.take(data(1, std::string(500, 'x')) + settings_ack() + data(1, "", true)));
  EXPECT_EQ(server.heard(), (Told{"1 POST / a", "1 data " + std::string(500, 'x') + " end"}));
}
TEST(H2Flow, a_larger_window_or_frame_may_be_used_before_it_is_acknowledged) {
  Greeted server(Role::server, {}, {.initial_window = 1000});
  ASSERT_TRUE(server.take(headers(1, post(), kEndHeaders)));
  server.codec.settings({.initial_window = 30000, .max_frame = 20000});
  ASSERT_TRUE(server.take(data(1, std::string(20000, 'x'))));
  EXPECT_EQ(server.codec.faults(), 0u);
}

// --- attacks

void is_cut_off(Role role, std::string_view begin, std::string_view repeated, std::size_t at_least, std::size_t at_most,
                std::string_view why, unsigned requests = 0) {
  Greeted end(role);
  for (unsigned i = 0; i < requests; i++) end.request();
  ASSERT_TRUE(end.take(begin));
  std::size_t n = 0;
  while (n <= at_most && end.take(repeated)) n++;
  EXPECT_GE(n, at_least) << why;
  EXPECT_LE(n, at_most) << why;
  EXPECT_EQ(show_h2_error(end.codec.failure_code()), "ENHANCE_YOUR_CALM");
  EXPECT_EQ(end.codec.failure(), why);
  auto out = end.sent();
  EXPECT_TRUE(out.ends_with(goaway(end.codec.last_stream(), H2Error::enhance_your_calm, why)));
}
TEST(H2Attacks, frames_that_bring_nothing_on_are_bounded) {
  auto why = "too many frames that bring nothing on";
  is_cut_off(Role::server, "", frame(H2Type::ping, 0, 0, "12345678"), 9990, 10000, why);
  is_cut_off(Role::client, "", frame(H2Type::ping, h2_flag::ack, 0, "12345678"), 9990, 10000, why);
  is_cut_off(Role::server, "", frame(H2Type::settings, 0, 0), 9990, 10000, why);
  is_cut_off(Role::server, "", settings_ack(), 9990, 10000, why);
  is_cut_off(Role::server, "", frame(H2Type::priority, 0, 1, "\0\0\0\0\0"s), 9990, 10000, why);
  is_cut_off(Role::server, "", window(0, 1), 9990, 10000, why);
  is_cut_off(Role::server, headers(1, post(), kEndHeaders), data(1, ""), 9990, 10000, why);
  is_cut_off(Role::server, headers(1, post(), kEndHeaders), frame(H2Type::data, h2_flag::padded, 1, "\0"s), 9990, 10000,
             why);
  is_cut_off(Role::server, headers(1, post(), kEndHeaders) + rst(1, H2Error::cancel), rst(1, H2Error::cancel), 9990,
             10000, why);
  is_cut_off(Role::client, "", goaway(0x7fffffff, H2Error::no_error, ""), 9990, 10000, why);
  is_cut_off(Role::server, "", "\0\0\0\x42\0\0\0\0\0"s, 9990, 10000, why);
}
TEST(H2Attacks, such_frames_are_free_where_they_follow_data) {
  Greeted server(Role::server, {}, {}, setting(4, 0x7fffffff));
  ASSERT_TRUE(server.take(headers(1, get())));
  server.answer(1, false);
  for (int i = 0; i < 30000; i++) {
    server.codec.data(1, "x", false);
    server.sent();
    ASSERT_TRUE(server.take(window(0, 1) + frame(H2Type::ping, 0, 0, "12345678"))) << i;
  }
}
TEST(H2Attacks, a_second_brings_back_a_part) {
  Greeted server(Role::server);
  auto ping = frame(H2Type::ping, 0, 0, "12345678");
  std::string pings;
  for (int i = 0; i < 1000; i++) pings += ping;
  for (int i = 0; i < 9; i++) ASSERT_TRUE(server.codec.take(pings, 1));
  for (Nanos second = 1; second < 100; second++) ASSERT_TRUE(server.codec.take(pings, 1 + second * kSecond)) << second;
  EXPECT_FALSE(server.codec.take(pings + pings, 1 + 99 * kSecond));
}
TEST(H2Attacks, rapid_reset_is_bounded) {
  Greeted server(Role::server);
  std::uint32_t stream = 1;
  for (; stream < 9999; stream += 2)
    if (!server.take(headers(stream, get()) + rst(stream, H2Error::cancel))) break;
  EXPECT_EQ(stream, 2001u);
  EXPECT_EQ(server.codec.failure(), "too many streams were reset by the client");
  EXPECT_EQ(server.codec.streams(), 1u);
}
TEST(H2Attacks, streams_that_the_client_has_us_reset_are_bounded_too) {
  for (auto& bad : {window(1, 0), headers(1, get({{"", "x"}})), headers(1, get())}) {
    Greeted server(Role::server, {}, {.max_streams = 1});
    ASSERT_TRUE(server.take(headers(1, get())));
    std::uint32_t stream = 3;
    for (; stream < 9999; stream += 2) {
      auto again = bad;
      h2_put_number(again.data() + 5, stream);
      if (!server.take(bad.starts_with("\0\0\4\x8"s) ? headers(stream, get()) + again : again)) break;
    }
    EXPECT_EQ(stream, 2003u);
    EXPECT_TRUE(server.codec.failure().starts_with("too many streams were reset: ")) << server.codec.failure();
  }
}
TEST(H2Attacks, a_service_may_reset_as_many_of_our_streams_as_it_likes) {
  Greeted client(Role::client);
  for (int i = 0; i < 5000; i++) ASSERT_TRUE(client.take(rst(client.request(), H2Error::refused_stream)));
}
TEST(H2Attacks, continuation_frames_are_bounded_in_number_and_bytes) {
  is_cut_off(Role::server, frame(H2Type::headers, 0, 1, block(get())), frame(H2Type::continuation, 0, 1), 256, 300,
             "CONTINUATION on stream 1: a field section that is far too large");
  auto field = block({{"x", std::string(10000, 'x')}});
  is_cut_off(Role::server, frame(H2Type::headers, 0, 1, block(get())), frame(H2Type::continuation, 0, 1, field), 30, 60,
             "CONTINUATION on stream 1: a field section that is far too large");
}
TEST(H2Attacks, a_bomb_of_fields_is_not_decoded_to_its_end) {
  auto field = "\x40"s + literal("x") + literal(std::string(4000, 'x'));
  auto bomb = std::string(16000, '\xbe');  // the same, 16000 times
  Greeted server(Role::server);
  ASSERT_TRUE(server.take(frame(H2Type::headers, kWhole, 1, block(get()) + field)));
  EXPECT_FALSE(server.take(frame(H2Type::headers, kWhole, 3, bomb)));
  EXPECT_EQ(server.codec.failure(), "HEADERS on stream 3: the fields are far too large");
  EXPECT_EQ(show_h2_error(server.codec.failure_code()), "ENHANCE_YOUR_CALM");
}
TEST(H2Attacks, after_a_failure_nothing_more_is_taken) {
  Greeted server(Role::server);
  EXPECT_FALSE(server.take(frame(H2Type::ping, 0, 1, "12345678")));
  server.sent();
  EXPECT_FALSE(server.take(headers(1, get())));
  EXPECT_EQ(server.heard(), Told{});
  EXPECT_EQ(server.sent(), "");
}

}  // namespace
}  // namespace retrial::proxy
