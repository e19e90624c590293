// findings.json, junit.xml, report.html, and how they come to lie in a folder.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/escape.h"
#include "campaign/report/reports.h"
#include "campaign/report/words.h"
#include "tests/campaign/report/formats.h"
#include "tests/campaign/sample_campaign.h"
#include "tests/campaign/well_formed.h"
#include "tests/support/docs.h"

namespace retrial::campaign::report {
namespace {
namespace fs = std::filesystem;
using trace::Confidence;

std::size_t times(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) count++;
  return count;
}

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/retrial-report-XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() { fs::remove_all(path); }
  fs::path path;
};

TEST(ReplayCommand, says_where_the_campaign_lies_unless_it_is_found_there) {
  trace::CampaignRecord campaign{.command = {"pytest"}};
  trace::Finding finding;
  finding.id = "a1b2c3d4";
  for (auto& [folder, line] : {std::pair("/shop/.retrial/20261128-1", "retrial replay a1b2c3d4"),
                               std::pair("/shop/out", "retrial replay a1b2c3d4 --from out"),
                               std::pair("/tmp/my runs", "retrial replay a1b2c3d4 --from '/tmp/my runs'")}) {
    campaign.folder = told_folder(folder, "/shop");
    EXPECT_EQ(replay_command(campaign, finding), line);
  }
}

TEST(ReplayCommand, is_none_where_nobody_knows_what_was_run) {
  trace::Finding finding;
  finding.id = "a1b2c3d4";
  finding.policy = "check";
  EXPECT_EQ(replay_command({}, finding), "");
}

TEST(ReplayCommand, has_the_options_of_the_observe_that_shows_it) {
  trace::CampaignRecord campaign{.command = {"sync.sh"}};
  trace::Finding finding;
  finding.policy = trace::kObserved;
  finding.fault = "error(503)";
  finding.run = 4;
  campaign.options = {"--hold", "9s"};
  EXPECT_EQ(replay_command(campaign, finding), "retrial observe --inject 'error(503)' --hold 9s -- sync.sh");
  campaign.cases = {{.runs = {2}, .options = {"--real-time"}}, {.runs = {3, 4}, .options = {"--at", "PUT /docs/*"}}};
  EXPECT_EQ(replay_command(campaign, finding), "retrial observe --inject 'error(503)' --at 'PUT /docs/*' -- sync.sh");
}

TEST(WellFormed, the_judge_of_these_tests_sees_what_it_is_there_to_see) {
  EXPECT_EQ(ill_formed("<a b=\"&lt;\"><br>x<c/></a>"), "");
  for (auto wrong : {"<a>", "<a></b>", "<a>&</a>", "<a>1 < 2</a>", "<a b=\"<\"/>", "<a>\x01</a>", "</a>"})
    EXPECT_NE(ill_formed(wrong), "") << wrong;
}

