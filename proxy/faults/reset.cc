// reset(after-request): read whole, not forwarded, RST.
#include <fmt/format.h>

#include "proxy/faults/all.h"

namespace retrial::proxy {
namespace {

class Reset final : public Fault {
 public:
  Act at(Step step, const Scene&) const override {
    if (step == Step::request_head) return Act::drop;
    return step == Step::request_end ? Act::reset : Act::pass;
  }
  std::string evidence(Act, const Scene& scene) const override {
    return fmt::format("RST after the request with {} bytes of body was read; the service heard nothing",
                       scene.exchange.request_bytes);
  }
};
}  // namespace

const Fault& reset_fault() {
  static const Reset fault;
  return fault;
}

}  // namespace retrial::proxy
