// bandwidth(rate[, burst]): a token bucket on what goes to the service and on what goes to the client.
#include <fmt/format.h>

#include "proxy/faults/fault.h"

namespace retrial::proxy {
namespace {

class Bandwidth final : public Fault {
 public:
  Act at(Step, const Scene&) const override { return Act::pass; }
  Rate rate(const trace::FaultSpec& fault) const override {
    return {static_cast<std::uint64_t>(fault.rate), static_cast<std::uint64_t>(fault.burst)};
  }
  std::string evidence(Act, const Scene& scene) const override {
    auto& fault = scene.exchange.fault;
    return fmt::format("{} bytes a second each way, {} at once", fault.rate, fault.burst);
  }
};
}  // namespace

const Fault& bandwidth_fault() {
  static const Bandwidth fault;
  return fault;
}

}  // namespace retrial::proxy
