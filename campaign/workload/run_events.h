#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "campaign/workload/listeners.h"
#include "proxy/capture/tree.h"
#include "proxy/net/loop.h"
#include "proxy/proxy.h"
#include "proxy/time/compressor.h"

// What one run hears of its command's processes and of its exchanges.
namespace retrial::campaign {

// Gives connections to the proxy. When the command has ended, and its sockets have nothing more to say, the loop stops.
class RunEvents final : public proxy::TreeEvents {
 public:
  RunEvents(proxy::Loop& loop, const Clock& clock, const Clock& real, proxy::Director& director);
  void connected(proxy::Captured connection) override;
  proxy::ConnectDecision connecting(const proxy::Address& service, pid_t pid) override;
  void met(const proxy::Address& service, pid_t pid, const trace::FaultSpec& fault,
           std::string_view not_fired) override;
  void ended(int wait_status) override;

  proxy::Proxy* proxy = nullptr;
  proxy::Compressor* compressor = nullptr;
  Servers servers;
  std::optional<int> status;  // of the command, when it has ended

 private:
  void settle();

  proxy::Loop& loop_;
  const Clock& clock_;
  proxy::Director& director_;
  proxy::Timer settle_;
  std::uint64_t callbacks_ = 0;  // of the loop, at the last look
  int looks_ = 0;
};

// Arms the compressor by the first fault that fires, or (`at_once`) the first exchange. Of a short delay once it is
// over: it is there for others to come first, whom looks at them would keep from it on a busy machine.
class ArmingRecorder final : public proxy::Recorder {
 public:
  ArmingRecorder(proxy::Recorder& recorder, bool at_once) : recorder_(recorder), at_once_(at_once) {}
  void head(const trace::Exchange& e) override;
  void answer(const trace::Exchange& e) override { recorder_.answer(e); }
  void fired(const trace::Exchange& e) override;
  void over(const trace::Exchange& e) override;

  proxy::Compressor* compressor = nullptr;
  std::uint64_t exchanges = 0;
  Nanos fired_at = 0;  // the first fault

 private:
  proxy::Recorder& recorder_;
  bool at_once_;
};

}  // namespace retrial::campaign
