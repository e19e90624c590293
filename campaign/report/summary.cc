#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "campaign/report/format.h"
#include "campaign/report/headline.h"
#include "campaign/report/page.h"
#include "campaign/report/words.h"
#include "oracles/oracle.h"

namespace retrial::campaign::report {
namespace {
constexpr std::size_t kMostRows = 12;  // of a list that is not the findings: the report has all of it

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
  page.wrapped("   ", f.service.empty() ? f.operation : f.operation + " at " + f.service, Ink::plain, Ink::bold);
  page.wrapped("     wire    ", fmt::format("{}: {}", f.policy, f.fault), Ink::faint);
  page.wrapped("     client  ", client_did(f), Ink::faint);
  if (!f.retried_by.empty()) page.wrapped("     retry   ", f.retried_by, Ink::faint);
  page.wrapped("     seen    ", f.message, Ink::faint);
  if (auto right = advice(f); !right.empty()) page.wrapped("     right   ", right, Ink::faint);
  page.wrapped("     more    ", explain_command(f.verdict), Ink::faint);
  if (!f.test.empty()) page.wrapped("     test    ", f.test, Ink::faint);
  replay_line(page, "     again   ", replay_command(campaign, f), Ink::faint);
}

// The same cause under another fault, or of another operation: what differs, in one paragraph.
void also_block(Page& page, const trace::CampaignRecord& campaign, const trace::Finding& f,
                const trace::Finding& first) {
  auto operation = f.operation == first.operation ? "" : f.operation + " under ";
  if (f.site != first.site) operation = place(f.site) + ", " + (operation.empty() ? "under " : operation);
  page.wrapped("     also    ",
               fmt::format("{}{}: {}; {} ({})", operation, f.policy, f.fault, client_did(f), standing(f)), Ink::faint);
  replay_line(page, "             ", replay_command(campaign, f), Ink::plain);
}

void cause_block(Page& page, std::size_t number, const trace::CampaignRecord& campaign, const Cause& cause) {
  const auto& worst = **std::max_element(cause.findings.begin(), cause.findings.end(),
                                         [](auto* a, auto* b) { return a->confidence < b->confidence; });
  page.spread(fmt::format("{}. {} ({})", number, cause.verdict, standing(worst)), place(cause.site), ink_of(worst),
              Ink::bold, 3);
  if (const auto* verdict = oracles::verdict_named(cause.verdict)) page.wrapped("   ", verdict->why);
  finding_block(page, campaign, worst);
  for (const auto* finding : cause.findings)
    if (finding != &worst) also_block(page, campaign, *finding, worst);
  page.blank();
}

// "src/webhook.mjs:20 post  POST /hook: P3, P1, K1"; of what was observed, the fault and what was seen.
void clean_rows(Page& page, const std::vector<trace::Judged>& clean) {
  std::vector<std::pair<std::string, std::vector<std::string>>> rows;
  for (const auto& j : clean) {
    if (j.policy == trace::kObserved || j.policy == trace::kServed) {
      rows.push_back(
          {fmt::format("{}  {} under {}", j.site ? trace::show(*j.site) : j.service, j.operation, j.fault), {j.why}});
      continue;
    }
    auto key = fmt::format("{}  {}", j.site ? trace::show(*j.site) : j.service, j.operation);
    auto at = std::find_if(rows.begin(), rows.end(), [&](auto& row) { return row.first == key; });
    if (at == rows.end()) at = rows.insert(rows.end(), {key, {}});
    if (std::find(at->second.begin(), at->second.end(), j.policy) == at->second.end()) at->second.push_back(j.policy);
  }
  for (std::size_t i = 0; i < std::min(rows.size(), kMostRows); i++)
    page.wrapped("   ", rows[i].first + ": " + joined(rows[i].second, ", "));
  if (rows.size() > kMostRows)
    page.wrapped("   ", fmt::format("and {} more calls", rows.size() - kMostRows), Ink::plain, Ink::faint);
}

// A note on one call site: where it begins with the operation, what follows may hold of several.
struct NoteRow {
  std::string verdict, place, said;
  bool of_each = false;
  std::vector<std::string> operations;
};
std::vector<NoteRow> rows_of(const std::vector<trace::Finding>& notes) {
  std::vector<NoteRow> rows;
  for (const auto& note : notes) {
    bool of_each = !note.operation.empty() && note.message.starts_with(note.operation + " ");
    auto said = of_each ? note.message.substr(note.operation.size() + 1) : note.message;
    auto same = [&](auto& row) {
      return of_each && row.of_each && row.verdict == note.verdict && row.place == place(note.site) && row.said == said;
    };
    auto at = std::ranges::find_if(rows, same);
    if (at == rows.end())
      rows.push_back({note.verdict, place(note.site), said, of_each, {note.operation}});
    else if (std::ranges::count(at->operations, note.operation) == 0)
      at->operations.push_back(note.operation);
  }
  return rows;
}
void note_rows(Page& page, const std::vector<trace::Finding>& notes) {
  auto rows = rows_of(notes);
  for (std::size_t i = 0; i < std::min(rows.size(), kMostRows); i++) {
    auto& row = rows[i];
    auto operations = joined(row.operations, ", ");
    page.wrapped("   ", operations.empty() ? fmt::format("{}: {}", row.verdict, row.said)
                        : row.of_each ? fmt::format("{} at {}: {} {}", row.verdict, row.place, operations, row.said)
                                      : fmt::format("{} at {}, {}: {}", row.verdict, row.place, operations, row.said));
  }
  if (rows.size() > kMostRows)
    page.wrapped("   ", fmt::format("and {} more", rows.size() - kMostRows), Ink::plain, Ink::faint);
}

// "P3 40, K1 12": how many of each policy.
std::string policies_of(const Reason& reason) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (const auto* j : reason.judged) {
    auto at = std::find_if(counts.begin(), counts.end(), [&](auto& count) { return count.first == j->policy; });
    if (at == counts.end()) at = counts.insert(counts.end(), {j->policy, 0});
    at->second++;
  }
  std::vector<std::string> parts;
  for (auto& [policy, count] : counts) parts.push_back(fmt::format("{} {}", policy, count));
  return joined(parts, ", ");
}

