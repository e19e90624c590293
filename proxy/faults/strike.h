#pragma once
#include "proxy/faults/fault.h"

namespace retrial::proxy {

// What the reader of a finding is told that the wire shows: "RST", "FIN", "silence", "RST_STREAM (refused-stream)".
std::string sign_of(const trace::FaultSpec& fault);
// What strikes in the response. `fault` must outlive it.
std::unique_ptr<Edit> cut_edit(const trace::FaultSpec& fault);

// reset, close, stall and rst-stream: the same points, each with its own sign.
class Strike final : public Fault {
 public:
  // `act`: reset, close, hold or abort.
  explicit Strike(Act act) : act_(act) {}

  bool awaits_response() const override { return false; }
  Act at(Step step, const Scene& scene) const override;
  std::string_view spares(Step step, const Scene& scene) const override;
  std::string evidence(Act act, const Scene& scene) const override;
  bool head_alone(const Scene& scene) const override;
  std::unique_ptr<Edit> edit(const trace::Exchange& exchange, Earlier& earlier) const override;

 private:
  Act act_;
};

}  // namespace retrial::proxy
