// Writes that never came to the service.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/oracles/runs.h"

namespace retrial::oracles {
namespace {
using trace::Telling;

constexpr const char* kBody = R"({"item":"lamp"})";
constexpr const char* kListed = R"([{"id":1,"item":"lamp"}])";

Tale& post(Tale& tale, std::string target = "/orders") {
  tale.call("put", "POST", std::move(target));
  tale.last().request_sample = kBody;
  return tale;
}

// A POST that the fault answers, and which its client gives up; then a read of the list, here and without the fault.
Trial given_up(std::string without = {}, std::string with = {}, std::string target = "/orders") {
  Trial t("K1", "error(503) x 1, then pass");
  post(t.reference).answers(201, R"({"id":1})");
  if (!without.empty()) t.reference.call("all", "GET", target).answers(200, std::move(without));
  post(t.in_case()).gets_error();
  if (!with.empty()) t.in_case().call("all", "GET", target).answers(200, std::move(with));
  return t;
}
std::string passed(Trial& t) {
  t.in_case().passes();
  return t.verdicts();
}

TEST(LostEffect, a_write_that_was_given_up_in_silence_is_possible_and_likely_where_a_read_shows_it_missing) {
  auto silent = given_up();
  EXPECT_EQ(passed(silent), "lost-effect possible");
  auto shown = given_up(kListed, "[]");
  EXPECT_EQ(passed(shown), "lost-effect likely");
  auto message = shown.judge().findings[0].message;
  EXPECT_NE(message.find("GET /orders does not show it, as it does else"), std::string::npos) << message;
  for (auto& [list, target] :
       {std::pair(kListed, "/orders"), std::pair("[]", "/orders?page=1"), std::pair("[{", "/orders")}) {
    auto t = given_up(kListed, list, target);
    EXPECT_EQ(passed(t), "lost-effect possible") << list << target;
  }
}

TEST(LostEffect, a_test_that_takes_an_entry_of_the_empty_list_was_not_told_either) {
  auto fails = [](trace::Thrown thrown) {
    auto t = given_up(kListed, "[]");
    t.in_case().fails({std::move(thrown)});
    return t.verdicts();
  };
  EXPECT_EQ(fails(on_a_test_line("builtins.IndexError", "list index out of range")), "lost-effect likely");
  EXPECT_EQ(fails(on_a_test_line("app.OrderError", "no")), "");
  EXPECT_EQ(fails(thrown("builtins.IndexError", "list index out of range")).find("lost-effect"), std::string::npos)
      << "the application's own";
}

TEST(LostEffect, a_read_asks_for_the_same_by_a_name_that_its_run_has_drawn) {
  auto read = [](std::string usual, std::string here) {
    Trial t("K1", "error(503) x 1, then pass");
    post(t.reference).answers(201, R"({"id":1})");
    t.reference.call("all", "GET", std::move(usual)).answers(200, kListed);
    post(t.in_case()).gets_error();
    t.in_case().call("all", "GET", std::move(here)).answers(200, "[]");
    return passed(t);
  };
  EXPECT_EQ(read("/orders?of=shop-3f2a8b1c", "/orders?of=shop-9e01d7aa"), "lost-effect likely");
  EXPECT_EQ(read("/shops/shop-3f2a8b1c/orders", "/shops/shop-9e01d7aa/orders"), "lost-effect likely");
  EXPECT_EQ(read("/orders?day=monday", "/orders?day=tuesday"), "lost-effect possible");
  EXPECT_EQ(read("/orders?of=shop-3f2a8b1c", "/orders?of=shop-9e01d7aa&open=1"), "lost-effect possible");
}

// The test asks a service of the application's own, which asks the one that fails.
TEST(LostEffect, a_service_that_answers_with_an_error_has_told_who_asked) {
  auto shown = [](int told, int usual = 200, bool fired = false) {
    Trial t("P3", "error(503)");
    for (auto* tale : {&t.reference, &t.in_case()}) {
      post(*tale);
      tale == &t.reference ? tale->answers(201, R"({"id":1})") : tale->gets_error();
      auto begun = tale->last().begun;
      tale->call("", "PUT", "/notes/lamp").answers(tale == &t.reference ? usual : told);
      tale->last().begun = begun - kMillisecond;
      tale->last().fired = fired && tale != &t.reference;
      tale->call("all", "GET", "/orders").answers(200, tale == &t.reference ? kListed : "[]");
    }
    return passed(t);
  };
  EXPECT_EQ(shown(502), "");
  EXPECT_EQ(shown(200), "lost-effect likely") << "as if it were done";
  EXPECT_EQ(shown(502, 502), "lost-effect likely") << "it says so in any case";
  EXPECT_NE(shown(502, 200, true), "") << "a fault of its own, on another thread";
}

TEST(LostEffect, what_a_patch_sets_is_looked_for_in_the_thing_and_in_the_list_that_has_it) {
  auto patched = [](std::string_view read, std::string_view as_else, std::string_view here) {
    Trial t("K1", "error(503) x 1, then pass");
    auto patch = [](Tale& tale) -> Tale& {
      tale.call("ship", "PATCH", "/orders/o-3");
      tale.last().request_sample = R"({"status":"shipped"})";
      return tale;
    };
    patch(t.reference).answers(200, R"({"id":"o-3","status":"shipped"})");
    t.reference.call("all", "GET", std::string(read)).answers(200, std::string(as_else));
    patch(t.in_case()).gets_error();
    t.in_case().call("all", "GET", std::string(read)).answers(200, std::string(here));
    return passed(t);
  };
  EXPECT_EQ(patched("/orders/o-3", R"({"status":"shipped"})", R"({"status":"open"})"), "lost-effect likely");
  EXPECT_EQ(patched("/orders/o-3", R"({"order":{"status":"shipped"}})", R"({"order":{"id":"o-3"}})"),
            "lost-effect likely");
  EXPECT_EQ(patched("/orders", R"([{"id":"o-2","status":"shipped"},{"id":"o-3","status":"shipped"}])",
                    R"([{"id":"o-2","status":"shipped"},{"id":"o-3","status":"open"}])"),
            "lost-effect likely");
  EXPECT_EQ(patched("/orders/o-3", R"({"status":"shipped"})", R"({"status":"shipped"})"), "lost-effect possible");
  EXPECT_EQ(patched("/orders/o-3", R"({"status":"packed"})", R"({"status":"open"})"), "lost-effect possible");
}
TEST(LostEffect, a_thing_that_is_not_found_where_it_was_to_be_put_is_missing) {
  for (int status : {404, 500}) {
    Trial t("K1", "error(503) x 1, then pass");
    t.reference.call("put", "PUT", "/files/a").answers(201, "");
    t.reference.call("get", "GET", "/files/a").answers(200, "{}");
    t.in_case().call("put", "PUT", "/files/a").gets_error();
    t.in_case().call("get", "GET", "/files/a").answers(status, "{}");
    EXPECT_EQ(passed(t), status == 404 ? "lost-effect likely" : "lost-effect possible");
  }
}

TEST(LostEffect, a_cache_that_is_not_filled_is_missed_and_what_it_copies_is_read_again) {
  auto verdict = [](bool read_again) {
    Trial t("K1", "error(503) x 1, then pass");
    for (auto* tale : {&t.reference, &t.in_case()}) {
      tale->call("origin", "GET", "/hotels/oslo").answers(200, R"({"city": "oslo"})");
      tale->call("fill", "PUT", "/cache/oslo");
      tale->last().request_sample = R"({"city":"oslo"})";
    }
    t.reference.answers(204).call("look", "GET", "/cache/oslo").answers(200, R"({"city":"oslo"})");
    t.in_case().gets_error().call("look", "GET", "/cache/oslo").answers(404);
    if (read_again) t.in_case().call("origin", "GET", "/hotels/oslo").answers(200, R"({"city": "oslo"})");
    return passed(t);
  };
  EXPECT_EQ(verdict(true), "lost-effect possible");
  EXPECT_EQ(verdict(false), "lost-effect likely");
}

TEST(LostEffect, a_list_of_names_shows_that_what_a_put_names_is_missing) {
  for (auto& [without, with, verdict] :
       {std::tuple(R"({"blobs":["a","b"]})", R"({"blobs":["b"]})", "lost-effect likely"),
        std::tuple(R"([{"name":"a"}])", "[]", "lost-effect likely"),
        std::tuple(R"({"blobs":["a"]})", R"({"blobs":["a"]})", "lost-effect possible")}) {
    Trial t("K1", "error(503) x 1, then pass");
    t.reference.call("put", "PUT", "/blobs/a").answers(201, "");
    t.reference.call("all", "GET", "/blobs").answers(200, without);
    t.in_case().call("put", "PUT", "/blobs/a").gets_error();
    t.in_case().call("all", "GET", "/blobs").answers(200, with);
    EXPECT_EQ(passed(t), verdict) << with;
  }
}

TEST(LostEffect, a_name_that_a_put_gave_may_be_several_segments_of_its_path) {
  auto listed = [](const char* with) {
    Trial t("K1", "error(503) x 1, then pass");
    t.reference.call("put", "PUT", "/blobs/archive/a-1.csv").answers(200);
    t.reference.call("all", "GET", "/blobs").answers(200, R"({"blobs":[{"key":"archive/a-1.csv","size":19}]})");
    t.in_case().call("put", "PUT", "/blobs/archive/a-1.csv").gets_error();
    t.in_case().call("all", "GET", "/blobs").answers(200, with);
    return passed(t);
  };
  EXPECT_EQ(listed(R"({"blobs":[]})"), "lost-effect likely");
  EXPECT_EQ(listed(R"({"blobs":[{"key":"archive/a-1.csv","size":3}]})"), "lost-effect possible");
}

TEST(LostEffect, a_place_in_a_list_is_no_name_of_a_part) {
  auto uploaded = [](const char* was, const char* is) {
    Trial t("observe", "error(503)");
    t.row.test.clear();
    t.reference.call("part", "PUT", "/uploads/film/parts/2").answers(200);
    t.reference.call("all", "GET", "/uploads").answers(200, was).passes();
    t.in_case().call("part", "PUT", "/uploads/film/parts/2").gets_error();
    t.in_case().call("all", "GET", "/uploads").answers(200, is);
    return passed(t);
  };
  constexpr auto kAll = R"({"film":{"parts":["1","2","3","4"]}})";
  EXPECT_EQ(uploaded(kAll, R"({"film":{"parts":["1","3","4"]}})"), "lost-effect likely");
  EXPECT_EQ(uploaded(kAll, kAll), "");
  EXPECT_EQ(uploaded(R"({"film":{"1":{"size":4},"2":{"size":4}}})", R"({"film":{"1":{"size":4}}})"),
            "lost-effect likely");
}

TEST(LostEffect, what_then_says_that_it_is_done_without_what_the_answer_tells) {
  auto confirmed = [](const char* here) {
    Trial t("observe", "error(503)");
    t.row.test.clear();
    t.reference.call("pay", "POST", "/payments").answers(201, R"({"id":"pay_3f2a8b1c"})");
    auto put = [](Tale& tale, const char* body) {
      tale.call("checkout", "PUT", "/orders/o-5521").last().request_sample = body;
      tale.answers(200).passes();
    };
    put(t.reference, R"({"state":"confirmed","payment":"pay_3f2a8b1c"})");
    t.in_case().call("pay", "POST", "/payments").gets_error();
    put(t.in_case(), here);
    return t.verdicts();
  };
  EXPECT_EQ(confirmed(R"({"state":"confirmed","payment":null})"), "lost-effect likely");
  EXPECT_EQ(confirmed(R"({"state":"confirmed"})"), "lost-effect likely");
  EXPECT_EQ(confirmed(R"({"state":"unpaid","payment":null})"), "");
  EXPECT_EQ(confirmed(R"({"payment":null})"), "") << "it says nothing of what was done";
}

TEST(LostEffect, a_list_of_texts_shows_that_what_a_body_sends_is_missing) {
  auto subscribed = [](const char* body, const char* usual, const char* here) {
    Trial t("P3", "error(503)");
    t.reference.call("subscribe", "POST", "/subscriptions").last().request_sample = body;
    t.reference.answers(201);
    t.reference.call("list", "GET", "/subscriptions").answers(200, usual);
    t.in_case().call("subscribe", "POST", "/subscriptions").last().request_sample = body;
    t.in_case().gets_error();
    t.in_case().call("list", "GET", "/subscriptions").answers(200, here);
    return passed(t);
  };
  constexpr auto* kUrl = R"({"url":"https://me/cal"})";
  EXPECT_EQ(subscribed(kUrl, R"({"urls":["https://me/cal"]})", R"({"urls":[]})"), "lost-effect likely");
  EXPECT_EQ(subscribed(kUrl, R"({"urls":["https://me/cal"]})", R"({"urls":["https://me/cal"]})"),
            "lost-effect possible");
  EXPECT_EQ(subscribed(R"({"as":"eu"})", R"({"all":["eu"]})", R"({"all":[]})"), "lost-effect possible") << "too short";
}

TEST(LostEffect, a_list_of_ids_shows_that_what_a_body_names_is_missing) {
  for (auto& [body, verdict] : {std::pair(R"({"event_id":"ev-login-1","what":"in"})", "lost-effect likely"),
                                std::pair(R"({"what":"ev-login-1"})", "lost-effect likely"),
                                std::pair(R"({"what":"in"})", "lost-effect possible")}) {
    auto t = given_up(R"({"events":["ev-login-1","ev-2"]})", R"({"events":["ev-2"]})");
    for (auto* run : {&t.reference.run(), &t.in_case().run()}) run->exchanges[0].request_sample = body;
    EXPECT_EQ(passed(t), verdict) << body;
  }
}

TEST(LostEffect, what_is_sent_in_its_place_though_it_was_done_already_makes_up_for_nothing) {
  Trial t("K1", "error(503) x 1, then pass");
  auto put = [](Tale& tale, const char* path, std::uint64_t digest) -> Tale& {
    tale.call("put", "PUT", path);
    tale.last().request_digest = digest;
    return tale;
  };
  put(t.reference, "/blobs/a.json", 1).answers(201);
  put(t.reference, "/blobs/c.json", 3).answers(201);
  put(t.in_case(), "/blobs/a.json", 1).gets_error();
  put(t.in_case(), "/blobs/c.json", 3).answers(201);
  put(t.in_case(), "/blobs/c.json", 3).answers(200);  // whoever sends again has the last one in mind
  EXPECT_EQ(passed(t), "lost-effect possible");
  put(t.in_case(), "/blobs/a.json", 1).answers(201);
  EXPECT_EQ(t.verdicts(), "");
}

TEST(LostEffect, whoever_is_told_has_lost_nothing) {
  auto t = given_up(kListed, "[]");
  t.in_case().fails({thrown("requests.exceptions.HTTPError", "503 Server Error: Service Unavailable")});
  EXPECT_EQ(t.verdicts(), "");
}

TEST(LostEffect, a_test_that_expects_an_exception_and_gets_one_of_the_fault_was_told) {
  for (auto& [said, verdict] :
       {std::pair("503 Server Error: Service Unavailable", ""), std::pair("card declined", "lost-effect likely")}) {
    auto t = given_up(kListed, "[]");
    t.in_case().passes();
    auto expected = thrown("shop.PaymentError", said);
    expected.link = trace::kExpected;
    t.in_case().run().results.front().chain = {expected};
    EXPECT_EQ(t.verdicts(), verdict) << said;
  }
}

TEST(LostEffect, a_test_that_fails_by_a_later_fault_was_not_told_of_this_one) {
  auto t = given_up(kListed);
  t.in_case().call("all", "GET", "/orders").gets_error();
  t.in_case().fails({thrown("requests.exceptions.HTTPError", "503 Server Error: Service Unavailable")});
  EXPECT_EQ(t.verdicts(), "lost-effect possible");
}

TEST(LostEffect, what_its_own_function_then_says_was_sent_is_likely_lost) {
  auto verdicts = [](const char* body, const char* function = "remind", bool beside = false) {
    Trial t("P3", "error(transient)");
    auto tell = [&](Tale& tale, bool refused) {
      tale.call("remind", "POST", "/sms");
      refused ? tale.gets_error() : tale.answers(201);
      if (beside) tale.call("remind", "POST", "/letters").answers(201);
      tale.call(function, "PUT", "/reminders/rem-5");
      tale.last().request_sample = body;
      tale.answers(200);
    };
    tell(t.reference, false);
    tell(t.in_case(), true);
    return passed(t);
  };
  EXPECT_EQ(verdicts(R"({"sent":true})"), "lost-effect likely");
  EXPECT_EQ(verdicts(R"({"status":"sent"})"), "lost-effect likely");
  EXPECT_EQ(verdicts(R"({"sent":false})"), "lost-effect possible");
  EXPECT_EQ(verdicts(R"({"event":"sent"})"), "lost-effect possible") << "that is what it is called";
  EXPECT_EQ(verdicts(R"({"sms":"queued"})"), "lost-effect likely") << "by the name of what was not done";
  EXPECT_EQ(verdicts(R"({"letter":"queued"})"), "lost-effect possible");
  EXPECT_EQ(verdicts(R"({"due":"2024-01-01"})"), "lost-effect possible");
  EXPECT_EQ(verdicts(R"({"sent":true})", "close"), "lost-effect possible") << "another function";
  EXPECT_EQ(verdicts(R"({"sent":true})", "remind", true), "lost-effect possible") << "it may be said of the other";
}

TEST(LostEffect, of_the_second_turn_of_a_loop_too) {
  Trial t("P3", "error(transient)");
  auto tell = [](Tale& tale, const char* reminder, bool refused) {
    tale.call("remind", "POST", "/sms");
    refused ? tale.gets_error() : tale.answers(201);
    tale.call("remind", "PUT", reminder);
    tale.last().request_sample = R"({"sent":true})";
    tale.answers(200);
  };
  tell(t.reference, "/reminders/1", false), tell(t.reference, "/reminders/2", false);
  tell(t.in_case(), "/reminders/1", false), tell(t.in_case(), "/reminders/2", true);
  EXPECT_EQ(passed(t), "lost-effect likely");
}

TEST(LostEffect, a_test_that_tries_the_same_once_more_and_fails_by_that_was_told) {
  auto t = given_up(kListed);
  post(t.in_case()).gets_error();
  t.in_case().fails({thrown("requests.exceptions.HTTPError", "503 Server Error: Service Unavailable")});
  EXPECT_EQ(t.verdicts(), "");
}

TEST(LostEffect, what_was_carried_out_after_all_is_not_lost) {
  auto retried = given_up();
  retried.in_case().again(kSecond).answers(201);
  EXPECT_EQ(passed(retried), "");
  auto later = given_up();  // by another call, as an outbox does it
  post(later.in_case()).answers(201);
  EXPECT_EQ(passed(later), "");
  auto elsewhere = given_up();
  post(elsewhere.in_case(), "/outbox").answers(202);
  EXPECT_EQ(passed(elsewhere), "");
}

TEST(LostEffect, what_another_replica_was_sent_is_not_lost) {
  auto t = given_up();
  post(t.in_case());
  t.in_case().last().service = "127.0.0.2:9000";
  t.in_case().answers(201);
  EXPECT_EQ(passed(t), "");
}

TEST(LostEffect, a_list_shows_that_the_entries_of_a_batch_are_missing) {
  auto flushed = [](const char* listed) {
    Trial t("P3", "error(503)");
    auto flush = [](Tale& run, const char* id) -> Tale& {
      run.call("flush", "POST", "/events");
      run.last().request_sample = fmt::format(R"({{"events":[{{"id":"{}","kind":"login"}}]}})", id);
      return run;
    };
    flush(t.reference, "ev-1").answers(202);
    t.reference.call("all", "GET", "/events").answers(200, R"([{"id":"ev-1","kind":"login","at":3}])");
    flush(t.in_case(), "ev-2").gets_error();
    t.in_case().call("all", "GET", "/events").answers(200, listed);
    return passed(t);
  };
  EXPECT_EQ(flushed("[]"), "lost-effect likely");
  EXPECT_EQ(flushed(R"([{"id":"ev-2","kind":"login","at":4}])"), "lost-effect possible");
}

TEST(LostEffect, a_loss_leaves_open_whether_the_service_did_it_and_a_read_has_nothing_to_lose) {
  Trial lost;
  post(lost.reference).answers(201);
  post(lost.in_case()).is_lost(Telling::reset, 201);
  EXPECT_EQ(passed(lost), "");
  for (auto& [method, target] : {std::pair("GET", "/orders"), std::pair("POST", "/orders/_search")}) {
    Trial t("K1", "error(503)");
    t.reference.call("get", method, target).answers(200);
    t.in_case().call("get", method, target).gets_error();
    EXPECT_EQ(passed(t), "") << method;
  }
}

TEST(LostEffect, what_is_not_removed_is_a_write_too_unless_it_was_made_here) {
  for (bool made_here : {false, true}) {
    Trial t("K1", "error(503)");
    for (auto* tale : {&t.reference, &t.in_case()})
      if (made_here) post(*tale).answers(201, R"({"id":"1"})");
    t.reference.call("drop", "DELETE", "/orders/1").answers(200);
    t.in_case().call("drop", "DELETE", "/orders/1").gets_error();
    EXPECT_EQ(passed(t), made_here ? "resource-leak possible" : "lost-effect possible");
  }
}

TEST(LostEffect, what_the_next_of_its_kind_says_is_not_lost) {
  auto beats = [](const char* method, const char* target, int times) {
    Trial t("P3", "error(503)");
    for (auto* tale : {&t.reference, &t.in_case()})
      for (int i = 0; i < times; i++) {
        tale->call("beat", method, target);
        if (tale == &t.in_case() && i == 0)
          tale->gets_error();
        else
          tale->answers(200);
      }
    return passed(t);
  };
  EXPECT_EQ(beats("POST", "/gates/b4/alive", 3), "");
  EXPECT_EQ(beats("POST", "/deposits", 2), "lost-effect possible");
  EXPECT_EQ(beats("PUT", "/seats/s4", 2), "");
  EXPECT_EQ(beats("PUT", "/seats/s4", 1), "lost-effect possible");
}

TEST(LostEffect, of_so_many_calls_that_some_may_not_have_been_kept_nothing_is_missing) {
  auto t = given_up();
  for (int i = 0; i < 300; i++) {
    post(t.reference).answers(201);
    if (i) post(t.in_case()).answers(201);
  }
  EXPECT_EQ(passed(t), "");
}

TEST(LostEffect, what_says_that_it_was_done_tells_of_it_in_a_test_that_failed_too) {
  auto mailed = [](const char* says, trace::Thrown thrown) {
    Trial t("P3", "error(503)");
    for (auto* tale : {&t.reference, &t.in_case()}) {
      tale->call("send", "PUT", "/mails/m-1");
      tale == &t.reference ? tale->answers(202) : tale->gets_error();
      tale->call("send", "PUT", "/journal/m-1");
      tale->last().request_sample = fmt::format(R"({{"state":"{}"}})", says);
      tale->answers(200);
    }
    t.in_case().fails({std::move(thrown)});
    return t.verdicts();
  };
  EXPECT_EQ(mailed("sent", assertion("expected: <2> but was: <1>")), "lost-effect likely");
  EXPECT_EQ(mailed("failed", assertion("assert ['m-1'] == []")).find("lost-effect"), std::string::npos);
  EXPECT_EQ(mailed("sent", thrown("HttpError", "503 Service Unavailable")), "") << "it was told";
}

TEST(LostEffect, a_status_that_speaks_of_what_was_lost_says_that_it_was_done) {
  auto completed = [](const char* status) {
    Trial t("P3", "error(503)");
    for (auto* tale : {&t.reference, &t.in_case()}) {
      tale->call("complete", "POST", "/stock/bookings");
      tale == &t.reference ? tale->answers(201) : tale->gets_error();
      tale->call("complete", "PATCH", "/orders/o-1");
      tale->last().request_sample = std::string(R"({"state":")") + status + "\"}";
      tale->answers(200).passes();
    }
    return t.verdicts();
  };
  EXPECT_EQ(completed("booked"), "lost-effect likely");
  EXPECT_EQ(completed("completed"), "lost-effect possible") << "it may be so without that";
}

TEST(LostEffect, a_part_without_which_the_whole_is_ended_is_lost) {
  auto uploaded = [](std::string_view part, std::string_view ends, std::string_view says, std::string_view usually) {
    Trial t("P3", "error(503)");
    t.reference.call("send", "PUT", std::string(part)).answers(200);
    t.in_case().call("send", "PUT", std::string(part)).gets_error();
    for (auto* tale : {&t.reference, &t.in_case()}) {
      tale->call("end", "POST", std::string(ends)).last().request_sample = tale == &t.reference ? usually : says;
      tale->answers(200);
    }
    return passed(t);
  };
  constexpr const char* kParts = R"({"parts":3})";
  EXPECT_EQ(uploaded("/uploads/u1/parts/2", "/uploads/u1/complete", kParts, kParts), "lost-effect likely");
  EXPECT_EQ(uploaded("/uploads/u1/chunk-2", "/uploads/u1/finish", "", ""), "lost-effect likely");
  EXPECT_EQ(uploaded("/uploads/u1/parts/2", "/uploads/u1/complete", R"({"etags":["a"]})", R"({"etags":["a","b"]})"),
            "lost-effect possible")
      << "it says that a part is missing";
  EXPECT_EQ(uploaded("/uploads/u1/parts/2", "/uploads/u2/complete", kParts, kParts), "lost-effect possible");
  EXPECT_EQ(uploaded("/orders/o1/receipt", "/orders/o1/complete", "", ""), "lost-effect possible") << "no part";
  EXPECT_EQ(uploaded("/uploads/u1/parts/2", "/uploads/u1/abort", "", ""), "lost-effect possible");
}

}  // namespace
}  // namespace retrial::oracles
