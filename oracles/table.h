#pragma once
#include "oracles/oracle.h"

// One file an oracle; the table is registry.cc.
namespace retrial::oracles {

const Oracle& duplicate_effect();
const Oracle& retries_non_idempotent();
const Oracle& silent_wrong_result();
const Oracle& unrelated_exception();
const Oracle& crash();
const Oracle& hang();
const Oracle& missing_timeout();
const Oracle& missing_cap();
const Oracle& missing_delay();
const Oracle& no_backoff();
const Oracle& ignores_retry_after();
const Oracle& retries_permanent_error();
const Oracle& retry_amplification();
const Oracle& changed_on_retry();
const Oracle& poisoned_connection();
const Oracle& inconsistent_retry();
const Oracle& not_retried_transient();
const Oracle& hedging();
const Oracle& no_jitter();
const Oracle& no_agent();

// What cannot be judged: of this exhibit, and of this call of it.
trace::Judged not_judged(const Exhibit& exhibit, std::string why);
trace::Judged not_judged(const Exhibit& exhibit, const trace::Call& call, std::string why);

}  // namespace retrial::oracles
