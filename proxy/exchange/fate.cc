#include "proxy/exchange/fate.h"

#include "proxy/exchange/house.h"

namespace retrial::proxy {

void Fate::decide(const H1Head& head) {
  asked_ = house.director.reads_headers();
  record.head(house.next_exchange(), head, asked_);
  auto& e = record.exchange();
  if (asked_) {
    auto decision = house.director.at_head(e);
    answer = std::move(decision.answer);
    record.decide(std::move(decision));
  } else {
    record.decide_nothing();
  }
  bool carries = !house.connection_faults.empty() && house.connection_faults.carried_by(e);
  house.recorder.head(e);
  if (carries) house.recorder.fired(e);
  fault = e.fault.name == trace::FaultName::none ? nullptr : fault_named(e.fault.name);
  withheld = 0;
  endless = false;
}

void Fate::begin() {
  auto& e = record.exchange();
  if (!fault) {
    if (house.director.keeps_responses()) edit = house.earlier.keeping(e);
    return;
  }
  if (auto why = fault->spares(Step::request_head, scene()); !why.empty()) return spare(why);
  edit = fault->edit(e, house.earlier);
  if (e.fault.name != trace::FaultName::stale || house.earlier.has(e)) return;
  spare("no earlier response to this request was kept");
  if (house.director.keeps_responses()) edit = house.earlier.keeping(e);
}

void Fate::fire(Act act, Nanos now) {
  record.exchange().evidence = fault->evidence(act, scene());
  fired(now);
}
void Fate::fire(const Edit& by, Nanos now) {
  record.exchange().evidence = by.evidence();
  fired(now);
}
void Fate::fired(Nanos now) {
  auto& e = record.exchange();
  e.fired = true;
  e.fired_at = now;
  house.recorder.fired(e);
}

void Fate::spare(std::string_view why) {
  record.exchange().evidence.assign("not fired: ").append(why);
  fault = nullptr;
  edit.reset();
}

void Fate::over(trace::Ending ending, Nanos told, const BodyTap& request, const BodyTap& response) {
  record.over(ending, told, request, response);
  house.recorder.over(record.exchange());
  if (asked_) house.director.over(record.exchange());
  fault = nullptr;
  edit.reset();
}

}  // namespace retrial::proxy
