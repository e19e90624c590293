// close(after-request): read whole, not forwarded, FIN.
#include <fmt/format.h>

#include "proxy/faults/all.h"

namespace retrial::proxy {
namespace {

class Close final : public Fault {
 public:
  Act at(Step step, const Scene&) const override {
    if (step == Step::request_head) return Act::drop;
    return step == Step::request_end ? Act::close : Act::pass;
  }
  std::string evidence(Act, const Scene& scene) const override {
    return fmt::format("FIN after the request with {} bytes of body was read; the service heard nothing",
                       scene.exchange.request_bytes);
  }
};
}  // namespace

const Fault& close_fault() {
  static const Close fault;
  return fault;
}

}  // namespace retrial::proxy
