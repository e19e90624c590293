// refuse-connect, connect-timeout, slow-connect, tls-*: what they are called, and who carries them.
#include "proxy/faults/connection.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "trace/fault_name.h"

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

std::size_t ConnectionFaults::count(trace::ConnectionFault met) {
  auto same = std::find_if(all_.begin(), all_.end(), [&](auto& c) {
    return c.pid == met.pid && c.service == met.service && c.fault == met.fault && c.evidence == met.evidence;
  });
  if (same == all_.end() && all_.size() == kMost) return kMost;
  if (same == all_.end()) same = all_.insert(same, std::move(met));
  same->times++;
  return static_cast<std::size_t>(same - all_.begin());
}

void ConnectionFaults::fired(std::int32_t pid, std::string_view service, const trace::FaultSpec& fault, Nanos now) {
  auto at = count({pid, std::string(service), fault, true, connection_evidence(fault), now});
  if (at == kMost) return;
  auto& met = waiting_[{pid, std::string(service)}];
  if (met.times == 0 || met.at != at) met = {at, now, 0};
  met.times++;
}

void ConnectionFaults::not_fired(std::int32_t pid, std::string_view service, const trace::FaultSpec& fault,
                                 std::string_view why, Nanos now) {
  count({pid, std::string(service), fault, false, std::string(why), now});
}

bool ConnectionFaults::carried_by(trace::Exchange& e) {
  if (e.fault.name != trace::FaultName::none) return false;
  auto it = waiting_.find({e.pid, e.service});
  if (it == waiting_.end()) return false;
  auto& met = it->second;
  auto& all = all_[met.at];
  if (all.exchange == 0) all.exchange = e.id;
  e.fault = all.fault;
  e.fired = true;
  e.fired_at = met.since;
  e.evidence = all.evidence;
  if (met.times > 1) e.evidence += fmt::format(", {} times", met.times);
  waiting_.erase(it);
  return true;
}

}  // namespace retrial::proxy