// "P1 POST /hook at src/webhook.mjs:20 notify"; of a command whose every call was aimed at, the fault.
std::string about(const trace::Judged& j) {
  if (j.operation.empty()) return j.fault;
  return fmt::format("{} {} at {}", j.policy, j.operation, j.site ? trace::show(*j.site) : j.service);
}

void not_judged_rows(Page& page, const std::vector<trace::Judged>& judged) {
  constexpr std::size_t kMostNamed = 3;
  auto reasons = by_reason(judged);
  for (std::size_t i = 0; i < std::min(reasons.size(), kMostRows); i++) {
    const auto& reason = reasons[i];
    auto why = reason.why.empty() ? "no reason was given" : reason.why;
    if (reason.judged.size() > kMostNamed) {
      page.wrapped("   ", fmt::format("{}: {} ({}), named in the report", why, counted(reason.judged.size(), "case"),
                                      policies_of(reason)));
      continue;
    }
    std::vector<std::string> named;
    for (const auto* j : reason.judged)
      if (auto what = about(*j); !what.empty()) named.push_back(what);
    page.wrapped("   ", named.empty() ? why : fmt::format("{}: {}", why, joined(named, "; ")));
  }
  if (reasons.size() > kMostRows)
    page.wrapped("   ", fmt::format("and {} more reasons", reasons.size() - kMostRows), Ink::plain, Ink::faint);
}

// A row may have lines of its own, each with its indent.
void plain_rows(Page& page, const std::vector<std::string>& rows, std::size_t most) {
  for (std::size_t i = 0; i < std::min(rows.size(), most); i++)
    for (auto line : split(rows[i], '\n'))
      page.wrapped("   " + std::string(std::min(line.find_first_not_of(' '), line.size()), ' '), line);
  if (rows.size() > most) page.wrapped("   ", fmt::format("and {} more", rows.size() - most), Ink::plain, Ink::faint);
}

std::string headline_of(const trace::CampaignRecord& c) {
  auto outcome = outcome_of(c);
  auto cases = outcome == Outcome::planned ? c.cases.size() : cases_run(c);
  auto joint = outcome == Outcome::found || outcome == Outcome::right ? " in " : ": ";
  auto judged = outcome == Outcome::in_part && c.clean.size() < cases ? fmt::format("{} of ", c.clean.size()) : "";
  return fmt::format("{}{}{}{}, {}.", headline(c), joint, judged, counted(cases, "case"), show_duration(c.took));
}
}  // namespace

std::string summary(const trace::CampaignRecord& campaign, const std::filesystem::path& folder,
                    trace::Confidence fail_on, const Style& style) {
  Page page(style);
  auto found = causes(campaign.findings);
  page.blank();
  page.wrapped("", headline_of(campaign), Ink::plain, Ink::bold);
  auto failing =
      std::count_if(campaign.findings.begin(), campaign.findings.end(), [&](auto& f) { return fails_run(f, fail_on); });
  if (!campaign.findings.empty())
    page.wrapped("", fmt::format("{} the run: confirmed, neither accepted nor known, at least {}.",
                                 failing == 1 ? "1 of them fails" : fmt::format("{} of them fail", failing),
                                 trace::show(fail_on)));
  page.blank();
  for (std::size_t i = 0; i < found.size(); i++) cause_block(page, i + 1, campaign, found[i]);

  auto section = [&](std::string_view title, std::size_t count, auto rows) {
    if (!count) return;
    page.wrapped("", fmt::format("{}: {}", title, count), Ink::plain, Ink::bold);
    rows();
    page.blank();
  };
  auto open = not_judged(campaign);
  section("Judged and found right", campaign.clean.size(), [&] { clean_rows(page, campaign.clean); });
  section("Notes", campaign.notes.size(), [&] { note_rows(page, campaign.notes); });
  section("Not judged", open.size(), [&] { not_judged_rows(page, open); });
  section("Left alone", campaign.left_alone.size(), [&] { plain_rows(page, campaign.left_alone, kMostRows); });
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
  if (!campaign.incomplete.empty()) page.wrapped("Incomplete: ", campaign.incomplete, Ink::red);
  return page.text();
}

}  // namespace retrial::campaign::report
