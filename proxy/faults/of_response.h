#pragma once
#include "proxy/faults/earlier.h"
#include "proxy/faults/fault.h"

namespace retrial::proxy {

// A fault that is nothing but what its edit makes of the response.
class OfResponse final : public Fault {
 public:
  using Make = std::unique_ptr<Edit> (*)(const trace::Exchange&, Earlier&);
  using Spares = std::string_view (*)(const Scene&);

  // `why`: as Fault::spares at the request's head.
  explicit OfResponse(Make make, Spares why = nullptr) : make_(make), spares_(why) {}
  bool awaits_response() const override { return true; }
  Act at(Step, const Scene&) const override { return Act::pass; }
  std::string_view spares(Step step, const Scene& scene) const override {
    return spares_ && step == Step::request_head ? spares_(scene) : "";
  }
  std::unique_ptr<Edit> edit(const trace::Exchange& exchange, Earlier& earlier) const override {
    return make_(exchange, earlier);
  }
  std::string evidence(Act, const Scene&) const override { return {}; }  // the edit's

 private:
  Make make_;
  Spares spares_;
};

// An edit that needs to know no more than what was asked for.
template <class E>
std::unique_ptr<Edit> made_of(const trace::Exchange& exchange, Earlier&) {
  return std::make_unique<E>(exchange.fault);
}

inline std::string_view needs_streams(const Scene& scene) { return scene.streams ? "" : kNeedsStreams; }
inline std::string_view needs_grpc(const Scene& scene) { return scene.grpc ? "" : kNeedsGrpc; }

}  // namespace retrial::proxy
