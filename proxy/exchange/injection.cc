#include "proxy/exchange/injection.h"

#include <algorithm>

#include "proxy/exchange/context.h"
#include "trace/fault_name.h"
#include "trace/recording/redact.h"

namespace retrial::proxy {

void Injection::take(const Head& head) {
  asked_ = context.director.reads_headers();
  record.head(context.next_exchange(), head, asked_);
  auto& e = record.exchange();
  // What has come since its first byte may have been work on the rest of it.
  if (e.busy.thread != 0)
    e.busy.begun = std::max<Nanos>(0, context.options.busy(e.busy.thread) - (context.now - e.begun));
}

bool Injection::awaits_body() const { return asked_ && context.director.awaits_body(record.exchange()); }

void Injection::decide(const Head& head) {
  auto& e = record.exchange();
  if (asked_) {
    auto decision = context.director.at_head(e);
    answer = std::move(decision.answer);
    record.decide(std::move(decision));
  } else {
    record.decide_nothing();
  }
  bool carries = !context.connection_faults.empty() && context.connection_faults.carried_by(e);
  context.recorder.head(e);
  if (carries) context.recorder.fired(e);
  fault = e.fault.name == trace::FaultName::none ? nullptr : fault_named(e.fault.name);
  if (fault) target.assign(head.target);
  withheld = 0;
  endless = paced = false;
}

void Injection::begin() {
  auto& e = record.exchange();
  if (!fault) {
    if (context.director.keeps_responses()) edit = context.earlier.keeping(e);
    return;
  }
  if (auto why = fault->spares(Step::request_head, scene()); !why.empty()) return spare(why);
  edit = fault->edit(e, context.earlier);
  if (e.fault.name != trace::FaultName::stale || context.earlier.has(e)) return;
  spare("no earlier response to this request was kept");
  if (context.director.keeps_responses()) edit = context.earlier.keeping(e);
}

Scene Injection::scene() const {
  bool mortal = record.exchange().pid != 0 && context.options.end_process;
  return {record.exchange(), invited, withheld, endless, target, streams, grpc, mortal};
}

bool Injection::end_process() {
  auto pid = record.exchange().pid;
  bool ended = context.options.end_process && context.options.end_process(pid);
  if (ended)
    context.ended.insert(pid);
  else
    spare(kNoProcess);
  return ended;
}

void Injection::fire(Act act) {
  record.exchange().evidence = fault->evidence(act, scene());
  fired();
}
void Injection::fire(const Edit& by) {
  record.exchange().evidence = by.evidence(record.exchange());
  fired();
}
void Injection::fired() {
  auto& e = record.exchange();
  e.fired = true;
  e.fired_at = context.now;
  trace::redact_body(std::string_view(answer.body).substr(0, trace::kSampleBytes), e.injected_sample);
  context.recorder.fired(e);
}

void Injection::spare(std::string_view why) {
  record.exchange().evidence.assign("not fired: ").append(why);
  fault = nullptr;
  edit.reset();
}

void Injection::over(trace::Ending ending, Nanos told, const BodyTap& request, const BodyTap& response) {
  if (auto& busy = record.exchange().busy; busy.thread != 0) busy.told = context.options.busy(busy.thread);
  record.over(ending, told, request, response);
  context.recorder.over(record.exchange());
  if (asked_) context.director.over(record.exchange());
  fault = nullptr;
  edit.reset();
}

}  // namespace retrial::proxy
