#include "campaign/workload/run_events.h"

#include "trace/fault_name.h"

namespace retrial::campaign {
namespace {
constexpr Nanos kSettle = kMillisecond;  // between two looks at what the dead command's sockets still have to say
constexpr int kSettleLooks = 30;
constexpr Nanos kBrief = 100 * kMillisecond;  // of a delay
}  // namespace

RunEvents::RunEvents(proxy::Loop& loop, const Clock& clock, const Clock& real, proxy::Director& director)
    : servers(real), loop_(loop), clock_(clock), director_(director), settle_(loop, [this] { settle(); }) {}

void RunEvents::connected(proxy::Captured connection) { proxy->take(connection); }

proxy::ConnectDecision RunEvents::connecting(const proxy::Address& service, pid_t pid) {
  servers.connected(pid, service.port());
  auto decision = director_.at_connect({service.show(), pid, clock_.now()});
  if (compressor && !trace::is_pass(decision.fault)) compressor->arm();
  return decision;
}

void RunEvents::met(const proxy::Address& service, pid_t pid, const trace::FaultSpec& fault,
                    std::string_view not_fired) {
  proxy->met(service.show(), pid, fault, not_fired);
}

void RunEvents::ended(int wait_status) {
  status = wait_status;
  callbacks_ = loop_.callbacks();
  settle_.set(kSettle);
}

// Until nothing is open, and nothing has come since the last look.
void RunEvents::settle() {
  bool quiet = proxy->connections() == 0 && loop_.callbacks() == callbacks_ + 1;
  callbacks_ = loop_.callbacks();
  if (quiet || ++looks_ == kSettleLooks) return loop_.stop();
  settle_.set(kSettle);
}

void ArmingRecorder::head(const trace::Exchange& e) {
  recorder_.head(e);
  exchanges++;
  if (compressor && at_once_) compressor->arm();
}

void ArmingRecorder::fired(const trace::Exchange& e) {
  recorder_.fired(e);
  if (fired_at == 0) fired_at = e.fired_at;
  bool brief = e.fault.name == trace::FaultName::delay && e.fault.delay <= kBrief;
  if (compressor && !brief) compressor->arm();
}

void ArmingRecorder::over(const trace::Exchange& e) {
  recorder_.over(e);
  if (compressor && e.fired) compressor->arm();
}

}  // namespace retrial::campaign
