#pragma once
#include <string>
#include <vector>

#include "trace/fault_spec.h"

// What is said in one exchange, and what each side and the record must show of it, in words.
namespace retrial::test::pairings {

enum class Http { h1, h2 };
struct Pairing {
  Http client, service;
};

enum class Move {
  asks,  // the request's head; its end where it has no body
  sends,
  ends_request,  // of a body whose length was not told
  hints,         // 103
  answers,       // the response's head; its end where it has no body
  replies,
  ends_response,
  client_fin,
  client_rst,
  client_abort,  // RST_STREAM
  service_fin,
  service_rst,
  service_abort,
  window_opens,  // of a client that was shut
};

enum class Framing { none, sized, open, until_close };
struct Shape {
  std::string method = "GET";
  Framing request = Framing::none, response = Framing::sized;
  int status = 200;
  int call_status = -1;   // it is a gRPC call, answered with this
  bool trailers = false;  // of every body of unknown length
  bool expects = false;   // 100 (Continue)
  bool used = false;      // an exchange went before on this connection
  bool shut = false;      // the client takes nothing before window_opens

  bool grpc() const { return call_status >= 0; }
  bool answers_alone() const { return response == Framing::none || method == "HEAD"; }
};
struct Situation {
  std::string name;
  Shape shape;
  std::vector<Move> moves;
};

// The two pieces of each body.
inline const std::string kAsked[] = {"abc", "defgh"};
inline const std::string kReplied[] = {"0123", "456789"};
inline const std::string kMessages[] = {std::string("\0\0\0\0\4", 5) + "0123", std::string("\0\0\0\0\6", 5) + "456789"};
inline const std::string& asked(const Shape& shape, std::size_t n) { return shape.grpc() ? kMessages[n] : kAsked[n]; }
inline const std::string& replied(const Shape& shape, std::size_t n) {
  return shape.grpc() ? kMessages[n] : kReplied[n];
}
inline constexpr std::string_view kEarlier = "earlier";    // the body of the exchange before
inline constexpr std::string_view kMarker = "retrial-f1";  // the body of a fault's own answer

// Of one message, as the side that hears it can tell.
struct Heard {
  std::string interims;  // "103 "
  std::string head;      // "POST", "200"; "cut": it is not whole
  std::string kept;      // x-kept, all of its values
  std::string body;
  std::string trailer;  // x-after, grpc-status
  std::string end;      // "whole"; "FIN", "RST", "RST_STREAM CANCEL", "GOAWAY"; "": it is open
  std::string odd;      // what is no HTTP; "again": a second one behind it
  bool operator==(const Heard&) const = default;
};
struct Outcome {
  Heard client, service;
  bool given_up = false;  // the service, before it had said all that it would
  std::string record;     // "fired answered 200/200 by_us"
  std::string next;       // what is wrong with the exchange after it, on the same connection
  bool operator==(const Outcome&) const = default;
};
std::string show(const Outcome& outcome);
std::string show(const Pairing& pairing);

// Every fault of the language, in every form that its parameters have (pairings_faults.cc).
std::vector<std::string> all_faults();
// What happens (pairings_situations.cc): the plain ones, and all at whose every step somebody leaves.
std::vector<Situation> plain_situations();
std::vector<Situation> broken_situations();
bool possible(const Pairing& pairing, const Situation& situation);
// What must come of it (pairings_model.h): written from docs/faults.md and docs/decisions/0014, and sharing nothing
// with the proxy but the fault's plan.
Outcome expected(const Pairing& pairing, const Situation& situation, const trace::FaultSpec& fault);

}  // namespace retrial::test::pairings
