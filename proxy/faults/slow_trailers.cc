// slow-trailers(time): the body passes as it comes; the stream's end, and the trailers before it, that much later.
#include "base/text.h"
#include "proxy/faults/of_response.h"

namespace retrial::proxy {
namespace {

class SlowTrailers final : public Edit {
 public:
  explicit SlowTrailers(const trace::FaultSpec& fault) : fault_(fault) {}

  Did head(std::string&, const trace::Exchange&, bool bodiless) override {
    if (bodiless) return {.spares = "the service ended its response with the head"};
    return {};
  }
  Did body(std::string_view wire, bool last, std::string& out) override {
    out.append(wire);
    return {.fires = last, .more = last};
  }
  std::string evidence(const trace::Exchange&) const override {
    return "the response's end, with its trailers, was held for " + show_duration(fault_.delay);
  }

 private:
  const trace::FaultSpec& fault_;
};
}  // namespace

const Fault& slow_trailers_fault() {
  static const OfResponse fault(made_of<SlowTrailers>, needs_streams);
  return fault;
}

}  // namespace retrial::proxy
