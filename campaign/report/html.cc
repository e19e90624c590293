#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <set>
#include <tuple>

#include "base/escape.h"
#include "base/text.h"
#include "campaign/report/causes.h"
#include "campaign/report/explanation.h"
#include "campaign/report/headline.h"
#include "campaign/report/html_finding.h"
#include "campaign/report/html_style.h"
#include "campaign/report/registry.h"
#include "campaign/report/words.h"
#include "oracles/oracle.h"
#include "policies/registry.h"

namespace retrial::campaign::report {
namespace {
// A path may be broken after each slash, and a table's column is never narrower than one of its parts.
std::string code(std::string_view text) {
  std::string out = "<code>";
  for (char c : escape(text)) out += c == '/' ? "/<wbr>" : std::string(1, c);
  return out + "</code>";
}
std::string site_cell(const std::optional<trace::CallSite>& site) {
  if (!site) return "<span class=\"soft\">no call site</span>";
  auto out = fmt::format("{}<br><span class=\"soft small\">{}</span>",
                         code(fmt::format("{}:{}", site->file, site->line)), escape(site->function));
  for (auto& f : trace::frames_of(*site) | std::views::drop(1))
    out += fmt::format("<br><span class=\"soft small\">&larr; {}</span>", escape(trace::show(f)));
  return out;
}
std::string frame_in_line(const trace::Frame& f) {
  return code(fmt::format("{}:{}", f.file, f.line)) + " in " + code(f.function);
}
std::string called_by(const trace::CallSite& site) {
  std::string out;
  for (auto& f : trace::frames_of(site) | std::views::drop(1))
    out += (out.empty() ? ", called by " : ", by ") + frame_in_line(f);
  return out;
}
// Where to look first: at who sends again, where that is not the function that sends.
std::string where(const Cause& cause) {
  if (!cause.site) return "<span class=\"soft\">No call site is known: the operation stands for it.</span>";
  auto retrier = cause.sends_again();
  return (retrier ? frame_in_line(*retrier) + ", which sends at " : "") +
         frame_in_line(trace::frames_of(*cause.site).front()) + called_by(*cause.site);
}
std::string chip(std::string_view text, std::string_view css = "") {
  return fmt::format("<span class=\"chip {}\">{}</span>", css, escape(text));
}
std::string tile(std::size_t n, std::string_view what) {
  return fmt::format("<li><b>{}</b><span>{}</span></li>", n, what);
}

// Where, when and how, as far as it is known: several folders judged together have no one command.
std::string facts(const trace::CampaignRecord& c) {
  std::string out = "<p class=\"facts\">";
  if (!c.command.empty()) out += code(joined(c.command, " ")) + "<br>";
  out += fmt::format("{:%Y-%m-%d %H:%M} UTC, {}", fmt::gmtime(static_cast<std::time_t>(c.wall_began / kSecond)),
                     show_duration(c.took));
  if (c.overhead) out += fmt::format(", of which {} were Retrial's own overhead", show_duration(c.overhead));
  out += ".";
  if (!c.runner.empty()) out += fmt::format(" Runner {}.", escape(c.runner));
  if (!c.capture.empty()) out += fmt::format(" Capture by {}.", escape(c.capture));
  if (!c.directory.empty()) out += fmt::format(" In {}.", code(c.directory));
  return out + "</p>";
}

std::string head(const trace::CampaignRecord& c, std::size_t open, trace::Confidence fail_on) {
  auto failing = static_cast<std::size_t>(
      std::count_if(c.findings.begin(), c.findings.end(), [&](auto& f) { return fails_run(f, fail_on); }));
  auto out = fmt::format("<header><p class=\"brand\">Retrial</p><h1>{}</h1>", headline(c));
  out += facts(c);
  if (!c.incomplete.empty())
    out += fmt::format("<p class=\"banner\" role=\"alert\"><b>Incomplete:</b> {}</p>", escape(c.incomplete));
  out += "<ul class=\"tiles\">" + tile(failing, failing == 1 ? "finding fails the run" : "findings fail the run") +
         tile(c.findings.size() - failing, "below the bar, accepted or known") +
         tile(c.clean.size(), "judged, nothing found") + tile(c.notes.size(), c.notes.size() == 1 ? "note" : "notes") +
         tile(open, "not judged") + tile(cases_run(c), "cases run") + "</ul></header>\n";
  return out;
}

std::string_view level_of(const Cause& cause) { return trace::show(cause.surest().confidence); }

std::string contents(const std::vector<Cause>& found) {
  if (found.empty()) return "";
  std::string out =
      "<nav aria-label=\"Causes\"><div class=\"box\"><table><thead><tr><th "
      "class=\"tight\">#</th><th>Cause</th><th>Call site</th><th>Operation</th><th>Confidence</th></tr></thead><tbody>";
  for (std::size_t i = 0; i < found.size(); i++) {
    const auto& cause = found[i];
    const auto& first = *cause.findings.front();
    out += fmt::format(
        "<tr><td class=\"tight soft\">{0}</td><td><a href=\"#c{0}\">{1}</a></td><td>{2}</td><td>{3}</td><td "
        "class=\"tight\">{4}{5}</td></tr>",
        i + 1, escape(cause.verdict), site_cell(cause.site), code(first.operation),
        chip(level_of(cause), cause.accepted() ? "" : level_of(cause)), cause.accepted() ? " " + chip("accepted") : "");
  }
  return out + "</tbody></table></div></nav>\n";
}

std::string cause_section(std::size_t number, const trace::CampaignRecord& campaign, const Cause& cause,
                          const RunsById& runs) {
  const auto* verdict = oracles::verdict_named(cause.verdict);
  auto level = level_of(cause);
  auto out = fmt::format("<section class=\"cause {}\" id=\"c{}\"><div class=\"head\"><h3>{}. {}</h3>{} {}{}</div>",
                         cause.accepted() ? "accepted" : level, number, number,
                         escape(verdict ? verdict->title : cause.verdict), chip(cause.verdict),
                         chip(level, cause.accepted() ? "" : level), cause.accepted() ? " " + chip("accepted") : "");
  out += "<p class=\"where\">" + where(cause) + "</p>";
  if (verdict) out += fmt::format("<p class=\"soft\">{}</p>", verdict->why);
  // The surest tells the story; its variants are folded away below it.
  out += html_finding(campaign, cause.surest(), runs);
  for (const auto* finding : cause.findings)
    if (finding != &cause.surest())
      out += fmt::format("<details class=\"variant\"><summary>Also with {}: {}</summary>{}</details>",
                         code(finding->fault), escape(client_did(*finding)), html_finding(campaign, *finding, runs));
  return out + "</section>\n";
}

// With what it asks where the pointer rests.
std::string policy_chip(const std::string& name) {
  const auto* policy = policies::policy_named(name);
  return fmt::format("<span class=\"chip fine\"{}>{}</span>",
                     policy ? fmt::format(" title=\"{}\"", escape(policy->question)) : "", escape(name));
}

// Calls that were found right, one row a call, with the policies that it stood.
std::string clean_table(const std::vector<trace::Judged>& clean) {
  struct Row {
    const trace::Judged* first;
    std::vector<const trace::Judged*> all;
  };
  std::vector<Row> rows;
  for (const auto& j : clean) {
    auto at = std::find_if(rows.begin(), rows.end(), [&](const Row& r) {
      return r.first->site == j.site && r.first->operation == j.operation && r.first->service == j.service;
    });
    if (at == rows.end()) at = rows.insert(rows.end(), {&j, {}});
    at->all.push_back(&j);
  }
  std::string out =
      "<div class=\"box\"><table><thead><tr><th>Call site</th><th>Operation</th><th>Stood</th></tr></thead><tbody>";
  for (const auto& row : rows) {
    std::string stood = "<details><summary>";
    std::vector<std::string> policies;
    for (const auto* j : row.all)
      if (std::ranges::count(policies, j->policy) == 0) policies.push_back(j->policy);
    for (auto& policy : policies) stood += policy_chip(policy) + " ";
    stood += "</summary>";
    for (const auto* j : row.all)
      stood += fmt::format("<div>{} <span class=\"mono small\">{}</span> <span class=\"soft small\">{}</span></div>",
                           policy_chip(j->policy), escape(j->fault), escape(j->why));
    stood += "</details>";
    out += fmt::format("<tr><td>{}</td><td>{}<br><span class=\"soft small\">{}</span></td><td>{}</td></tr>",
                       site_cell(row.first->site), code(called(row.first->operation)),
                       escape(shown_service(row.first->service)), stood);
  }
  return out + "</tbody></table></div>\n";
}

std::string notes_table(const std::vector<trace::Finding>& notes) {
  std::string out =
      "<div class=\"box\"><table><thead><tr><th>Note</th><th>Call site</th><th>Operation</th><th>What was "
      "seen</th></tr></thead><tbody>";
  for (const auto& f : notes) {
    const auto* verdict = oracles::verdict_named(f.verdict);
    out += fmt::format(
        "<tr><td class=\"tight\">{}</td><td>{}</td><td>{}</td><td>{} <span class=\"soft\">{}</span></td></tr>",
        escape(f.verdict), site_cell(f.site), code(f.operation), escape(f.message), verdict ? verdict->why : "");
  }
  return out + "</tbody></table></div>\n";
}

std::string not_judged_tables(const std::vector<trace::Judged>& open) {
  constexpr std::size_t kFolded = 10;  // more rows than that are folded away
  std::string out;
  for (const auto& reason : by_reason(open)) {
    if (std::ranges::all_of(reason.judged, [](auto* j) { return j->operation.empty() && j->fault.empty(); })) {
      out += "<p>" + escape(reason.why) + "</p>\n";
      continue;
    }
    out += fmt::format("<details class=\"reason\"{}><summary>{} <span class=\"soft\">({})</span></summary>",
                       reason.judged.size() > kFolded ? "" : " open",
                       escape(reason.why.empty() ? "no reason was given" : reason.why),
                       counted(reason.judged.size(), "case"));
    out +=
        "<div class=\"box\"><table><thead><tr><th>Call site</th><th>Operation</th><th>Policy and "
        "fault</th><th>Test</th></tr></thead><tbody>";
    for (const auto* j : reason.judged)
      out += fmt::format(
          "<tr><td>{}</td><td>{}</td><td><span class=\"mono small\">{}: {}</span></td><td><span class=\"mono "
          "small\">{}</span></td></tr>",
          site_cell(j->site), code(called(j->operation)), escape(j->policy), escape(j->fault), escape(j->test));
    out += "</tbody></table></div></details>\n";
  }
  return out;
}

// What no test reaches comes first: of it the campaign could show nothing.
std::string retries_table(const trace::CampaignRecord& campaign) {
  constexpr std::size_t kFolded = 10;  // more rows than that are folded away
  auto all = campaign.retries;
  std::ranges::stable_sort(all, {}, [](auto& at) { return std::tuple(is_tried(at), at.verdicts.empty()); });
  auto out = fmt::format("<p>{}.</p><details class=\"more\"{}><summary>{}</summary>", escape(retries_line(campaign)),
                         all.size() > kFolded ? "" : " open", counted(all.size(), "location"));
  out +=
      "<div class=\"box\"><table><thead><tr><th>Where</th><th>What</th><th>Bound and wait</th><th>By the source "
      "alone</th><th>Tried</th></tr></thead><tbody>";
  for (const auto& at : all)
    out += fmt::format(
        "<tr><td>{}<br><span class=\"soft small\">{}</span></td><td class=\"small\">{}</td><td "
        "class=\"small\">{}<br>{}</td><td class=\"small\">{}</td><td class=\"small\"><b>{}</b> {}</td></tr>",
        code(fmt::format("{}:{}", at.file, at.line)), escape(at.function), escape(at.what), escape(at.bound),
        escape(at.wait), escape(at.verdicts), escape(at.state), escape(at.text));
  return out + "</tbody></table></div></details>\n";
}

std::string services_table(const std::vector<trace::ServiceSeen>& services) {
  std::string out =
      "<div "
      "class=\"box\"><table><thead><tr><th>Service</th><th>Name</th><th>Profile</th><th>Requests</th></tr></"
      "thead><tbody>";
  for (const auto& s : services)
    out += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>", code(s.address), escape(s.name),
                       escape(s.profile), s.exchanges);
  return out + "</tbody></table></div>\n";
}

std::string cases_table(const std::vector<trace::CaseRecord>& cases) {
  std::string out =
      "<div class=\"box\"><table><thead><tr><th>Case</th><th>Policy and fault</th><th>Call "
      "site</th><th>Operation</th><th>Test</th><th>Outcome</th></tr></thead><tbody>";
  for (const auto& c : cases)
    out += fmt::format(
        "<tr><td class=\"tight\">{}</td><td><span class=\"mono small\">{}: "
        "{}</span></td><td>{}</td><td>{}</td><td><span class=\"mono small\">{}</span></td><td>{}{}</td></tr>",
        escape(c.id), escape(c.policy), escape(c.plan), site_cell(c.site), code(called(c.operation)), escape(c.test),
        escape(c.outcome), c.why.empty() ? "" : ": " + escape(c.why));
  return out + "</tbody></table></div>\n";
}

// Where findings lead to who want to know more: the page is all that its reader may have.
std::string verdicts(const std::set<std::string>& names) {
  std::string out;
  for (const auto& name : names)
    out += fmt::format("<pre tabindex=\"0\" class=\"verdict\" id=\"v-{0}\">{1}</pre>\n", escape(name),
                       escape(explanation(name)));
  return out;
}

// What was asked of the calls, one row a policy.
std::string policies_table(const std::vector<trace::CaseRecord>& cases) {
  std::string out = "<div class=\"box\"><table><tbody>";
  for (const auto& policy : policies::policies())
    if (std::ranges::any_of(cases, [&](auto& c) { return c.policy == policy.name; }))
      out += fmt::format("<tr><td class=\"tight\">{}</td><td>{}</td></tr>", chip(policy.name), escape(policy.question));
  return out + "</tbody></table></div>\n";
}

std::string list(const std::vector<std::string>& lines) {
  std::string out = "<div class=\"box\"><ul class=\"plain\">";
  for (const auto& line : lines) out += "<li>" + escape(line) + "</li>";
  return out + "</ul></div>\n";
}

std::string html_text(const ReportInput& input) {
  auto& campaign = input.campaign;
  RunsById by_id;
  for (const auto& run : input.runs) by_id[run.id] = &run;
  auto found = causes(campaign.findings);
  auto open = not_judged(campaign);
  std::string out =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n";
  out += fmt::format(
      "<title>Retrial: {}</title><style>{}</style></head><body>\n<a class=\"skip\" href=\"#main\">To the "
      "findings</a>\n",
      headline(campaign), html_style());
  out += head(campaign, open.size(), input.fail_on) + "<main id=\"main\">\n";
  if (!found.empty()) {
    out += "<h2>Findings</h2>\n" + contents(found) + "<br>\n";
    for (std::size_t i = 0; i < found.size(); i++) out += cause_section(i + 1, campaign, found[i], by_id);
  }
  auto section = [&](std::string_view title, bool any, auto table) {
    if (any) out += fmt::format("<h2>{}</h2>\n", title) + table();
  };
  auto right = clean(campaign, true), unseen = clean(campaign, false);
  section("Judged, nothing found", !right.empty(), [&] { return clean_table(right); });
  section(kUnseenTitle, !unseen.empty(), [&] { return clean_table(unseen); });
  section("Notes", !campaign.notes.empty(), [&] { return notes_table(campaign.notes); });
  section("Not judged", !open.empty(), [&] { return not_judged_tables(open); });
  section("Retry code in the source", !campaign.retries.empty(), [&] { return retries_table(campaign); });
  std::set<std::string> told;
  for (const auto* list : {&campaign.findings, &campaign.notes})
    for (const auto& f : *list) told.insert(f.verdict);
  section("What the verdicts mean", !told.empty(), [&] { return verdicts(told); });
  section("What the policies ask", !campaign.cases.empty(), [&] { return policies_table(campaign.cases); });
  section("Services", !campaign.services.empty(), [&] { return services_table(campaign.services); });
  section("Left alone", !campaign.left_alone.empty(), [&] { return list(campaign.left_alone); });
  section("Remarks", !campaign.remarks.empty(), [&] { return list(campaign.remarks); });
  section("The plan", !campaign.cases.empty(), [&] {
    return fmt::format("<details class=\"more\"><summary>All {}</summary>{}</details>\n",
                       counted(campaign.cases.size(), "case"), cases_table(campaign.cases));
  });
  out += fmt::format(
      "</main><footer>Authorization, cookies, keys and signatures were redacted before anything was written. Beside "
      "this page: {}.</footer></body></html>\n",
      files_for_programs("campaign.db"));
  return out;
}
}  // namespace

// One file without any outside resource. For each finding a waterfall of the reference above and the case below.
const Format& html_format() {
  static const Format format{.file = "report.html", .text = html_text, .for_people = true};
  return format;
}

}  // namespace retrial::campaign::report
