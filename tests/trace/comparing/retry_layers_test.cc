#include "trace/comparing/retry_layers.h"

#include <gtest/gtest.h>

namespace retrial::trace {
namespace {

// A call and the gaps between its attempts, in milliseconds; each was answered 503.
struct Ladder {
  std::vector<Exchange> attempts;
  explicit Ladder(std::vector<int> gaps_ms) {
    Nanos now = kSecond;
    for (std::size_t i = 0; i <= gaps_ms.size(); i++) {
      Exchange e;
      e.call = 1;
      e.attempt = static_cast<int>(i) + 1;
      e.profile = "generic";
      e.connection = i + 1;
      e.fresh = true;
      e.begun = now;
      e.told = now + kMillisecond;
      e.ending = Ending::answered;
      e.client_status = 503;
      if (i < gaps_ms.size()) now = e.told + gaps_ms[i] * kMillisecond;
      attempts.push_back(e);
    }
  }
  Ladder& broken() {
    for (auto& e : attempts) e.ending = Ending::reset, e.client_status = 0;
    return *this;
  }
  // A header with these values, attempt by attempt, again and again.
  Ladder& with(std::string name, std::vector<std::string> values) {
    for (std::size_t i = 0; i < attempts.size(); i++)
      attempts[i].request_headers.push_back({name, values[i % values.size()]});
    return *this;
  }
  Ladder& entered(std::vector<std::string> call_ids) {
    for (std::size_t i = 0; i < attempts.size(); i++) attempts[i].tag.call_id = call_ids[i];
    return *this;
  }
  Call call() const {
    Call c;
    for (auto& e : attempts) c.attempts.push_back(&e);
    return c;
  }
  std::vector<std::size_t> starts() const { return layer_starts(call()); }
  std::vector<std::size_t> resent() const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < attempts.size(); i++)
      if (resent_by_transport(call(), i)) out.push_back(i);
    return out;
  }
};
using At = std::vector<std::size_t>;

TEST(RetryLayers, are_told_by_the_agents_call_ids) {
  EXPECT_EQ(Ladder({5, 5, 5, 5, 5}).entered({"a", "a", "a", "b", "b", "b"}).starts(), (At{0, 3}));
  EXPECT_EQ(Ladder({100, 1000, 100}).entered({"a", "a", "a", "a"}).starts(), At{0});
}

TEST(RetryLayers, are_told_by_a_counter_that_starts_again) {
  EXPECT_EQ(Ladder({5, 5, 5, 5, 5})
                .with("amz-sdk-request", {"attempt=1; max=3", "attempt=2; max=3", "attempt=3; max=3"})
                .starts(),
            (At{0, 3}));
  EXPECT_EQ(Ladder({5, 5, 5}).with("x-stainless-retry-count", {"0", "1"}).starts(), (At{0, 2}));
  EXPECT_EQ(Ladder({5, 5, 5}).with("x-stainless-retry-count", {"0", "1", "2", "3"}).starts(), At{0});
}

TEST(RetryLayers, are_told_by_an_id_that_is_another_where_it_was_kept) {
  EXPECT_EQ(Ladder({5, 5, 5, 5, 5}).with("idempotency-key", {"a", "a", "a", "b", "b", "b"}).starts(), (At{0, 3}));
  EXPECT_EQ(Ladder({5, 5, 5}).with("idempotency-key", {"a", "b", "c", "d"}).starts(), At{0})
      << "a client that never keeps it";
}

TEST(RetryLayers, are_told_by_gaps_that_come_again) {
  EXPECT_EQ(Ladder({100, 200, 1000, 100, 200, 1000, 100, 200, 1000, 100, 200}).starts(), (At{0, 3, 6, 9}));
  EXPECT_EQ(Ladder({100, 200, 2, 105, 195, 3, 110, 210}).starts(), (At{0, 3, 6}));
  EXPECT_EQ(Ladder({50, 500, 50, 500, 50}).starts(), (At{0, 2, 4}));
}

TEST(RetryLayers, are_not_seen_in_one_ladder) {
  EXPECT_EQ(Ladder({100, 200, 400, 800, 1600}).starts(), At{0});
  EXPECT_EQ(Ladder({1000, 1000, 1000, 1000, 1000}).starts(), At{0});
  EXPECT_EQ(Ladder({0, 1000, 2000, 4000}).starts(), At{0});
  EXPECT_EQ(Ladder({5, 4002}).starts(), At{0});
  EXPECT_EQ(Ladder({316, 387, 330, 179, 357}).starts(), At{0});
  EXPECT_EQ(Ladder({}).starts(), At{0});
}

TEST(RetryLayers, of_a_client_that_never_ends_are_read_in_no_time) {
  EXPECT_EQ(Ladder(std::vector<int>(200'000, 1)).broken().starts(), At{0});
}

TEST(Resent, by_a_transport_in_pairs_inside_a_wrappers_gaps) {
  EXPECT_EQ(Ladder({1, 1000, 1, 1000, 1}).broken().resent(), (At{1, 3, 5}));
  EXPECT_EQ(Ladder({1, 1000, 1, 1000, 1}).broken().starts(), At{0});
  EXPECT_EQ(Ladder({1, 1000, 1, 1000, 1}).resent(), At{}) << "never after a status";
  EXPECT_EQ(Ladder({5, 4002}).broken().resent(), At{}) << "a first retry at once is the client's own";
  EXPECT_EQ(Ladder({1, 1, 1, 1}).broken().resent(), At{});
}

TEST(Resent, once_on_a_reused_connection) {
  auto ladder = Ladder({2, 3, 2}).broken();
  ladder.attempts[0].fresh = false;
  EXPECT_EQ(ladder.resent(), At{1});
  ladder.attempts[0].client_status = 200;
  EXPECT_EQ(ladder.resent(), At{}) << "its answer had begun";
}

TEST(Resent, where_the_clients_own_counter_did_not_go_on) {
  EXPECT_EQ(
      Ladder({2, 900, 2})
          .broken()
          .with("amz-sdk-request", {"attempt=1; max=3", "attempt=1; max=3", "attempt=2; max=3", "attempt=2; max=3"})
          .resent(),
      (At{1, 3}));
  EXPECT_EQ(Ladder({2, 3}).broken().with("amz-sdk-request", {"attempt=1", "attempt=2", "attempt=3"}).resent(), At{});
}

}  // namespace
}  // namespace retrial::trace
