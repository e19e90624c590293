// lost-response(reset|close|stall|error(status)): the service executed, its whole response was read, the client is told
// otherwise.
#include <fmt/format.h>

#include "proxy/faults/all.h"

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
        return Act::pass;
      // The service did not do what it was asked: nothing was executed whose answer could be lost.
      case Step::response_head:
        return scene.exchange.service_status >= 400 ? Act::pass : Act::drop;
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
  std::string_view spares(Step step, const Scene&) const override {
    return step == Step::response_head ? "the service's own answer is an error, and passed untouched" : "";
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
        sign = fmt::format("{}", e.fault.status);
        break;
      case Act::hold:
      case Act::pass:
      case Act::drop:
        sign = "silence";
        break;
    }
    return fmt::format("{} after {} response bytes were withheld; the service had answered {}{}", sign, scene.withheld,
                       e.service_status, scene.endless ? ", without an end" : "");
  }
};
}  // namespace

const Fault& lost_response_fault() {
  static const LostResponse fault;
  return fault;
}

}  // namespace retrial::proxy
