// What one case shows of a repeat, for the cases that do not show it.
#include "oracles/known_repeats.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/oracles/sent_twice.h"

namespace retrial::oracles {
namespace {
using trace::Telling;

TEST(KnownRepeats, what_one_case_shows_holds_for_those_that_show_nothing) {
  auto judged = [](int status, std::string second) {
    auto shows = sent_twice(R"({"mail":"a@b"})", {201, R"({"id":7})"}, {status, std::move(second)});
    auto open = sent_twice(R"({"mail":"a@b"})", {201, R"({"id":7})"}, {});
    open.in_case().last().service_status = open.in_case().last().client_status = 0;
    open.in_case().last().ending = trace::Ending::reset;
    EXPECT_EQ(open.verdicts(), "retries-non-idempotent likely");
    ComparedCase all[] = {shows.compared(), open.compared()};
    auto judgement = oracles::judge(all);
    bool said = !judgement.not_judged.empty() &&
                judgement.not_judged[0].why.find("in another case it knew it again") != std::string::npos;
    EXPECT_EQ(said, judgement.findings.empty()) << "what is taken back is not judged";
    return judgement.findings.size();
  };
  EXPECT_EQ(judged(200, R"({"id":7})"), 0u);
  EXPECT_EQ(judged(200, R"({"id":8})"), 1u);
  EXPECT_EQ(judged(201, R"({"id":7})"), 1u) << "a stub names one for all";
}

TEST(KnownRepeats, a_thing_that_shows_as_usual_in_one_case_makes_it_possible_in_those_that_do_not_look) {
  auto extended = [](bool looks, const char* shown) {
    Trial t;
    auto look = [&](Tale& tale, const char* body) { tale.call("look", "GET", "/holds/h-1").answers(200, body); };
    for (auto* tale : {&t.reference, &t.in_case()})
      tale->call("extend", "POST", "/holds/h-1/extend").last().request_digest = 0;
    t.reference.answers(200, "{}");
    if (looks) look(t.reference, R"({"nights":3})");
    t.in_case().is_lost(Telling::reset, 200, "{}").again(kSecond).answers(200, "{}");
    if (looks) look(t.in_case(), shown);
    t.in_case().passes();
    return t;
  };
  auto ended = extended(false, "");
  EXPECT_EQ(ended.verdicts(), "duplicate-effect likely");
  auto both = [&](const char* shown) {
    auto looked = extended(true, shown);
    ComparedCase all[] = {looked.compared(), ended.compared()};
    std::string out;
    for (auto& f : oracles::judge(all).findings) out += fmt::format("{} {};", f.verdict, show(f.confidence));
    return out;
  };
  EXPECT_EQ(both(R"({"nights":3})"), "duplicate-effect possible;");
  EXPECT_EQ(both(R"({"nights":4})"), "duplicate-effect likely;");
}

TEST(KnownRepeats, a_repeat_that_is_known_by_its_key_says_nothing_of_one_with_another) {
  auto pays = [](Tale& tale, const char* by) -> Tale& {
    tale.call("pay", "POST", "/payments", {{"idempotency-key", by}});
    sends(tale, kSent);
    return tale;
  };
  auto judged = [&](const char* key, const char* second) {
    Trial known, anew;
    for (auto* t : {&known, &anew}) {
      pays(t->reference, "k-0").answers(201, R"({"id":"p-0"})");
      pays(t->in_case(), "k-1").is_lost(Telling::reset, 201, R"({"id":"p-1"})");
    }
    known.in_case().again(kSecond).answers(200, R"({"id":"p-1"})").passes();
    pays(anew.in_case().waits(kSecond), key).answers(201, second).passes();
    ComparedCase all[] = {known.compared(), anew.compared()};
    std::string out;
    for (auto& f : oracles::judge(all).findings) out += f.verdict + " ";
    return out;
  };
  EXPECT_TRUE(judged("k-2", R"({"id":"p-2"})").contains("duplicate-effect"));
  EXPECT_EQ(judged("k-1", R"({"id":"p-1"})"), "");
}

TEST(KnownRepeats, what_two_answers_make_no_more_than_possible_elsewhere_is_no_more_where_only_one_is_seen) {
  auto judged = [](Answered first, Answered second) {
    auto shows = sent_twice(R"({"name":"state"})", first, second);
    auto open = sent_twice(R"({"name":"state"})", first, {});
    open.in_case().last().service_status = open.in_case().last().client_status = 0;
    open.in_case().last().ending = trace::Ending::reset;
    KnownRepeats known;
    for (auto* t : {&shows, &open})
      for (auto* c : t->compared().comparisons) known.add(*c);
    auto said = open.judge().findings;
    EXPECT_TRUE(known.settle(said).empty());
    return std::string(trace::show(said.at(0).confidence));
  };
  EXPECT_EQ(judged({201, R"({"id":"kvs-1"})"}, {201, R"({"id":"kvs-1"})"}), "possible") << "the same id";
  constexpr auto kList = R"([{"language":"DE","name":"German","formal":true},{"language":"FR","name":"French"}])";
  EXPECT_EQ(judged({200, kList}, {200, kList}), "possible") << "it may be a read";
  EXPECT_EQ(judged({201, R"({"id":"kvs-1"})"}, {201, R"({"id":"kvs-2"})"}), "likely");
  EXPECT_EQ(judged({202, "{}"}, {202, "{}"}), "likely") << "nothing is shown";
}

TEST(KnownRepeats, who_waits_in_another_test_may_have_a_clock_of_the_test_s_here) {
  auto asks = [](std::string test, const std::vector<Nanos>& waits, int status = 503) {
    Trial t("P3", "error(transient)");
    t.row.test = test;
    for (auto* tale : {&t.reference, &t.in_case()}) {
      tale->call("read", "GET", test.contains("rate") ? "/rates/EUR" : "/names/ada");
      tale->last().tag.test = test;
    }
    t.reference.answers(200);
    t.in_case().gets_error(status);
    for (auto wait : waits) {
      if (wait) t.in_case().moved_on(wait);
      t.in_case().again(kMillisecond / 10).gets_error(status);
    }
    t.in_case().fails({thrown("requests.HTTPError", "unavailable")});
    t.reference.passes();
    for (auto* tale : {&t.reference, &t.in_case()}) tale->run().results.back().test = test, tale->run().tests = {test};
    return t;
  };
  const std::vector<Nanos> hurries(8, 0), waits = {200 * kMillisecond, 400 * kMillisecond};
  auto beside = [&](Trial other) {
    auto hurried = asks("tests/test_rates.py::test_rate", hurries);
    ComparedCase all[] = {hurried.compared(), other.compared()};
    std::string out;
    for (auto& f : oracles::judge(all).findings)
      if (f.verdict == "missing-delay")
        out += fmt::format("{}{} ", show(f.confidence), f.message.contains("waits 400 ms before a retry") ? "!" : "");
    return out;
  };
  EXPECT_EQ(beside(asks("tests/test_names.py::test_name", waits)), "possible! ");
  EXPECT_EQ(beside(asks("tests/test_names.py::test_name", waits, 500)), "likely ") << "after another error";
  EXPECT_EQ(beside(asks("tests/test_names.py::test_name", {0, 0})), "likely ");
  EXPECT_EQ(beside(asks("tests/test_names.py::test_name", {400 * kMillisecond, 0})), "likely ")
      << "before the first retry alone";
}

}  // namespace
}  // namespace retrial::oracles
