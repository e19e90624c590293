// A step that stands though a later one failed, and that the application knows how to take back.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "oracles/compensations.h"
#include "tests/oracles/runs.h"
#include "trace/fault_name.h"
#include "trace/look.h"

namespace retrial::oracles {
namespace {

constexpr const char* kHold = R"({"id":"h-71"})";

Tale& from_line(Tale& tale, int line) {
  tale.last().tag.site->line = line;
  return tale;
}

// A hold is taken and then paid for, by one function; the fault meets the payment.
struct Booking {
  Trial t{"P3", "error(503)"};
  explicit Booking(bool after_error, std::vector<trace::Header> headers = {}, const char* method = "POST",
                   const char* target = "/holds") {
    for (auto* tale : {&t.reference, &t.in_case()}) {
      from_line(tale->call("book", method, target, headers).answers(201, kHold), 10);
      from_line(tale->call("book", "POST", "/payments"), 11);
      tale->last().request_sample = R"({"hold":"h-71","amount":250})";
    }
    t.reference.answers(201);
    t.in_case().gets_error();
    t.row.compensation = {t.reference.run().exchanges[0].operation, "DELETE /holds/{id}", "src/orders.py:30 release",
                          after_error, after_error ? "POST /payments was answered 402 in test_declined" : "test_b"};
  }
  std::string fails(const char* message = "503 Server Error: Service Unavailable") {
    t.in_case().fails({thrown("requests.exceptions.HTTPError", message)});
    return t.verdicts();
  }
};

TEST(MissingCompensation, a_step_that_the_application_can_take_back_stands_where_a_later_one_failed) {
  Booking b(false);
  EXPECT_EQ(b.fails(), "missing-compensation possible");
  EXPECT_EQ(
      b.t.judge().findings[0].message,
      "POST /payments: the first attempt was answered 503 by the fault, before the service heard of it, and it was not "
      "done. "
      "What POST /holds had made before (/holds/h-71) was left there: nothing that was sent afterwards takes it back. "
      "The application can do that (DELETE /holds/{id}, src/orders.py:30 release): seen in test_b.");
}

TEST(MissingCompensation, a_function_that_takes_its_step_back_after_another_error_means_to) {
  EXPECT_EQ(Booking(true).fails(), "missing-compensation likely");
  Booking silent(true);
  auto& work = silent.t.in_case().last();
  work.fault = {.name = trace::FaultName::reset, .point = trace::Point::before_request};
  work.ending = trace::Ending::reset, work.client_status = 0;
  EXPECT_EQ(silent.fails(), "missing-compensation possible") << "it was not answered";
}

TEST(MissingCompensation, who_went_on_may_keep_it_for_later) {
  for (bool after_error : {true, false}) {
    Booking b(after_error);
    b.t.in_case().fails({oracles::assertion("assert None == 'p-1'")});
    EXPECT_EQ(b.t.verdicts(), after_error ? "missing-compensation possible" : "");
  }
}

TEST(MissingCompensation, it_is_none_where_it_is_taken_back) {
  Booking b(true);
  from_line(b.t.in_case().call("release", "DELETE", "/holds/h-71").answers(204), 30);
  EXPECT_EQ(b.fails(), "");
}

TEST(MissingCompensation, nor_where_it_is_given_up_in_another_way) {
  Booking b(true);
  from_line(b.t.in_case().call("book", "POST", "/holds/h-71/cancel").answers(200), 14);
  EXPECT_EQ(b.fails(), "");
}

TEST(MissingCompensation, nor_where_the_caller_is_told_what_is_left) {
  EXPECT_EQ(Booking(false).fails("the payment failed, hold h-71 is kept"), "");
  EXPECT_EQ(Booking(true).fails("the payment failed, hold h-71 is kept"), "missing-compensation likely");
}

TEST(MissingCompensation, nor_where_who_begins_anew_makes_no_other) {
  EXPECT_EQ(Booking(false, {{"Idempotency-Key", "booking-7"}}).fails(), "");
  EXPECT_EQ(Booking(false, {}, "PUT", "/holds/h-71").fails(), "");
}

TEST(MissingCompensation, nor_where_the_reference_takes_it_back_too) {
  Booking b(true);
  from_line(b.t.reference.call("book", "DELETE", "/holds/h-71").answers(204), 12);
  EXPECT_EQ(b.fails(), "resource-leak likely");
}

trace::Compensation seen(Tale& elsewhere) {
  Tale booked(trace::RunKind::alone);
  from_line(booked.call("book", "POST", "/holds").answers(201, kHold), 10);
  from_line(booked.call("book", "POST", "/payments").answers(201), 11);
  Compensations known;
  known.learn(elsewhere.done(), kTest);
  auto calls = trace::calls_of(booked.done());
  return known.before({&calls[0], &calls[1]}, kTest);
}

TEST(Compensations, are_learned_where_the_application_removes_what_the_step_makes) {
  Tale other(trace::RunKind::alone);
  from_line(other.call("hold", "POST", "/holds").answers(201, kHold), 20);
  from_line(other.call("release", "DELETE", "/holds/h-71").answers(204), 30);
  auto known = seen(other);
  EXPECT_EQ(known.step, "POST /holds");
  EXPECT_EQ(known.by, "DELETE /holds/{id}");
  EXPECT_EQ(known.at, "src/orders.py:30 release");
  EXPECT_FALSE(known.after_error);
  EXPECT_EQ(known.seen, kTest);
}

TEST(Compensations, of_the_function_itself_are_those_after_a_refusal) {
  Tale declined(trace::RunKind::alone);
  from_line(declined.call("book", "POST", "/holds").answers(201, kHold), 10);
  from_line(declined.call("book", "POST", "/payments").answers(402), 11);
  from_line(declined.call("book", "DELETE", "/holds/h-71").answers(204), 14);
  auto known = seen(declined);
  EXPECT_EQ(known.at, "src/orders.py:14 book");
  EXPECT_TRUE(known.after_error);
  EXPECT_EQ(known.seen, fmt::format("POST /payments was answered 402 in {}", kTest));
}

TEST(Compensations, are_none_where_the_function_always_does_so_or_a_test_does) {
  Tale always(trace::RunKind::alone);
  from_line(always.call("book", "POST", "/holds").answers(201, kHold), 10);
  from_line(always.call("book", "DELETE", "/holds/h-71").answers(204), 14);
  EXPECT_EQ(seen(always).step, "");
  Tale by_test(trace::RunKind::alone);
  by_test.call("book", "POST", "/holds").answers(201, kHold);
  by_test.call("test_put", "DELETE", "/holds/h-71").answers(204);
  by_test.last().tag.site->file = "tests/test_orders.py";
  EXPECT_EQ(seen(by_test).step, "");
}

TEST(Compensations, are_asked_of_steps_of_one_function_that_are_no_login) {
  Tale out(trace::RunKind::alone);
  from_line(out.call("login", "POST", "/login").answers(201, kHold), 20);
  from_line(out.call("logout", "DELETE", "/login/h-71").answers(204), 30);
  Tale used(trace::RunKind::alone);
  from_line(used.call("book", "POST", "/login").answers(201, kHold), 10);
  from_line(used.call("book", "POST", "/payments").answers(201), 11);
  Compensations known;
  known.learn(out.done(), kTest);
  auto calls = trace::calls_of(used.done());
  EXPECT_EQ(known.before({&calls[0], &calls[1]}, kTest).step, "");
}

TEST(Compensations, are_not_missing_where_they_are_what_fails) {
  Tale other(trace::RunKind::alone);
  from_line(other.call("hold", "POST", "/holds").answers(201, kHold), 20);
  from_line(other.call("release", "DELETE", "/holds/h-71").answers(204), 30);
  auto before = [&](const char* method, const char* target) {
    Tale used(trace::RunKind::alone);
    from_line(used.call("book", "POST", "/holds").answers(201, kHold), 10);
    from_line(used.call("book", method, target).answers(503), 11);
    Compensations known;
    known.learn(other.done(), kTest);
    auto calls = trace::calls_of(used.done());
    return known.before({&calls[0], &calls[1]}, kTest).step;
  };
  EXPECT_EQ(before("POST", "/payments"), "POST /holds");
  EXPECT_EQ(before("DELETE", "/holds/h-71"), "");
}

TEST(Compensations, may_be_a_request_that_undoes_what_it_names) {
  auto learned = [](const char* method, const char* target, const char* body) {
    Tale other(trace::RunKind::alone);
    from_line(other.call("hold", "POST", "/holds").answers(201, kHold), 20);
    other.call("undo", method, target);
    other.last().request_sample = body;
    from_line(other.answers(201, R"({"id":"re-1"})"), 30);
    auto known = seen(other);
    return fmt::format("{} by {}", known.step, known.by);
  };
  EXPECT_EQ(learned("POST", "/refunds", R"({"hold_id":"h-71"})"), "POST /holds by POST /refunds");
  EXPECT_EQ(learned("PUT", "/refunds/h-71", "{}"), "POST /holds by PUT /refunds/{id}");
  EXPECT_EQ(learned("PUT", "/settings/h-71", "{}"), " by ");
}

TEST(MissingCompensation, what_was_done_stands_where_what_was_before_it_is_taken_back) {
  auto paid = [](bool looks) {
    Trial t;
    for (auto* tale : {&t.reference, &t.in_case()}) {
      tale->call("order", "POST", "/reservations").answers(201, R"({"id":"res-1"})");
      tale->call("order", "POST", "/payments");
    }
    t.reference.answers(201, R"({"id":"pay-1"})");
    t.in_case().is_lost(trace::Telling::reset, 201, R"({"id":"pay-1"})");
    if (looks) t.in_case().call("order", "GET", "/payments?order=1").answers(200, "[]");
    t.in_case().call("order", "DELETE", "/reservations/res-1").answers(204);
    t.in_case().fails({thrown("builtins.RuntimeError", "payment failed: connection reset")});
    return t.verdicts();
  };
  EXPECT_EQ(paid(false), "missing-compensation possible");
  EXPECT_EQ(paid(true), "");
}

TEST(MissingCompensation, what_was_done_and_a_look_of_ours_still_shows_is_likely) {
  auto charged = [](const char* path, const char* shows) {
    Trial t;
    t.row.test.clear();
    for (auto* tale : {&t.reference, &t.in_case()}) {
      tale->call("order", "POST", "/reservations").answers(201, R"({"id":"res-1"})");
      tale->call("order", "POST", path);
    }
    t.reference.answers(201, R"({"id":"ch-1"})");
    t.in_case().is_lost(trace::Telling::reset, 201, R"({"id":"ch-1"})");
    t.in_case().call("order", "DELETE", "/reservations/res-1").answers(204);
    t.in_case().call("", "GET", path);
    t.in_case().last().tag.site = trace::CallSite{std::string(trace::kLookSite), 1, std::string(trace::kLookSite)};
    t.in_case().answers(200, shows);
    t.in_case().stops(trace::Stop::exited, 1);
    return t.verdicts();
  };
  EXPECT_EQ(charged("/charges", R"({"charges":[{"id":"ch-1","state":"charged"}]})"), "missing-compensation likely");
  EXPECT_EQ(charged("/charges", R"({"charges":[]})"), "missing-compensation possible");
  EXPECT_EQ(charged("/events", R"([{"id":"ch-1"}])"), "missing-compensation possible") << "a record of it may stay";
}

TEST(MissingCompensation, what_was_done_and_a_later_read_of_another_function_still_shows_is_likely) {
  auto charged = [](const char* reader, const char* shows, bool undone = false, const char* of = "/charges") {
    Trial t;
    for (auto* tale : {&t.reference, &t.in_case()}) {
      tale->call("order", "POST", "/reservations").answers(201, R"({"id":"res-1"})");
      tale->call("order", "POST", "/charges");
    }
    t.reference.answers(201, R"({"id":"ch-1"})");
    t.in_case().is_lost(trace::Telling::reset, 201, R"({"id":"ch-1"})");
    t.in_case().call("order", "DELETE", "/reservations/res-1").answers(204);
    t.in_case().call(reader, "GET", of).answers(200, shows);
    if (undone) t.in_case().call("reconcile", "POST", "/charges/ch-1/void").answers(200);
    t.in_case().fails({thrown("builtins.RuntimeError", "payment failed: connection reset")});
    return t.verdicts();
  };
  constexpr auto kThere = R"([{"id":"ch-1","amount":250}])";
  EXPECT_EQ(charged("charges", kThere), "missing-compensation likely");
  EXPECT_EQ(charged("charges", "[]"), "");
  EXPECT_EQ(charged("order", kThere), "") << "it has looked what became of it";
  EXPECT_EQ(charged("charges", kThere, true), "");
  EXPECT_EQ(charged("settle", R"({"id":"ch-1"})", false, "/charges/ch-1"), "") << "it asks for that very one";
}

TEST(MissingCompensation, of_two_steps_of_one_name_one_was_taken_back) {
  auto booked = [](const char* other, bool both, bool one_line = true, const char* refunded = "") {
    Trial t("P3", "error(503)");
    for (auto* tale : {&t.reference, &t.in_case()}) {
      for (std::string path : {std::string("/flights/") + other, std::string("/hotels/t-1")})
        from_line(tale->call("book", "PUT", path).answers(201), path.starts_with("/f") && !one_line ? 10 : 12);
      tale->call("book", "PUT", "/cars/t-1");
    }
    from_line(t.reference.answers(201), 12);
    from_line(t.in_case().gets_error(), 12);
    t.in_case().call("book", "DELETE", "/hotels/t-1").answers(204);
    if (both) t.in_case().call("book", "DELETE", std::string("/flights/") + other).answers(204);
    if (*refunded) t.in_case().call("book", "PUT", refunded).answers(200);
    t.in_case().fails({thrown("app.Refused", "no car: HTTP 503")});
    return t.verdicts();
  };
  EXPECT_EQ(booked("t-1", false), "missing-compensation likely");
  EXPECT_EQ(booked("t-1", false, false), "missing-compensation possible") << "a record that is to stay, perhaps";
  EXPECT_EQ(booked("t-1", true), "");
  EXPECT_EQ(booked("t-9", false), "") << "of another name";
  EXPECT_EQ(booked("t-1", false, true, "/refunds/t-1"), "") << "undone by what names it";
  EXPECT_EQ(booked("t-1", false, true, "/refunds/t-9"), "missing-compensation likely");
}

TEST(MissingCompensation, an_amount_that_was_taken_and_came_nowhere) {
  auto moved = [](const char* back, const char* credited = R"({"amount":250,"ref":"t-2"})", const char* noted = "") {
    Trial t("observe", "error(503)");
    t.row.test.clear();
    auto step = [](Tale& tale, const char* target, const char* body) -> Tale& {
      tale.call("", "POST", target).last().request_sample = body;
      return tale;
    };
    for (auto* tale : {&t.reference, &t.in_case()}) {
      if (*noted) step(*tale, noted, R"({"kind":"transfer"})").answers(201);
      step(*tale, "/accounts/cash/debit", R"({"amount":250,"ref":"t-1"})").answers(201);
    }
    step(t.reference, "/accounts/savings/credit", credited).answers(201);
    step(t.in_case(), "/accounts/savings/credit", credited).gets_error();
    if (*back) step(t.in_case(), back, R"({"amount":250,"ref":"t-1"})").answers(201);
    t.in_case().stops(trace::Stop::exited, 1);
    return t.verdicts();
  };
  EXPECT_EQ(moved(""), "missing-compensation likely");
  EXPECT_EQ(moved("/accounts/cash/credit"), "") << "it is given back";
  EXPECT_EQ(moved("", R"({"amount":250,"ref":"t-2"})", "/transfers"), "missing-compensation possible");
  EXPECT_EQ(moved("", R"({"amount":3,"ref":"t-2"})"), "") << "another amount";
}

}  // namespace
}  // namespace retrial::oracles
