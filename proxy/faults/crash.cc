// crash(when): the process that has sent the request ends at that very moment, as a crash of its machine would end it.
#include <fmt/format.h>

#include "proxy/faults/fault.h"
#include "trace/status.h"

namespace retrial::proxy {
namespace {
using trace::Point;

class Crash final : public Fault {
 public:
  bool awaits_response() const override { return true; }
  Act at(Step step, const Scene& scene) const override {
    switch (scene.exchange.fault.point) {
      case Point::executed:
        if (step == Step::response_head) return failed(scene) ? Act::pass : Act::drop;
        return step == Step::response_end ? Act::crash : Act::pass;
      case Point::answered:
        return step == Step::told ? Act::crash : Act::pass;
      default:
        return step == Step::request_head ? Act::crash : Act::pass;
    }
  }
  std::string_view spares(Step step, const Scene& scene) const override {
    if (step == Step::request_head && !scene.mortal) return kNoProcess;
    if (step == Step::response_head && failed(scene))
      return "the service's own answer is an error: nothing was executed";
    return {};
  }
  std::string evidence(Act, const Scene& scene) const override {
    auto& e = scene.exchange;
    auto died = fmt::format("process {} was ended (SIGKILL)", e.pid);
    switch (e.fault.point) {
      case Point::executed:
        return fmt::format("{} with the answer withheld; the service had answered {}", died,
                           trace::status_of(e, e.service_status));
      case Point::answered:
        return fmt::format("{} once it had the answer, {}", died, trace::status_of(e, e.client_status));
      default:
        return fmt::format("{} before the service heard of its request", died);
    }
  }

 private:
  static bool failed(const Scene& scene) { return scene.exchange.service_status >= 400; }
};
}  // namespace

const Fault& crash_fault() {
  static const Crash fault;
  return fault;
}

}  // namespace retrial::proxy
