// goaway(code): this stream and what comes after it on its connection is not for the service; what came before goes on.
#include <fmt/format.h>

#include "proxy/faults/fault.h"

namespace retrial::proxy {
namespace {

class Goaway final : public Fault {
 public:
  Act at(Step step, const Scene&) const override { return step == Step::request_head ? Act::goaway : Act::pass; }
  std::string_view spares(Step, const Scene& scene) const override { return scene.streams ? "" : kNeedsStreams; }
  std::string evidence(Act, const Scene& scene) const override {
    auto& e = scene.exchange;
    return fmt::format("GOAWAY ({}) whose last stream came before stream {}; the service heard nothing",
                       trace::stream_code(e.fault.code), e.stream);
  }
};
}  // namespace

const Fault& goaway_fault() {
  static const Goaway fault;
  return fault;
}

}  // namespace retrial::proxy
