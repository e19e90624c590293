#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "campaign/report/causes.h"
#include "campaign/report/format.h"
#include "campaign/report/headline.h"
#include "campaign/report/lists.h"
#include "campaign/report/page.h"
#include "campaign/report/words.h"
#include "oracles/oracle.h"
#include "policies/registry.h"

namespace retrial::campaign::report {
namespace {
constexpr std::size_t kMostAlso = 4;  // further findings of one cause

Ink ink_of(const trace::Finding& f) {
  if (f.accepted || f.known || !f.confirmed) return Ink::faint;
  return f.confidence == trace::Confidence::possible ? Ink::yellow : Ink::red;
}

std::string standing(const trace::Finding& f) {
  std::string text(trace::show(f.confidence));
  if (!f.confirmed) text += ", not confirmed";
  if (f.accepted) text += ", accepted";
  if (f.known) text += ", known";
  return text;
}

void replay_line(Page& page, std::string_view head, const std::string& command, Ink head_ink) {
  if (!command.empty()) page.wrapped(head, command, head_ink, Ink::cyan);
}

void finding_block(Page& page, const trace::CampaignRecord& campaign, const trace::Finding& f) {
  page.wrapped("   ", f.service.empty() ? f.operation : f.operation + " at " + shown_service(f.service), Ink::plain,
               Ink::bold);
  page.wrapped("     wire    ", fmt::format("{}: {}", f.policy, f.fault), Ink::faint);
  page.wrapped("     client  ", client_did(f), Ink::faint);
  if (!f.retried_by.empty()) page.wrapped("     retry   ", f.retried_by, Ink::faint);
  page.wrapped("     seen    ", f.message, Ink::faint);
  if (auto right = advice(f); !right.empty()) page.wrapped("     right   ", right, Ink::faint);
  page.wrapped("     more    ", explain_command(f.verdict), Ink::faint);
  if (!f.test.empty()) page.wrapped("     test    ", f.test, Ink::faint);
  replay_line(page, "     again   ", replay_command(campaign, f), Ink::faint);
}

// What a chain has beside another one: "src/base.mjs:6 ask <- ... <- src/label.mjs:5 label".
std::string place_beside(const std::optional<trace::CallSite>& site, const std::optional<trace::CallSite>& first) {
  if (!site || !first) return place(site);
  auto frames = trace::frames_of(*site), known = trace::frames_of(*first);
  auto apart = std::ranges::mismatch(frames, known).in1;
  if (apart - frames.begin() < 2) return place(site);
  std::string out = trace::show(frames.front()) + " <- ...";
  for (; apart != frames.end(); ++apart) out += " <- " + trace::show(*apart);
  return out;
}

// The same cause under another fault, of another operation, or from another caller: what differs, in one paragraph.
void also_block(Page& page, const trace::CampaignRecord& campaign, const trace::Finding& f,
                const trace::Finding& first) {
  auto operation = f.operation == first.operation ? "" : f.operation + " under ";
  if (f.site != first.site)
    operation = place_beside(f.site, first.site) + ", " + (operation.empty() ? "under " : operation);
  page.wrapped("     also    ",
               fmt::format("{}{}: {}; {} ({})", operation, f.policy, f.fault, client_did(f), standing(f)), Ink::faint);
  replay_line(page, "             ", replay_command(campaign, f), Ink::plain);
}

// Where to look first. What a function further out sent again is mended there, and not in the helper through which all
// is sent: "Pki.java:113 Pki.issue, which sends at Rest.java:535 Rest.send <- Pki.java:113 Pki.issue".
std::string heading(const Cause& cause) {
  auto retrier = cause.sends_again();
  return retrier ? fmt::format("{}, which sends at {}", trace::show(*retrier), place(cause.site)) : place(cause.site);
}

// What stands behind surer ones: what was seen, and how it is seen again. The report has the rest.
void short_block(Page& page, const trace::CampaignRecord& campaign, const Cause& cause) {
  auto& f = cause.surest();
  page.wrapped("     seen    ", f.message, Ink::faint);
  replay_line(page, "     again   ", replay_command(campaign, f), Ink::faint);
  if (auto more = cause.findings.size() - 1)
    page.wrapped("     also    ", fmt::format("{} more, named in the report", more), Ink::faint);
  page.blank();
}

void cause_block(Page& page, std::size_t number, const trace::CampaignRecord& campaign, const Cause& cause,
                 bool in_short) {
  const auto& worst = cause.surest();
  page.spread(fmt::format("{}. {} ({})", number, cause.verdict, standing(worst)), heading(cause), ink_of(worst),
              Ink::bold, 3);
  if (in_short) return short_block(page, campaign, cause);
  if (const auto* verdict = oracles::verdict_named(cause.verdict)) page.wrapped("   ", verdict->why);
  finding_block(page, campaign, worst);
  std::size_t shown = 0;
  for (const auto* finding : cause.findings)
    if (finding != &worst && shown++ < kMostAlso) also_block(page, campaign, *finding, worst);
  if (shown > kMostAlso)
    page.wrapped("     also    ", fmt::format("{} more, named in the report", shown - kMostAlso), Ink::faint);
  page.blank();
}

std::string headline_of(const trace::CampaignRecord& c) {
  auto outcome = outcome_of(c);
  bool in_part =
      outcome == Outcome::cut || outcome == Outcome::in_part || (outcome == Outcome::incomplete && !c.clean.empty());
  auto open = in_part ? not_judged(c).size() : 0;
  auto cases = outcome == Outcome::planned ? c.cases.size() : open ? c.clean.size() + open : cases_run(c);
  auto joint = outcome == Outcome::found || outcome == Outcome::right ? " in " : ": ";
  auto judged = open ? fmt::format("{} of ", c.clean.size()) : "";
  auto answered =
      std::ranges::count_if(c.cases, [](auto& row) { return row.runs.empty() && row.outcome == "answered"; });
  auto more = answered ? fmt::format(", which answer{} {} more", cases == 1 ? "s" : "", answered) : "";
  return fmt::format("{}{}{}{}{}, {}.", headline(c), joint, judged, counted(cases, "case"), more,
                     show_duration(c.took));
}
}  // namespace

std::string summary(const trace::CampaignRecord& campaign, const std::filesystem::path& folder,
                    trace::Confidence fail_on, const Style& style) {
  Page page(style);
  auto found = causes(campaign.findings);
  page.blank();
  page.wrapped("", headline_of(campaign), Ink::plain, Ink::bold);
  if (!campaign.findings.empty()) page.wrapped("", failing_line(campaign.findings, fail_on));
  if (auto rest = not_tried(campaign); !rest.empty()) page.wrapped("", rest);
  page.blank();
  auto possible = [](const Cause& cause) { return cause.surest().confidence == trace::Confidence::possible; };
  bool surer = !std::ranges::all_of(found, possible);
  for (std::size_t i = 0; i < found.size(); i++)
    cause_block(page, i + 1, campaign, found[i], surer && possible(found[i]));

  auto section = [&](std::string_view title, std::size_t count, auto rows) {
    if (!count) return;
    page.wrapped("", fmt::format("{}: {}", title, count), Ink::plain, Ink::bold);
    rows();
    page.blank();
  };
  auto open = not_judged(campaign), too = seen_too(campaign);
  section("Seen here too", too.size(), [&] { reason_rows(page, too); });
  auto right = clean(campaign, true), unseen = clean(campaign, false);
  section("Judged, nothing found", right.size(), [&] { clean_rows(page, right); });
  section(kUnseenTitle, unseen.size(), [&] { clean_rows(page, unseen); });
  section("Notes", campaign.notes.size(), [&] { note_rows(page, campaign.notes); });
  section("Not judged", open.size(), [&] { reason_rows(page, open); });
  section("Left alone", campaign.left_alone.size(), [&] { plain_rows(page, campaign.left_alone); });
  section("Remarks", campaign.remarks.size(), [&] { plain_rows(page, campaign.remarks, campaign.remarks.size()); });

  if (!folder.empty()) {
    for (auto& format : formats())
      if (format.for_people) page.wrapped("Report  ", (folder / format.file).string(), Ink::bold);
    auto beside = "beside it " + files_for_programs();
    std::error_code error;
    if (std::filesystem::exists(folder / "campaign.db", error)) beside += ", and campaign.db";
    if (campaign.overhead)
      beside += fmt::format("; {} of {} were our own overhead", show_duration(campaign.overhead),
                            show_duration(campaign.took));
    page.wrapped("        ", beside);
  }
  auto asked = std::ranges::find_if(campaign.cases, [](auto& c) { return policies::policy_named(c.policy); });
  if (asked != campaign.cases.end())
    page.wrapped("Words   ", fmt::format("what {} asks: retrial explain {}", asked->policy, asked->policy));
  if (auto line = retries_line(campaign); !line.empty())
    page.wrapped("Source  ",
                 line + ": retrial scan --against " + (folder.empty() ? ".retrial/latest" : folder.string()));
  if (!campaign.incomplete.empty()) page.wrapped("Incomplete: ", campaign.incomplete, Ink::red);
  return page.text();
}

}  // namespace retrial::campaign::report
