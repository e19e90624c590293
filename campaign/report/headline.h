#pragma once
#include <cstdint>
#include <string>

#include "trace/campaign_record.h"

// What may be said at the top of a report, and by the exit status of the command that made it.
namespace retrial::campaign::report {

enum class Outcome : std::uint8_t {
  planned,     // the cases stand, and nothing was injected yet
  found,       // findings, be they accepted or known; nothing is said of what is missing beside them
  incomplete,  // none, and Retrial could not see or do all that it should have
  not_judged,  // none, since nothing could be judged
  cut,         // none in what was judged; a budget left cases untried
  in_part,     // none in what was judged; something was not
  right,       // none, and every case was judged
};
Outcome outcome_of(const trace::CampaignRecord& campaign);

// Without a full stop: "No retry bug was found".
std::string headline(const trace::CampaignRecord& campaign);

// "31 of 40 retry locations were tried; 4 of the others look wrong by the source alone"; or nothing.
std::string retries_line(const trace::CampaignRecord& campaign);

}  // namespace retrial::campaign::report
