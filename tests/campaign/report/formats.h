#pragma once
#include <algorithm>
#include <string>

#include "campaign/report/format.h"

// Each format as a function, as its tests read it.
namespace retrial::campaign::report {

inline std::string written(std::string_view file, const trace::CampaignRecord& campaign,
                           trace::Confidence fail_on = trace::Confidence::likely,
                           const std::vector<trace::Run>& runs = {}) {
  auto format = std::ranges::find(formats(), file, &Format::file);
  return format == formats().end() ? "no such format" : format->text({campaign, runs, fail_on});
}
inline std::string findings_json(const trace::CampaignRecord& campaign) { return written("findings.json", campaign); }
inline std::string sarif(const trace::CampaignRecord& campaign, trace::Confidence fail_on) {
  return written("findings.sarif", campaign, fail_on);
}
inline std::string junit_xml(const trace::CampaignRecord& campaign, trace::Confidence fail_on) {
  return written("junit.xml", campaign, fail_on);
}
inline std::string html_page(const trace::CampaignRecord& campaign, const std::vector<trace::Run>& runs,
                             trace::Confidence fail_on) {
  return written("report.html", campaign, fail_on, runs);
}

}  // namespace retrial::campaign::report
