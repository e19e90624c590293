#pragma once
#include "oracles/oracle.h"

// One line an oracle, those with the worst verdicts first: crash is a function, in crash.cc. Within a part of a report
// verdicts stand in this order.
#define RETRIAL_ORACLES(ORACLE)   \
  ORACLE(order_violation)         \
  ORACLE(time_of_fault)           \
  ORACLE(duplicate_effect)        \
  ORACLE(settled_undone)          \
  ORACLE(lost_effect)             \
  ORACLE(silent_wrong_result)     \
  ORACLE(semantic_violation)      \
  ORACLE(changed_on_retry)        \
  ORACLE(retries_non_idempotent)  \
  ORACLE(resource_leak)           \
  ORACLE(missing_compensation)    \
  ORACLE(poisoned_connection)     \
  ORACLE(crash)                   \
  ORACLE(unrelated_exception)     \
  ORACLE(stale_credentials)       \
  ORACLE(kept_failure)            \
  ORACLE(inconsistent_retry)      \
  ORACLE(hang)                    \
  ORACLE(never_asks_again)        \
  ORACLE(missing_timeout)         \
  ORACLE(missing_cap)             \
  ORACLE(retry_amplification)     \
  ORACLE(growth)                  \
  ORACLE(missing_delay)           \
  ORACLE(no_backoff)              \
  ORACLE(ignores_retry_after)     \
  ORACLE(retries_permanent_error) \
  ORACLE(not_retried_transient)   \
  ORACLE(hedging)                 \
  ORACLE(no_jitter)               \
  ORACLE(no_agent)

namespace retrial::oracles {

#define RETRIAL_DECLARE(name) const Oracle& name();
RETRIAL_ORACLES(RETRIAL_DECLARE)
#undef RETRIAL_DECLARE

}  // namespace retrial::oracles
