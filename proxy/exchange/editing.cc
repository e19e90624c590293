// What a fault makes of the response on its way to the client.
#include "proxy/exchange/session.h"

namespace retrial::proxy {

void Session::edit_head(std::string& head, bool bodiless) {
  auto& e = fate_.record.exchange();
  auto did = fate_.edit->head(head, e, bodiless);
  if (did.fires) e.client_status = fate_.edit->status(e.service_status);
  edited(did, head);
}

void Session::edit_body(std::string_view wire, bool last) {
  std::string out;
  auto did = fate_.edit->body(wire, last, out);
  edited(did, out);
}

void Session::edited(const Edit::Did& did, std::string_view out) {
  auto& e = fate_.record.exchange();
  if (did.fires) fate_.fire(*fate_.edit, now_);
  client_->write(out);
  if (!did.spares.empty()) {
    if (fate_.fault)
      fate_.spare(did.spares);
    else
      fate_.edit.reset();
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
  auto did = fate_.edit->more(out);
  edited(did, out);
  if (!drips_ && std::exchange(drips_end_, false)) response_over();
}

}  // namespace retrial::proxy
