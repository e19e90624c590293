#include "campaign/serving/live_checks.h"

#include <gtest/gtest.h>

#include "tests/checkers/traffic.h"

namespace retrial::campaign {
namespace {

using checkers::Rule;
using checkers::Talk;

const std::vector<checkers::Checker> kNotes = {
    checkers::checker(Rule::reads_back, "PUT /notes/{id}", "GET /notes/{id}", {{"text", "text"}})};

struct Lines : proxy::Log {
  std::vector<std::string> lines;
  void say(Level, std::string_view line) override { lines.emplace_back(line); }
};

struct Live {
  Lines log;
  LiveChecks checks{kNotes, log};
  std::string counts() {
    auto count = checks.counts().front();
    return std::to_string(count.passed) + " passed, " + std::to_string(count.failed) + " failed";
  }
};

Talk a_stale_read() {
  Talk t;
  t.asks("PUT", "/notes/1", 200, R"({"text": "a"})");
  t.asks("GET", "/notes/1", 200, "", R"({"text": "a"})");
  t.asks("PUT", "/notes/1", 200, R"({"text": "b"})");
  t.asks("GET", "/notes/1", 200, "", R"({"text": "a"})");
  return t;
}

TEST(LiveChecks, puts_exchanges_in_order_and_tells_what_fails_once_it_has_settled) {
  Live live;
  auto t = a_stale_read();
  for (auto it = t.run.exchanges.rbegin(); it != t.run.exchanges.rend(); ++it) live.checks.take(*it);
  live.checks.look(t.now);
  EXPECT_EQ(live.counts(), "0 passed, 0 failed");
  live.checks.look(t.now + LiveChecks::kLag);
  EXPECT_EQ(live.counts(), "1 passed, 0 failed");
  live.checks.look(t.now + LiveChecks::kSettled);
  EXPECT_EQ(live.counts(), "1 passed, 1 failed");
  EXPECT_EQ(live.log.lines, (std::vector<std::string>{
                                "semantic-violation: `text` of /notes/1 was sent as \"b\" by PUT /notes/{id}, and GET "
                                "/notes/{id} answers \"a\" (checker it; exchanges 3, 4)"}));
}

TEST(LiveChecks, tells_nothing_where_a_write_was_under_way_that_came_to_light_late) {
  Live live;
  auto t = a_stale_read();
  for (auto& e : t.run.exchanges) live.checks.take(e);
  live.checks.look(t.now + LiveChecks::kLag);
  Talk late;
  auto& e = late.asks("PUT", "/notes/1", 200, R"({"text": "c"})");
  e.id = 99;
  e.begun = 2 * kMillisecond;
  e.told = e.service_done = t.now + kSecond;
  live.checks.take(e);
  live.checks.look(t.now + LiveChecks::kSettled);
  EXPECT_EQ(live.counts(), "1 passed, 0 failed");
}

TEST(LiveChecks, knows_nothing_of_before_once_parts_were_lost) {
  Live live;
  auto t = a_stale_read();
  for (std::size_t n = 0; n < 3; n++) live.checks.take(t.run.exchanges[n]);
  live.checks.look(t.run.exchanges[2].told + LiveChecks::kLag);
  live.checks.lost();
  live.checks.lost();
  ASSERT_EQ(live.log.lines.size(), 1u) << "once";
  EXPECT_NE(live.log.lines[0].find("a part of what passes is not looked at"), std::string::npos);
  live.checks.take(t.run.exchanges[3]);
  live.checks.look(t.now + LiveChecks::kSettled);
  EXPECT_EQ(live.counts(), "1 passed, 0 failed");
}

TEST(LiveChecks, holds_nothing_of_reads_that_no_checker_looks_at_and_all_writes) {
  Live live;
  auto t = a_stale_read();
  for (std::size_t n = 0; n < 3; n++) live.checks.take(t.run.exchanges[n]);
  Talk others;
  others.test = "";  // as where nothing tells of tests
  auto& read = others.asks("GET", "/other/1", 200, "", R"({"text": "b"})");
  for (std::size_t n = 0; n <= LiveChecks::kMost; n++) {
    read.id = 100 + n;
    live.checks.take(read);
  }
  live.checks.take(t.run.exchanges[3]);
  live.checks.look(t.now + LiveChecks::kSettled);
  EXPECT_EQ(live.counts(), "1 passed, 1 failed");

  Live written;
  for (std::size_t n = 0; n < 3; n++) written.checks.take(t.run.exchanges[n]);
  Talk another;
  another.now = t.run.exchanges[2].told + 1;
  auto& write = another.asks("PATCH", "/notes/1", 200, R"({"text": "a"})");
  write.id = 99;
  written.checks.take(write);
  auto last = t.run.exchanges[3];
  last.begun = another.now;
  last.answered = last.service_done = last.told = another.now + kMillisecond;
  written.checks.take(last);
  written.checks.look(another.now + LiveChecks::kSettled + kSecond);
  EXPECT_EQ(written.counts(), "1 passed, 0 failed");
}

TEST(LiveChecks, looks_at_fewer_reads_where_many_come_and_tells_nothing_false) {
  Live live;
  auto t = a_stale_read();
  live.checks.take(t.run.exchanges[0]);
  auto read = t.run.exchanges[1];
  read.tag.test = "";  // as where nothing tells of tests
  for (std::size_t n = 0; n < 2 * LiveChecks::kMost; n++) {
    read.id = 100 + n;
    live.checks.take(read);
  }
  live.checks.take(t.run.exchanges[2]);
  live.checks.look(t.now + LiveChecks::kLag);
  EXPECT_EQ(live.counts(), std::to_string(LiveChecks::kMostReads - 1) + " passed, 0 failed");
  auto later = t.run.exchanges[3];
  later.begun = t.now + LiveChecks::kLag;
  later.answered = later.service_done = later.told = later.begun + kMillisecond;
  live.checks.take(later);
  live.checks.look(later.begun + LiveChecks::kSettled + kSecond);
  EXPECT_EQ(live.counts(), std::to_string(LiveChecks::kMostReads - 1) + " passed, 1 failed");
  EXPECT_EQ(live.log.lines.size(), 1u) << "nothing was lost";
}

TEST(LiveChecks, says_at_its_end_how_much_it_looked_at_and_which_checkers_had_nothing) {
  Live live;
  auto t = a_stale_read();
  for (auto& e : t.run.exchanges) live.checks.take(e);
  live.checks.end();
  EXPECT_EQ(live.log.lines.back(), "1 of 1 checker had something to look at: 2 checks, 1 failed");
  Live unasked;
  unasked.checks.end();
  EXPECT_EQ(unasked.log.lines.back(),
            "0 of 1 checker had something to look at: 0 checks, 0 failed; nothing had " + kNotes.front().name);
}

}  // namespace
}  // namespace retrial::campaign
