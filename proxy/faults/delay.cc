// delay(time): forwarded that much later. All that the client sends in the meantime waits with it.
#include "base/text.h"
#include "proxy/faults/fault.h"

namespace retrial::proxy {
namespace {

class Delay final : public Fault {
 public:
  Act at(Step step, const Scene&) const override { return step == Step::request_head ? Act::delay : Act::pass; }
  std::string evidence(Act, const Scene& scene) const override {
    return "the request was held for " + show_duration(scene.exchange.fault.delay) + " before the service heard of it";
  }
};
}  // namespace

const Fault& delay_fault() {
  static const Delay fault;
  return fault;
}

}  // namespace retrial::proxy
