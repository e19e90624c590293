// error(status), grpc-status(code): answered before the service hears of it.
#include <fmt/format.h>

#include "proxy/faults/fault.h"
#include "trace/status.h"

namespace retrial::proxy {
namespace {

class Error final : public Fault {
 public:
  Act at(Step step, const Scene& scene) const override {
    // A client that asked whether it may send its body is answered before it does, as servers do (RFC 9110 10.1.1).
    if (step == Step::request_head) return scene.invited ? Act::drop : Act::answer;
    return step == Step::request_end ? Act::answer : Act::pass;
  }
  std::string_view spares(Step, const Scene& scene) const override {
    return trace::is_grpc(scene.exchange.fault.status) && !scene.grpc ? kNeedsGrpc : "";
  }
  std::string evidence(Act, const Scene& scene) const override {
    auto& e = scene.exchange;
    auto status = trace::show_status(e.fault.status);
    if (!scene.invited)
      return fmt::format("{} was answered to the head, before the body was sent; the service heard nothing", status);
    return fmt::format("{} was answered after the request with {} bytes of body; the service heard nothing", status,
                       e.request_bytes);
  }
};
}  // namespace

const Fault& error_fault() {
  static const Error fault;
  return fault;
}

}  // namespace retrial::proxy
