#include <array>

#include "oracles/table.h"

namespace retrial::oracles {

std::span<const Oracle* const> oracles() {
  static const std::array all = {&duplicate_effect(),
                                 &retries_non_idempotent(),
                                 &silent_wrong_result(),
                                 &unrelated_exception(),
                                 &changed_on_retry(),
                                 &poisoned_connection(),
                                 &crash(),
                                 &hang(),
                                 &missing_timeout(),
                                 &missing_cap(),
                                 &retry_amplification(),
                                 &missing_delay(),
                                 &no_backoff(),
                                 &ignores_retry_after(),
                                 &retries_permanent_error(),
                                 &inconsistent_retry(),
                                 &not_retried_transient(),
                                 &hedging(),
                                 &no_jitter(),
                                 &no_agent()};
  return all;
}

}  // namespace retrial::oracles
