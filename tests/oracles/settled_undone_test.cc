// A message that is acknowledged, a cursor that is moved, a thing that is removed: before the work on it is done.
#include <gtest/gtest.h>

#include <utility>

#include "tests/oracles/runs.h"
#include "trace/fault_name.h"

namespace retrial::oracles {
namespace {

constexpr const char* kMessages = R"({"messages":[{"id":"m-17","order":"o-1001","total":4999},
                                                  {"id":"m-18","order":"o-1002","total":2500}]})";
constexpr const char* kFirst = R"({"order":"o-1001","total":4999})";
constexpr const char* kOther = R"({"order":"o-1002","total":2500})";

Tale& send(Tale& tale, const char* method, const char* target, const char* body = "") {
  tale.call("run", method, target);
  tale.last().request_sample = body;
  return tale;
}

// Both runs read, settle and then work; the fault meets the work.
Trial consumer(const char* method, const char* settles, const char* says, const char* work = kFirst,
               const char* read = kMessages, const char* from = "/messages") {
  Trial t("P3", "error(503)");
  for (auto* tale : {&t.reference, &t.in_case()}) {
    send(*tale, "GET", from).answers(200, read);
    send(*tale, method, settles, says).answers(200);
  }
  send(t.reference, "POST", "/orders", work).answers(201);
  send(t.in_case(), "POST", "/orders", work).gets_error();
  return t;
}
std::string told(Trial&& t) {
  t.in_case().fails({thrown("requests.exceptions.HTTPError", "503 Server Error: Service Unavailable")});
  return t.verdicts();
}

TEST(SettledUndone, a_message_that_is_acknowledged_before_its_work_is_done_is_lost) {
  auto t = consumer("DELETE", "/messages/m-17", "");
  t.in_case().fails({thrown("requests.exceptions.HTTPError", "503 Server Error: Service Unavailable")});
  EXPECT_EQ(t.verdicts(), "settled-undone likely");
  auto message = t.judge().findings[0].message;
  EXPECT_NE(message.find("What it hands on was removed before (DELETE /messages/{id})"), std::string::npos) << message;
  EXPECT_EQ(told(consumer("POST", "/messages/m-17/ack", "")), "settled-undone likely");
  EXPECT_EQ(told(consumer("POST", "/ack", R"({"id":"m-17"})")), "settled-undone likely");
}

TEST(SettledUndone, a_lock_is_given_back_whatever_became_of_the_work) {
  auto under_lock = [](const char* made, const char* given_back) {
    Trial t("P3", "error(503)");
    for (auto* tale : {&t.reference, &t.in_case()}) {
      send(*tale, "POST", made).answers(201, R"({"lease":"l-4711","name":"price-list"})");
      send(*tale, "PUT", "/docs/price-list", kFirst);
    }
    t.reference.answers(200);
    t.in_case().gets_error();
    for (auto* tale : {&t.reference, &t.in_case()}) send(*tale, "DELETE", given_back).answers(204);
    return told(std::move(t));
  };
  EXPECT_EQ(under_lock("/locks/price-list", "/locks/price-list/l-4711"), "");
  EXPECT_EQ(under_lock("/jobs/take", "/jobs/l-4711"), "settled-undone likely");
}

// A new certificate is made, its device cannot be told of it, and it is taken back.
TEST(SettledUndone, what_the_same_run_has_made_is_taken_back) {
  auto rotates = [](const char* where, int made, bool before = false) {
    Trial t("P3", "error(503)");
    auto gone = std::string(where) + "/c-4711";
    for (auto* tale : {&t.reference, &t.in_case()}) {
      send(*tale, "POST", where).answers(made, R"({"id":"c-4711"})");
      if (before) send(*tale, "DELETE", gone.c_str()).answers(204);
      send(*tale, "PUT", "/devices/d-1", R"({"cert":"c-4711"})");
    }
    t.reference.answers(200);
    t.in_case().gets_error();
    if (!before)
      for (auto* tale : {&t.reference, &t.in_case()}) send(*tale, "DELETE", gone.c_str()).answers(204);
    return told(std::move(t));
  };
  EXPECT_EQ(rotates("/certs", 201), "");
  EXPECT_EQ(rotates("/certs", 200), "");
  EXPECT_EQ(rotates("/messages", 200), "settled-undone likely") << "it may have asked for the next";
}

