// refuse-connect, connect-timeout, slow-connect, tls-*: what they are called, and who carries them.
#include "proxy/faults/connection.h"

#include <fmt/format.h>

#include "base/text.h"

namespace retrial::proxy {

std::string connection_evidence(const trace::FaultSpec& fault) {
  using trace::FaultName;
  switch (fault.name) {
    case FaultName::refuse_connect:
      return "the connection was refused";
    case FaultName::connect_timeout:
      return "the connection was never answered";
    case FaultName::slow_connect:
      return "the connection was answered after " + show_duration(fault.delay);
    case FaultName::tls_refuse:
      return "the alert handshake_failure to the ClientHello";
    case FaultName::tls_expired:
      return "a certificate whose time is over";
    case FaultName::tls_wrong_name:
      return "a certificate for another name";
    case FaultName::tls_cut:
      return fault.telling == trace::Telling::reset ? "RST after the ServerHello" : "FIN after the ServerHello";
    default:
      return {};
  }
}

void ConnectionFaults::fired(std::int32_t pid, std::string_view service, const trace::FaultSpec& fault, Nanos now) {
  count_++;
  auto& met = waiting_[{pid, std::string(service)}];
  if (met.times == 0 || !(met.fault == fault)) met = {fault, now, 0};
  met.times++;
}

bool ConnectionFaults::carried_by(trace::Exchange& e) {
  if (e.fault.name != trace::FaultName::none) return false;
  auto it = waiting_.find({e.pid, e.service});
  if (it == waiting_.end()) return false;
  auto& met = it->second;
  e.fault = met.fault;
  e.fired = true;
  e.fired_at = met.at;
  e.evidence = connection_evidence(met.fault);
  if (met.times > 1) e.evidence += fmt::format(", {} times", met.times);
  waiting_.erase(it);
  return true;
}

}  // namespace retrial::proxy
