// What the services were left with: writes that never came, and things that nobody removed.
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

TEST(LostEffect, a_list_of_ids_shows_that_what_a_body_names_is_missing) {
  for (auto& [body, verdict] : {std::pair(R"({"event_id":"ev-login-1","what":"in"})", "lost-effect likely"),
                                std::pair(R"({"what":"ev-login-1"})", "lost-effect possible")}) {
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

// A job is made, started and removed; the fault meets the start.
struct Job {
  Trial t{"P3", "error(503)"};
  std::string remover = "run";
  int line = 14;  // of the removal
  void reference() {
    t.reference.call("run", "POST", "/jobs").answers(201, R"({"id":"j-1"})");
    t.reference.call("run", "POST", "/jobs/j-1/start").answers(200);
    t.reference.call(remover, "DELETE", "/jobs/j-1").answers(204);
    t.reference.last().tag.site->line = line;
  }
  Tale& in_case() {
    t.in_case().call("run", "POST", "/jobs").answers(201, R"({"id":"j-2"})");
    return t.in_case().call("run", "POST", "/jobs/j-2/start").gets_error();
  }
  std::string fails() {
    t.in_case().fails({thrown("requests.exceptions.HTTPError", "503 Server Error: Service Unavailable")});
    return t.verdicts();
  }
};

TEST(ResourceLeak, what_a_function_makes_and_removes_it_removes_after_a_fault_too) {
  Job job;
  job.reference();
  job.in_case();
  EXPECT_EQ(job.fails(), "resource-leak likely");
  auto message = job.t.judge().findings[0].message;
  EXPECT_NE(
      message.find("POST /jobs made /jobs/j-2; of POST /jobs/{id}/start the first attempt was answered 503 by the "
                   "fault, before the service heard of it, and nothing that was sent afterwards removes it."),
      std::string::npos)
      << message;
}

TEST(ResourceLeak, the_fault_that_is_told_is_the_one_that_was_not_got_over) {
  Job job;
  job.reference();
  job.t.in_case().call("run", "POST", "/jobs").gets_error();
  job.t.in_case().again(kSecond).answers(201, R"({"id":"j-2"})");
  job.t.in_case().call("run", "POST", "/jobs/j-2/start").gets_error();
  EXPECT_EQ(job.fails(), "resource-leak likely");
  EXPECT_NE(job.t.judge().findings[0].message.find("of POST /jobs/{id}/start the first attempt"), std::string::npos);
}

TEST(ResourceLeak, what_is_removed_with_what_it_lies_in_is_left_behind_with_that_alone) {
  Job job;
  auto make = [](Tale& run) {
    run.call("run", "PUT", "/exports/x1").answers(201);
    run.call("add", "PUT", "/exports/x1/meters/m1").answers(201);
  };
  make(job.t.reference);
  job.t.reference.call("run", "POST", "/exports/x1/seal").answers(200);
  job.t.reference.call("run", "DELETE", "/exports/x1").answers(204);
  job.t.reference.last().tag.site->line = job.line;
  make(job.t.in_case());
  job.t.in_case().call("run", "POST", "/exports/x1/seal").gets_error();
  EXPECT_EQ(job.fails(), "resource-leak likely");
  EXPECT_NE(job.t.judge().findings[0].message.find("made /exports/x1;"), std::string::npos);
}

TEST(ResourceLeak, what_is_made_at_one_path_and_removed_at_another_is_known_by_its_id) {
  for (bool removed : {false, true}) {
    Job job;
    auto lease = [](Tale& run, const char* id) {
      run.call("run", "POST", "/devices/d1/lease").answers(200, std::string(R"({"id":")") + id + R"("})");
    };
    lease(job.t.reference, "l101");
    job.t.reference.call("run", "PUT", "/devices/d1/firmware").answers(200);
    job.t.reference.call("run", "DELETE", "/leases/l101").answers(204);
    job.t.reference.last().tag.site->line = job.line;
    lease(job.t.in_case(), "l202");
    job.t.in_case().call("run", "PUT", "/devices/d1/firmware").gets_error();
    if (removed) job.t.in_case().call("run", "DELETE", "/leases/l202").answers(204);
    EXPECT_EQ(job.fails(), removed ? "" : "resource-leak likely");
  }
}

TEST(ResourceLeak, what_an_answer_names_by_another_word_is_known_by_what_removes_it) {
  for (auto* answer : {R"({"session":"m1","house":"h1"})", R"({"session":"***","house":"h1"})"})
    for (bool removed : {false, true}) {
      Trial t("P3", "error(503)");
      for (auto* tale : {&t.reference, &t.in_case()}) {
        tale->call("run", "POST", "/maintenance").answers(200, answer);
        tale->call("run", "GET", "/probes/h1");
        if (tale == &t.in_case())
          tale->gets_error();
        else
          tale->answers(200);
        if (tale == &t.in_case() && !removed) continue;
        tale->call("run", "DELETE", "/maintenance/m1").answers(204);
        tale->last().tag.site->line = 14;
      }
      t.in_case().fails({thrown("AxiosError", "Request failed with status code 503")});
      EXPECT_EQ(t.verdicts(), removed ? "" : "resource-leak likely");
    }
}

TEST(ResourceLeak, a_lease_with_a_time_to_live_ends_by_itself_where_it_could_not_be_given_up) {
  for (auto* asks : {R"({"seconds":60})", R"({"deck":"d1"})"}) {
    Trial t("P3", "error(503)");
    for (auto* tale : {&t.reference, &t.in_case()}) {
      tale->call("load", "POST", "/ramps/7/lease").last().request_sample = asks;
      tale->answers(200, R"({"lease":"l1"})");
      tale->call("load", "DELETE", "/ramps/7/lease/l1");
      if (tale == &t.in_case())
        tale->gets_error();
      else
        tale->answers(204);
    }
    EXPECT_EQ(passed(t), std::string_view(asks).contains("seconds") ? "" : "resource-leak possible");
  }
}

TEST(ResourceLeak, who_was_not_told_that_a_lease_is_his_leaves_it_to_its_time) {
  auto taken = [](const char* asks, bool lost) {
    Trial t("P1", "lost-response(reset) x 1, then pass");
    for (auto* tale : {&t.reference, &t.in_case()}) {
      tale->call("load", "PUT", "/leases/t7").last().request_sample = asks;
      if (tale == &t.reference || !lost)
        tale->answers(200);
      else
        tale->is_lost(Telling::reset, 200);
      tale->call("load", "PUT", "/tracks/t7");
      if (tale == &t.reference)
        tale->answers(200);
      else if (!lost)
        tale->gets_error();
      if (tale == &t.reference)
        tale->call("load", "DELETE", "/leases/t7").answers(204), tale->last().tag.site->line = 14;
    }
    t.in_case().fails({thrown("requests.exceptions.HTTPError",
                              "503 Server Error: Service Unavailable (retrial-f1), connection reset")});
    return t.verdicts();
  };
  EXPECT_EQ(taken(R"({"ttlMs":3000})", true), "");
  EXPECT_EQ(taken(R"({"ttlMs":3000})", false), "resource-leak possible");
  EXPECT_EQ(taken(R"({"holder":"a"})", false), "resource-leak likely");
}

TEST(ResourceLeak, what_has_only_its_short_id_in_common_with_what_is_removed_leaks_not) {
  Job job;
  auto make = [](Tale& run) -> Tale& { return run.call("run", "POST", "/users").answers(201, R"({"id":7})"); };
  make(job.t.reference);
  job.t.reference.call("run", "POST", "/mails").answers(202);
  job.t.reference.call("run", "DELETE", "/carts/7").answers(204);
  job.t.reference.last().tag.site->line = job.line;
  make(job.t.in_case());
  job.t.in_case().call("run", "POST", "/mails").gets_error();
  EXPECT_EQ(job.fails(), "");
}

TEST(ResourceLeak, what_is_made_and_removed_at_one_path_is_known_by_that) {
  for (bool removed : {false, true}) {
    Job job;
    auto take = [](Tale& run) -> Tale& { return run.call("run", "POST", "/locks/nightly").answers(201); };
    take(job.t.reference);
    job.t.reference.call("run", "POST", "/prices").answers(200);
    job.t.reference.call("run", "DELETE", "/locks/nightly").answers(204);
    job.t.reference.last().tag.site->line = job.line;
    take(job.t.in_case());
    job.t.in_case().call("run", "POST", "/prices").gets_error();
    if (removed) job.t.in_case().call("run", "DELETE", "/locks/nightly").answers(204);
    EXPECT_EQ(job.fails(), removed ? "" : "resource-leak likely");
  }
}

TEST(ResourceLeak, what_is_held_until_it_is_ended_is_ended_or_given_up) {
  for (const char* after : {"", "complete", "abort"}) {
    for (const char* folder : {"/uploads", "/orders"}) {
      Job job;
      auto path = [&](const char* rest) { return fmt::format("{}/u-1{}", folder, rest); };
      auto begin = [&](Tale& run) { run.call("run", "POST", folder).answers(201, R"({"id":"u-1"})"); };
      begin(job.t.reference);
      job.t.reference.call("run", "PUT", path("/parts/1")).answers(200);
      job.t.reference.call("run", "POST", path("/complete")).answers(200);
      job.t.reference.last().tag.site->line = job.line;
      begin(job.t.in_case());
      job.t.in_case().call("run", "PUT", path("/parts/1")).gets_error();
      if (*after) job.t.in_case().call("run", "POST", path((std::string("/") + after).c_str())).answers(200);
      bool left = !*after && std::string_view(folder) == "/uploads";  // an order may stay open
      EXPECT_EQ(job.fails(), left ? "resource-leak likely" : "") << after << folder;
      if (!left) continue;
      auto message = job.t.judge().findings[0].message;
      EXPECT_NE(message.find("nothing that was sent afterwards ends it or gives it up"), std::string::npos) << message;
    }
  }
}

TEST(ResourceLeak, what_names_it_and_is_sent_without_the_fault_too_removes_nothing) {
  Job job;
  for (auto* run : {&job.t.reference, &job.t.in_case()}) {
    run->call("run", "PUT", "/locks/d1").answers(201);
    run->call("run", "PUT", "/devices/d1/boot");
    run == &job.t.reference ? run->answers(200) : run->gets_error();
  }
  job.t.reference.call("run", "DELETE", "/locks/d1").answers(204);
  job.t.reference.last().tag.site->line = job.line;
  EXPECT_EQ(job.fails(), "resource-leak likely");
}

TEST(ResourceLeak, what_it_has_named_itself_it_knows_where_the_answer_was_lost_too) {
  for (auto [target, said] : {std::pair("/berths/3/lock", "resource-leak likely"), std::pair("/locks", "")}) {
    Trial t("P1", "lost-response(reset) x 1, then pass");
    t.reference.call("run", "POST", target).answers(201, R"({"id":"l-1"})");
    auto removed = std::string(target) + (std::string_view(target) == "/locks" ? "/l-1" : "");
    t.reference.call("run", "DELETE", removed).answers(204).last().tag.site->line = 14;
    t.in_case().call("run", "POST", target).is_lost(trace::Telling::reset, 201);
    t.in_case().fails({thrown("requests.exceptions.ConnectionError", "Connection reset by peer")});
    EXPECT_EQ(t.verdicts(), said) << target;
  }
}

TEST(ResourceLeak, what_is_finished_and_then_removed_is_left_where_it_could_not_be_finished) {
  for (bool removes : {true, false}) {
    Job job;
    for (auto* run : {&job.t.reference, &job.t.in_case()}) {
      run->call("run", "PUT", "/uploads/u1").answers(201);
      run->call("run", "POST", "/uploads/u1/finish");
      run == &job.t.reference ? run->answers(200) : run->gets_error();
      if (run == &job.t.reference || removes) run->call("run", "DELETE", "/uploads/u1").answers(204);
      if (run == &job.t.reference) run->last().tag.site->line = job.line;
    }
    EXPECT_EQ(job.fails(), removes ? "" : "resource-leak likely");
  }
}

TEST(ResourceLeak, is_told_of_a_command_without_tests_too) {
  Job job;
  job.reference();
  job.in_case();
  job.t.row.test.clear();
  EXPECT_EQ(job.fails(), "resource-leak likely");
  Job shell;
  shell.line = 0;
  shell.reference();
  shell.in_case();
  for (auto* run : {&shell.t.reference, &shell.t.in_case()})
    for (auto& e : run->run().exchanges) e.tag.site.reset();
  shell.t.row.test.clear();
  EXPECT_EQ(shell.fails(), "resource-leak likely") << "a script has no call sites";
}

TEST(ResourceLeak, whoever_removes_it_on_every_way_out_leaks_nothing) {
  for (int status : {204, 404}) {
    Job job;
    job.reference();
    job.in_case().call("run", "DELETE", "/jobs/j-2").answers(status);
    EXPECT_EQ(job.fails(), "") << status;
  }
  Job all;
  all.reference();
  all.in_case().call("run", "DELETE", "/jobs").answers(204);
  EXPECT_EQ(all.fails(), "");
  Job otherwise;
  otherwise.reference();
  otherwise.in_case().call("run", "POST", "/jobs/j-2/cancel").answers(200);
  EXPECT_EQ(otherwise.fails(), "");
}

TEST(ResourceLeak, a_test_that_stopped_before_it_came_to_that_is_no_leak_of_the_applications) {
  Job other;  // two functions, that the test may have called
  other.remover = "remove";
  other.reference();
  other.in_case();
  EXPECT_EQ(other.fails(), "");
  Job helper;  // one, through which everything goes
  helper.line = 12;
  helper.reference();
  helper.in_case();
  EXPECT_EQ(helper.fails(), "");
  Job own;
  own.reference();
  own.in_case();
  for (auto* run : {&own.t.reference.run(), &own.t.in_case().run()})
    for (auto& e : run->exchanges) e.tag.site->file = "tests/helpers.py";
  EXPECT_EQ(own.fails(), "");
}

TEST(ResourceLeak, a_function_that_makes_and_removes_by_one_helper_is_to_remove_it) {
  for (const char* caller :
       {"src/moves.go:30:Move", "src/moves.go:20:Move", "src/moves.go:30:Other", "tests/test_orders.py:30:Move"}) {
    Job job;
    job.line = 12;
    job.reference();
    job.in_case();
    auto through = [](trace::Run& run, const char* making, const char* removing) {
      for (auto& e : run.exchanges) e.tag.site->callers = e.method == "DELETE" ? removing : making;
    };
    bool in_test = std::string_view(caller).starts_with("tests/");
    auto making = in_test ? "tests/test_orders.py:20:Move" : "src/moves.go:20:Move";
    through(job.t.reference.run(), making, caller);
    through(job.t.in_case().run(), making, caller);
    EXPECT_EQ(job.fails(), std::string_view(caller) == "src/moves.go:30:Move" ? "resource-leak likely" : "") << caller;
  }
}

TEST(ResourceLeak, where_the_test_passed_all_the_same_it_came_to_its_end) {
  Job job;
  job.remover = "remove";
  job.reference();
  job.in_case().passes();
  EXPECT_EQ(job.t.verdicts(), "resource-leak likely, lost-effect possible");
}

TEST(ResourceLeak, a_removal_that_was_given_up_in_silence_is_possible) {
  for (bool passes : {true, false}) {
    Job job;
    job.reference();
    job.t.in_case().call("run", "POST", "/jobs").answers(201, R"({"id":"j-2"})");
    job.t.in_case().call("run", "POST", "/jobs/j-2/start").answers(200);
    job.t.in_case().call("run", "DELETE", "/jobs/j-2").gets_error();
    if (passes) job.t.in_case().passes();
    EXPECT_EQ(passes ? job.t.verdicts() : job.fails(), passes ? "resource-leak possible" : "");
  }
}

TEST(ResourceLeak, what_the_reference_keeps_may_be_kept_and_whose_name_was_lost_nobody_can_remove) {
  Job kept;
  kept.t.reference.call("run", "POST", "/jobs").answers(201, R"({"id":"j-0"})");
  kept.reference();
  kept.in_case();
  EXPECT_EQ(kept.fails(), "");
  Job nameless;
  nameless.reference();
  nameless.t.in_case().call("run", "POST", "/jobs").is_lost(Telling::reset, 201, R"({"id":"j-2"})");
  EXPECT_EQ(nameless.fails(), "");
}

}  // namespace
}  // namespace retrial::oracles