TEST(SettledUndone, so_is_the_cursor_by_which_a_list_was_read) {
  auto copies = [](const char* closed) {
    Trial t("P3", "error(503)");
    for (auto* tale : {&t.reference, &t.in_case()}) {
      send(*tale, "POST", "/docs/search").answers(200, R"({"scroll_id":"s-4711","hits":[{"id":"d-1001","n":1}]})");
      send(*tale, "DELETE", closed, R"({"scroll_id":"s-4711","id":"d-1001"})").answers(200);
      send(*tale, "POST", "/copies", R"({"id":"d-1001","n":1})");
    }
    t.reference.answers(201);
    t.in_case().gets_error();
    return told(std::move(t));
  };
  EXPECT_EQ(copies("/search/scroll"), "");
  EXPECT_EQ(copies("/cursors/s-4711"), "");
  EXPECT_EQ(copies("/messages/taken"), "settled-undone likely");
}

TEST(SettledUndone, what_was_to_be_done_is_known_from_the_reference_where_the_fault_came_before_the_body) {
  auto t = consumer("PUT", "/cursor", R"({"last":"m-18"})");
  t.in_case().last().request_sample = "";
  EXPECT_EQ(told(std::move(t)), "settled-undone likely");
}

TEST(SettledUndone, a_connection_that_breaks_before_anything_is_forwarded_keeps_the_work_from_the_service) {
  for (auto [point, said] :
       {std::pair(trace::Point::before_request, "settled-undone likely"), std::pair(trace::Point::after_head, "")}) {
    auto t = consumer("POST", "/ack", R"({"id":"m-17"})");
    auto& work = t.in_case().last();
    work.fault = {.name = trace::FaultName::reset, .point = point};
    work.ending = trace::Ending::reset, work.client_status = 0;
    t.in_case().fails({thrown("requests.exceptions.ConnectionError", "Connection reset by peer")});
    EXPECT_EQ(t.verdicts(), said);
  }
}

TEST(SettledUndone, a_message_that_stands_in_an_envelope_as_text_is_read_too) {
  constexpr const char* kPacked =
      R"({"Messages":[{"ReceiptHandle":"h-71","Body":"{\"order\":\"o-1001\",\"total\":4999}"}]})";
  EXPECT_EQ(told(consumer("POST", "/messages/delete", R"({"ReceiptHandle":"h-71"})", kFirst, kPacked)),
            "settled-undone likely");
}

TEST(SettledUndone, a_short_id_tells_where_a_path_holds_it) {
  auto boarded = [](const char* target) {
    Trial t("P3", "error(503)");
    for (auto* tale : {&t.reference, &t.in_case()}) {
      send(*tale, "GET", "/standby/s1/next").answers(200, R"({"id":"q1","name":"Ada"})");
      send(*tale, "DELETE", "/standby/s1/q1").answers(204);
      send(*tale, "PUT", target, R"({"name":"Ada"})");
    }
    t.reference.answers(201);
    t.in_case().gets_error();
    return told(std::move(t));
  };
  EXPECT_EQ(boarded("/sailings/s1/boarded/q1"), "settled-undone likely");
  EXPECT_EQ(boarded("/sailings/s1/boarded/q2"), "");
}

// Messages of RPCs, whose fields have numbers alone.
std::string message(const std::string& fields) {
  return std::string("\0\0\0\0", 4) + static_cast<char>(fields.size()) + fields;
}
std::string text(int field, std::string_view value) {
  return std::string{static_cast<char>(field << 3 | 2), static_cast<char>(value.size())} + std::string(value);
}
Trial vault(const char* settles, const std::string& says, const char* works = "/vault.Recalls/RecordResult") {
  Trial t("P3", "error(503)");
  for (auto* tale : {&t.reference, &t.in_case()}) {
    tale->rpc("run", "/vault.Recalls/PullTask").answers(200, message(text(1, "t7") + text(2, "germ-0041")));
    tale->rpc("run", settles).last().request_sample = says;
    tale->answers(200, message(""));
    tale->rpc("run", works).last().request_sample = message(text(1, "germ-0041"));
  }
  t.reference.answers(200, message(""));
  t.in_case().gets_error();
  return t;
}
TEST(SettledUndone, so_is_what_an_rpc_gave_out_and_another_acknowledges_or_passes_over) {
  auto ack = message(text(1, "t7"));
  EXPECT_EQ(told(vault("/vault.Recalls/AckTask", ack)), "settled-undone likely");
  EXPECT_EQ(told(vault("/vault.Recalls/SaveCursor", ack)), "settled-undone likely");
  EXPECT_EQ(told(vault("/vault.Recalls/AckTask", ack, "/vault.Recalls/Ship")), "settled-undone likely")
      << "its name does not say that it reads";
  EXPECT_EQ(told(vault("/vault.Recalls/AckTask", message(text(1, "t8")))), "") << "another";
  EXPECT_EQ(told(vault("/vault.Recalls/NoteTask", ack)), "");
}

