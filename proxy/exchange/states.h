#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace retrial::proxy {

// Where the exchange of a session stands. Request and response overlap where a service answers early.
//
//   state          event           next           what is done
//   idle           request_byte    request_head   an exchange begins
//   request_head   request_head    request_body   Director and Recorder are asked and told, the fault is asked
//   request_body   hold            delayed        at the head, for a time: nothing is read on
//   delayed        release         request_body   the head is passed on
//   request_body   request_end     waiting        the fault is asked
//   request_body   response_head   early          the fault is asked, Recorder is told
//   waiting        response_head   response_body  the same
//   early          request_end     response_body
//   early          response_end    request_rest   the fault is asked
//   request_rest   request_end     telling
//   response_body  response_end    telling        the fault is asked
//   request_body, waiting, early, response_body
//                  answer          telling        the fault's answer is on its way to the client
//   waiting, early, response_body, striking
//                  hold            held           for ever: only the client can end it
//   request_body   stall           held           the same, before the request was read
//   request_body, early, response_body
//                  strike          striking       what goes on is on its way; then the fault's RST, FIN or silence
//   telling        told            idle           the last byte was handed to the kernel: the exchange is over
//   telling        leave           closing        the same, and the connection ends: our FIN, then what comes is thrown
//                                                 away
//   request_body, waiting, early, response_body, striking
//                  leave           closing        the fault's FIN, or a refusal in the middle of a body
//   idle, request_head, request_rest
//                  leave           closing        what came was refused
//   every state    broken_off      passing        the service ended the connection: bytes, FIN and RST are passed as
//                                                 they come
//   every state    opaque          tunnel         no HTTP/1, or upgraded: the same
//   every state    gone            dead           both sockets are closed
enum class State : std::uint8_t {
  idle,
  request_head,
  delayed,
  request_body,
  waiting,
  early,
  response_body,
  request_rest,
  telling,
  striking,
  held,
  closing,
  passing,
  tunnel,
  dead,
};
enum class Event : std::uint8_t {
  request_byte,
  request_head,
  hold,
  stall,
  strike,
  release,
  request_end,
  response_head,
  response_end,
  answer,
  told,
  leave,
  broken_off,
  opaque,
  gone,
};

struct Transition {
  State from;
  Event event;
  State to;
};
inline constexpr Transition kTransitions[] = {
    {State::idle, Event::request_byte, State::request_head},
    {State::request_head, Event::request_head, State::request_body},
    {State::request_body, Event::hold, State::delayed},
    {State::delayed, Event::release, State::request_body},
    {State::request_body, Event::request_end, State::waiting},
    {State::request_body, Event::response_head, State::early},
    {State::waiting, Event::response_head, State::response_body},
    {State::early, Event::request_end, State::response_body},
    {State::early, Event::response_end, State::request_rest},
    {State::request_rest, Event::request_end, State::telling},
    {State::response_body, Event::response_end, State::telling},
    {State::request_body, Event::answer, State::telling},
    {State::waiting, Event::answer, State::telling},
    {State::response_body, Event::answer, State::telling},
    {State::early, Event::answer, State::telling},
    {State::waiting, Event::hold, State::held},
    {State::response_body, Event::hold, State::held},
    {State::early, Event::hold, State::held},
    {State::striking, Event::hold, State::held},
    {State::request_body, Event::stall, State::held},
    {State::request_body, Event::strike, State::striking},
    {State::early, Event::strike, State::striking},
    {State::response_body, Event::strike, State::striking},
    {State::striking, Event::leave, State::closing},
    {State::telling, Event::told, State::idle},
    {State::telling, Event::leave, State::closing},
    {State::idle, Event::leave, State::closing},
    {State::request_head, Event::leave, State::closing},
    {State::request_body, Event::leave, State::closing},
    {State::waiting, Event::leave, State::closing},
    {State::response_body, Event::leave, State::closing},
    {State::early, Event::leave, State::closing},
    {State::request_rest, Event::leave, State::closing},
};

// An event that has no row is none that can happen there: the connection is given up (dead), never guessed at.
constexpr State looked_up(State from, Event event) {
  if (event == Event::gone || from == State::dead) return State::dead;
  if (event == Event::opaque) return State::tunnel;
  if (event == Event::broken_off) return State::passing;
  for (auto& row : kTransitions)
    if (row.from == from && row.event == event) return row.to;
  return State::dead;
}
inline constexpr std::size_t kStates = static_cast<std::size_t>(State::dead) + 1;
inline constexpr std::size_t kEvents = static_cast<std::size_t>(Event::gone) + 1;
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
