// drip(bytes, every): the response a few bytes at a time, with all that makes it up; on HTTP/2, where a head is one
// thing, its body.
#include <fmt/format.h>

#include "base/text.h"
#include "proxy/faults/fault.h"

namespace retrial::proxy {
namespace {

class Dripping final : public Fault {
 public:
  bool awaits_response() const override { return true; }
  Act at(Step, const Scene&) const override { return Act::pass; }
  Drip drip(const trace::FaultSpec& fault) const override {
    return {static_cast<std::uint64_t>(fault.bytes), fault.delay};
  }
  std::string evidence(Act, const Scene& scene) const override {
    auto& fault = scene.exchange.fault;
    return fmt::format("{} bytes of the response every {}", fault.bytes, show_duration(fault.delay));
  }
};
}  // namespace

const Fault& drip_fault() {
  static const Dripping fault;
  return fault;
}

}  // namespace retrial::proxy