TEST(SettledUndone, short_values_tell_by_their_names_where_there_are_several) {
  constexpr const char* kShort = R"({"id":"m1","receipt":"r-71","body":{"customer":"c1","total":10}})";
  auto ack = [&](const char* work) { return told(consumer("POST", "/ack", R"({"receipt":"r-71"})", work, kShort)); };
  EXPECT_EQ(ack(R"({"customer":"c1","total":10})"), "settled-undone likely");
  EXPECT_EQ(ack(R"({"customer":"c1"})"), "");
  EXPECT_EQ(ack(R"({"buyer":"c1","sum":10})"), "");
}

TEST(SettledUndone, another_message_s_acknowledgement_settles_nothing_of_this_one) {
  EXPECT_EQ(told(consumer("DELETE", "/messages/m-17", "", kOther)), "");
  EXPECT_EQ(told(consumer("POST", "/messages/m-18/ack", "")), "");
}

TEST(SettledUndone, a_cursor_that_is_set_behind_what_is_not_done_loses_it) {
  EXPECT_EQ(told(consumer("PUT", "/cursor", R"({"last":"m-18"})")), "settled-undone likely");
  EXPECT_EQ(told(consumer("PUT", "/state", R"({"offset":"m-18"})", kOther)), "settled-undone likely");
  EXPECT_EQ(told(consumer("PUT", "/cursor", R"({"last":"m-17"})", kOther)), "");  // it stands behind the first
  EXPECT_EQ(told(consumer("PUT", "/state", R"({"seen":"m-18"})")), "");
}

TEST(SettledUndone, what_all_entries_have_in_common_tells_none_of_them) {
  constexpr const char* kAlike =
      R"({"events":[{"seq":1,"sku":"s1","op":"upsert"},{"seq":2,"sku":"s2","op":"upsert"}]})";
  constexpr const char* kWork = R"({"seq":1,"sku":"s1","op":"upsert"})";
  EXPECT_EQ(told(consumer("PUT", "/cursors/search", R"({"pos":2})", kWork, kAlike)), "settled-undone likely");
  EXPECT_EQ(told(consumer("POST", "/ack", R"({"seq":1})", kWork, kAlike)), "settled-undone likely");
  EXPECT_EQ(told(consumer("POST", "/ack", R"({"seq":2})", kWork, kAlike)), "");
}

TEST(SettledUndone, what_the_next_page_holds_the_cursor_of_the_one_before_does_not_pass_over) {
  Trial t("P3", "error(503)");
  for (auto* tale : {&t.reference, &t.in_case()}) {
    send(*tale, "GET", "/messages").answers(200, R"({"messages":[{"id":"m-16","shop":"north","order":"o-1000"}]})");
    send(*tale, "PUT", "/cursor", R"({"last":"m-16"})").answers(200);
    send(*tale, "GET", "/messages?after=m-16")
        .answers(200, R"({"messages":[{"id":"m-17","shop":"north","order":"o-1001"}]})");
  }
  constexpr const char* kOrder = R"({"shop":"north","order":"o-1001"})";
  send(t.reference, "POST", "/orders", kOrder).answers(201);
  send(t.in_case(), "POST", "/orders", kOrder).gets_error();
  EXPECT_EQ(told(std::move(t)), "");
}

TEST(SettledUndone, a_thing_that_is_moved_is_written_first) {
  constexpr const char* kThing = R"({"name":"lamp-9","colour":"green"})";
  auto move = consumer("DELETE", "/lamps/9", "", kThing, kThing, "/lamps/9");
  EXPECT_EQ(told(std::move(move)), "settled-undone likely");
  auto one = consumer("DELETE", "/lamps/9", "", R"({"name":"lamp-9"})", kThing, "/lamps/9");
  EXPECT_EQ(told(std::move(one)), "settled-undone possible");
  auto queued = consumer("DELETE", "/jobs/9", "", R"({"name":"lamp-9"})", kThing, "/jobs/9");
  EXPECT_EQ(told(std::move(queued)), "settled-undone likely") << "it is taken once";
  auto other = consumer("DELETE", "/lamps/9", "", R"({"name":"desk-1"})", kThing, "/lamps/9");
  EXPECT_EQ(told(std::move(other)), "");
}

