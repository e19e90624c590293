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

TEST(States, an_exchange_comes_back_to_idle) {
  EXPECT_EQ(walk({Event::request_byte, Event::request_head, Event::request_end, Event::response_head,
                  Event::response_end, Event::told}),
            State::idle);
}
TEST(States, an_early_answer_comes_back_to_idle_in_either_order) {
  std::vector<Event> head = {Event::request_byte, Event::request_head, Event::response_head};
  auto one = head, two = head;
  one.insert(one.end(), {Event::request_end, Event::response_end, Event::told});
  two.insert(two.end(), {Event::response_end, Event::request_end, Event::told});
  EXPECT_EQ(walk(one), State::idle);
  EXPECT_EQ(walk(two), State::idle);
}
TEST(States, what_has_no_row_ends_the_connection) {
  EXPECT_EQ(next(State::idle, Event::response_head), State::dead);
  EXPECT_EQ(next(State::held, Event::told), State::dead);
}
TEST(States, a_connection_may_be_given_up_from_everywhere_and_nothing_revives_it) {
  for (auto state : {State::idle, State::request_head, State::delayed, State::request_body, State::waiting,
                     State::early, State::response_body, State::request_rest, State::telling, State::held,
                     State::closing, State::passing, State::tunnel}) {
    EXPECT_EQ(next(state, Event::gone), State::dead);
    EXPECT_EQ(next(state, Event::opaque), State::tunnel);
    EXPECT_EQ(next(state, Event::broken_off), State::passing);
  }
  for (auto event : {Event::request_byte, Event::told, Event::opaque, Event::broken_off})
    EXPECT_EQ(next(State::dead, event), State::dead);
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
