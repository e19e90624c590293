// How far a sender may be ahead of whoever reads its stream.
#include "proxy/connections/stream_window.h"
#include "tests/support/h2_end.h"

namespace retrial::test {
namespace {

constexpr std::size_t kNarrow = proxy::StreamWindows::kNarrow, kWide = 256u << 10,
                      kShares = proxy::StreamWindows::kShares;

class H2Windows : public H2Conversation {
 protected:
  static std::string n(std::uint32_t stream) { return std::to_string(stream); }
  void answers(std::uint32_t stream) {
    passes(asks(stream));
    passes_back("HEADERS " + n(stream) + " | :status: 200");
  }
  // All that one end may say on a stream while the other hears what comes; how much.
  std::size_t says_all(H2End& from, H2End& to, std::uint32_t stream) {
    std::size_t all = 0;
    for (;;) {
      quiet();
      to.heard_so_far(stream);
      from.hears_nothing();
      auto some = from.data_that_fits(stream, body, false);
      if (some == 0) return all;
      all += some;
    }
  }
  std::string body = std::string(kWide, 'a');
};

TEST_F(H2Windows, of_streams_that_nobody_reads_are_narrow_however_many_they_are_and_stop_no_other) {
  meet("4=0");
  client->gives_back(false);
  for (std::uint32_t stream = 1; stream < 200; stream += 2) {
    answers(stream);
    EXPECT_EQ(says_all(*service, *client, stream), kNarrow);
  }
  answers(201);
  client->say("WINDOW_UPDATE 201 1000000");
  EXPECT_GE(says_all(*service, *client, 201), 1'000'000u);
}
TEST_F(H2Windows, of_requests_that_the_service_does_not_read_are_narrow_too) {
  meet("4=16777216", "4=0");
  service->gives_back(false);
  for (std::uint32_t stream = 1; stream < 200; stream += 2) {
    passes(asks(stream, "POST /x", "", false));
    EXPECT_EQ(says_all(*client, *service, stream), kNarrow);
  }
}
TEST_F(H2Windows, of_responses_that_outlived_their_service_are_given_back_however_many_streams_end) {
  meet("4=10000");
  client->gives_back(false);
  constexpr std::uint32_t kAfter = 301;
  std::string resets;
  for (std::uint32_t stream = 1; stream < kAfter; stream += 2) {
    answers(stream);
    service->data_that_fits(stream, std::string(12'000, 'a'), true);
    quiet();
    client->heard_so_far(stream);
    resets += "RST_STREAM " + n(stream) + " CANCEL\n";
  }
  resets.pop_back();
  client->say(resets);  // more than are kept for the next
  quiet();
  answers(kAfter);
  EXPECT_EQ(says_all(*service, *client, kAfter), 10'000 + kWide);
}
TEST_F(H2Windows, are_wide_once_bytes_go_on) {
  meet("4=10000");
  client->gives_back(false);
  answers(1);
  EXPECT_EQ(says_all(*service, *client, 1), 10'000 + kWide);
  client->say("WINDOW_UPDATE 1 200000");
  EXPECT_EQ(says_all(*service, *client, 1), 200'000u);
}
TEST_F(H2Windows, are_wide_for_as_many_as_have_a_share_until_their_exchanges_are_over) {
  meet("4=8192");
  client->gives_back(false);
  constexpr std::size_t kGoesOn = 8192, kShare = kWide - kNarrow, kWithAShare = kShares / kShare;
  std::uint32_t stream = 1;
  for (std::size_t i = 0; i < kWithAShare + 10; i++, stream += 2) {
    answers(stream);
    EXPECT_EQ(says_all(*service, *client, stream), kGoesOn + (i < kWithAShare ? kWide : kNarrow)) << i;
  }
  // The service has ended its side, and the client does not read: what waits is still ours to keep.
  service->say("DATA 1 end ");
  answers(stream);
  EXPECT_EQ(says_all(*service, *client, stream), kGoesOn + kNarrow);
  client->say("RST_STREAM 1 CANCEL");
  quiet();
  answers(stream + 2);
  EXPECT_EQ(says_all(*service, *client, stream + 2), kGoesOn + kWide);
}
TEST_F(H2Windows, of_streams_that_break_off_keep_their_shares_while_what_they_left_waits) {
  meet("4=8192");
  client->gives_back(false);
  constexpr std::size_t kGoesOn = 8192, kWithAShare = kShares / (kWide - kNarrow);
  std::uint32_t stream = 1;
  for (std::size_t i = 0; i < kWithAShare; i++, stream += 2) {
    answers(stream);
    EXPECT_EQ(says_all(*service, *client, stream), kGoesOn + kWide) << i;
    service->say("RST_STREAM " + n(stream) + " CANCEL");
  }
  client->hears_nothing();
  answers(stream);
  EXPECT_EQ(says_all(*service, *client, stream), kGoesOn + kNarrow);
  client->say("RST_STREAM 1 CANCEL");
  quiet();
  answers(stream + 2);
  EXPECT_EQ(says_all(*service, *client, stream + 2), kGoesOn + kWide);
}
TEST_F(H2Windows, are_not_given_back_for_what_a_silence_leaves_unread) {
  meet("4=8192");
  client->gives_back(false);
  plan(1, "stall(after-response-head)");
  passes(asks(1));
  service->say("HEADERS 1 | :status: 200");
  client->hears("HEADERS 1 | :status: 200");
  EXPECT_LE(says_all(*service, *client, 1), kNarrow);
  answers(3);
  EXPECT_EQ(says_all(*service, *client, 3), 8192 + kWide) << "and stop no other";
}

TEST_F(H2Windows, are_not_for_interim_responses_that_the_client_does_not_read_and_these_are_not_kept_without_end) {
  buffers = 16 << 10;
  start({.buffer_limit = 64 << 10});
  meet("4=0");
  passes(asks(1));
  auto interim = "HEADERS 1 | :status: 103 | link: " + std::string(8000, 'a');
  for (int i = 0; i < 200; i++) {
    service->say(interim + std::to_string(100 + i));  // HPACK has none of them before
    while (service->unsent() > 0) quiet();
  }
  quiet();
  service->say("HEADERS 1 end | :status: 204");
  int heard = 0;
  auto frame = client->next();
  for (; frame.starts_with("HEADERS 1 | :status: 103"); frame = client->next()) heard++;
  EXPECT_EQ(frame, "HEADERS 1 end | :status: 204");
  EXPECT_GE(heard, 16);
  EXPECT_LT(heard, 100);
}

// --- what came before an end goes out before it

TEST_F(H2Windows, what_came_before_a_reset_is_heard_before_it) {
  meet("4=10");
  client->gives_back(false);
  passes(asks(1));
  service->say("HEADERS 1 | :status: 200");
  service->data(1, std::string(5000, 'a'));
  service->say("RST_STREAM 1 CANCEL");
  client->hears("HEADERS 1 | :status: 200\nDATA 1 aaaaaaaaaa");
  client->hears_nothing();
  client->say("WINDOW_UPDATE 1 10000");
  quiet();
  client->hears("DATA 1 " + std::string(4990, 'a') + "\nRST_STREAM 1 CANCEL");
  EXPECT_EQ(over(1).aborted, trace::Exchange::Aborted::by_service);
  goes_on(3);
}
TEST_F(H2Windows, what_came_before_the_services_end_is_heard_before_it) {
  meet("4=10");
  client->gives_back(false);
  passes(asks(1));
  passes(asks(3));
  service->say("HEADERS 1 | :status: 200");
  service->data(1, std::string(5000, 'a'), true);
  service->say("HEADERS 3 | :status: 200");
  service->data(3, std::string(5000, 'b'));
  service->peer().finish();
  client->hears("HEADERS 1 | :status: 200\nDATA 1 aaaaaaaaaa\nHEADERS 3 | :status: 200\nDATA 3 bbbbbbbbbb");
  quiet();
  client->say("WINDOW_UPDATE 1 10000\nWINDOW_UPDATE 3 10000");
  std::string last;
  std::size_t heard = 0;
  for (std::string frame; !(frame = client->next()).empty(); last = frame)
    if (frame.starts_with("DATA")) heard += frame.size() - std::string_view("DATA 1 ").size();
  EXPECT_EQ(heard, 2 * 4990u + 4);  // "end " is in one of them
  EXPECT_EQ(over(1).ending, trace::Ending::answered);
  EXPECT_TRUE(last.starts_with("RST_STREAM 3")) << last;
  EXPECT_EQ(over(2).aborted, trace::Exchange::Aborted::by_service);
}

}  // namespace
}  // namespace retrial::test
