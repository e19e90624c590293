#include "proxy/exchange/states.h"

#include <gtest/gtest.h>

#include <vector>

namespace retrial::proxy {
namespace {

State walk(std::vector<Event> events) {
  State state = State::idle;
  for (auto event : events) state = next(state, event);
  return state;
}
std::vector<State> all_states() {
  std::vector<State> all;
  for (std::size_t i = 0; i < kStates; i++) all.push_back(static_cast<State>(i));
  return all;
}

TEST(States, an_exchange_comes_back_to_idle) {
  EXPECT_EQ(walk({Event::request_byte, Event::request_head, Event::request_end, Event::response_head,
                  Event::response_end, Event::over}),
            State::idle);
}
TEST(States, an_early_answer_is_told_in_either_order) {
  std::vector<Event> head = {Event::request_byte, Event::request_head, Event::response_head};
  auto one = head, two = head;
  one.insert(one.end(), {Event::request_end, Event::response_end});
  two.insert(two.end(), {Event::response_end, Event::request_end});
  EXPECT_EQ(walk(one), State::telling);
  EXPECT_EQ(walk(two), State::telling);
}
TEST(States, a_way_to_the_service_may_take_time_before_and_after_a_delay) {
  EXPECT_EQ(walk({Event::request_byte, Event::request_head, Event::delay, Event::release, Event::reach, Event::release,
                  Event::request_end}),
            State::waiting);
}
TEST(States, what_has_no_row_gives_the_exchange_up) {
  EXPECT_EQ(next(State::idle, Event::response_head), State::lost);
  EXPECT_EQ(next(State::held, Event::answer), State::lost);
  EXPECT_EQ(next(State::telling, Event::strike), State::lost);
}
TEST(States, every_state_can_be_over_and_every_other_event_needs_a_row) {
  for (auto state : all_states()) EXPECT_EQ(next(state, Event::over), State::idle);
  std::size_t rows = 0;
  for (auto state : all_states())
    for (std::size_t e = 0; e + 1 < kEvents; e++) rows += next(state, static_cast<Event>(e)) != State::lost;
  EXPECT_EQ(rows, std::size(kTransitions));
}
TEST(States, every_state_but_lost_is_come_to_by_some_row) {
  for (auto state : all_states()) {
    bool reached = state == State::idle || state == State::lost;
    for (auto& row : kTransitions) reached |= row.to == state;
    EXPECT_TRUE(reached) << static_cast<int>(state);
  }
}
TEST(States, no_state_and_event_has_two_rows) {
  for (auto& a : kTransitions)
    for (auto& b : kTransitions)
      if (&a != &b) {
        EXPECT_FALSE(a.from == b.from && a.event == b.event);
      }
}
}  // namespace
}  // namespace retrial::proxy
