#include "trace/comparing/retrier.h"

#include <gtest/gtest.h>

#include <deque>

namespace retrial::trace {
namespace {

// One call. Places are CRC-32 of "file:line:function": of those below, as Python's binascii.crc32 gives them.
constexpr const char *kAsk = "b8a0c063", *kTrack = "3a7b6a4c", *kElsewhere = "11111111";

class Retrier : public testing::Test {
 public:
  // An attempt of src/base.py:5 ask <- src/track.py:9 track.
  Retrier& attempt(std::string stack, std::string libraries = "", std::string call_id = "") {
    Exchange e;
    e.id = all_.size() + 1;
    e.pid = 7;
    e.tag.site = CallSite{"src/base.py", 5, "ask", "src/track.py:9:track"};
    e.tag.stack = std::move(stack);
    e.tag.libraries = std::move(libraries);
    e.tag.call_id = std::move(call_id);
    all_.push_back(std::move(e));
    return *this;
  }
  std::string who() {
    Call call;
    for (auto& e : all_) call.attempts.push_back(&e);
    return retrier(call);
  }
  static std::string at(int run, const std::string& place) { return std::to_string(run) + ":" + place; }
  std::deque<Exchange> all_;
};

TEST_F(Retrier, is_the_innermost_function_that_all_attempts_come_from) {
  attempt(at(1, kTrack) + "," + at(2, kAsk) + ",3:c").attempt(at(1, kTrack) + "," + at(4, kAsk) + ",5:c");
  EXPECT_EQ(who(), "src/track.py:9 track");
  attempt(at(1, kTrack) + "," + at(2, kAsk) + ",6:c");
  EXPECT_EQ(who(), "src/track.py:9 track") << "of all, not of two of them";
}
TEST_F(Retrier, may_be_the_call_site_itself) {
  attempt(at(1, kTrack) + "," + at(2, kAsk) + ",3:c").attempt(at(1, kTrack) + "," + at(2, kAsk) + ",4:c");
  EXPECT_EQ(who(), "src/base.py:5 ask");
}
TEST_F(Retrier, is_the_innermost_library_that_they_share_where_it_was_entered_once) {
  auto stack = at(1, kTrack) + "," + at(2, kAsk) + ",3:c";
  attempt(stack, "3:requests%202.31.0,4:urllib3%202.8.0,5:x%201")
      .attempt(stack, "3:requests%202.31.0,4:urllib3%202.8.0,6:x%201");
  EXPECT_EQ(who(), "urllib3 2.8.0");
}
TEST_F(Retrier, is_gRPCs_own_library_only_where_the_attempts_count_themselves) {
  attempt(at(1, kAsk), "2:@grpc/grpc-js%201.14.7", "7-2").attempt(at(1, kAsk), "2:@grpc/grpc-js%201.14.7", "7-2");
  for (auto& e : all_) e.grpc.is = true;
  EXPECT_EQ(who(), "") << "an interceptor of the application";
  all_[1].grpc.previous = 1;
  EXPECT_EQ(who(), "@grpc/grpc-js 1.14.7");
  all_[1].grpc.previous = 0;
  all_[0].refused = true;
  EXPECT_EQ(who(), "@grpc/grpc-js 1.14.7") << "what was refused it sends again uncounted";
}
TEST_F(Retrier, is_a_library_that_calls_the_application_back) {
  attempt(at(1, kTrack) + ",2:a," + at(3, kAsk) + ",4:c", "2:tenacity%209.1.2,4:requests%202.31.0");
  attempt(at(1, kTrack) + ",2:a," + at(5, kAsk) + ",6:c", "2:tenacity%209.1.2,6:requests%202.31.0");
  EXPECT_EQ(who(), "tenacity 9.1.2");
}
TEST_F(Retrier, is_the_library_where_the_call_was_handed_to_it_by_a_task_and_one_call_id_says_so) {
  attempt(at(1, kAsk), "2:aiohttp%203.9", "7-2").attempt(at(1, kAsk), "2:aiohttp%203.9", "7-2");
  EXPECT_EQ(who(), "aiohttp 3.9");
}
TEST_F(Retrier, is_not_known_of_the_tests_own_loop_nor_without_stacks) {
  attempt(at(1, kElsewhere) + "," + at(2, kAsk)).attempt(at(1, kElsewhere) + "," + at(3, kAsk));
  EXPECT_EQ(who(), "");
  attempt("");
  EXPECT_EQ(who(), "") << "of one of them";
}
TEST_F(Retrier, may_be_the_test_which_alone_stays_the_same_over_the_attempts) {
  auto by_test = [&] {
    Call call;
    for (auto& e : all_) call.attempts.push_back(&e);
    return sent_by_test(call);
  };
  attempt(at(1, kElsewhere) + "," + at(2, kTrack) + "," + at(3, kAsk));
  EXPECT_FALSE(by_test()) << "one attempt";
  attempt(at(1, kElsewhere) + "," + at(4, kTrack) + "," + at(5, kAsk));
  EXPECT_TRUE(by_test());
  attempt(at(6, kElsewhere) + "," + at(7, kTrack) + "," + at(8, kAsk));
  EXPECT_FALSE(by_test()) << "they share nothing";
  all_.clear();
  attempt(at(1, kElsewhere) + "," + at(2, kTrack) + "," + at(3, kAsk));
  attempt(at(1, kElsewhere) + "," + at(2, kTrack) + "," + at(4, kAsk));
  EXPECT_FALSE(by_test()) << "track goes round";
  all_.clear();
  attempt(at(1, kElsewhere) + "," + at(3, kAsk), "1:tenacity%209.1.2")
      .attempt(at(1, kElsewhere) + "," + at(4, kAsk), "1:tenacity%209.1.2");
  EXPECT_FALSE(by_test()) << "a library does";
  all_.clear();
  attempt("1.c").attempt("1.c");
  EXPECT_FALSE(by_test()) << "no function is marked";
}
TEST_F(Retrier, without_activations_is_the_test_where_it_runs_as_each_further_attempt_is_sent) {
  auto by_test = [&] {
    Call call;
    for (auto& e : all_) call.attempts.push_back(&e);
    return sent_by_test(call);
  };
  attempt("1.c", "", "7-1").attempt("2.c", "", "7-2").attempt("3.c", "", "7-3");
  EXPECT_FALSE(by_test()) << "no statement of a test";
  for (auto& e : all_) e.tag.statement = 5;
  EXPECT_TRUE(by_test());
  EXPECT_EQ(who(), "");
  all_[2].tag.site->callers += ",";
  EXPECT_FALSE(by_test()) << "a function goes on, which the test awaits";
  all_[2].tag.site->callers.pop_back();
  all_[2].tag.call_id = "7-2";
  EXPECT_FALSE(by_test()) << "a library does";
  all_[2].tag.call_id = "7-3";
  all_[2].tag.stack = "/8,3.c";
  EXPECT_FALSE(by_test()) << "of goroutines it is not known what awaits";
  for (auto& e : all_) e.tag.stack.clear();
  EXPECT_FALSE(by_test()) << "an agent that never says what runs";
}
TEST_F(Retrier, is_nobody_where_nothing_was_sent_again_or_nothing_is_shared) {
  attempt(at(1, kAsk));
  EXPECT_EQ(who(), "");
  attempt(at(2, kAsk));
  EXPECT_EQ(who(), "");
}
// JavaScript marks no frames: its stack holds entries alone, and its chain says which frames run.
TEST_F(Retrier, without_activations_is_the_function_that_went_on_and_made_the_next_attempts) {
  attempt("1:c").attempt("2:c").attempt("3:c");
  all_[0].tag.site->callers = "src/retry.js:3:retry,src/track.js:9:track";
  all_[1].tag.site->callers = all_[2].tag.site->callers = "src/retry.js:5:retry,,src/track.js:9:track";
  EXPECT_EQ(who(), "src/retry.js:5 retry");
  all_[2].tag.site->callers = ",src/retry.js:5:retry,src/track.js:9:track";
  EXPECT_EQ(who(), "src/track.js:9 track") << "they differ: the outermost that all have";
  all_[1].tag.site->callers = all_[2].tag.site->callers = ",";
  all_[0].tag.site->callers = "";
  EXPECT_EQ(who(), "src/base.py:5 ask");
}
TEST_F(Retrier, is_no_library_that_only_runs_what_it_is_given) {
  for (auto* library : {"1:p-limit%206.2.0", "1:Node%20v20.20.2%20abort_controller"}) {
    all_.clear();
    attempt("1.c,2.c", library).attempt("1.c,3.c", library);
    all_[0].tag.site->callers = "src/retry.js:3:retry,src/track.js:9:track";
    all_[1].tag.site->callers = "src/retry.js:5:retry,,src/track.js:9:track";
    EXPECT_EQ(who(), "src/retry.js:5 retry") << library;
  }
}
TEST_F(Retrier, without_activations_is_told_by_what_no_library_has_sent_again_by_itself) {
  attempt("1:c", "", "7-1").attempt("1:c", "", "7-1").attempt("2:c", "", "7-2").attempt("2:c", "", "7-2");
  all_[0].tag.site->callers = all_[1].tag.site->callers =
      "src/retry.js:3:retry,src/pool.js:4:run,,src/track.js:9:track";
  all_[2].tag.site->callers = all_[3].tag.site->callers =
      "src/retry.js:5:retry,,src/pool.js:4:run,src/track.js:9:track";
  EXPECT_EQ(who(), "src/retry.js:5 retry");
}
TEST_F(Retrier, without_activations_and_with_one_call_id_is_the_library) {
  attempt("1:c", "1:got%2014.4.7", "7-1").attempt("1:c", "1:got%2014.4.7", "7-1");
  EXPECT_EQ(who(), "got 14.4.7");
}
// A test goes on in the course of the server that it has started: FNV-1a of "tests/server.js:3:start", and of track.
TEST_F(Retrier, is_no_library_that_was_entered_by_a_function_that_the_request_does_not_come_from) {
  attempt("1.6862924c,2.c", "1:fastify%205,2:got%2014").attempt("1.6862924c,3.c", "1:fastify%205,3:got%2014");
  all_[1].tag.site->callers = ",src/track.py:9:track";
  EXPECT_EQ(who(), "src/base.py:5 ask");
  for (auto& e : all_) e.tag.stack.replace(2, 8, "f0dd9d62");
  EXPECT_EQ(who(), "fastify 5");
}
// Java and Go mark nothing: their chain is whole, and its lines are all that is seen.
TEST_F(Retrier, without_a_stack_is_the_outermost_function_that_comes_by_another_line) {
  attempt("").attempt("").attempt("");
  for (auto& e : all_) e.tag.site->callers = "src/send.java:3:send,src/track.java:9:track,src/desk.java:4:order";
  EXPECT_EQ(who(), "src/desk.java:4 order") << "all lines are the same: the outermost that all have";
  for (auto& e : all_) e.tag.site->callers = "src/send.java:3:send,src/track.java:9:track,,src/desk.java:4:order";
  EXPECT_EQ(who(), "src/track.java:9 track") << "or the one that is said to go on";
  all_[1].tag.site->callers = all_[2].tag.site->callers =
      "src/again.java:3:again,src/track.java:12:track,src/desk.java:4:order";
  EXPECT_EQ(who(), "src/track.java:9 track");
  all_[2].tag.site.reset();
  EXPECT_EQ(who(), "");
}
TEST_F(Retrier, without_a_stack_and_with_one_call_id_is_the_library) {
  attempt("", "1:okhttp%204.12.0", "7-1").attempt("", "1:okhttp%204.12.0", "7-1");
  EXPECT_EQ(who(), "okhttp 4.12.0");
  all_[0].tag.libraries = all_[1].tag.libraries = "";
  EXPECT_EQ(who(), "") << "it does not say which";
}
// Go's agent says of a module whether it has waited between them; each attempt is a call of its own.
TEST_F(Retrier, without_a_stack_is_the_innermost_module_that_went_on) {
  attempt("", "1:vault%201.9,1:again%200.7,1:trace%202.0,2:net/http", "7-2");
  attempt("", "1:vault%201.9,1:again%200.7,5:trace%202.0,6:net/http", "7-6");
  for (auto& e : all_) e.tag.site->callers = "src/send.go:3:send,src/desk.go:4:order";
  EXPECT_EQ(who(), "again 0.7");
  all_[1].tag.libraries = "4:vault%201.9,4:again%200.7,4:trace%202.0,6:net/http";
  EXPECT_EQ(who(), "src/desk.go:4 order") << "it was called again";
}
TEST_F(Retrier, of_another_process_is_not_guessed) {
  attempt(at(1, kAsk)).attempt(at(1, kAsk));
  all_.back().pid = 8;
  EXPECT_EQ(who(), "");
  for (auto& e : all_) e.tag.stack.clear();
  EXPECT_EQ(who(), "");
}
TEST_F(Retrier, reads_nothing_out_of_libraries_that_are_none) {
  for (auto* odd : {",", "x", "3", "3:", ":a", ",,3", "-1:a", "99999999999999999999:a"}) {
    all_.clear();
    attempt(at(1, kTrack) + ",3:c", odd).attempt(at(1, kTrack) + ",3:c", odd);
    EXPECT_EQ(who(), "") << odd;
  }
}

}  // namespace
}  // namespace retrial::trace