// A file has no members: it is handed on whole.
TEST(SettledUndone, a_file_that_is_removed_though_its_copy_was_not_written_is_lost) {
  auto archive = [](const char* written, bool elsewhere) {
    Trial t("P3", "error(503)");
    for (auto* tale : {&t.reference, &t.in_case()}) {
      send(*tale, "GET", "/blobs/inbox/a-1.csv").answers(200, "id,total\n1,20\n");
      if (elsewhere) send(*tale, "PUT", "/blobs/ledger/a-1.csv", "id,total\n1,20\n").answers(200);
      send(*tale, "PUT", "/blobs/archive/a-1.csv", written);
      tale == &t.reference ? tale->answers(200) : tale->gets_error();
      send(*tale, "DELETE", "/blobs/inbox/a-1.csv").answers(204);
    }
    t.in_case().passes();
    return t.verdicts();
  };
  EXPECT_EQ(archive("id,total\n1,20\n", false), "settled-undone likely");
  EXPECT_EQ(archive("id,total\n1,20\n", true), "lost-effect possible") << "something was done of it";
  EXPECT_EQ(archive("another text", false), "lost-effect possible");
}

TEST(SettledUndone, what_is_put_back_or_done_otherwise_is_not_lost) {
  auto back = consumer("DELETE", "/messages/m-17", "");
  send(back.in_case(), "POST", "/messages", kFirst).answers(201);
  EXPECT_EQ(told(std::move(back)), "");
  auto dead = consumer("DELETE", "/messages/m-17", "");
  send(dead.in_case(), "POST", "/dead-letters", kFirst).answers(201);
  EXPECT_EQ(told(std::move(dead)), "");
  auto again = consumer("DELETE", "/messages/m-17", "");
  again.in_case().again(kSecond).answers(201);
  EXPECT_EQ(told(std::move(again)), "");
}

TEST(SettledUndone, a_message_that_is_acknowledged_though_its_work_failed_is_lost) {
  for (auto& [status, also, verdict] : {std::tuple(503, "", "settled-undone likely"),
                                        std::tuple(400, "", "lost-effect possible"),  // it can never be worked on
                                        std::tuple(503, "/mails", "lost-effect possible")}) {
    Trial t("K1", "error x 1, then pass");
    for (auto* tale : {&t.reference, &t.in_case()}) {
      send(*tale, "GET", "/messages").answers(200, kMessages);
      if (*also) send(*tale, "POST", also, kFirst).answers(202);
      send(*tale, "POST", "/orders", kFirst);
      tale == &t.reference ? tale->answers(201) : tale->gets_error(status);
      send(*tale, "DELETE", "/messages/m-17").answers(200);
    }
    t.in_case().passes();
    EXPECT_EQ(t.verdicts(), verdict) << status << also;
  }
}

TEST(SettledUndone, of_what_was_done_otherwise_too_a_part_that_failed_is_possible) {
  auto t = consumer("DELETE", "/messages/m-17", "");
  for (auto* tale : {&t.reference, &t.in_case()}) send(*tale, "POST", "/ledger", kFirst).answers(201);
  EXPECT_EQ(told(std::move(t)), "settled-undone possible");
}

TEST(SettledUndone, what_is_no_message_is_not_settled_by_being_completed) {
  constexpr const char* kOrder = R"({"id":"o-1001","mail":"ann@example.org"})";
  constexpr const char* kMail = R"({"to":"ann@example.org","order":"o-1001"})";
  EXPECT_EQ(told(consumer("POST", "/orders/o-1001/complete", "", kMail, kOrder, "/orders/o-1001")), "");
  EXPECT_EQ(told(consumer("POST", "/jobs/o-1001/complete", "", kMail, kOrder, "/jobs/o-1001")),
            "settled-undone likely");
}

TEST(SettledUndone, a_loss_leaves_open_whether_it_was_done) {
  Trial t("P1", "lost-response(reset) x 1, then pass");
  for (auto* tale : {&t.reference, &t.in_case()}) {
    send(*tale, "GET", "/messages").answers(200, kMessages);
    send(*tale, "DELETE", "/messages/m-17").answers(200);
    send(*tale, "POST", "/orders", kFirst);
  }
  t.reference.answers(201);
  t.in_case().is_lost(trace::Telling::reset, 201);
  EXPECT_EQ(told(std::move(t)), "");
}

TEST(SettledUndone, what_is_removed_to_make_room_for_what_is_then_not_written_is_gone) {
  for (int line : {14, 12}) {  // 12: a helper's, through which both go
    Trial t("P3", "error(503)");
    for (auto* tale : {&t.reference, &t.in_case()}) {
      send(*tale, "DELETE", "/themes/dark").answers(204);
      send(*tale, "PUT", "/themes/dark", R"({"ink":"white"})");
      tale->last().tag.site->line = line;
    }
    t.reference.answers(201);
    t.in_case().gets_error();
    EXPECT_EQ(told(std::move(t)), line == 14 ? "settled-undone likely" : "");
  }
}

