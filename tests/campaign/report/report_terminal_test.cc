#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/escape.h"
#include "base/text.h"
#include "campaign/report/page.h"
#include "campaign/report/terminal.h"
#include "tests/campaign/sample_campaign.h"

namespace retrial::campaign::report {
namespace {

// A stream that keeps what is written to it.
class Kept {
 public:
  Kept() : stream_(open_memstream(&bytes_, &size_)) {}
  ~Kept() {
    std::fclose(stream_);
    std::free(bytes_);
  }
  std::FILE* stream() { return stream_; }
  std::string text() {
    std::fflush(stream_);
    return {bytes_, size_};
  }

 private:
  char* bytes_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* stream_;
};

const Style kTerminal{.terminal = true, .colour = true, .width = 60};
const Style kFile{.terminal = false, .colour = false, .width = 100};

std::size_t longest_line(std::string_view text) {
  std::size_t longest = 0;
  for (auto line : split(text, '\n')) longest = std::max(longest, columns(line));
  return longest;
}

TEST(Opening, services_at_ports_that_change_are_one_line) {
  Opening plan{
      .services = {{"127.0.0.1:*", "", "", 1}, {"127.0.0.1:*2", "", "", 17}, {"127.0.0.1:5000", "aws", "aws", 3}},
      .tests = 4};
  auto text = opening(plan, {.width = 100000});
  EXPECT_NE(text.find("4 tests send requests to 2 services: 127.0.0.1:* (generic, 18 requests, at ports that change); "
                      "127.0.0.1:5000 (aws, aws, 3 requests)."),
            std::string::npos)
      << text;
  plan.side_by_side = 2;
  text = opening(plan, {.width = 100000});
  EXPECT_NE(text.find("send requests to at least 3 services: 127.0.0.1:* (generic, 18 requests, at ports that change, "
                      "2 of them in one test); 127.0.0.1:5000 (aws, aws, 3 requests)."),
            std::string::npos)
      << text;
}

TEST(Opening, says_services_targets_cases_writes_time_and_what_is_left_alone) {
  Opening plan{.services = {{"127.0.0.1:10001", "queue", "azure-storage", 312}},
               .tests = 23,
               .targets = 14,
               .cases = 41,
               .repeated = {"queue POST /{queue}/messages"},
               .expected = 262 * kSecond,
               .budget = 300 * kSecond,
               .left_alone = {"api.example.com:443: outside"},
               .remarks = {"workers = 4: this version runs one"}};
  EXPECT_EQ(
      opening(plan, {.width = 100000}),
      "23 tests send requests to 1 service: 127.0.0.1:10001 (queue, azure-storage, 312 requests). 14 calls will be put "
      "on trial in "
      "41 cases, ~4 min; the budget is 5 min. Each case runs its test again, with all that it writes. Retrial repeats "
      "no request "
      "itself; a client that sends a write again after its answer was lost may have it done twice: queue POST "
      "/{queue}/messages. Left alone: api.example.com:443: outside. Workers = 4: this version runs one.\n");
  plan.budget = 60 * kSecond;
  EXPECT_NE(
      opening(plan, {.width = 100000})
          .find("the budget is 1 min: the likeliest to show a bug come first, what does not fit is left and named."),
      std::string::npos);
  plan.further = 12;
  EXPECT_NE(opening(plan, {.width = 100000}).find("41 cases, then up to 12 more in other tests, ~4 min"),
            std::string::npos);
}

TEST(Opening, a_long_list_is_cut_and_counted) {
  Opening plan;
  for (int i = 0; i < 9; i++) plan.left_alone.push_back("host" + std::to_string(i));
  auto text = opening(plan, {.width = 100000});
  EXPECT_NE(text.find("host4; and 4 more."), text.npos) << text;
  EXPECT_NE(text.find("and loses the answer to no write."), text.npos) << text;
}

TEST(LiveLine, on_a_terminal_it_is_redrawn_in_place_and_cut_to_its_width) {
  Kept out;
  {
    LiveLine live(out.stream(), kTerminal);
    live.show({.phase = "cases",
               .number = 3,
               .total = 41,
               .what = "P1 POST /{account}/{queue}/messages at src/jobs.mjs:41",
               .findings = 1,
               .left = 40 * kSecond});
    live.show({.phase = "cases", .number = 4, .total = 41, .what = "P1", .findings = 2});
  }
  EXPECT_EQ(out.text(),
            "\r\x1b[Kcases 3/41, 1 finding, ~40 s left: P1 POST /{account}/{que…"
            "\r\x1b[Kcases 4/41, 2 findings: P1"
            "\r\x1b[K");
}

TEST(LiveLine, elsewhere_each_tenth_of_the_cases_is_one_plain_line) {
  Kept out;
  {
    LiveLine live(out.stream(), kFile);
    live.show({.phase = "reference run"});
    live.show({.phase = "replay", .what = "a1"});
    live.show({.phase = "replay", .what = "b2"});
    live.show({.phase = "cases", .number = 1, .total = 25, .what = "P1 GET /", .left = 300 * kSecond});
    live.show({.phase = "cases", .number = 2, .total = 25, .what = "P1 GET /", .findings = 1, .left = 299 * kSecond});
    live.show({.phase = "cases", .number = 3, .total = 25, .what = "P3 GET /", .findings = 1});
    live.clear();
  }
  EXPECT_EQ(out.text(),
            "reference run\nreplay: a1\nreplay: b2\ncases 1/25, 0 findings, ~5 min left: P1 GET /\n"
            "cases 3/25, 1 finding: P3 GET /\n");
}

TEST(LiveLine, what_goes_on_meanwhile_is_redrawn_on_a_terminal_and_nothing_elsewhere) {
  for (auto& [style, told] :
       {std::pair{kTerminal, "\r\x1b[Kthe suite\r\x1b[Kthe suite: 3 tests done"}, {kFile, "the suite\n"}}) {
    Kept out;
    LiveLine live(out.stream(), style);
    live.show({.phase = "the suite"});
    live.update({.phase = "the suite", .what = "3 tests done"});
    EXPECT_EQ(out.text(), told);
  }
}

TEST(LiveLine, a_line_that_stays_stands_above_it) {
  Kept out;
  LiveLine live(out.stream(), kTerminal);
  live.show({.phase = "reference run"});
  live.say("finding: duplicate-effect\x1b[2J");
  EXPECT_EQ(out.text(), "\r\x1b[Kreference run\r\x1b[Kfinding: duplicate-effect\uFFFD[2J\n\r\x1b[Kreference run");
}

TEST(Page, times_are_told_no_more_exactly_than_they_are_known) {
  EXPECT_EQ(about(0), "~1 s");
  EXPECT_EQ(about(7 * kSecond), "~7 s");
  EXPECT_EQ(about(41 * kSecond), "~45 s");
  EXPECT_EQ(about(59 * kSecond), "~60 s");
  EXPECT_EQ(about(262 * kSecond), "~4 min");
  EXPECT_EQ(about(7200 * kSecond), "~2.0 h");
}

TEST(Summary, groups_findings_by_cause_with_all_that_is_needed_to_go_on) {
  auto text = summary(sample_campaign().record, ".retrial/latest", trace::Confidence::likely, kFile);
  EXPECT_NE(text.find("7 findings with 6 causes in 17 cases, 4 min 12 s.\n5 of them fail the run, the others do "
                      "not: 1 is accepted, 1 is less than likely.\n"),
            text.npos)
      << text;
  auto first = text.substr(text.find("\n1. "), text.find("\n2. ") - text.find("\n1. "));
  for (auto part : {"1. duplicate-effect (certain)  src/jobs.mjs:41 enqueue\n", "carried it out both",
                    "POST /{account}/{queue}/messages at 127.0.0.1:10001\n",
                    "wire    P1: lost-response(reset) x 1, then pass\n", "client  2 attempts, 8.0 ms apart\n",
                    "right   Send an idempotency key", "more    retrial explain duplicate-effect\n",
                    "also    P1: lost-response(error(503)) x 1, then pass; 2 attempts, 4.0 s apart (certain)\n         "
                    "    retrial replay ",
                    "test/worker.test.mjs > worker > renders every job once\n", "again   retrial replay "})
    EXPECT_NE(first.find(part), first.npos) << part << "\n" << first;
  EXPECT_LT(text.find("\n1. duplicate-effect"), text.find("\n2. unrelated-exception"));
  EXPECT_NE(text.find("\n6. duplicate-effect (certain, accepted)  src/jobs.mjs:58 take\n"), text.npos);
}

TEST(Summary, says_what_was_right_noted_and_not_judged_and_where_the_report_is) {
  auto text = summary(sample_campaign().record, ".retrial/latest", trace::Confidence::likely, {.width = 100000});
  for (auto part : {"Judged, nothing found: 6\n", "src/webhook.mjs:20 notify POST /hook: P3, P1, K1, P4\n",
                    "Notes: 2\n", "cap-not-seen at order_sync/pricing.py:23", "Not judged: 5\n",
                    "the fault did not fire: no third call was made: P3 GET", "Remarks: 2\n",
                    "Report  .retrial/latest/report.html\n", "6.3 s of 4 min 12 s were our own overhead\n"})
    EXPECT_NE(text.find(part), text.npos) << part << "\n" << text;
}

TEST(Summary, what_stands_in_no_folder_names_none_and_what_is_about_no_call_is_told_as_it_is) {
  trace::CampaignRecord campaign;
  campaign.not_judged = {{.why = "/tmp/x: this is no folder of ours"}};
  auto text = summary(campaign, "", trace::Confidence::likely, kFile);
  EXPECT_EQ(text.find("Report"), text.npos) << text;
  EXPECT_NE(text.find("\n   /tmp/x: this is no folder of ours\n"), text.npos) << text;
}

TEST(Summary, cases_that_share_a_reason_are_told_together) {
  auto text = summary(sample_campaign().record, ".", trace::Confidence::likely, {.width = 100000});
  auto at = text.find("service state: ");
  EXPECT_NE(at, text.npos);
  EXPECT_EQ(text.find("service state: ", at + 1), text.npos) << text;
}

TEST(Summary, a_note_that_holds_of_many_places_is_one_line) {
  auto noted = [](int places) {
    trace::CampaignRecord campaign;
    for (int n = 1; n <= places; n++) {
      auto operation = fmt::format("PUT /a{}", n);
      campaign.notes.push_back({.verdict = "not-retried-transient",
                                .note = true,
                                .site = trace::CallSite{"a.py", n, "ask"},
                                .operation = operation,
                                .message = operation + " was answered 503 and not sent again."});
    }
    return summary(campaign, ".", trace::Confidence::likely, {.width = 100000});
  };
  auto all = noted(6);
  EXPECT_NE(
      all.find(
          "   not-retried-transient, at 6 places: each was answered 503 and not sent again: PUT /a1 at a.py:1 ask; "
          "PUT /a2 at a.py:2 ask; PUT /a3 at a.py:3 ask; PUT /a4 at a.py:4 ask; and 2 more\n"),
      all.npos)
      << all;
  EXPECT_NE(noted(2).find("not-retried-transient at a.py:2 ask: PUT /a2 was answered 503 and not sent again."),
            all.npos);
}

TEST(Summary, what_is_alike_of_several_operations_of_a_call_site_is_told_once) {
  trace::CampaignRecord campaign;
  trace::Finding put{.verdict = "missing-timeout",
                     .confirmed = true,
                     .site = trace::CallSite{"a.py", 7, "ask"},
                     .operation = "PUT /a",
                     .policy = "P1",
                     .fault = "lost-response(stall)",
                     .attempts = 1};
  auto get = put;
  get.operation = "GET /a";
  campaign.findings = {put, get};
  trace::Finding note{.verdict = "not-retried-transient",
                      .note = true,
                      .site = put.site,
                      .operation = "PUT /a",
                      .message = "PUT /a was answered 503 and not sent again."};
  auto other = note, elsewhere = note;
  other.operation = "GET /a", other.message = "GET /a was answered 503 and not sent again.";
  elsewhere.site->line = 8;
  campaign.notes = {note, other, elsewhere};
  auto text = summary(campaign, "", trace::Confidence::likely, {.width = 100000});
  for (auto part : {"\n1. missing-timeout", "also    GET /a under P1: lost-response(stall); 1 attempt",
                    "a.py:7 ask: PUT /a, GET /a was answered 503", "a.py:8 ask: PUT /a was answered 503"})
    EXPECT_NE(text.find(part), text.npos) << part << "\n" << text;
  EXPECT_EQ(text.find("\n2. "), text.npos) << text;
}

TEST(Summary, the_last_line_says_that_a_campaign_is_incomplete) {
  auto campaign = sample_campaign().record;
  campaign.incomplete = "interrupted by Ctrl-C";
  auto text = summary(campaign, ".", trace::Confidence::likely, kFile);
  EXPECT_TRUE(text.ends_with("\nIncomplete: interrupted by Ctrl-C\n")) << text;
}

TEST(Summary, no_finding_is_said_plainly) {
  trace::CampaignRecord campaign;
  auto text = summary(campaign, ".", trace::Confidence::likely, kFile);
  EXPECT_TRUE(text.starts_with("\nNothing could be judged: 0 cases, 0 ms.\n")) << text;
  campaign.clean.emplace_back();
  campaign.cases = {{.outcome = "run", .runs = {1}}};
  text = summary(campaign, ".", trace::Confidence::likely, kFile);
  EXPECT_TRUE(text.starts_with("\nNo retry bug was found in 1 case, 0 ms.\n")) << text;
  EXPECT_EQ(text.find("fail the run"), text.npos);
  campaign.cases.push_back({.outcome = "answered"});
  text = summary(campaign, ".", trace::Confidence::likely, kFile);
  EXPECT_TRUE(text.starts_with("\nNo retry bug was found in 1 case, which answers 1 more, 0 ms.\n")) << text;
}

TEST(Summary, is_headed_by_the_function_that_sends_again_and_not_by_the_helper_that_it_sends_through) {
  auto headed = [](const char* retried_by, const char* callers = "Pki.java:113:Pki.issue,Sync.java:9:Sync.all") {
    trace::CampaignRecord campaign;
    campaign.findings.push_back({.verdict = "duplicate-effect",
                                 .confirmed = true,
                                 .site = trace::CallSite{"Rest.java", 535, "Rest.send", callers},
                                 .operation = "POST /issue",
                                 .retried_by = retried_by});
    auto text = summary(campaign, ".", trace::Confidence::likely, {.width = 100000});
    auto from = text.find("\n1. ");
    return text.substr(from + 1, text.find('\n', from + 1) - from - 1);
  };
  auto ends_with = [](const std::string& text, std::string_view end) { return text.ends_with(end); };
  EXPECT_PRED2(
      ends_with, headed("Pki.java:113 Pki.issue"),
      "  Pki.java:113 Pki.issue, which sends at Rest.java:535 Rest.send <- Pki.java:113 Pki.issue <- Sync.java:9 "
      "Sync.all");
  EXPECT_PRED2(ends_with, headed("Rest.java:535 Rest.send"),
               "  Rest.java:535 Rest.send <- Pki.java:113 Pki.issue <- Sync.java:9 Sync.all");
  EXPECT_PRED2(ends_with, headed("requests 2.31"),
               "  Rest.java:535 Rest.send <- Pki.java:113 Pki.issue <- Sync.java:9 Sync.all");
}

TEST(Summary, of_what_a_budget_cut_the_cases_add_up) {
  trace::CampaignRecord campaign;
  campaign.clean.emplace_back();
  campaign.cases = {{.id = "c1", .outcome = "run", .runs = {1}}};
  for (auto [id, why] : {std::pair("c2", "budget"), std::pair("c3", "something was seen in company (budget)")})
    campaign.cases.push_back({.id = id, .operation = id, .outcome = "left", .why = why, .runs = {1}});
  campaign.not_judged.push_back({.operation = "c4", .why = "whether the caller was told cannot be seen"});
  auto text = summary(campaign, ".", trace::Confidence::likely, kFile);
  EXPECT_TRUE(text.starts_with("\nThe budget ended first: no retry bug was found in what was judged: 1 of 4 cases, "))
      << text;
  EXPECT_NE(text.find("Not judged: 3\n"), text.npos) << text;
  campaign.incomplete = "in 1 case the budget ended between a suspicion and its confirmation";
  text = summary(campaign, ".", trace::Confidence::likely, kFile);
  EXPECT_TRUE(
      text.starts_with("\nIncomplete: what was judged was found right, and clears nothing else: 1 of 4 cases, "))
      << text;
}

TEST(Summary, is_wrapped_at_the_terminals_width) {
  auto campaign = sample_campaign().record;
  for (int width : {72, 80, 120})
    EXPECT_LE(longest_line(summary(campaign, ".", trace::Confidence::likely, {.width = width})),
              static_cast<std::size_t>(width));
}

TEST(Page, a_word_longer_than_the_line_stays_whole_so_that_it_can_be_copied) {
  Style narrow{.width = 40};
  Page page(narrow);
  page.wrapped("  at ", "tests/test_orders.py::test_prices_are_current[EUR] is it");
  EXPECT_EQ(page.text(), "  at tests/test_orders.py::test_prices_are_current[EUR]\n     is it\n");
}

TEST(Summary, has_colours_only_where_they_may_be_and_never_anothers_escape_sequences) {
  auto campaign = sample_campaign().record;
  campaign.findings[0].message = "red \x1b[31m and \x9b";
  EXPECT_EQ(summary(campaign, ".", trace::Confidence::likely, kFile).find('\x1b'), std::string::npos);
  auto coloured = summary(campaign, ".", trace::Confidence::likely, {.terminal = true, .colour = true, .width = 100});
  EXPECT_NE(coloured.find("\x1b[1;31m"), std::string::npos);
  EXPECT_EQ(coloured.find("\x1b[31m and"), std::string::npos);
}

TEST(Style, a_file_has_no_colour) {
  auto* file = std::tmpfile();
  auto style = style_of(file);
  EXPECT_FALSE(style.terminal);
  EXPECT_FALSE(style.colour);
  std::fclose(file);
}

TEST(Style, a_file_has_colour_where_it_is_forced_and_nobody_wants_none) {
  auto* file = std::tmpfile();
  auto coloured = [&](const char* forced, const char* none) {
    setenv("CLICOLOR_FORCE", forced, 1);
    setenv("NO_COLOR", none, 1);
    auto style = style_of(file);
    unsetenv("CLICOLOR_FORCE");
    unsetenv("NO_COLOR");
    EXPECT_FALSE(style.terminal);
    return style.colour;
  };
  EXPECT_TRUE(coloured("1", ""));
  EXPECT_FALSE(coloured("0", ""));
  EXPECT_FALSE(coloured("", ""));
  EXPECT_FALSE(coloured("1", "1"));
  std::fclose(file);
}

}  // namespace
}  // namespace retrial::campaign::report