TEST(FindingsJson, has_every_field_of_its_version) {
  auto all = nlohmann::json::parse(findings_json(sample_campaign().record));
  EXPECT_EQ(all["version"], 1);
  ASSERT_EQ(all["findings"].size(), 7u);
  const auto& f = all["findings"][0];
  EXPECT_EQ(f["verdict"], "duplicate-effect");
  EXPECT_EQ(f["confidence"], "certain");
  EXPECT_EQ(f["confirmed"], true);
  EXPECT_EQ(f["accepted"], false);
  EXPECT_EQ(f["call_site"],
            nlohmann::json::parse(R"({"file": "src/jobs.mjs", "line": 41, "function": "enqueue", "callers": []})"));
  EXPECT_EQ(f["operation"], "POST /{account}/{queue}/messages");
  EXPECT_EQ(f["service"], "127.0.0.1:10001");
  EXPECT_EQ(f["policy"], "P1");
  EXPECT_EQ(f["fault"], "lost-response(reset) x 1, then pass");
  EXPECT_EQ(f["evidence"], nlohmann::json({1, 2}));
  EXPECT_EQ(f["attempts"], 2);
  EXPECT_EQ(f["gaps_ms"], nlohmann::json({8.0}));
  EXPECT_EQ(f["replay"], "retrial replay " + f["id"].get<std::string>());
  EXPECT_EQ(f["known"], false);
  EXPECT_EQ(f["more"], "retrial explain duplicate-effect");
  EXPECT_NE(f["advice"], "") << "where the oracle has no word of its own, what is usually done about such a one";
  for (auto key : {"id", "test", "message"}) EXPECT_TRUE(f[key].is_string()) << key;
  EXPECT_TRUE(all["findings"][5]["call_site"].is_null()) << "a call without agent has none";
  EXPECT_EQ(all["findings"][6]["accepted"], true);
  EXPECT_EQ(all["notes"].size(), 2u);
  EXPECT_EQ(all["notes"][0]["verdict"], "cap-not-seen");
  EXPECT_EQ(all["clean"].size(), 6u);
  ASSERT_EQ(all["not_judged"].size(), 5u);
  for (const auto& j : all["not_judged"]) EXPECT_FALSE(j["why"].get<std::string>().empty());
  EXPECT_EQ(all["campaign"]["began"], "2025-03-04T09:12:44Z");
  EXPECT_EQ(all["campaign"]["overhead_ms"], 6300);
  EXPECT_TRUE(all["campaign"]["incomplete"].is_null());
}

TEST(FindingsJson, bytes_that_are_no_utf8_do_not_break_it) {
  auto all = nlohmann::json::parse(findings_json(sample_campaign().record));
  EXPECT_EQ(all["findings"][5]["message"],
            "A message with <b>markup</b> & \"quotes\", a control \x07 and bytes that are no UTF-8: \uFFFD\uFFFD.");
}

TEST(FindingsJson, an_empty_campaign_has_empty_lists) {
  auto all = nlohmann::json::parse(findings_json({}));
  for (auto key : {"findings", "notes", "clean", "not_judged"}) EXPECT_EQ(all[key], nlohmann::json::array()) << key;
}

TEST(FindingsJson, what_was_observed_is_shown_again_by_its_command_and_traffic_of_serve_by_none) {
  trace::CampaignRecord campaign{.command = {"curl", "-d", "it's", "http://127.0.0.1:1/"}};
  campaign.findings = {
      {.verdict = "missing-delay", .policy = "observe", .fault = "error(503)", .advice = "wait at least 1 s"},
      {.verdict = "missing-delay", .policy = "serve", .fault = "error(503)"}};
  auto all = nlohmann::json::parse(findings_json(campaign));
  EXPECT_EQ(all["findings"][0]["replay"],
            "retrial observe --inject 'error(503)' -- curl -d 'it'\\''s' http://127.0.0.1:1/");
  EXPECT_EQ(all["findings"][0]["advice"], "wait at least 1 s");
  EXPECT_EQ(all["findings"][1]["replay"], "");
}

