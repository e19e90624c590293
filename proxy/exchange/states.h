#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace retrial::proxy {

// Where an exchange stands, whatever carries its two sides. Request and response overlap where a service answers early.
//
//   state          event           next           what is done
//   idle           request_byte    request_head   an exchange begins
//   request_head   request_head    request_body   Director and Recorder are asked and told, the fault is asked
//   request_head   await_body      reading        what is called stands in the body: what comes waits
//   reading        request_head    request_body   its beginning was read, or does not come: as above
//   request_body   delay           delayed        at the head, for a time: what comes waits
//   delayed        release         request_body   the head is passed on
//   request_body   reach           reaching       a service side is being found: what comes waits
//   reaching       release         request_body   the head is passed on
//   request_body, waiting
//                  again           reaching       the service's connection had ended before: all of it goes to another
//   request_body   request_end     waiting        the fault is asked
//   request_body   response_head   early          the fault is asked, Recorder is told
//   waiting        response_head   response_body  the same
//   early          request_end     response_body
//   early          response_end    request_rest   the fault is asked
//   request_rest   request_end     telling
//   response_body  response_end    telling        the fault is asked
//   request_head, request_body, delayed, reaching, waiting, early, response_body, request_rest
//                  answer          telling        an answer of our own is on its way to the client
//   request_body, waiting, early, response_body, striking
//                  hold            held           for ever: only the client can end it
//   request_body, reaching, waiting, early, response_body, request_rest, tunnel
//                  strike          striking       what goes on is on its way; then a sign: RST, FIN, silence, a
//                  stream's end
//   early, response_body
//                  tunnel          tunnel         the exchange is over; what follows passes as it comes
//   telling, striking, tunnel
//                  over            idle           the last byte, or the sign, was handed to the kernel
//   every state    over            idle           the client is gone, or the run
enum class State : std::uint8_t {
  idle,
  request_head,
  reading,
  delayed,
  reaching,
  request_body,
  waiting,
  early,
  response_body,
  request_rest,
  telling,
  striking,
  held,
  tunnel,
  lost,  // an event came that has no row: an error of ours, and the exchange is given up
};
enum class Event : std::uint8_t {
  request_byte,
  request_head,
  await_body,
  delay,
  hold,
  release,
  reach,
  again,
  request_end,
  response_head,
  response_end,
  answer,
  strike,
  tunnel,
  over,
};

struct Transition {
  State from;
  Event event;
  State to;
};
inline constexpr Transition kTransitions[] = {
    {State::idle, Event::request_byte, State::request_head},
    {State::request_head, Event::request_head, State::request_body},
    {State::request_head, Event::await_body, State::reading},
    {State::reading, Event::request_head, State::request_body},
    {State::request_head, Event::answer, State::telling},
    {State::request_body, Event::reach, State::reaching},
    {State::request_body, Event::again, State::reaching},
    {State::waiting, Event::again, State::reaching},
    {State::reaching, Event::release, State::request_body},
    {State::delayed, Event::release, State::request_body},
    {State::request_body, Event::request_end, State::waiting},
    {State::request_body, Event::response_head, State::early},
    {State::waiting, Event::response_head, State::response_body},
    {State::early, Event::request_end, State::response_body},
    {State::early, Event::response_end, State::request_rest},
    {State::request_rest, Event::request_end, State::telling},
    {State::response_body, Event::response_end, State::telling},
    {State::request_body, Event::answer, State::telling},
    {State::delayed, Event::answer, State::telling},
    {State::reaching, Event::answer, State::telling},
    {State::waiting, Event::answer, State::telling},
    {State::early, Event::answer, State::telling},
    {State::response_body, Event::answer, State::telling},
    {State::request_rest, Event::answer, State::telling},
    {State::request_body, Event::delay, State::delayed},
    {State::request_body, Event::hold, State::held},
    {State::waiting, Event::hold, State::held},
    {State::early, Event::hold, State::held},
    {State::response_body, Event::hold, State::held},
    {State::striking, Event::hold, State::held},
    {State::request_body, Event::strike, State::striking},
    {State::reaching, Event::strike, State::striking},
    {State::waiting, Event::strike, State::striking},
    {State::early, Event::strike, State::striking},
    {State::response_body, Event::strike, State::striking},
    {State::request_rest, Event::strike, State::striking},
    {State::tunnel, Event::strike, State::striking},
    {State::early, Event::tunnel, State::tunnel},
    {State::response_body, Event::tunnel, State::tunnel},
};

// An event that has no row is none that can happen there: the exchange is given up, never guessed at.
constexpr State looked_up(State from, Event event) {
  if (event == Event::over) return State::idle;
  for (auto& row : kTransitions)
    if (row.from == from && row.event == event) return row.to;
  return State::lost;
}
inline constexpr std::size_t kStates = static_cast<std::size_t>(State::lost) + 1;
inline constexpr std::size_t kEvents = static_cast<std::size_t>(Event::over) + 1;
inline constexpr auto kNext = [] {
  std::array<std::array<State, kEvents>, kStates> table{};
  for (std::size_t s = 0; s < kStates; s++)
    for (std::size_t e = 0; e < kEvents; e++) table[s][e] = looked_up(static_cast<State>(s), static_cast<Event>(e));
  return table;
}();
constexpr State next(State from, Event event) {
  return kNext[static_cast<std::size_t>(from)][static_cast<std::size_t>(event)];
}

}  // namespace retrial::proxy
