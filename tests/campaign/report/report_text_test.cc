// Escaping, words and the time axis: what all formats share.
#include <gtest/gtest.h>

#include "base/escape.h"
#include "campaign/report/causes.h"
#include "campaign/report/time_axis.h"
#include "campaign/report/words.h"
#include "oracles/known_repeats.h"
#include "oracles/oracle.h"
#include "tests/campaign/sample_campaign.h"

namespace retrial::campaign::report {
namespace {
using namespace std::string_literals;

TEST(Escape, markup_is_escaped_in_text_and_attributes) {
  EXPECT_EQ(escape("<a href=\"x\">'&'</a>"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  EXPECT_EQ(escape("tab\tline\nreturn\r"), "tab\tline\nreturn\r");
  EXPECT_EQ(escape("日本 ✓ \xF0\x9F\x98\x80"), "日本 ✓ \xF0\x9F\x98\x80");
}

TEST(Escape, what_xml_cannot_hold_becomes_the_replacement_character) {
  EXPECT_EQ(escape("a\0b\x1b[31m\x7f"s), "a\uFFFDb\uFFFD[31m\uFFFD");
  EXPECT_EQ(escape("\xEF\xBF\xBE\xEF\xBF\xBF"), "\uFFFD\uFFFD") << "U+FFFE and U+FFFF are no characters";
  EXPECT_EQ(escape("\xC2\x85"), "\uFFFD") << "a control of C1";
}

TEST(Escape, bytes_that_are_no_utf8_become_the_replacement_character_one_by_one) {
  EXPECT_EQ(utf8("\xff"), "\uFFFD");
  EXPECT_EQ(utf8("a\xc3"), "a\uFFFD") << "cut off in the middle";
  EXPECT_EQ(utf8("\xc0\xaf"), "\uFFFD\uFFFD") << "an overlong form";
  EXPECT_EQ(utf8("\xe0\x80\xaf"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(utf8("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD") << "a surrogate";
  EXPECT_EQ(utf8("\xf4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD") << "above U+10FFFF";
  EXPECT_EQ(utf8("\xe2\x82x"), "\uFFFD\uFFFDx") << "the text goes on after a broken character";
  EXPECT_EQ(utf8("\xf4\x8f\xbf\xbf"), "\xf4\x8f\xbf\xbf");
}

TEST(Escape, a_line_for_a_terminal_holds_nothing_that_acts) {
  EXPECT_EQ(one_line("a\nb\tc\r"), "a b c ");
  EXPECT_EQ(one_line("\x1b]0;title\x07"), "\uFFFD]0;title\uFFFD");
  EXPECT_EQ(one_line("\xC2\x9B"
                     "31m"),
            "\uFFFD31m");
}

TEST(Escape, a_text_is_cut_between_characters) {
  EXPECT_EQ(columns("日本x"), 3u);
  EXPECT_EQ(cut("日本x", 3), "日本x");
  EXPECT_EQ(cut("日本xy", 3), "日本…");
  EXPECT_EQ(cut("abc", 1), "…");
  EXPECT_EQ(cut("abc", 0), "");
}

TEST(Words, a_finding_without_a_word_of_its_own_has_its_verdicts_advice) {
  for (auto* oracle : oracles::oracles())
    for (auto& verdict : oracle->verdicts()) {
      trace::Finding f{.verdict = std::string(verdict.name)};
      EXPECT_EQ(advice(f), verdict.remedy);
      f.advice = "A word of its own.";
      EXPECT_EQ(advice(f), f.advice);
    }
  EXPECT_EQ(advice({.verdict = "unheard-of"}), "");
}

TEST(Words, findings_of_one_verdict_at_one_call_site_are_one_cause) {
  auto campaign = sample_campaign().record;
  auto found = causes(campaign.findings);
  ASSERT_EQ(found.size(), 6u);
  EXPECT_EQ(found[0].verdict, "duplicate-effect");
  EXPECT_EQ(found[0].findings.size(), 2u);
  EXPECT_EQ(found[5].site->line, 58) << "what was accepted comes last";
  EXPECT_TRUE(found[5].accepted());
}

TEST(Words, what_a_library_does_at_lines_of_tests_alone_is_one_cause) {
  auto found_at = [](int line, const char* file, const char* by, const char* verdict = "duplicate-effect") {
    trace::Finding f{.verdict = verdict, .service = "127.0.0.1:80", .operation = "POST /" + std::to_string(line)};
    f.test = "tests/test_api.py::test_add";
    f.site = trace::CallSite{file, line, "test_add"};
    f.retried_by = by;
    return f;
  };
  EXPECT_EQ(causes({found_at(3, "tests/test_api.py", "api 1.2"), found_at(9, "tests/test_api.py", "api 1.2")}).size(),
            1u);
  EXPECT_EQ(causes({found_at(3, "tests/test_api.py", "api 1.2"), found_at(9, "tests/test_api.py", "urllib3 2")}).size(),
            2u);
  EXPECT_EQ(causes({found_at(3, "tests/test_api.py", "", "missing-timeout"),
                    found_at(9, "tests/test_api.py", "", "missing-timeout")})
                .size(),
            1u)
      << "nobody sends again";
  EXPECT_EQ(causes({found_at(3, "src/app.py", "api 1.2"), found_at(9, "src/app.py", "api 1.2")}).size(), 2u);
}

TEST(Words, the_ends_of_a_long_chain_are_shown) {
  trace::CallSite site{"a.go", 1, "do", "a.go:2:call,a.go:3:storage,b.go:4:objectBase,b.go:5:Object"};
  EXPECT_EQ(place(site), "a.go:1 do <- ... <- b.go:4 objectBase <- b.go:5 Object");
  site.callers += ",c.go:6:main,c.go:7:<module>";
  EXPECT_EQ(place(site), "a.go:1 do <- ... <- b.go:4 objectBase <- b.go:5 Object") << "where it begins says nothing";
  site.callers = "a.go:2:call,a.go:3:storage,b.go:4:objectBase";
  EXPECT_EQ(place(site), "a.go:1 do <- a.go:2 call <- a.go:3 storage <- b.go:4 objectBase");
}

TEST(Words, what_a_client_does_to_a_service_that_was_started_for_each_recording_is_one_cause) {
  auto seen_at = [](const char* service, const char* policy) {
    trace::Finding f;
    f.verdict = "lost-effect", f.operation = "PUT /prices/{id}", f.service = service, f.policy = policy;
    return f;
  };
  std::string observed(trace::kObserved);
  EXPECT_EQ(causes({seen_at("127.0.0.1:2801", observed.c_str()), seen_at("127.0.0.1:2802", observed.c_str())}).size(),
            1U);
  EXPECT_EQ(causes({seen_at("127.0.0.1:2801", observed.c_str()), seen_at("10.0.0.2:2802", observed.c_str())}).size(),
            2U);
  EXPECT_EQ(causes({seen_at("127.0.0.1:2801", "P3"), seen_at("127.0.0.1:2802", "P3")}).size(), 2U);
}

TEST(Words, what_goes_wrong_at_one_line_after_any_failure_is_one_cause) {
  trace::Finding put{.verdict = "unrelated-exception",
                     .site = trace::CallSite{"a.py", 7, "ask", "b.py:3:move"},
                     .service = "127.0.0.1:8000",
                     .operation = "PUT /a",
                     .raised_at = "a.py:21"};
  auto get = put, elsewhere = put, another = put;
  get.operation = "GET /b";
  get.site->callers = "b.py:9:look";
  elsewhere.operation = get.operation;
  elsewhere.raised_at = "b.py:40";
  another.verdict = "hang";
  EXPECT_EQ(causes({put, get}).size(), 1u);
  EXPECT_EQ(causes({put, elsewhere}).size(), 2u);
  EXPECT_EQ(causes({put, another}).size(), 2u);
}

TEST(Words, without_a_call_site_the_operation_parts_the_causes) {
  trace::Finding put{.verdict = "hang", .operation = "PUT /a"}, get{.verdict = "hang", .operation = "GET /a"};
  EXPECT_EQ(causes({put, get, put}).size(), 2u);
}

TEST(Words,
     how_a_client_goes_about_it_is_one_cause_for_all_operations_of_a_call_site_and_what_became_of_a_call_is_not) {
  auto of = [](const char* verdict) {
    trace::Finding put{.verdict = verdict, .site = trace::CallSite{"a.py", 7, "ask"}, .operation = "PUT /a"};
    auto get = put, elsewhere = put;
    get.operation = "GET /a";
    elsewhere.site->line = 8;
    return causes({put, get, elsewhere}).size();
  };
  EXPECT_EQ(of("missing-timeout"), 2u);
  EXPECT_EQ(of("duplicate-effect"), 3u);
}

TEST(Words, what_one_line_asks_for_by_one_method_is_one_cause) {
  trace::Finding pen{.verdict = "unrelated-exception",
                     .site = trace::CallSite{"a.py", 7, "ask", "b.py:3:check"},
                     .service = "127.0.0.1:8000",
                     .operation = "GET /stock/pen"};
  auto mug = pen, put = pen, elsewhere = pen, other = pen;
  mug.operation = "GET /stock/mug";
  EXPECT_EQ(causes({pen, mug}).size(), 1u);
  put.operation = "PUT /stock/pen";
  EXPECT_EQ(causes({pen, put}).size(), 2u);
  elsewhere.operation = mug.operation;
  elsewhere.site->callers = "b.py:9:check";
  EXPECT_EQ(causes({pen, elsewhere}).size(), 2u);
  other.operation = mug.operation;
  other.service = "127.0.0.1:9000";
  EXPECT_EQ(causes({pen, other}).size(), 2u);
}

TEST(Words, what_one_function_or_library_does_at_several_call_sites_is_one_cause) {
  auto of = [](const char* verdict, const char* first, const char* second) {
    trace::Finding track{.verdict = verdict,
                         .site = trace::CallSite{"a.py", 7, "ask", "b.py:3:track"},
                         .operation = "PUT /a",
                         .retried_by = first};
    auto label = track;
    label.site->callers = "b.py:9:label";
    label.retried_by = second;
    return causes({track, label}).size();
  };
  EXPECT_EQ(of("missing-cap", "urllib3 2.8.0", "urllib3 2.8.0"), 1u);
  EXPECT_EQ(of("missing-cap", "b.py:3 track", "b.py:9 label"), 2u);
  EXPECT_EQ(of("missing-timeout", "", ""), 1u) << "nothing was sent again: it is the frame that sends";
  EXPECT_EQ(of("lost-effect", "urllib3 2.8.0", "urllib3 2.8.0"), 2u) << "what becomes of a call is its caller's too";
}

TEST(Words, a_token_is_asked_for_in_one_place_whoever_needs_it) {
  auto of = [](const char* operation, const char* function, const char* verdict = "missing-timeout") {
    return trace::Finding{.verdict = verdict,
                          .site = trace::CallSite{"src/ledger.py", 48, function},
                          .service = "127.0.0.1:8001",
                          .operation = operation,
                          .attempts = 1};
  };
  EXPECT_TRUE(one_cause(of("POST /oauth/token", "pay"), of("POST /oauth/token", "read")));
  EXPECT_FALSE(one_cause(of("POST /payments", "pay"), of("POST /payments", "read")));
  EXPECT_FALSE(one_cause(of("POST /oauth/token", "pay", "silent-wrong-result"),
                         of("POST /oauth/token", "read", "silent-wrong-result")))
      << "what became of it is each caller's";
}

TEST(Words, what_a_library_sends_again_for_one_line_is_one_cause_whatever_is_asked_for) {
  trace::Finding halt{.verdict = "duplicate-effect",
                      .site = trace::CallSite{"client.go", 161, "do", "servers.go:316:halt"},
                      .service = "127.0.0.1:*",
                      .operation = "POST /servers/{name}/halt",
                      .attempts = 2,
                      .retried_by = "go-retryablehttp 0.7.0"};
  auto start = halt, by_hand = halt, elsewhere = halt;
  start.site->callers = "servers.go:340:start";
  start.operation = "POST /servers/{name}/start";
  start.service = "127.0.0.1:*2";  // another test's
  EXPECT_EQ(causes({halt, start}).size(), 1u);
  elsewhere.site->line = 190;
  EXPECT_EQ(causes({halt, elsewhere}).size(), 2u);
  by_hand.retried_by = start.retried_by = "client.go:150 again";
  EXPECT_EQ(causes({by_hand, start}).size(), 2u) << "each may have a key of its own";
}

TEST(Words, what_one_place_does_is_one_cause_for_all_services_and_a_library_may_be_set_up_for_each) {
  auto of = [](const char* verdict, const char* retried_by, const char* callers) {
    trace::Finding first{.verdict = verdict,
                         .site = trace::CallSite{"a.py", 7, "ask", "b.py:3:track"},
                         .service = "127.0.0.1:*",
                         .retried_by = retried_by};
    auto second = first;
    second.service = "127.0.0.1:*2";
    second.site->callers = callers;
    return causes({first, second}).size();
  };
  EXPECT_EQ(of("missing-timeout", "", "b.py:3:track"), 1u);
  EXPECT_EQ(of("missing-timeout", "", "c.py:9:label"), 1u);
  EXPECT_EQ(of("missing-cap", "urllib3 2.8.0", "b.py:3:track"), 1u);
  EXPECT_EQ(of("missing-cap", "urllib3 2.8.0", "c.py:9:label"), 2u);
  EXPECT_EQ(of("duplicate-effect", "", "b.py:3:track"), 2u);
}

TEST(Words, what_one_vendors_client_does_at_several_call_sites_is_one_cause) {
  auto of = [](const char* verdict, const char* first, const char* second) {
    trace::Finding put{
        .verdict = verdict, .site = trace::CallSite{"a.mjs", 7, "put"}, .operation = "PUT /a", .sdk = first};
    auto get = put;
    get.site->line = 30;
    get.sdk = second;
    return causes({put, get}).size();
  };
  EXPECT_EQ(of("missing-timeout", "azsdk-js-storagequeue/12.17.0", "azsdk-js-storagequeue/12.17.0"), 1u);
  EXPECT_EQ(of("missing-timeout", "azsdk-js-storagequeue/12.17.0", "azsdk-js-storageblob/12.17.0"), 2u);
  EXPECT_EQ(of("missing-timeout", "", ""), 2u) << "a general client: each place makes its own of it";
  EXPECT_EQ(of("duplicate-effect", "azsdk-js-storagequeue/12.17.0", "azsdk-js-storagequeue/12.17.0"), 2u);
}

TEST(Words, what_became_of_an_operation_is_one_cause_where_its_call_sites_meet_in_what_asks_for_it) {
  auto of = [](std::string first, std::string second, const char* operation = "PUT /a") {
    trace::Finding one{.verdict = "unrelated-exception",
                       .site = trace::CallSite{"a.py", 7, "send", std::move(first)},
                       .operation = "PUT /a",
                       .retried_by = "a.py:20 again"};
    auto other = one;
    other.operation = operation;
    other.site->callers = std::move(second);
    return causes({one, other}).size();
  };
  EXPECT_EQ(of("a.py:20:again,b.py:3:upload,c.py:5:push", "a.py:20:again,b.py:4:upload,c.py:9:copy"), 1u);
  EXPECT_EQ(of("a.py:20:again,b.py:3:upload,c.py:5:push", "a.py:20:again,b.py:4:upload,c.py:9:copy", "GET /a"), 2u);
  EXPECT_EQ(of("a.py:20:again,c.py:5:push", "a.py:20:again,c.py:9:copy"), 2u) << "they meet where all calls do";
}

TEST(Words, only_what_is_confirmed_not_accepted_and_sure_enough_fails_a_run) {
  trace::Finding f{.confidence = trace::Confidence::likely, .confirmed = true};
  EXPECT_TRUE(fails_run(f, trace::Confidence::likely));
  EXPECT_TRUE(fails_run(f, trace::Confidence::possible));
  EXPECT_FALSE(fails_run(f, trace::Confidence::certain));
  f.accepted = true;
  EXPECT_FALSE(fails_run(f, trace::Confidence::likely));
  f.accepted = f.confirmed = false;
  EXPECT_FALSE(fails_run(f, trace::Confidence::likely));
}

// One was confirmed, and taken back since; whoever was answered by it has shown no more.
TEST(Report, what_was_answered_by_a_finding_that_was_taken_back_is_not_judged) {
  trace::CampaignRecord c;
  trace::Finding back;
  back.verdict = "duplicate-effect";
  back.test = "t1";
  trace::CaseRecord row{.policy = "P4", .test = "t2", .operation = "POST /a", .outcome = "seen_too"};
  row.why = "duplicate-effect, as confirmed in t1";
  c.cases = {row};
  c.findings = {back};
  EXPECT_EQ(seen_too(c).size(), 1u);
  EXPECT_TRUE(not_judged(c).empty());
  c.findings.clear();
  c.not_judged = {oracles::taken_back(back)};
  EXPECT_TRUE(seen_too(c).empty());
  ASSERT_EQ(not_judged(c).size(), 2u);
  EXPECT_EQ(not_judged(c)[1].test, "t2");
}

TEST(Words, a_case_that_was_left_or_whose_fault_never_fired_is_said_once) {
  trace::CampaignRecord c;
  c.cases = {{.id = "c1",
              .policy = "P1",
              .plan = "stall",
              .test = "t",
              .operation = "GET /",
              .outcome = "not_fired",
              .why = "no such call"},
             {.id = "c2",
              .policy = "P2",
              .plan = "stall",
              .test = "t",
              .operation = "GET /",
              .outcome = "incomplete",
              .why = "the disk is full"},
             {.id = "c3", .policy = "P3", .plan = "stall", .test = "t", .operation = "GET /", .outcome = "run"},
             {.id = "c4",
              .policy = "P4",
              .plan = "stall",
              .test = "t",
              .operation = "GET /",
              .outcome = "left",
              .why = "budget"}};
  c.not_judged = {{.test = "t", .operation = "GET /", .policy = "P2", .fault = "stall", .why = "told already"}};
  auto open = not_judged(c);
  ASSERT_EQ(open.size(), 3u);
  EXPECT_EQ(open[2].why, "left untried: budget");
  EXPECT_EQ(open[0].why, "told already");
  EXPECT_EQ(open[1].why, "the fault did not fire: no such call");
}

TEST(Words, what_fails_a_run_is_said_and_why_the_rest_does_not) {
  auto likely = trace::Confidence::likely;
  trace::Finding fails{.confidence = likely, .confirmed = true}, possible{.confirmed = true},
      alone{.confidence = likely};
  auto accepted = fails, known = fails;
  accepted.accepted = known.known = true;
  EXPECT_EQ(failing_line({fails}, likely), "It fails the run.");
  EXPECT_EQ(failing_line({possible}, likely), "It does not fail the run: it is less than likely.");
  EXPECT_EQ(failing_line({fails, fails}, likely), "All of them fail the run.");
  EXPECT_EQ(failing_line({possible, accepted, possible}, likely),
            "None of them fails the run: 1 is accepted, 2 are less than likely.");
  EXPECT_EQ(failing_line({fails, possible}, likely),
            "1 of them fails the run, the other does not: it is less than likely.");
  EXPECT_EQ(failing_line({known, fails, alone}, likely),
            "1 of them fails the run, the others do not: 1 is known, 1 is not confirmed.");
}

TEST(Words, a_campaign_that_found_nothing_says_what_it_has_not_tried) {
  trace::CampaignRecord c;
  c.cases = {{.policy = "P3", .outcome = "run", .runs = {1}}};
  EXPECT_EQ(not_tried(c), "") << "nothing was judged";
  c.clean.emplace_back();
  EXPECT_NE(not_tried(c).find("Retry-After is heeded (--policies r1)"), std::string::npos);
  c.cases.push_back({.policy = "R1"});
  EXPECT_EQ(not_tried(c), "");
  c.cases = {{.policy = std::string(trace::kObserved), .outcome = "run"}};
  EXPECT_EQ(not_tried(c), "") << "one fault was asked for";
}

TEST(Words, one_reason_is_one_whatever_the_addresses_in_it) {
  std::vector<trace::Judged> judged{{.why = "assert <a.B object at 0x7f6a182e0210>.c (at 0x7f00000000aa)"},
                                    {.why = "assert <a.B object at 0x7f05e577cb50>.c (at 0x7f00000000aa)"},
                                    {.why = "left at 0x2f"}};
  auto reasons = by_reason(judged);
  ASSERT_EQ(reasons.size(), 2u);
  EXPECT_EQ(reasons[0].why, "assert <a.B object>.c (at 0x7f00000000aa)");
  EXPECT_EQ(reasons[0].judged.size(), 2u);
  EXPECT_EQ(reasons[1].why, "left at 0x2f");
}

TEST(Words, what_a_client_did_is_said_in_attempts_and_gaps) {
  trace::Finding f{.attempts = 1};
  EXPECT_EQ(client_did(f), "1 attempt, no retry");
  f.verdict = "duplicate-effect", f.evidence = {3, 5};
  EXPECT_EQ(client_did(f), "1 attempt, then another request") << "which is no retry, and does the same again";
  f.verdict = "stale-credentials";
  EXPECT_EQ(client_did(f), "1 attempt, then another request");
  f.verdict = "kept-failure";
  EXPECT_EQ(client_did(f), "1 attempt, and nobody asks again");
  f.attempts = 2, f.gaps_ms = {8.04};
  EXPECT_EQ(client_did(f), "2 attempts, 8.0 ms apart");
  f.verdict = "missing-cap";
  EXPECT_EQ(client_did(f), "2 attempts, 8.0 ms apart, then the same again and again");
  f.attempts = 3, f.gaps_ms = {0.01, 4021};
  EXPECT_EQ(client_did(f), "3 attempts, gaps 0 ms, 4.0 s");
  f.attempts = 9, f.gaps_ms = {5, 1, 2, 3, 4, 6, 7, 250};
  EXPECT_EQ(client_did(f), "9 attempts, gaps from 1.0 ms to 250 ms, median 5.0 ms");
}

TEST(TimeAxis, is_linear_where_all_is_visible) {
  TimeAxis axis({{0, 10 * kMillisecond}, {20 * kMillisecond, 40 * kMillisecond}}, 400);
  EXPECT_FALSE(axis.compressed());
  EXPECT_DOUBLE_EQ(axis.x(0), 0);
  EXPECT_DOUBLE_EQ(axis.x(10 * kMillisecond), 100);
  EXPECT_DOUBLE_EQ(axis.x(15 * kMillisecond), 150) << "also between what happened";
  EXPECT_DOUBLE_EQ(axis.x(40 * kMillisecond), 400);
  EXPECT_DOUBLE_EQ(axis.x(kSecond), 400) << "what is outside stands at the edge";
  auto ticks = axis.ticks();
  ASSERT_EQ(ticks.size(), 5u);
  EXPECT_EQ(ticks[1].time, 10 * kMillisecond);
}

TEST(TimeAxis, shortens_long_waits_where_a_short_exchange_would_vanish) {
  TimeAxis axis({{0, kMillisecond}, {30 * kSecond, 30 * kSecond + kMillisecond}}, 500);
  EXPECT_TRUE(axis.compressed());
  EXPECT_GT(axis.x(kMillisecond), 5);
  EXPECT_GT(axis.x(30 * kSecond) - axis.x(kMillisecond), axis.x(kMillisecond))
      << "the longer stretch stays the longer one";
  double last = -1;
  for (Nanos t = 0; t <= 30 * kSecond; t += 100 * kMillisecond) {
    EXPECT_GE(axis.x(t), last);
    last = axis.x(t);
  }
  auto ticks = axis.ticks();
  EXPECT_EQ(ticks.back().time, 30 * kSecond + kMillisecond);
}

TEST(TimeAxis, stands_without_anything_to_draw) {
  EXPECT_FALSE(TimeAxis({}, 100).ticks().empty());
  EXPECT_FALSE(TimeAxis({{5, 5}}, 100).ticks().empty());
}

}  // namespace
}  // namespace retrial::campaign::report
