#include "scan/tried.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>

namespace retrial::scan {
namespace {

namespace fs = std::filesystem;

// Absolute paths, each found once.
struct Paths {
  fs::path directory;
  std::map<std::string, std::string> known;

  std::string absolute(const std::string& file, const fs::path& from) {
    auto [at, fresh] = known.try_emplace((from / file).string());
    std::error_code error;
    if (fresh) at->second = fs::weakly_canonical(fs::absolute(from / file, error), error).string();
    return at->second;
  }
};

bool leads_through(const std::optional<trace::CallSite>& site, const Location& at, const std::string& file,
                   Paths& paths) {
  if (!site) return false;
  auto from = at.function_line ? at.function_line : at.line,
       to = at.function_line ? at.function_last_line : at.last_line;
  for (auto& frame : trace::frames_of(*site))
    if (frame.line >= static_cast<int>(from) && frame.line <= static_cast<int>(to) &&
        paths.absolute(frame.file, paths.directory) == file)
      return true;
  return false;
}

Tried tried_in(const trace::CampaignRecord& campaign, const Location& at, Paths& paths) {
  auto file = paths.absolute(at.file, "");
  auto through = [&](auto& one) { return leads_through(one.site, at, file, paths); };
  for (auto& finding : campaign.findings)
    if (through(finding))
      return {Tried::wrong,
              fmt::format("{} ({}), test {}", finding.verdict, trace::show(finding.confidence), finding.test)};
  for (auto& judged : campaign.clean)
    if (through(judged)) return {Tried::right, fmt::format("{}, test {}", judged.policy, judged.test)};
  for (auto& judged : campaign.not_judged)
    if (through(judged)) return {Tried::reached, fmt::format("not judged: {}", judged.why)};
  for (auto& row : campaign.cases)
    if (through(row))
      return {Tried::reached, fmt::format("test {} makes its call; {} would try it", row.test, row.policy)};
  return {Tried::never, "no test that was on trial makes its call"};
}

}  // namespace

void hold_against(std::vector<Location>& locations, const trace::CampaignRecord& campaign) {
  Paths paths{.directory = campaign.directory};
  for (auto& at : locations) at.tried = tried_in(campaign, at, paths);
}

}  // namespace retrial::scan
