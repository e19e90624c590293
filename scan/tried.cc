#include "scan/tried.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "scan/verdicts.h"

namespace retrial::scan {
namespace {

namespace fs = std::filesystem;

bool among(std::string_view names, std::string_view name) {
  auto all = split(names, ',');
  return std::ranges::any_of(all, [&](auto one) { return one == name; });
}

// The test that comes nearest to what none reaches.
std::string nearest_test(const trace::CampaignRecord& campaign, const Location& at, Through& through) {
  const trace::CaseRecord* best = nullptr;
  int near = 0;
  for (auto& row : campaign.cases)
    if (int n = through.nearness(row.site, at); n > near) std::tie(best, near) = std::pair(&row, n);
  return best ? fmt::format("; the nearest is {}, by {}", best->test, trace::show(*best->site)) : "";
}

Tried tried_in(const trace::CampaignRecord& campaign, const Location& at, Through& leads_through) {
  auto through = [&](auto& one) { return leads_through(one.site, at); };
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
  if (at.shape == Shape::library && at.calls.empty())
    return {Tried::never, "what is set here is used elsewhere: which calls it holds for is not seen"};
  return {Tried::never, "no test that was on trial makes its call" + nearest_test(campaign, at, leads_through)};
}

bool is_same(const trace::CaseRecord& row, const trace::Judged& judged) {
  return row.policy == judged.policy && row.plan == judged.fault && row.test == judged.test &&
         row.site == judged.site && row.operation == judged.operation;
}

void hold(Verdict& verdict, const Location& at, const trace::CampaignRecord& campaign, Through& through) {
  auto* rule = rule_named(verdict.name);
  if (!rule) return;
  const trace::Finding* shown = nullptr;
  for (auto& f : campaign.findings)
    if (f.confirmed && among(rule->shown_by, f.verdict) && through(f.site, at) &&
        (!shown || f.confidence > shown->confidence))
      shown = &f;
  if (shown) {
    verdict.confidence = trace::show(shown->confidence);
    verdict.shown = fmt::format("{} shows {}, test {}: retrial replay {}{}", shown->policy, shown->verdict, shown->test,
                                shown->id, campaign.folder.empty() ? "" : " --from " + campaign.folder);
    return;
  }
  std::string open;  // why what was run says nothing of it
  for (auto& row : campaign.cases) {
    if (row.outcome != "run" || !among(rule->policies, row.policy) || !through(row.site, at)) continue;
    auto left = std::ranges::find_if(campaign.not_judged, [&](auto& one) { return is_same(row, one); });
    if (left == campaign.not_judged.end()) {
      verdict.shown = fmt::format("{} did not show it, test {}", row.policy, row.test);
      return;
    }
    if (open.empty()) open = fmt::format("{} was run and not judged, test {}: {}", row.policy, row.test, left->why);
  }
  verdict.shown = open;
}

}  // namespace

const std::string& Through::absolute(const std::string& file, const fs::path& from) {
  auto [at, fresh] = known_.try_emplace((from / file).string());
  std::error_code error;
  if (fresh) at->second = fs::weakly_canonical(fs::absolute(from / file, error), error).string();
  return at->second;
}

bool Through::operator()(const std::optional<trace::CallSite>& site, const Location& at) {
  if (!site) return false;
  auto& file = absolute(at.file, "");
  auto from = at.function_line ? at.function_line : at.line,
       to = at.function_line ? at.function_last_line : at.last_line;
  bool of_file = at.shape == Shape::library && at.function.empty();  // a client that is set up for all of its file
  for (auto& frame : trace::frames_of(*site)) {
    bool within = frame.line >= static_cast<int>(from) && frame.line <= static_cast<int>(to);
    if ((within || of_file) && absolute(frame.file, directory_) == file) return true;
  }
  return false;
}

int Through::nearness(const std::optional<trace::CallSite>& site, const Location& at) {
  int near = 0;
  if (!site) return near;
  auto& file = absolute(at.file, "");
  for (auto& frame : trace::frames_of(*site)) {
    auto& other = absolute(frame.file, directory_);
    if (other == file) return 2;
    if (fs::path(other).parent_path() == fs::path(file).parent_path()) near = 1;
  }
  return near;
}

void hold_against(std::vector<Location>& locations, const trace::CampaignRecord& campaign) {
  // Without call sites nothing is known of any location.
  auto sited = [](auto& row) { return row.site.has_value(); };
  if (!campaign.cases.empty() && std::ranges::none_of(campaign.cases, sited)) return;
  Through through(campaign.directory);
  for (auto& at : locations) {
    at.tried = tried_in(campaign, at, through);
    for (auto& verdict : at.verdicts) hold(verdict, at, campaign, through);
  }
}

}  // namespace retrial::scan
