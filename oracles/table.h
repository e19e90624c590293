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
const Oracle& ignores_retry_after();
const Oracle& not_retried_transient();
const Oracle& hedging();
const Oracle& no_agent();

// What cannot be judged, of this exhibit.
trace::Judged not_judged(const Exhibit& exhibit, std::string why);

}  // namespace retrial::oracles
