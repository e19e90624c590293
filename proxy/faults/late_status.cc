// late-status(code): the service's head passes, and with it the call is committed: no client may retry it by itself.
// Then this status in trailers, in place of the service's messages and its own trailers.
#include <fmt/format.h>

#include "proxy/faults/of_response.h"
#include "trace/status.h"

namespace retrial::proxy {
namespace {

class LateStatus final : public Edit {
 public:
  explicit LateStatus(const trace::FaultSpec& fault) : fault_(fault) {}

  Did head(std::string&, const trace::Exchange&, bool bodiless) override {
    if (bodiless) return {.spares = "the service ended the call with its head"};
    return {.act = Act::answer, .fires = true};
  }
  int status(int) const override { return fault_.status; }
  std::string evidence(const trace::Exchange&) const override {
    return fmt::format("{} in trailers after the service's head, in place of its messages",
                       trace::show_status(fault_.status));
  }

 private:
  const trace::FaultSpec& fault_;
};
}  // namespace

const Fault& late_status_fault() {
  static const OfResponse fault(made_of<LateStatus>, needs_grpc);
  return fault;
}

}  // namespace retrial::proxy
