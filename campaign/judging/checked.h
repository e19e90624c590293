#pragma once
#include <vector>

#include "checkers/checker.h"
#include "trace/campaign_record.h"
#include "trace/run.h"

namespace retrial::campaign {

// What the checkers in use say of runs in which nothing was done to anybody: a checker that fails in each of them is a
// finding (semantic-violation, whose fault is `no fault`), one for each call site and operation; one that failed in
// some of several is not judged. What a failing test sent is left out: it has told. A remark says how much was looked
// at.
void check_without_faults(const std::vector<const trace::Run*>& runs, trace::CampaignRecord& record);

// CaseRecord::policy and ::plan of such a finding.
inline constexpr std::string_view kCheck = "check", kNoFault = "no fault";

}  // namespace retrial::campaign
