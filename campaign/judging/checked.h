#pragma once
#include <string>
#include <string_view>
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

// "2 of 3 checkers had something to look at: 40 checks, 1 failed; nothing had NAME", by the `idle` ones' names.
std::string what_was_checked(std::size_t all, std::size_t passed, std::size_t failed,
                             const std::vector<std::string_view>& idle);

// CaseRecord::policy and ::plan of such a finding.
inline constexpr std::string_view kCheck = "check", kNoFault = "no fault";

}  // namespace retrial::campaign
