// The model: the two messages.
#include "tests/conversations/pairings_model.h"
#include "trace/fault_name.h"

#include <fmt/format.h>

namespace retrial::test::pairings {
using trace::FaultName;
using trace::Point;

bool Model::never() const {
  using enum FaultName;
  bool status_of_call = fault_.status >= 2000;
  switch (fault_.name) {
    case rst_stream:
    case goaway:
    case slow_trailers:
      if (!h2_client_) return true;
      break;
    case error:
    case lost_response:
      return status_of_call && !call_;
    case late_status:
    case message:
      return !call_;
    case malformed:
    case duplicate:
      return h2_client_;
    case crash:  // nobody here has a process
      return true;
    case stale:
      return !shape_.used;
    default:
      break;
  }
  bool pointed = fault_.name == reset || fault_.name == close || fault_.name == stall || fault_.name == rst_stream;
  return pointed && fault_.point == Point::idle && !shape_.used;
}

void Model::take(Move move) {
  unheard(move);
  switch (move) {
    case Move::asks:
      return asks();
    case Move::sends:
      if (half_) return;
      asked_++;
      if (live() && reached_ && !service_left_) out_.service.body += asked(shape_, asked_ - 1);
      if (shape_.request == Framing::sized && asked_ == 2) request_ends();
      return;
    case Move::ends_request:
      return half_ ? void() : request_ends();
    case Move::hints:
      if (live() && speaks_) out_.client.interims += "103 ";
      return;
    case Move::answers:
      return answers();
    case Move::replies:
      return replies();
    case Move::ends_response:
      return response_ends();
    case Move::client_fin:
      return client_leaves("FIN");
    case Move::client_rst:
      return client_leaves("RST");
    case Move::client_abort:
      return client_leaves("");
    case Move::service_fin:
    case Move::service_rst:
    case Move::service_abort:
      return service_leaves(move);
    case Move::window_opens:
      return;
  }
}

// A service that nobody hears any more says all the same what it has to say.
void Model::unheard(Move move) {
  if (at_ != At::held || out_.service.head != shape_.method || service_left_) return;
  bool sized = shape_.response == Framing::sized;
  if (move == Move::answers) said_all_ = shape_.answers_alone();
  if (move == Move::replies) said_all_ = sized && replied_ == 1;
  if (move == Move::ends_response) said_all_ = true;
}

// --- the request

void Model::asks() {
  at_ = At::open;
  asked_all_ = shape_.request == Framing::none;
  if (never()) spare();
  if (is(FaultName::goaway)) {
    fire();
    aborted_ = " by_us";
    return ends("GOAWAY", trace::Ending::reset);
  }
  if (strikes(Point::before_request)) return fire(), sign();
  if (keeps_request_back()) {
    if (shape_.expects && answers_itself()) return fire(), own_answer();
    if (shape_.expects) out_.client.interims = "100 ";
    return asked_all_ ? request_ends() : void();
  }
  if (is(FaultName::delay) || is(FaultName::bandwidth)) fire();
  reached_ = true;
  if (strikes(Point::after_head) && asked_all_ && !h2_service_) {
    out_.service.head = "cut";
  } else {
    out_.service.head = shape_.method;
    out_.service.kept = "asked";
  }
  if (strikes(Point::after_head)) return fire(), sign();
  speaks_ = true;
  if (asked_all_) out_.service.end = "whole";
}

void Model::request_ends() {
  asked_all_ = true;
  if (!live()) return;
  if (keeps_request_back()) {
    fire();
    return answers_itself() ? own_answer() : sign();
  }
  if (!service_left_) {
    out_.service.end = "whole";
    if (shape_.trailers) out_.service.trailer = "it ";
  }
  settle();
}

// --- the response

void Model::answers() {
  if (!live() || !speaks_ || service_left_) return;
  service_status_ = shape_.status;
  bool alone = said_all_ = shape_.answers_alone();
  int call_status = shape_.call_status > 0 ? 2000 + shape_.call_status : shape_.status;
  if (shape_.grpc() && alone) service_status_ = call_status;
  if (is(FaultName::lost_response)) {
    if (failed() || service_status_ >= 400)
      spare();
    else
      lost_ = true;
  }
  if (lost_) return alone ? response_ends() : void();
  out_.client.head = std::to_string(shape_.status);
  out_.client.kept = "said";
  answered_ = true;
  client_status_ = service_status_;
  if (shape_.grpc() && alone) out_.client.trailer = fmt::format("{} ", shape_.call_status);
  render(false);
  if (alone) response_ends();
}

void Model::replies() {
  replied_++;
  if (!live() || !speaks_ || service_left_) return;
  said_all_ = shape_.response == Framing::sized && replied_ == 2;
  if (!lost_) render(false);
  if (said_all_) response_ends();
}

void Model::response_ends() {
  if (!live() || !speaks_ || service_left_) return;
  bool alone = shape_.answers_alone();
  said_all_ = true;
  if (shape_.grpc() && !alone) service_status_ = shape_.call_status > 0 ? 2000 + shape_.call_status : 200;
  if (lost_ && service_status_ >= 400 && !client_left_) {  // its trailers say that nothing was done
    spare();
    lost_ = false;
    answered_ = true;
    out_.client.head = std::to_string(shape_.status);
    out_.client.kept = "said";
  }
  if (lost_) return lose();
  render(true);
  if (!live()) return;
  if (shape_.grpc()) {
    client_status_ = service_status_;
    if (!alone) out_.client.trailer = fmt::format("{} ", shape_.call_status);
  } else if (shape_.trailers) {
    out_.client.trailer = "it ";
  }
  if (is(FaultName::stale)) client_status_ = 200;
  out_.client.end = "whole";
  told_ = true;
  settle();
}

Outcome Model::outcome() {
  if (at_ != At::over && at_ != At::before) ending_ = trace::Ending::client_left;
  out_.record = at_ == At::before ? "none"
                                  : fmt::format("{} {} {}/{}{}",
                                                fired_    ? "fired"
                                                : spared_ ? "spared"
                                                          : "-",
                                                trace::show(ending_), service_status_, client_status_, aborted_);
  return out_;
}
Outcome expected(const Pairing& pairing, const Situation& situation, const trace::FaultSpec& fault) {
  Model model(pairing, situation.shape, fault);
  for (auto move : situation.moves) model.take(move);
  return model.outcome();
}

std::string show(const Pairing& pairing) {
  auto name = [](Http http) { return http == Http::h1 ? "h1" : "h2"; };
  return fmt::format("{} to {}", name(pairing.client), name(pairing.service));
}

std::string show(const Outcome& o) {
  auto of = [](const Heard& h) {
    std::string shown;
    for (char c : h.body) c < ' ' ? shown += fmt::format("\\{}", static_cast<int>(c)) : shown += c;
    return fmt::format("{}{} kept [{}] body [{}] trailer [{}] end [{}] odd [{}]", h.interims, h.head, h.kept, shown,
                       h.trailer, h.end, h.odd);
  };
  return fmt::format("client  {}\nservice {}{}\nrecord  {} {}\n", of(o.client), of(o.service),
                     o.given_up ? " given up" : "", o.record, o.next);
}

}  // namespace retrial::test::pairings