TEST(Sarif, says_where_what_and_what_a_right_client_would_have_done) {
  auto sample = sample_campaign();
  sample.record.findings[1].known = true;
  auto all = nlohmann::json::parse(sarif(sample.record, Confidence::likely));
  EXPECT_EQ(all["version"], "2.1.0");
  auto& run = all["runs"][0];
  ASSERT_EQ(run["results"].size(), 9u);
  auto& f = run["results"][0];
  EXPECT_EQ(f["ruleId"], "duplicate-effect");
  EXPECT_EQ(f["level"], "error");
  auto& where = f["locations"][0];
  EXPECT_EQ(where["physicalLocation"]["artifactLocation"]["uri"], "src/jobs.mjs");
  EXPECT_EQ(where["physicalLocation"]["region"]["startLine"], 41);
  EXPECT_EQ(where["logicalLocations"][0]["fullyQualifiedName"], "127.0.0.1:10001 POST /{account}/{queue}/messages");
  EXPECT_EQ(f["partialFingerprints"]["retrial/v1"], sample.record.findings[0].id);
  EXPECT_EQ(run["results"][1]["level"], "warning") << "known: it does not fail the run";
  EXPECT_EQ(run["results"][1]["baselineState"], "unchanged");
  EXPECT_EQ(run["results"][6]["suppressions"][0]["kind"], "external");
  EXPECT_EQ(run["results"][7]["level"], "note");
  auto& rules = run["tool"]["driver"]["rules"];
  auto rule = std::find_if(rules.begin(), rules.end(), [](auto& r) { return r["id"] == "duplicate-effect"; });
  ASSERT_NE(rule, rules.end());
  EXPECT_NE((*rule)["help"]["text"].get<std::string>().find("More: retrial explain duplicate-effect"),
            std::string::npos);
  for (auto& result : run["results"])
    EXPECT_TRUE(std::any_of(rules.begin(), rules.end(), [&](auto& r) { return r["id"] == result["ruleId"]; }));
}

TEST(Junit, a_judged_case_is_a_testcase_and_only_what_fails_the_run_a_failure) {
  auto xml = junit_xml(sample_campaign().record, Confidence::likely);
  EXPECT_EQ(ill_formed(xml), "");
  EXPECT_NE(xml.find("<testsuites name=\"retrial\" tests=\"18\" failures=\"5\" errors=\"0\" time=\"252.400\">"),
            xml.npos)
      << xml.substr(0, 400);
  EXPECT_NE(xml.find("skipped=\"5\" time=\"252.400\" timestamp=\"2025-03-04T09:12:44\""), xml.npos)
      << xml.substr(0, 400);
  EXPECT_EQ(times(xml, "<testcase "), 18u);
  EXPECT_EQ(times(xml, "<failure "), 5u);
  EXPECT_EQ(times(xml, "<skipped "), 5u);
  EXPECT_EQ(times(xml, "(does not fail the run)"), 2u) << "one possible, one accepted";
  EXPECT_NE(xml.find("<failure type=\"duplicate-effect\" message=\"duplicate-effect: Both attempts were answered 201"),
            xml.npos);
}

TEST(Junit, fail_on_moves_the_bar) {
  EXPECT_EQ(times(junit_xml(sample_campaign().record, Confidence::certain), "<failure "), 3u);
  EXPECT_EQ(times(junit_xml(sample_campaign().record, Confidence::possible), "<failure "), 6u);
}

TEST(Junit, two_findings_of_one_case_are_one_testcase) {
  trace::CampaignRecord campaign;
  trace::Finding f{.verdict = "hang",
                   .confidence = Confidence::certain,
                   .confirmed = true,
                   .test = "t",
                   .operation = "GET /",
                   .policy = "P1"};
  campaign.findings = {f, f};
  auto xml = junit_xml(campaign, Confidence::likely);
  EXPECT_EQ(times(xml, "<testcase "), 1u);
  EXPECT_EQ(times(xml, "<failure "), 2u);
  EXPECT_NE(xml.find("tests=\"1\" failures=\"1\""), xml.npos);
}

TEST(Junit, holds_nothing_that_xml_cannot) {
  auto sample = sample_campaign();
  sample.record.incomplete = "a control \x02 and ]]> and \xff";
  auto xml = junit_xml(sample.record, Confidence::likely);
  EXPECT_EQ(ill_formed(xml), "");
  EXPECT_EQ(utf8(xml), xml);
  EXPECT_NE(xml.find("<system-err>incomplete: a control \uFFFD and ]]&gt; and \uFFFD</system-err>"), xml.npos);
}

TEST(Html, is_one_well_formed_page_without_any_outside_resource) {
  auto sample = sample_campaign();
  auto page = html_page(sample.record, sample.runs, Confidence::likely);
  EXPECT_EQ(ill_formed(page), "");
  EXPECT_EQ(utf8(page), page);
  for (auto outside : {"http://", "https://", "src=\"", "url(", "@import", "<script", "<link", "<iframe"})
    EXPECT_EQ(page.find(outside), page.npos) << outside;
}

