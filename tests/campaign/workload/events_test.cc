#include "campaign/workload/events.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace retrial::campaign {
namespace {

class Following : public testing::Test {
 protected:
  Following()
      : file_(std::filesystem::temp_directory_path() / ("events-" + std::to_string(getpid()))),
        events_(file_, [this] { return now_; }) {
    std::ofstream{file_};
  }
  ~Following() override { std::filesystem::remove(file_); }
  void append(const std::string& text) { std::ofstream(file_, std::ios::app) << text; }
  void read() { events_.read_into(run_); }

  std::filesystem::path file_;
  Nanos now_ = 0;
  Events events_;
  trace::Run run_;
};

TEST_F(Following, the_running_test_is_the_last_stage_that_was_started_and_not_ended) {
  append(R"({"ev":"start","id":"t::a","phase":"setup","pid":7})"
         "\n"
         R"({"ev":"start","id":"db","phase":"shared","pid":7})"
         "\n");
  read();
  EXPECT_EQ(events_.current(7).test, "db");
  EXPECT_EQ(events_.current(7).phase, trace::Phase::shared);
  append(R"({"ev":"end","id":"db","phase":"shared","pid":7})"
         "\n");
  read();
  EXPECT_EQ(events_.current(7).test, "t::a");
  append(R"({"ev":"end","id":"t::a","phase":"setup","pid":7})"
         "\n");
  read();
  EXPECT_EQ(events_.current(7).test, "");
}

TEST_F(Following, a_stage_has_the_time_at_which_it_was_heard_of) {
  append(R"({"ev":"start","id":"t::a","phase":"test","pid":7})"
         "\n");
  now_ = 5;
  read();
  append(R"({"ev":"end","id":"t::a","phase":"test","pid":7})"
         "\n");
  now_ = 8;
  read();
  ASSERT_EQ(run_.stages.size(), 2u);
  EXPECT_EQ(run_.stages[0].at, 5);
  EXPECT_EQ(run_.stages[1].at, 8);
}

TEST_F(Following, a_process_without_stages_of_its_own_works_for_the_test_that_was_started_last) {
  append(R"({"ev":"start","id":"t::a","phase":"test","pid":7})"
         "\n");
  read();
  EXPECT_EQ(events_.current(99).test, "t::a");
}

TEST_F(Following, half_a_line_waits_for_its_other_half) {
  append(R"({"ev":"start","id":"t::a","pha)");
  read();
  EXPECT_TRUE(run_.stages.empty());
  append(R"(se":"test","pid":7})"
         "\n");
  read();
  ASSERT_EQ(run_.stages.size(), 1u);
  EXPECT_EQ(run_.stages[0].phase, trace::Phase::test);
}

TEST_F(Following, a_result_keeps_its_whole_chain) {
  append(R"({"ev":"result","id":"t::a","phase":"test","outcome":"failed","ms":12.5,"chain":[)"
         R"({"type":"A","msg":"outer","link":"raised","file":"app.py","line":3,"function":"f","in_test":false},)"
         R"({"type":"B","msg":"inner","code":104,"link":"cause","in_test":true}],"pid":7})"
         "\n");
  read();
  auto* result = trace::result_of(run_, "t::a");
  ASSERT_NE(result, nullptr);
  ASSERT_EQ(result->chain.size(), 2u);
  EXPECT_EQ(result->chain[0].line, 3);
  EXPECT_EQ(result->chain[1].code, "104");
  EXPECT_TRUE(result->chain[1].in_test);
}

TEST_F(Following, what_a_test_expected_stands_behind_what_failed_it) {
  append(
      R"({"ev":"expected","id":"t::a","chain":[{"type":"A","msg":"503","link":"raised"},{"type":"B","link":"cause"}],"pid":7})"
      "\n"
      R"({"ev":"expected","id":"t::other","chain":[{"type":"C","link":"raised"}],"pid":7})"
      "\n"
      R"({"ev":"result","id":"t::a","phase":"test","outcome":"failed","chain":[{"type":"D","link":"raised"}],"pid":7})"
      "\n");
  read();
  std::string told;
  for (auto& thrown : trace::result_of(run_, "t::a")->chain) told += thrown.type + " " + thrown.link + ", ";
  EXPECT_EQ(told, "D raised, A expected, B cause, ");
}

TEST_F(Following, what_nobody_looked_at_stands_behind_it_too) {
  append(
      R"({"ev":"unheard","id":"t::a","chain":[{"type":"A","msg":"503","link":"raised"},{"type":"B","link":"cause"}],"pid":7})"
      "\n"
      R"({"ev":"expected","id":"t::a","chain":[{"type":"C","link":"raised"}],"pid":7})"
      "\n"
      R"({"ev":"result","id":"t::a","phase":"test","outcome":"passed","pid":7})"
      "\n");
  read();
  std::string told;
  for (auto& thrown : trace::result_of(run_, "t::a")->chain) told += thrown.type + " " + thrown.link + ", ";
  EXPECT_EQ(told, "A unheard, B cause, C expected, ");
}

TEST_F(Following, what_ended_a_process_is_kept_the_last_of_them) {
  append(R"({"ev":"uncaught","pid":7,"chain":[{"type":"builtins.OSError","msg":"down","link":"raised"}]})"
         "\n"
         R"({"ev":"uncaught","pid":8,"chain":[{"type":"builtins.KeyError","msg":"'id'","link":"raised"}]})"
         "\n");
  read();
  ASSERT_EQ(events_.uncaught().size(), 1u);
  EXPECT_EQ(events_.uncaught()[0].type, "builtins.KeyError");
  EXPECT_TRUE(run_.results.empty());
}

TEST_F(Following, what_is_no_event_is_passed_over) {
  append("\n[]\nnot json\n{\"ev\":5}\n{\"ev\":\"listed\",\"id\":\"t::b\",\"pid\":\"x\"}\n");
  read();
  EXPECT_EQ(run_.listed, std::vector<std::string>{"t::b"});
}

TEST_F(Following, a_result_of_set_up_that_failed_is_the_tests_result) {
  append(R"({"ev":"result","id":"t::a","phase":"setup","outcome":"error","pid":7})"
         "\n"
         R"({"ev":"result","id":"t::a","phase":"test","outcome":"passed","pid":7})"
         "\n");
  read();
  EXPECT_EQ(trace::result_of(run_, "t::a")->outcome, "error");
}

TEST_F(Following, what_a_client_threw_has_no_secrets) {
  append(R"({"ev":"result","id":"t::a","outcome":"failed","chain":[{"msg":"no answer from /x?token=abc&a=1"}]})"
         "\n"
         R"({"ev":"broken","file":"a.py","msg":"http://u:abc@h/ is not there"})"
         "\n");
  read();
  EXPECT_EQ(run_.results.at(0).chain.at(0).message, "no answer from /x?token=***&a=1");
  EXPECT_EQ(run_.broken.at(0), "a.py: http://u:***@h/ is not there");
}

}  // namespace
}  // namespace retrial::campaign
