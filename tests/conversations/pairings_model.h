#pragma once
#include <algorithm>
#include <string>

#include "tests/conversations/pairings_script.h"
#include "trace/exchange.h"
#include "trace/fault_name.h"

namespace retrial::test::pairings {

// What must come of a conversation: each fault as docs/faults.md has it (pairings_body.cc: what is made of the
// response), and what one side's leaving is to the other (docs/decisions/0014). No more of the proxy is in it than the
// fault's plan.
class Model {
 public:
  Model(const Pairing& pairing, const Shape& shape, const trace::FaultSpec& fault)
      : shape_(shape),
        fault_(fault),
        h2_client_(pairing.client == Http::h2),
        h2_service_(pairing.service == Http::h2),
        call_(shape.grpc() && h2_client_) {}
  void take(Move move);
  Outcome outcome();

 private:
  // The exchange: before, under way, silent for ever, over.
  enum class At { before, open, held, over } at_ = At::before;
  bool live() const { return at_ == At::open; }
  const trace::FaultSpec& planned() const { return fault_; }
  bool is(trace::FaultName name) const { return !spared_ && fault_.name == name; }

  // What the fault is, once what cannot come to be is taken out.
  bool never() const;
  bool strikes() const {
    using enum trace::FaultName;
    return is(reset) || is(close) || is(stall) || is(rst_stream);
  }
  bool strikes(trace::Point point) const {
    bool fresh_idle = point == trace::Point::before_request && fault_.point == trace::Point::idle;
    return strikes() && (fault_.point == point || fresh_idle);
  }
  bool answers_itself() const { return is(trace::FaultName::error) || is(trace::FaultName::redirect_loop); }
  bool keeps_request_back() const { return answers_itself() || strikes(trace::Point::after_request); }

  void unheard(Move move);
  void asks();
  void request_ends();
  void answers();
  void replies();
  void response_ends();
  void render(bool last);
  void of_message(bool last);
  void client_leaves(std::string_view how);
  void service_leaves(Move how);

  void fire() { fired_ = true; }
  void spare() {
    if (!fired_) spared_ = true;
  }
  void sign();
  void ends(std::string_view client, trace::Ending ending);
  void own_answer();
  void own_status(int status);
  void lose();
  void give_up() {
    bool waits = shape_.shut && !out_.client.body.empty();  // until the client takes what goes before
    if (reached_ && !service_left_ && !said_all_ && !waits) out_.given_up = true;
  }
  void settle() {
    if (live() && said_all_ && (asked_all_ || half_) && !lost_) ends("whole", trace::Ending::answered);
  }
  std::size_t told_so_far() const { return answered_ ? 1 + replied_ : 0; }
  bool failed() const { return shape_.status >= 400; }
  std::string all_said() const {
    std::string all;
    for (std::size_t i = 0; i < replied_; i++) all += replied(shape_, i);
    return all;
  }
  std::size_t told_length() const { return replied(shape_, 0).size() + replied(shape_, 1).size(); }

  const Shape& shape_;
  const trace::FaultSpec& fault_;
  bool h2_client_, h2_service_, call_;
  Outcome out_;
  std::size_t asked_ = 0, replied_ = 0, told_by_then_ = 0;
  bool asked_all_ = false, said_all_ = false;
  bool reached_ = false;   // the service has heard the request's head
  bool speaks_ = false;    // and may answer
  bool answered_ = false;  // the client has a head
  bool lost_ = false;      // the response is withheld
  bool told_ = false;      // the client, of the response's end
  bool fired_ = false, spared_ = false;
  bool half_ = false;  // the client has said its FIN, and listens
  bool service_left_ = false, client_left_ = false;
  int service_status_ = 0, client_status_ = 0;
  trace::Ending ending_ = trace::Ending::open;
  std::string aborted_;
};

}  // namespace retrial::test::pairings
