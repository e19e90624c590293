#include "policies/tellings.h"

namespace retrial::policies {

// Ours: as K1, but for longer. Asked only of a client that makes more attempts than that.
const Policy& k3() {
  static const Policy policy{
      .name = "K3",
      .question = "The service is unavailable for three attempts: does the caller still recover, and rightly?",
      .tellings = {{{{kTransient, 3}, {kPass, 0}}}},
      .attempts = 3,
  };
  return policy;
}

}  // namespace retrial::policies