TEST(SettledUndone, what_is_made_anew_beside_what_was_removed_is_possible) {
  for (auto* target : {"/holds", "/bookings"}) {
    Trial t("P3", "error(503)");
    for (auto* tale : {&t.reference, &t.in_case()}) {
      send(*tale, "DELETE", "/holds/h-71").answers(204);
      send(*tale, "POST", target, R"({"seat":"B4"})");
      tale->last().tag.site->line = 14;
    }
    t.reference.answers(201);
    t.in_case().gets_error();
    EXPECT_EQ(told(std::move(t)), target == std::string("/holds") ? "settled-undone possible" : "");
  }
}

TEST(SettledUndone, an_entry_is_removed_by_the_last_segment_of_a_path_whatever_its_name) {
  auto promotes = [](const char* removes) {
    return told(
        consumer("DELETE", removes, "", R"({"plate":"KX 1020"})", R"({"plates":["KX 1020","KX 2040"]})", "/waitlist"));
  };
  EXPECT_EQ(promotes("/waitlist/KX%201020"), "settled-undone likely");
  EXPECT_EQ(promotes("/waitlist/KX%202040"), "") << "another entry";
  EXPECT_EQ(promotes("/cars/KX%201020"), "settled-undone possible");
  EXPECT_EQ(promotes("/waitlist/KX%201020/lock"), "");
}

TEST(SettledUndone, an_entry_however_short_that_one_function_takes_off_a_list_and_hands_on_is_possible) {
  for (auto* plate : {"W1", "W2"}) {
    auto t =
        consumer("DELETE", "/waitlist/W1", "", plate == std::string("W1") ? R"({"plate":"W1"})" : R"({"plate":"W2"})",
                 R"({"plates":["W1","W2"]})", "/waitlist");
    for (auto* tale : {&t.reference, &t.in_case()}) tale->last().tag.site->line = 14;
    EXPECT_EQ(told(std::move(t)), plate == std::string("W1") ? "settled-undone possible" : "");
  }
}

TEST(SettledUndone, what_the_tests_themselves_remove_is_their_own_affair) {
  auto t = consumer("DELETE", "/messages/m-17", "");
  for (auto* tale : {&t.reference, &t.in_case()}) tale->run().exchanges[1].tag.site->file = "tests/test_orders.py";
  EXPECT_EQ(told(std::move(t)), "");
}

TEST(SettledUndone, a_lock_that_was_given_back_is_nothing_that_the_next_takes_the_place_of) {
  for (auto* path : {"/themes/dark", "/locks/nightly"}) {
    Trial t("P3", "error(503)");
    for (auto* tale : {&t.reference, &t.in_case()}) {
      send(*tale, "DELETE", path).answers(204);
      send(*tale, "PUT", path);
      tale->last().tag.site->line = 14;
    }
    t.reference.answers(201);
    t.in_case().gets_error().passes();
    EXPECT_EQ(t.verdicts().contains("settled-undone"), path == std::string("/themes/dark")) << t.verdicts();
  }
}

TEST(SettledUndone, what_is_set_in_a_thing_is_no_cursor_over_what_is_then_done_to_it) {
  for (auto* path : {"/calibrations/cal-17/close", "/readings/cal-17"}) {
    Trial t("P3", "error(503)");
    for (auto* tale : {&t.reference, &t.in_case()}) {
      send(*tale, "POST", "/sensors/s-3/calibrations").answers(201, R"({"id":"cal-17"})");
      send(*tale, "PUT", "/calibrations/cal-17", R"({"offset":0.5})").answers(200);
    }
    send(t.reference, "POST", path).answers(200);
    send(t.in_case(), "POST", path).gets_error();
    EXPECT_EQ(told(std::move(t)).empty(), path == std::string("/calibrations/cal-17/close")) << path;
  }
}

TEST(SettledUndone, what_a_fixture_takes_away_is_settled_by_nobody) {
  Trial t("P3", "error(503)");
  for (auto* tale : {&t.reference, &t.in_case()}) send(*tale, "GET", "/messages").answers(200, kMessages);
  send(t.reference, "POST", "/orders", kFirst).answers(201);
  send(t.in_case(), "POST", "/orders", kFirst).gets_error();
  for (auto* tale : {&t.reference, &t.in_case()}) {
    send(*tale, "DELETE", "/messages/m-17").answers(200);
    tale->last().tag.phase = trace::Phase::teardown;
  }
  EXPECT_EQ(told(std::move(t)), "");
}

}  // namespace
}  // namespace retrial::oracles