TEST(Html, a_cause_says_where_it_is_sent_again_before_where_it_is_sent) {
  trace::CampaignRecord campaign;
  campaign.findings.push_back({.verdict = "duplicate-effect",
                               .confirmed = true,
                               .site = trace::CallSite{"Rest.java", 535, "Rest.send", "Pki.java:113:Pki.issue"},
                               .operation = "POST /issue",
                               .retried_by = "Pki.java:113 Pki.issue"});
  auto where = [&] {
    auto page = html_page(campaign, {}, Confidence::likely);
    auto from = page.find("<p class=\"where\">");
    return page.substr(from, page.find("</p>", from) - from);
  };
  EXPECT_EQ(where(),
            "<p class=\"where\"><code>Pki.java:113</code> in <code>Pki.issue</code>, which sends at "
            "<code>Rest.java:535</code> in <code>Rest.send</code>, called by <code>Pki.java:113</code> in "
            "<code>Pki.issue</code>");
  campaign.findings.front().retried_by = "requests 2.31";
  EXPECT_EQ(where(),
            "<p class=\"where\"><code>Rest.java:535</code> in <code>Rest.send</code>, called by "
            "<code>Pki.java:113</code> in <code>Pki.issue</code>");
}

TEST(Html, a_finding_has_a_waterfall_of_the_reference_above_and_the_case_below) {
  auto sample = sample_campaign();
  auto page = html_page(sample.record, sample.runs, Confidence::likely);
  EXPECT_EQ(times(page, "<svg "), 14u) << "two a finding";
  auto from = page.find("<article"), to = page.find("</article>");
  auto first = page.substr(from, to - from);
  auto reference = first.find("aria-label=\"Reference: the same test without a fault\""),
       in_case = first.find("aria-label=\"Case: lost-response(reset) x 1, then pass\"");
  EXPECT_NE(reference, first.npos);
  EXPECT_NE(in_case, first.npos);
  EXPECT_LT(reference, in_case);
  EXPECT_EQ(times(first.substr(reference, in_case - reference), "class=\"cross\""), 0u) << "the reference has no fault";
  EXPECT_EQ(times(first.substr(in_case), "class=\"cross\""), 1u);
  EXPECT_NE(first.find("RST in place of 201</text>"), first.npos);
  EXPECT_NE(first.find("attempt 2, after 8.0 ms</text>"), first.npos) << "the gap";
  EXPECT_NE(first.find("retrial replay " + sample.record.findings[0].id), first.npos);
  EXPECT_NE(first.find("x-ms-client-request-id"), first.npos) << "heads";
  EXPECT_NE(first.find("MessageText"), first.npos) << "bodies";
}

TEST(Html, a_call_with_many_attempts_shows_the_first_and_the_last_and_counts_the_rest) {
  auto sample = sample_campaign();
  auto page = html_page(sample.record, sample.runs, Confidence::likely);
  EXPECT_NE(page.find("… 5 more attempts</text>"), page.npos);
  EXPECT_NE(page.find("10 more attempts in campaign.db"), page.npos);
  EXPECT_NE(page.find("attempt 14, after 0.3 ms</text>"), page.npos);
}

TEST(Html, a_held_call_is_open_at_its_end_and_has_no_mark_of_being_told) {
  auto sample = sample_campaign();
  auto page = html_page(sample.record, sample.runs, Confidence::likely);
  auto held = page.find("class=\"fault held\"");
  ASSERT_NE(held, page.npos);
  auto group = page.substr(held, page.find("</g>", held) - held);
  EXPECT_NE(group.find("held 30.0 s"), group.npos) << group;
  EXPECT_EQ(group.find("cross"), group.npos);
}

