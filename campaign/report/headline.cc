#include "campaign/report/headline.h"

#include <fmt/format.h>

#include <algorithm>

#include "campaign/report/causes.h"
#include "campaign/report/words.h"

namespace retrial::campaign::report {

namespace {
// As Campaign says why it was left, alone or behind what was seen of it before.
bool left_by_budget(const trace::CaseRecord& row) {
  return row.outcome == "left" && (row.why == "budget" || row.why.ends_with("(budget)"));
}
}  // namespace

Outcome outcome_of(const trace::CampaignRecord& c) {
  if (!c.findings.empty()) return Outcome::found;
  if (!c.incomplete.empty()) return Outcome::incomplete;
  if (!c.cases.empty() && std::ranges::all_of(c.cases, [](auto& row) { return row.outcome == "planned"; }))
    return Outcome::planned;
  if (c.clean.empty() && c.notes.empty()) return Outcome::not_judged;
  if (std::ranges::any_of(c.cases, left_by_budget)) return Outcome::cut;
  return not_judged(c).empty() ? Outcome::right : Outcome::in_part;
}

std::string headline(const trace::CampaignRecord& c) {
  switch (outcome_of(c)) {
    case Outcome::planned:
      return "A plan: nothing was injected";
    case Outcome::found:
      return fmt::format("{} with {}", counted(c.findings.size(), "finding"),
                         counted(causes(c.findings).size(), "cause"));
    case Outcome::incomplete:
      return c.clean.empty() && c.notes.empty()
                 ? "Incomplete: nothing was judged"
                 : "Incomplete: what was judged was found right, and clears nothing else";
    case Outcome::not_judged:
      return "Nothing could be judged";
    case Outcome::cut:
      return "The budget ended first: no retry bug was found in what was judged";
    case Outcome::in_part:
      return "No retry bug was found in what could be judged";
    case Outcome::right:
      return "No retry bug was found";
  }
  return {};
}

std::string retries_line(const trace::CampaignRecord& c) {
  if (c.retries.empty()) return {};
  auto tried = std::ranges::count_if(c.retries, trace::is_tried);
  auto suspected =
      std::ranges::count_if(c.retries, [](auto& at) { return !trace::is_tried(at) && !at.verdicts.empty(); });
  auto line = fmt::format("{} of {} {} tried", tried, counted(c.retries.size(), "retry location"),
                          c.retries.size() == 1 ? "was" : "were");
  if (suspected)
    line += fmt::format("; {} of the others look{} wrong by the source alone", suspected, suspected == 1 ? "s" : "");
  return line;
}

}  // namespace retrial::campaign::report
