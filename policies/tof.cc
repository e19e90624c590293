#include "policies/plans.h"
#include "policies/registry.h"

namespace retrial::policies {

// FCatch (Liu et al., ASPLOS 2018): a process ends at a moment at which what it has written is read otherwise. Once,
// and then all passes: a process whose death at another moment was borne, before a write or once it was carried out.
// Without an end: somebody waits for this write; where no process of its own sends it, the message is lost instead.
const Policy& tof() {
  auto crash = [](trace::Point when) { return trace::FaultSpec{.name = trace::FaultName::crash, .point = when}; };
  static const Policy policy{
      .name = "TOF",
      .question = "A process dies at the wrong moment: does whoever comes after it, or waits for it, get over it?",
      .plans = {first(crash(trace::Point::before_request), kPass), first(crash(trace::Point::executed), kPass),
                always(crash(trace::Point::before_request)),
                always({.name = trace::FaultName::reset, .point = trace::Point::after_request})},
      .by_default = false,
      .of_deaths = true,
  };
  return policy;
}

}  // namespace retrial::policies
