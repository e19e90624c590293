// stall: read whole, never forwarded, never answered. It ends when the client leaves, or the run.
#include <fmt/format.h>

#include "proxy/faults/all.h"

namespace retrial::proxy {
namespace {

class Stall final : public Fault {
 public:
  Act at(Step step, const Scene&) const override {
    if (step == Step::request_head) return Act::drop;
    return step == Step::request_end ? Act::hold : Act::pass;
  }
  std::string evidence(Act, const Scene& scene) const override {
    return fmt::format("silence after the request with {} bytes of body was read; the service heard nothing",
                       scene.exchange.request_bytes);
  }
};
}  // namespace

const Fault& stall_fault() {
  static const Stall fault;
  return fault;
}

}  // namespace retrial::proxy
