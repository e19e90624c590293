// Faults that are nothing but what their edit makes of the response.
#include "proxy/faults/all.h"
#include "proxy/faults/earlier.h"
#include "proxy/faults/edits.h"

namespace retrial::proxy {
namespace {
using Make = std::unique_ptr<Edit> (*)(const trace::Exchange&, const Earlier&);

class OfResponse final : public Fault {
 public:
  explicit OfResponse(Make make) : make_(make) {}
  bool awaits_response() const override { return true; }
  Act at(Step, const Scene&) const override { return Act::pass; }
  std::unique_ptr<Edit> edit(const trace::Exchange& exchange, const Earlier& earlier) const override {
    return make_(exchange, earlier);
  }
  std::string evidence(Act, const Scene&) const override { return {}; }  // the edit's

 private:
  Make make_;
};
using E = trace::Exchange;
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
  static const OfResponse fault([](const E& e, const Earlier&) { return malformed_edit(e.fault); });
  return fault;
}
const Fault& duplicate_fault() {
  static const OfResponse fault([](const E&, const Earlier&) { return duplicate_edit(); });
  return fault;
}
const Fault& stale_fault() {
  static const OfResponse fault(
      [](const E& e, const Earlier& earlier) { return stale_edit(earlier.find(Earlier::key_of(e))); });
  return fault;
}
const Fault& drip_fault() {
  static const OfResponse fault([](const E& e, const Earlier&) { return drip_edit(e.fault); });
  return fault;
}

}  // namespace retrial::proxy
