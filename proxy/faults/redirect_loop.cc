// redirect-loop(status): answered, before the service hears of it, with a redirect to the very same target.
#include <fmt/format.h>

#include "proxy/faults/fault.h"

namespace retrial::proxy {
namespace {

// RFC 9110 15.4
std::string_view reason_of(int status) {
  switch (status) {
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 303:
      return "See Other";
    case 308:
      return "Permanent Redirect";
    default:
      return "Temporary Redirect";
  }
}

class RedirectLoop final : public Fault {
 public:
  Act at(Step step, const Scene& scene) const override {
    if (step == Step::request_head) return scene.invited ? Act::drop : Act::answer;
    return step == Step::request_end ? Act::answer : Act::pass;
  }
  trace::Answer answer(const Scene& scene) const override {
    auto& e = scene.exchange;
    auto marker = "retrial-" + e.fault_id;
    return {.status = e.fault.status,
            .reason = std::string(reason_of(e.fault.status)),
            .headers = {{"Location", std::string(scene.target)},
                        {"X-Retrial-Fault", marker},
                        {"Content-Type", "text/plain"}},
            .body = marker + "\n"};
  }
  std::string evidence(Act, const Scene& scene) const override {
    return fmt::format("{} with a Location that is the request's own target; the service heard nothing",
                       scene.exchange.fault.status);
  }
};
}  // namespace

const Fault& redirect_loop_fault() {
  static const RedirectLoop fault;
  return fault;
}

}  // namespace retrial::proxy
