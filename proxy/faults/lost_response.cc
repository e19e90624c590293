// lost-response(reset|close|stall|error(status)): the service executed, its whole response was read, the client is told
// otherwise.
#include <fmt/format.h>

#include "proxy/faults/fault.h"
#include "trace/status.h"

namespace retrial::proxy {
namespace {

class LostResponse final : public Fault {
 public:
  bool awaits_response() const override { return true; }
  Act at(Step step, const Scene& scene) const override {
    switch (step) {
      case Step::request_head:
      case Step::head_sent:
      case Step::request_end:
      case Step::told:
        return Act::pass;
      // The service did not do what it was asked: nothing was executed whose answer could be lost.
      case Step::response_head:
        return failed(scene) ? Act::pass : Act::drop;
      case Step::response_end:
        break;
    }
    switch (scene.exchange.fault.telling) {
      case trace::Telling::reset:
        return Act::reset;
      case trace::Telling::close:
        return Act::close;
      case trace::Telling::stall:
        return Act::hold;
      case trace::Telling::error:
        return Act::answer;
    }
    return Act::pass;
  }
  std::string_view spares(Step step, const Scene& scene) const override {
    if (step == Step::response_head)
      return failed(scene) ? "the service's own answer is an error, and passed untouched" : "";
    auto& fault = scene.exchange.fault;
    bool tells = fault.telling == trace::Telling::error && trace::is_grpc(fault.status);
    return tells && !scene.grpc ? kNeedsGrpc : "";
  }
  std::string evidence(Act act, const Scene& scene) const override {
    auto& e = scene.exchange;
    std::string sign;
    switch (act) {
      case Act::reset:
        sign = "RST";
        break;
      case Act::close:
        sign = "FIN";
        break;
      case Act::answer:
        sign = trace::show_status(e.fault.status);
        break;
      default:
        sign = "silence";
        break;
    }
    return fmt::format("{} after {} response bytes were withheld; the service had answered {}{}", sign, scene.withheld,
                       trace::status_of(e, e.service_status), scene.endless ? ", without an end" : "");
  }

 private:
  static bool failed(const Scene& scene) { return scene.exchange.service_status >= 400; }
};
}  // namespace

const Fault& lost_response_fault() {
  static const LostResponse fault;
  return fault;
}

}  // namespace retrial::proxy
