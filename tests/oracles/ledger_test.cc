// What the services were left with: things that nobody removed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "oracles/ledger.h"
#include "tests/oracles/runs.h"

namespace retrial::oracles {
namespace {
using trace::Telling;

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
  EXPECT_NE(message.find(
                "POST /jobs made /jobs/j-2; of POST /jobs/{id}/start the first attempt was answered 503 by the "
                "fault, before the service heard of it, and nothing that was sent afterwards removes what was made."),
            std::string::npos)
      << message;
}

TEST(ResourceLeak, who_was_refused_a_connection_afterwards_may_have_tried) {
  Job job;
  job.reference();
  job.in_case();
  auto& run = job.t.in_case().run();
  run.connection_faults.push_back({.service = run.exchanges.front().service,
                                   .fired = true,
                                   .evidence = "refused",
                                   .at = 900 * kSecond,
                                   .times = 1});
  EXPECT_EQ(job.fails(), "");
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
    t.in_case().passes();
    EXPECT_EQ(t.verdicts(), std::string_view(asks).contains("seconds") ? "" : "resource-leak possible");
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

// It came too late for its own end: that is the order of the two, and order-violation's to say.
TEST(ResourceLeak, what_was_ended_while_the_making_of_it_was_held_is_not_left_behind_for_want_of_that) {
  for (bool ended : {true, false}) {
    Trial t("order", "delay(20ms) x 1, then pass");
    t.reference.call("beat", "PUT", "/registry/billing").answers(201);
    t.reference.call("leave", "DELETE", "/registry/billing").answers(204);
    t.in_case().call("beat", "PUT", "/registry/billing").is_delayed();
    if (ended) t.in_case().call("leave", "DELETE", "/registry/billing").answers(404);
    auto& made = t.in_case().run().exchanges.front();
    made.answered = made.service_done = made.told = made.fired_at + 21 * kMillisecond;
    made.service_status = made.client_status = 201;
    made.ending = trace::Ending::answered;
    t.in_case().passes();
    auto said = t.verdicts();
    EXPECT_EQ(said.contains("resource-leak"), !ended) << said;
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

TEST(Removals, of_an_upload_at_a_path_leave_what_lies_there) {
  Tale tale(trace::RunKind::alone);
  tale.call("put", "PUT", "/bucket/key").answers(200);
  tale.call("abort", "DELETE", "/bucket/key?uploadId=u-1").answers(204);
  auto& run = tale.done();
  EXPECT_EQ(removal_of(run, "/bucket/key", run.exchanges[0].told).how, Removal::never);
  tale.call("remove", "DELETE", "/bucket/key?force=true").answers(204);
  EXPECT_EQ(removal_of(tale.done(), "/bucket/key", tale.run().exchanges[0].told).how, Removal::done);
}

TEST(ResourceLeak, a_lock_that_never_ends_by_itself_stays) {
  auto locked = [](const char* body) {
    Trial t("P3", "error(503)");
    for (auto* tale : {&t.reference, &t.in_case()}) {
      tale->call("deploy", "PUT", "/locks/prod").last().request_sample = body;
      tale->answers(200);
    }
    t.reference.call("deploy", "PUT", "/releases/1").answers(200);
    t.reference.call("deploy", "DELETE", "/locks/prod").answers(204);
    t.reference.last().tag.site->line = 14;
    t.in_case().call("deploy", "PUT", "/releases/1").gets_error();
    t.in_case().fails({thrown("requests.exceptions.HTTPError", "503 Server Error: Service Unavailable")});
    return t.verdicts();
  };
  EXPECT_EQ(locked(R"({"owner":"me","ttl":0})"), "resource-leak likely");
  EXPECT_EQ(locked(R"({"owner":"me","ttl":60})"), "resource-leak possible");
}

}  // namespace
}  // namespace retrial::oracles