TEST(Html, says_the_campaigns_own_overhead_and_that_it_is_incomplete) {
  auto sample = sample_campaign();
  auto page = html_page(sample.record, sample.runs, Confidence::likely);
  EXPECT_NE(page.find("4 min 12 s, of which 6.3 s were Retrial's own overhead"), page.npos);
  EXPECT_EQ(page.find("Incomplete:"), page.npos);
  sample.record.incomplete = "<interrupted>";
  EXPECT_NE(html_page(sample.record, sample.runs, Confidence::likely).find("<b>Incomplete:</b> &lt;interrupted&gt;"),
            page.npos);
}

TEST(Html, stands_without_runs_and_without_findings) {
  auto sample = sample_campaign();
  auto bare = html_page(sample.record, {}, Confidence::likely);
  EXPECT_EQ(ill_formed(bare), "");
  EXPECT_EQ(bare.find("<svg"), bare.npos);
  auto empty = html_page({}, {}, Confidence::likely);
  EXPECT_EQ(ill_formed(empty), "");
  EXPECT_NE(empty.find("<h1>Nothing could be judged</h1>"), empty.npos);
}

TEST(Html, a_run_whose_exchanges_have_no_times_is_drawn_all_the_same) {
  auto sample = sample_campaign();
  for (auto& run : sample.runs)
    for (auto& e : run.exchanges) e.begun = e.answered = e.told = e.fired_at = 0;
  EXPECT_EQ(ill_formed(html_page(sample.record, sample.runs, Confidence::likely)), "");
}

TEST(Reports, all_of_them_lie_in_the_folder_and_no_draft_of_them) {
  Folder folder;
  auto sample = sample_campaign();
  auto done = write_reports(folder.path, sample.record, sample.runs, Confidence::likely);
  ASSERT_TRUE(done) << done.error().line();
  for (auto& format : formats())
    EXPECT_EQ(read(folder.path / format.file), format.text({sample.record, sample.runs})) << format.file;
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path), {}), std::ssize(formats()));
  EXPECT_TRUE(write_reports(folder.path, {}, {}, Confidence::likely)) << "again, over what is there";
  EXPECT_EQ(read(folder.path / "findings.json"), findings_json({}));
}

TEST(Reports, one_of_them_is_for_people_and_names_the_others) {
  auto sample = sample_campaign();
  EXPECT_EQ(std::ranges::count_if(formats(), &Format::for_people), 1);
  for (auto& format : formats()) {
    if (!format.for_people) {
      EXPECT_TRUE(files_for_programs().contains(format.file)) << format.file;
      continue;
    }
    EXPECT_TRUE(format.text({sample.record, sample.runs}).contains(files_for_programs("campaign.db")));
  }
}

TEST(Reports, stand_whatever_the_campaign_holds_and_stand_on_the_page_that_says_what_is_left_behind) {
  auto sample = sample_campaign();
  std::string rows;
  for (auto& row : test::table_below(test::docs("findings.md"), "# What a campaign leaves behind")) rows += row.at(0);
  for (auto& format : formats()) {
    auto text = format.text({sample.record, sample.runs});
    EXPECT_FALSE(text.empty()) << format.file;
    EXPECT_EQ(utf8(text), text) << format.file;
    EXPECT_FALSE(format.text({{}, {}}).empty()) << format.file;
    EXPECT_TRUE(rows.contains("`" + std::string(format.file) + "`")) << format.file;
  }
}

TEST(Reports, a_folder_that_is_not_there_is_named) {
  auto done = write_reports("/nonexistent/folder", {}, {}, Confidence::likely);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().line(), "/nonexistent/folder/findings.json: cannot be written: No such file or directory");
}

TEST(Reports, what_cannot_be_put_in_place_leaves_no_draft) {
  Folder folder;
  fs::create_directory(folder.path / "report.html");
  auto done = write_reports(folder.path, {}, {}, Confidence::likely);
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().line().find("report.html: cannot be put in place"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder.path / "report.html.new"));
}

}  // namespace
}  // namespace retrial::campaign::report
