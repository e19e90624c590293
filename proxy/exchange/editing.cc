// What a fault makes of the response on its way to the client.
#include "proxy/exchange/session.h"

namespace retrial::proxy {

void Session::edit_head(std::string& head, bool bodiless) {
  auto& e = record_.exchange();
  auto did = edit_->head(head, e, bodiless);
  if (did.fires) e.client_status = edit_->status(e.service_status);
  edited(did, head);
}

void Session::edit_body(std::string_view wire, bool last) {
  std::string out;
  auto did = edit_->body(wire, last, out);
  edited(did, out);
}

void Session::edited(const Edit::Did& did, std::string_view out) {
  auto& e = record_.exchange();
  if (did.fires) {
    e.fired = true;
    e.fired_at = now_;
    e.evidence = edit_->evidence();
    house_.recorder.fired(e);
  }
  client_->write(out);
  if (!did.spares.empty()) {
    if (fault_)
      spare(did.spares);
    else
      edit_.reset();
    return;
  }
  if (did.act != Act::pass) return strike(did.act);
  if (did.more && !drips_) wake_after(e.fault.delay, [this] { drip(); });
  if (!did.more && drips_) timer_->cancel();
  drips_ = did.more;
}

void Session::drip() {
  std::string out;
  drips_ = false;
  auto did = edit_->more(out);
  edited(did, out);
  if (!drips_ && std::exchange(drips_end_, false)) response_over();
}

}  // namespace retrial::proxy
