#include <array>

#include "oracles/table.h"

namespace retrial::oracles {

std::span<const Oracle* const> oracles() {
  static const std::array<const Oracle*, 13> all = {&duplicate_effect(),
                                                    &retries_non_idempotent(),
                                                    &silent_wrong_result(),
                                                    &unrelated_exception(),
                                                    &crash(),
                                                    &hang(),
                                                    &missing_timeout(),
                                                    &missing_cap(),
                                                    &missing_delay(),
                                                    &ignores_retry_after(),
                                                    &not_retried_transient(),
                                                    &hedging(),
                                                    &no_agent()};
  return all;
}

}  // namespace retrial::oracles
