#include "checkers/deed.h"

#include "trace/profiles/profile.h"

namespace retrial::checkers {
namespace {

Fate fate_of(const trace::Exchange& e) {
  if (e.ending != trace::Ending::answered || (e.fired && !trace::delivers(e.fault))) return Fate::unknown;
  if (e.client_status != e.service_status || e.service_status == 202) return Fate::unknown;
  if (trace::carried_out(e)) return Fate::done;
  bool no = e.service_status >= 400 && e.service_status < 500 && e.service_status != 408 && e.service_status != 429;
  return no ? Fate::refused : Fate::unknown;
}

}  // namespace

Deed deed_of(const trace::Exchange& e) {
  auto touch = predict::touch_of(e);
  Deed d{.e = &e, .kind = touch.kind, .path = std::move(touch.path), .fate = fate_of(e)};
  d.spot = e.service + d.path;
  if (d.fate != Fate::unknown) d.answer = answer_body(e);
  d.request = request_body(e);
  return d;
}

bool Deed::missing() const { return fate == Fate::refused && (e->service_status == 404 || e->service_status == 410); }

bool may_come_late(const Deed& d) {
  return d.fate == Fate::unknown && d.e->service_status == 0 &&
         (d.e->ending == trace::Ending::client_left || d.e->ending == trace::Ending::open);
}

bool may_have_restarted(const trace::Exchange& e) {
  if (e.fired) return false;
  bool gone = e.service_status == 0 && (e.ending == trace::Ending::closed || e.ending == trace::Ending::reset);
  return gone || (e.service_status >= 502 && e.service_status <= 504);
}

}  // namespace retrial::checkers
