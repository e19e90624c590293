// silent-wrong-result by what could not be read of lists, pages and amounts.
#include <gtest/gtest.h>

#include "tests/oracles/runs.h"

namespace retrial::oracles {
namespace {

TEST(SilentWrongResult, a_sum_or_number_of_entries_that_lacks_the_last_or_all_is_likely) {
  auto wrote = [](const char* was, const char* is) {
    Trial t("P3", "error(transient)");
    t.reference.call("moves", "GET", "/moves?day=1")
        .answers(200, R"([{"id":"a","teu":2},{"id":"b","teu":3},{"id":"c","teu":11}])");
    t.reference.call("total", "PUT", "/totals/1");
    t.reference.last().request_sample = was;
    t.reference.answers(200).passes();
    t.in_case().call("moves", "GET", "/moves?day=1").gets_error();
    t.in_case().call("total", "PUT", "/totals/1");
    t.in_case().last().request_sample = is;
    t.in_case().answers(200).passes();
    return t.verdicts();
  };
  EXPECT_EQ(wrote(R"({"day":"1","sum":16})", R"({"day":"1","sum":0})"), "silent-wrong-result likely");
  EXPECT_EQ(wrote(R"({"day":"1","sum":16})", R"({"day":"1","sum":5})"), "silent-wrong-result likely") << "2 and 3";
  EXPECT_EQ(wrote(R"({"day":"1","status":"issued","sum":16})", R"({"day":"1","status":"issued","sum":0})"),
            "silent-wrong-result likely");
  EXPECT_EQ(wrote(R"({"day":"1","status":"issued","sum":16})", R"({"day":"1","status":"unknown","sum":0})"), "")
      << "it may say so";
  EXPECT_EQ(wrote(R"({"day":"1","sum":16})", R"({"day":"1","sum":6})"), "") << "of nothing that was read";
  EXPECT_EQ(wrote(R"({"day":"1","moves":3})", R"({"day":"1","moves":0})"), "silent-wrong-result likely");
  EXPECT_EQ(wrote(R"({"day":"1","moves":17})", R"({"day":"1","moves":0})"), "");
  EXPECT_EQ(wrote(R"({"day":"1","moves":17})", R"({"day":"1","moves":14})"), "silent-wrong-result likely")
      << "a page in the middle: its three are missing";
  EXPECT_EQ(wrote(R"({"day":"1","sum":50})", R"({"day":"1","sum":34})"), "silent-wrong-result likely") << "their 16";
  EXPECT_EQ(wrote(R"({"day":"1","moves":17})", R"({"day":"1","moves":13})"), "");
  EXPECT_EQ(wrote(R"({"day":"1","free":9})", R"({"day":"1","free":12})"), "silent-wrong-result likely")
      << "of 12 places";
  EXPECT_EQ(wrote(R"({"day":"1","free":0})", R"({"day":"1","free":3})"), "silent-wrong-result likely");
  EXPECT_EQ(wrote(R"({"day":"1","free":9})", R"({"day":"1","free":11})"), "");
}

constexpr const char* kTable = "no;account;amount\n1;4711;20\n2;4712;30\n";
constexpr const char* kHead = "no;account;amount\n\n";

TEST(SilentWrongResult, a_table_that_is_written_without_lines_that_it_has_else_is_likely) {
  auto wrote = [](const char* is, bool recovered = false, const char* was = kTable) {
    Trial t("P3", "error(transient)");
    t.reference.call("read", "GET", "/entries").answers(200, R"([{"no":1},{"no":2}])");
    t.in_case().call("read", "GET", "/entries").gets_error();
    if (recovered) t.in_case().again(kSecond).answers(200, R"([{"no":1},{"no":2}])");
    t.reference.call("store", "PUT", "/documents/d-1").last().request_sample = was;
    t.in_case().call("store", "PUT", "/documents/d-1").last().request_sample = is;
    t.reference.answers(200).passes();
    t.in_case().answers(200).passes();
    return t.verdicts();
  };
  EXPECT_EQ(wrote(kHead), "silent-wrong-result likely");
  EXPECT_EQ(wrote("no;account;amount\n1;4711;20\n"), "") << "one line less may be anything";
  EXPECT_EQ(wrote("no;account;amount\nnot loaded: error\n"), "") << "it says so";
  EXPECT_EQ(wrote(kHead, true), "");
  EXPECT_EQ(
      wrote(R"({"text":"no;account;amount\n"})", false, R"({"text":"no;account;amount\n1;4711;20\n2;4712;30\n"})"),
      "silent-wrong-result likely");
}

TEST(SilentWrongResult, numbers_that_are_smaller_for_a_body_that_was_cut_are_likely) {
  auto wrote = [](std::string is, trace::Point point = trace::Point::in_body,
                  std::string was = R"({"user":"ann","n":66})") {
    Trial t("observe", "reset(in-body)");
    t.reference.call("audit", "GET", "/audit.ndjson").answers(200, "{}\n{}\n");
    t.in_case().call("audit", "GET", "/audit.ndjson").is_reset();
    t.in_case().last().fault.point = point;
    t.reference.call("file", "PUT", "/archives/a").last().request_sample = std::move(was);
    t.in_case().call("file", "PUT", "/archives/a").last().request_sample = std::move(is);
    t.reference.answers(200).passes();
    t.in_case().answers(200).passes();
    return t.verdicts();
  };
  EXPECT_EQ(wrote(R"({"user":"ann","n":"33"})", trace::Point::in_body, R"({"user":"ann","n":"66"})"),
            "silent-wrong-result likely");
  EXPECT_EQ(wrote(R"({"user":"ann","n":33})"), "silent-wrong-result likely");
  EXPECT_EQ(wrote(R"({"user":"ann","n":67})"), "");
  EXPECT_EQ(wrote(R"({"user":"bob","n":33})"), "");
  constexpr auto kText = R"({"summary":"It was paid twice","n":1})";
  EXPECT_EQ(wrote(R"({"summary":"It was","n":1})", trace::Point::in_body, kText), "silent-wrong-result likely");
  EXPECT_EQ(wrote(R"({"summary":"paid","n":1})", trace::Point::in_body, kText), "");
  EXPECT_EQ(wrote(R"({"user":"ann","n":33})", trace::Point::before_request), "") << "nothing was read";
}

TEST(SilentWrongResult, who_may_not_read_and_writes_over_what_is_there_is_likely_wrong) {
  auto wrote = [](int status) {
    Trial t("N1", "error(400)");
    t.reference.call("load", "GET", "/articles/a/tags").answers(200, R"({"tags":["red","blue"]})");
    t.in_case().call("load", "GET", "/articles/a/tags").gets_error(status);
    t.reference.call("add", "PUT", "/articles/a/tags").last().request_sample = R"({"tags":["red","blue","new"]})";
    t.in_case().call("add", "PUT", "/articles/a/tags").last().request_sample = R"({"tags":["new"]})";
    t.reference.answers(200).passes();
    t.in_case().answers(200).passes();
    return t.verdicts();
  };
  EXPECT_EQ(wrote(400), "silent-wrong-result likely");
  EXPECT_EQ(wrote(403), "silent-wrong-result likely");
  EXPECT_EQ(wrote(404), "") << "there is none as yet";
}

TEST(SilentWrongResult, what_was_read_and_is_written_over_without_it_is_likely_however_little_it_is) {
  auto wrote = [](const char* is, const char* was = R"({"max":-22,"mails":["duty@x","ida@x"]})",
                  const char* target = "/sites/oslo/settings") {
    Trial t("P3", "error(transient)");
    t.reference.call("load", "GET", "/sites/oslo/settings").answers(200, R"({"max":-22,"mails":["duty@x"]})");
    t.in_case().call("load", "GET", "/sites/oslo/settings").gets_error();
    t.reference.call("add", "PUT", target).last().request_sample = was;
    t.in_case().call("add", "PUT", target).last().request_sample = is;
    t.reference.answers(200).passes();
    t.in_case().answers(200).passes();
    return t.verdicts();
  };
  constexpr const char* kDefaults = R"({"max":-18,"mails":["ida@x"]})";
  EXPECT_EQ(wrote(kDefaults), "silent-wrong-result likely");
  EXPECT_EQ(wrote(R"({"max":-22,"mails":["duty@x","ida@x"]})"), "") << "another knew it";
  EXPECT_EQ(wrote(R"({"max":-18,"mails":["ida@x"],"error":"not loaded"})"), "") << "it says so";
  EXPECT_EQ(wrote(kDefaults, R"({"max":-20,"mails":["ida@x"]})"), "") << "not all of it is written else";
}

TEST(SilentWrongResult, a_page_that_is_left_out_of_a_number_is_likely_though_the_next_is_asked_for) {
  auto wrote = [](int number, const char* repeat = "") {
    Trial t("P3", "error(transient)");
    for (auto* run : {&t.reference, &t.in_case()}) {
      for (auto* page : {"/items?p=0", "/items?p=1", "/items?p=2"}) {
        run->call("all", "GET", page);
        bool fails = run == &t.in_case() && std::string_view(page).ends_with('1');
        fails ? run->gets_error() : run->answers(200, R"({"items":[4,5,6]})");
      }
      if (run == &t.in_case() && *repeat) run->call("all", "GET", repeat).answers(200, R"({"items":[4,5,6]})");
      run->call("report", "POST", "/report");
      run->last().request_sample = "{\"total\":" + std::to_string(run == &t.reference ? 9 : number) + "}";
      run->answers(201).passes();
    }
    return t.verdicts();
  };
  EXPECT_EQ(wrote(6), "silent-wrong-result likely");
  EXPECT_EQ(wrote(7), "");
  EXPECT_EQ(wrote(6, "/items?p=1"), "") << "it was asked for again";
  EXPECT_EQ(wrote(6, "/items?p=1&replica=2"), "") << "in another way";
}

TEST(SilentWrongResult, a_page_that_failed_after_one_that_names_it_is_likely_one_though_the_test_passes) {
  auto verdicts = [](const char* second, const char* body, bool asked_elsewhere = false) {
    Trial t("P3", "error(transient)");
    t.reference.call("all", "GET", "/films?limit=2").answers(200, body);
    t.reference.call("all", "GET", second).answers(200, R"({"items": ["c"]})").passes();
    t.in_case().call("all", "GET", "/films?limit=2").answers(200, body);
    t.in_case().call("all", "GET", second).gets_error();
    if (asked_elsewhere) t.in_case().call("mirror", "GET", second).answers(200, R"({"items": ["c"]})");
    t.in_case().passes();
    return t.verdicts();
  };
  constexpr auto kLink = R"({"items": ["a", "b"], "next": "http://films/films?limit=2&at=c7f2"})";
  EXPECT_EQ(verdicts("/films?limit=2&at=c7f2", kLink), "silent-wrong-result likely");
  EXPECT_EQ(verdicts("/films?limit=2&at=c7f2", R"({"items": ["a"], "cursor": "c7f2"})"), "silent-wrong-result likely");
  EXPECT_EQ(verdicts("/films?limit=2&offset=2", R"({"items": ["a"], "more": true})"), "silent-wrong-result likely");
  EXPECT_EQ(verdicts("/films?limit=2&offset=2", R"({"items": ["a"], "more": true})", true), "") << "a replica has it";
  EXPECT_EQ(verdicts("/films?limit=2&kind=long", kLink), "") << "another list";
}

TEST(SilentWrongResult, a_list_that_is_written_over_without_what_could_not_be_read_is_likely_one) {
  auto verdicts = [](const char* was, const char* is, const char* method = "PUT") {
    Trial t("P3", "error(transient)");
    t.reference.call("labels", "GET", "/cultures/c1/labels").answers(200, R"({"labels": ["dry", "north"]})");
    t.reference.call("put", method, "/cultures/c1").answers(200).last().request_sample = was;
    t.reference.passes();
    t.in_case().call("labels", "GET", "/cultures/c1/labels").gets_error();
    t.in_case().call("put", method, "/cultures/c1").answers(200).last().request_sample = is;
    t.in_case().passes();
    return t.verdicts();
  };
  EXPECT_EQ(verdicts(R"({"labels": ["dry", "north", "shade"]})", R"({"labels": ["shade"]})"),
            "silent-wrong-result likely");
  EXPECT_EQ(verdicts(R"({"labels": ["dry", "north"], "of": "c1"})", R"({"labels": null, "of": "c1"})"),
            "silent-wrong-result likely");
  EXPECT_EQ(verdicts(R"({"labels": ["dry", "north"], "of": "c1", "by": "ann"})",
                     R"({"labels": [], "of": "c1", "by": "ann"})"),
            "silent-wrong-result likely");
  EXPECT_EQ(verdicts(R"({"labels": ["dry", "north"], "of": "c1", "by": "ann"})",
                     R"({"labels": [], "of": "c1", "by": "ann"})", "POST"),
            "")
      << "a part that may be missing";
  EXPECT_EQ(verdicts(R"({"ids": ["a81", "b77", "c13"]})", R"({"ids": ["d02", "e41"]})"), "") << "others each time";
  EXPECT_EQ(verdicts(R"({"opening": 0.6})", R"({"opening": 0.0})"), "silent-wrong-result likely");
}

TEST(SilentWrongResult, a_product_that_was_rounded_is_known_by_its_factor) {
  auto verdicts = [](const char* was, const char* is) {
    Trial t("P3", "error(transient)");
    t.reference.call("rate", "GET", "/rates/chf").answers(200, R"({"rate": 0.9312})");
    t.reference.call("put", "POST", "/quotes").answers(201).last().request_sample = was;
    t.reference.passes();
    t.in_case().call("rate", "GET", "/rates/chf").gets_error();
    t.in_case().call("put", "POST", "/quotes").answers(201).last().request_sample = is;
    t.in_case().passes();
    return t.verdicts();
  };
  EXPECT_EQ(verdicts(R"({"chf": 1527.54})", R"({"chf": 1640.4})"), "silent-wrong-result likely");
  EXPECT_EQ(verdicts(R"({"chf": 1527.54, "rate": 0.9312})", R"({"chf": 1640.4, "rate": 1})"),
            "silent-wrong-result likely");
  EXPECT_EQ(verdicts(R"({"chf": 1527.54})", R"({"chf": 1641.4})"), "");
}

TEST(SilentWrongResult, a_first_page_that_failed_is_no_walk_that_ended_early) {
  Trial t("P3", "error(transient)");
  t.reference.call("all", "GET", "/films?page=1").answers(200, R"({"items": ["a"]})").passes();
  t.in_case().call("all", "GET", "/films?page=1").gets_error().passes();
  EXPECT_EQ(t.verdicts(), "");
}

TEST(SilentWrongResult, a_shorter_list_after_a_page_that_failed_is_likely_one) {
  auto verdicts = [](const char* text) {
    Trial t("P3", "error(transient)");
    t.reference.call("all", "GET", "/films?page=1").answers(200, R"({"items": ["a"]})");
    t.reference.call("all", "GET", "/films?page=2").answers(200, R"({"items": ["b"]})").passes();
    t.in_case().call("all", "GET", "/films?page=1").answers(200, R"({"items": ["a"]})");
    t.in_case().call("all", "GET", "/films?page=2").gets_error().fails({assertion(text)});
    return t.verdicts();
  };
  EXPECT_EQ(verdicts("assert ['a'] == ['a', 'b']"), "silent-wrong-result likely");
  EXPECT_EQ(verdicts("assert 'error 503' == ['a', 'b']"), "");
}

TEST(SilentWrongResult, a_number_that_is_written_as_the_assertion_finds_it_is_likely) {
  auto written = [](const char* was, const char* is, const char* said) {
    Trial t("P3", "error(transient)");
    auto post = [](Tale& tale, const char* text) -> Tale& {
      tale.call("tally", "PUT", "/films/7/score").last().request_sample = text;
      return tale.answers(200);
    };
    t.reference.call("votes", "GET", "/votes/3").answers(200);
    post(t.reference, was);
    t.in_case().call("votes", "GET", "/votes/3").gets_error();
    post(t.in_case(), is).fails({assertion(said)});
    return t.verdicts();
  };
  EXPECT_EQ(written(R"({"score":7.0})", R"({"score":4.33})", "assert 4.33 == 7"), "silent-wrong-result likely");
  EXPECT_EQ(written(R"({"score":7.0})", R"({"score":4.33})", "assert False"), "silent-wrong-result possible");
  EXPECT_EQ(written(R"({"attempts":1})", R"({"attempts":2})", "assert 2 == 1"), "silent-wrong-result possible");
  EXPECT_EQ(written(R"({"score":7.0,"final":true})", R"({"score":4.33,"final":false})", "assert 4.33 == 7"),
            "silent-wrong-result possible")
      << "it says so";
}

}  // namespace
}  // namespace retrial::oracles
