// Faults that are nothing but what their edit makes of the response.
#include "proxy/faults/all.h"
#include "proxy/faults/earlier.h"
#include "proxy/faults/edits.h"

namespace retrial::proxy {
namespace {
using Make = std::unique_ptr<Edit> (*)(const trace::Exchange&, const Earlier&);
using Spares = std::string_view (*)(const Scene&);

class OfResponse final : public Fault {
 public:
  explicit OfResponse(Make make, Spares why = nullptr) : make_(make), spares_(why) {}
  bool awaits_response() const override { return true; }
  Act at(Step, const Scene&) const override { return Act::pass; }
  std::string_view spares(Step step, const Scene& scene) const override {
    return spares_ && step == Step::request_head ? spares_(scene) : "";
  }
  std::unique_ptr<Edit> edit(const trace::Exchange& exchange, const Earlier& earlier) const override {
    return make_(exchange, earlier);
  }
  std::string evidence(Act, const Scene&) const override { return {}; }  // the edit's

 private:
  Make make_;
  Spares spares_;
};
using E = trace::Exchange;

std::string_view needs_streams(const Scene& scene) { return scene.streams ? "" : kNeedsStreams; }
std::string_view needs_grpc(const Scene& scene) { return scene.grpc ? "" : kNeedsGrpc; }
// Frames have no text that could be malformed.
std::string_view needs_text(const Scene& scene) {
  if (!scene.streams) return {};
  switch (scene.exchange.fault.part) {
    case trace::Malformed::status_line:
      return "HTTP/2 has no status line";
    case trace::Malformed::header:
      return "HTTP/2 has no field without a colon";
    case trace::Malformed::chunk:
      return "HTTP/2 has no chunks";
  }
  return {};
}
std::string_view needs_order(const Scene& scene) {
  return scene.streams ? "HTTP/2 has no second response on a stream" : "";
}
}  // namespace

const Fault& truncate_fault() {
  static const OfResponse fault([](const E& e, const Earlier&) { return truncate_edit(e.fault); });
  return fault;
}
const Fault& corrupt_fault() {
  static const OfResponse fault([](const E& e, const Earlier&) { return corrupt_edit(e.fault); });
  return fault;
}
const Fault& wrong_length_fault() {
  static const OfResponse fault([](const E& e, const Earlier&) { return wrong_length_edit(e.fault); });
  return fault;
}
const Fault& header_fault() {
  static const OfResponse fault([](const E& e, const Earlier&) { return header_edit(e.fault); });
  return fault;
}
const Fault& malformed_fault() {
  static const OfResponse fault([](const E& e, const Earlier&) { return malformed_edit(e.fault); }, needs_text);
  return fault;
}
const Fault& duplicate_fault() {
  static const OfResponse fault([](const E&, const Earlier&) { return duplicate_edit(); }, needs_order);
  return fault;
}
const Fault& stale_fault() {
  static const OfResponse fault(
      [](const E& e, const Earlier& earlier) { return stale_edit(earlier.find(Earlier::key_of(e))); });
  return fault;
}
const Fault& late_status_fault() {
  static const OfResponse fault([](const E& e, const Earlier&) { return late_status_edit(e.fault); }, needs_grpc);
  return fault;
}
const Fault& message_fault() {
  static const OfResponse fault([](const E& e, const Earlier&) { return message_edit(e.fault); }, needs_grpc);
  return fault;
}
const Fault& slow_trailers_fault() {
  static const OfResponse fault([](const E& e, const Earlier&) { return slow_trailers_edit(e.fault); }, needs_streams);
  return fault;
}
const Fault& drip_fault() {
  static const OfResponse fault([](const E& e, const Earlier&) { return drip_edit(e.fault); });
  return fault;
}

}  // namespace retrial::proxy
