#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/campaign_record.h"

namespace retrial::campaign::report {

// What a report is made from. Nothing is owned.
struct ReportInput {
  const trace::CampaignRecord& campaign;
  const std::vector<trace::Run>& runs;
  trace::Confidence fail_on = trace::Confidence::likely;  // the least of a finding that fails the run
};

// A file that a campaign leaves behind (docs/findings.md).
struct Format {
  std::string_view file;  // "findings.json": its name in the folder
  // Whatever the campaign holds, hostile bytes too, the file is well-formed.
  std::string (*text)(const ReportInput& input) = nullptr;
  bool for_people = false;  // it is the one that a reader is pointed to
};

// In the order in which they are written (registry.h).
std::span<const Format> formats();
// The files of all formats but the one for people: "findings.json, findings.sarif and junit.xml"; `more` stands last.
std::string files_for_programs(std::string_view more = {});

}  // namespace retrial::campaign::report
