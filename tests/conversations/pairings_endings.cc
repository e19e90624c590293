// The model: how an exchange ends, by a fault, by its client, by its service.
#include <fmt/format.h>

#include "tests/conversations/pairings_model.h"
#include "trace/fault_name.h"

namespace retrial::test::pairings {
using trace::FaultName;
using trace::Point;
using trace::Telling;

void Model::ends(std::string_view client, trace::Ending ending) {
  at_ = At::over;
  // Whoever has said FIN may have left, unless it took something since.
  bool left = half_ && ending != trace::Ending::answered && told_so_far() == told_by_then_;
  if (out_.client.end.empty()) out_.client.end = client;
  ending_ = left ? trace::Ending::client_left : ending;
  give_up();
}

// What the fault does in the end, where that is no answer.
void Model::sign() {
  using enum FaultName;
  auto name = fault_.name;
  if (name == malformed) name = close;
  if (name == wrong_length) name = stall;
  if (name == lost_response)
    name = fault_.telling == Telling::reset ? reset : fault_.telling == Telling::close ? close : stall;
  switch (name) {
    case reset:
      return ends("RST", trace::Ending::reset);
    case close: {
      bool looks_whole = answered_ && !h2_client_ && shape_.response == Framing::until_close && out_.client.odd.empty();
      return ends(looks_whole ? "whole" : "FIN", trace::Ending::closed);
    }
    case rst_stream:
      aborted_ = " by_us";
      ends(fmt::format("RST_STREAM {}", fault_.code == 8 ? "CANCEL" : "REFUSED_STREAM"), trace::Ending::reset);
      return;
    default:
      if (half_) return ends("", trace::Ending::client_left);  // it may have left
      at_ = At::held;
      return;
  }
}

void Model::lose() {
  fire();
  if (client_left_) {
    at_ = At::over;
    ending_ = trace::Ending::client_left;
    return;
  }
  lost_ = false;
  fault_.telling == Telling::error ? own_answer() : sign();
}

void Model::own_answer() {
  if (is(FaultName::redirect_loop)) return own_status(fault_.status);
  own_status(fault_.status);
}
void Model::own_status(int status) {
  auto& client = out_.client;
  client_status_ = status;
  if (status >= 2000) {
    if (!answered_) client.head = "200";
    client.trailer = fmt::format("{} ", status - 2000);
  } else {
    client.head = std::to_string(status);
    client.kept.clear();
    if (shape_.method != "HEAD")
      client.body = status == 502                  ? "ours"
                    : is(FaultName::redirect_loop) ? std::string(kMarker) + "\n"
                                                   : std::string(kMarker);
  }
  ends("whole", trace::Ending::answered);
}

void Model::client_leaves(std::string_view how) {
  if (client_left_ || half_) return;
  bool was_over = at_ == At::over;
  if (how == "FIN" && !h2_client_) {
    told_by_then_ = told_so_far();
    half_ = true;  // it may hear the answer to a request that is whole, or that is answered already
    if (was_over || (live() && (asked_all_ || answered_ || lost_))) return told_ ? settle() : void();
  } else {
    client_left_ = true;
    if (!was_over && out_.client.end.empty()) out_.client.end = "left";
    bool pulls_all = how == "RST" && h2_client_;  // down with it
    if (live() && lost_ && !pulls_all) {
      if (how.empty()) aborted_ = " by_client";
      return;  // read to its end all the same
    }
  }
  if (was_over) return;
  if (half_ && at_ != At::held && out_.client.end.empty()) out_.client.end = "FIN";
  bool told = live() && told_;
  if (how.empty() && !told) aborted_ = " by_client";
  at_ = At::over;
  give_up();
  ending_ = told ? trace::Ending::answered : trace::Ending::client_left;
}

void Model::service_leaves(Move how) {
  bool connected = reached_ || (h2_client_ && h2_service_);
  if (how == Move::service_abort && !speaks_) return;
  if (!connected || service_left_) return;
  service_left_ = true;
  if (!live()) return;
  if (said_all_) return ends("whole", trace::Ending::answered);  // the rest of the request is not wanted
  if (shape_.response == Framing::until_close && how == Move::service_fin && answered_) return;
  if (lost_) return lose();
  using enum FaultName;
  bool waits = is(lost_response) || is(truncate) || is(corrupt) || is(wrong_length) || is(drop_header) ||
               is(set_header) || is(double_header) || is(malformed) || is(stale) || is(duplicate) || is(late_status) ||
               is(message) || is(slow_trailers) || is(drip) || is(grow) || is(another_page) || is(lengthen) ||
               strikes(Point::in_body) || strikes(Point::after_response_head);
  if (waits) spare();
  if (how == Move::service_abort && h2_client_) {
    aborted_ = " by_service";
    return ends("RST_STREAM ENHANCE_YOUR_CALM", trace::Ending::reset);
  }
  bool tells = how != Move::service_abort && (!h2_client_ || h2_service_);  // its connection's end is the client's
  if (tells) return how == Move::service_fin ? ends("FIN", trace::Ending::closed) : ends("RST", trace::Ending::reset);
  if (!answered_) {
    if (!fired_) spared_ = true;  // the record says what the service did
    return own_status(502);
  }
  aborted_ = " by_service";
  ends(h2_client_ ? "RST_STREAM INTERNAL_ERROR" : "RST", trace::Ending::reset);
}

}  // namespace retrial::test::pairings
