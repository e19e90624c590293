#include "trace/store/store.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <stdlib.h>

#include <fstream>

#include "tests/trace/samples.h"
#include "trace/store/sqlite.h"
#include "trace/store/store_text.h"

namespace retrial::trace {
namespace {
namespace fs = std::filesystem;

class Store : public ::testing::Test {
 protected:
  Store() {
    std::string name = (fs::temp_directory_path() / "retrial-store-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~Store() override { fs::remove_all(folder_); }
  fs::path file() const { return folder_ / "campaign.db"; }
  fs::path folder_;
};

Finding finding(std::string verdict) {
  Finding f;
  f.id = "8f3a61c2";
  f.verdict = verdict;
  f.confidence = Confidence::likely;
  f.confirmed = f.accepted = f.known = true;
  f.note = verdict == "cap-not-seen";
  f.test = "t1";
  f.site = CallSite{"a.py", 3, "f", "b.py:4:g"};
  f.retried_by = "b.py:4 g";
  f.raised_at = "b.py:9";
  f.sdk = "azsdk-js-storagequeue/12.17.0";
  f.service = "127.0.0.1:1";
  f.operation = "GET /x";
  f.policy = "P1";
  f.fault = "lost-response(reset) x 1, then pass";
  f.message = "it's \"odd\"\nin two lines";
  f.advice = "wait";
  f.evidence = {1, 18446744073709551615ull};
  f.run = 7;
  f.reference = 3;
  f.attempts = 2;
  f.gaps_ms = {0.1, 1e9 / 3};
  return f;
}
Judged judged(std::string why) { return {"t2", std::nullopt, "s", "GET /y", "P3", "error(503)", why}; }
CampaignRecord campaign() {
  CampaignRecord c;
  c.command = {"pytest", "-k", "a b", "", "new\nline\\"};
  c.runner = "pytest";
  c.directory = "/home/x";
  c.wall_began = 1'700'000'000'000'000'000;
  c.took = 5 * kSecond;
  c.overhead = 3;
  c.capture = "seccomp (getfd)";
  c.hold = 30 * kSecond;
  c.services = {{"127.0.0.1:10001", "queue", "azure-storage", 12}};
  c.cases = {{"c1",
              "P1",
              "lost-response(reset) x 1, then pass",
              "t1",
              CallSite{"a.py", 3, "f"},
              "s",
              "GET /x",
              2,
              "run",
              "",
              {1, 2},
              3},
             {"c2", "P3", "error(503)", "t2", std::nullopt, "s", "GET /y", 1, "left", "budget", {}}};
  c.findings = {finding("duplicate-effect"), finding("missing-delay")};
  c.notes = {finding("cap-not-seen")};
  c.clean = {judged("3 attempts")};
  c.not_judged = {judged("service state"), judged("")};
  c.left_alone = {"api.example.com (outside)"};
  c.remarks = {};
  c.incomplete = "interrupted";
  return c;
}
std::string text(const std::vector<Finding>& list) {
  std::string out;
  for (auto& f : list)
    out +=
        fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} [{}] {} {} {} [{}]\n", f.id, f.verdict,
                    show(f.confidence), f.confirmed, f.accepted, f.known, f.note, f.test,
                    f.site ? show(*f.site) + f.retried_by + f.sdk + f.raised_at : "-", f.service, f.operation, f.policy,
                    f.fault, f.message, f.advice, lines(f.evidence), f.run, f.reference, f.attempts, lines(f.gaps_ms));
  return out;
}
std::string text(const std::vector<Judged>& list) {
  std::string out;
  for (auto& j : list)
    out += fmt::format("{} {} {} {} {} {} {}\n", j.test, j.site ? show(*j.site) : "-", j.service, j.operation, j.policy,
                       j.fault, j.why);
  return out;
}
std::string text(const CampaignRecord& c) {
  std::string out =
      fmt::format("{} {} {} {} {} {} {} {} {} {} {}\n", lines(c.command), c.runner, c.directory, c.wall_began, c.took,
                  c.overhead, c.capture, c.hold, lines(c.left_alone), lines(c.remarks), c.incomplete);
  for (auto& s : c.services) out += fmt::format("{} {} {} {}\n", s.address, s.name, s.profile, s.exchanges);
  for (auto& k : c.cases)
    out += fmt::format("{} {} {} {} {} {} {} {} {} {} [{}] {}\n", k.id, k.policy, k.plan, k.test,
                       k.site ? show(*k.site) : "-", k.service, k.operation, k.occurrence, k.outcome, k.why,
                       lines(k.runs), k.reference);
  return out + text(c.findings) + text(c.notes) + text(c.clean) + text(c.not_judged);
}
Run run(std::uint64_t id) {
  auto r = samples::run(id);
  for (std::uint64_t e = 1; e <= 3; e++) r.exchanges.push_back(samples::whole(e));
  r.exchanges[1].tag.site.reset();
  r.exchanges[1].fault = {};
  r.exchanges[2].request_headers = {{"odd: name", "a\nb\\n"}, {"", ""}};
  r.incomplete = "why";
  return r;
}
std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}
void change(const fs::path& file, const char* sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  sqlite3_close(db);
}
void put(const fs::path& file, std::string_view bytes) { std::ofstream(file, std::ios::binary) << bytes; }

TEST_F(Store, is_written_and_read_piece_by_piece_where_no_memory_would_hold_it) {
  auto r = run(7);
  auto exchanges = std::exchange(r.exchanges, {});
  {
    auto writer = StoreWriter::open(file());
    ASSERT_TRUE(writer) << writer.error().line();
    for (auto e = exchanges.rbegin(); e != exchanges.rend(); ++e) (*writer)->add(7, *e);
    EXPECT_FALSE(fs::exists(file())) << "it takes its name when it is whole";
    auto ended = (*writer)->end(campaign(), {r});
    ASSERT_TRUE(ended) << ended.error().line();
  }
  auto whole = read_store(file());
  ASSERT_TRUE(whole) << whole.error().line();
  r.exchanges = exchanges;
  EXPECT_EQ(samples::text(whole->runs.at(0)), samples::text(r)) << "by id";
  std::vector<std::uint64_t> told;
  auto without = read_store(file(), [&](auto run, Exchange&& e) {
    EXPECT_EQ(run, 7u);
    told.push_back(e.id);
  });
  ASSERT_TRUE(without) << without.error().line();
  EXPECT_EQ(told, (std::vector<std::uint64_t>{3, 2, 1}));
  EXPECT_TRUE(without->runs.at(0).exchanges.empty());
}

TEST_F(Store, of_a_writer_that_was_left_nothing_stays) {
  {
    auto writer = StoreWriter::open(file());
  }
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(Store, gives_back_everything_that_it_was_given) {
  std::vector<trace::Run> runs{run(1), run(2), trace::Run{.id = 3}};
  ASSERT_TRUE(write_store(file(), campaign(), runs));
  auto stored = read_store(file());
  ASSERT_TRUE(stored) << stored.error().line();
  EXPECT_EQ(text(stored->campaign), text(campaign()));
  ASSERT_EQ(stored->runs.size(), runs.size());
  for (std::size_t i = 0; i < runs.size(); i++) EXPECT_EQ(samples::text(stored->runs[i]), samples::text(runs[i]));
}

TEST_F(Store, gives_back_what_the_findings_rest_on_alone) {
  auto c = campaign();
  c.notes.clear();
  c.findings.resize(1);
  c.findings[0].run = 2;
  c.findings[0].reference = 1;
  c.findings[0].test = "t";
  std::vector<trace::Run> runs{run(1), run(2), run(3)};
  for (auto& r : runs) {
    r.exchanges[0].tag.test = "t";
    r.exchanges[1].tag.test = "another";
    r.exchanges[2].tag.test = "";  // of a fixture, or of a command without tests
  }
  {
    auto writer = StoreWriter::open(file());
    ASSERT_TRUE(writer) << writer.error().line();
    for (auto r = runs.rbegin(); r != runs.rend(); ++r) (*writer)->add(*r);
    ASSERT_TRUE((*writer)->end(c, {}));
  }
  auto stored = read_evidence(file());
  ASSERT_TRUE(stored) << stored.error().line();
  EXPECT_EQ(text(stored->campaign), text(c));
  runs.pop_back();
  ASSERT_EQ(stored->runs.size(), runs.size());
  for (std::size_t i = 0; i < runs.size(); i++) {
    runs[i].exchanges.erase(runs[i].exchanges.begin() + 1);
    EXPECT_EQ(samples::text(stored->runs[i]), samples::text(runs[i]));
  }
}

TEST_F(Store, an_empty_campaign_is_one) {
  ASSERT_TRUE(write_store(file(), {}, {}));
  auto stored = read_store(file());
  ASSERT_TRUE(stored) << stored.error().line();
  EXPECT_EQ(text(stored->campaign), text(CampaignRecord{}));
}

TEST_F(Store, takes_the_place_of_an_older_one_whole) {
  ASSERT_TRUE(write_store(file(), campaign(), {run(1)}));
  ASSERT_TRUE(write_store(file(), {}, {run(2)}));
  EXPECT_EQ(read_store(file())->runs.at(0).id, 2u);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1) << "nothing else is left";
}

TEST_F(Store, a_file_that_is_not_there_or_cannot_be_written_is_named) {
  auto missing = read_store(file());
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().line(), file().string() + ": cannot open the file: No such file or directory");
  auto written = write_store(folder_ / "no" / "campaign.db", {}, {});
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().what.find("cannot open the file: No such file"), std::string::npos)
      << written.error().line();
}

TEST_F(Store, a_file_of_another_kind_says_so) {
  put(file(),
      "this is a text of some length, and no SQLite file at all; it is longer than a head of 100 bytes, to be sure");
  auto stored = read_store(file());
  ASSERT_FALSE(stored);
  EXPECT_EQ(stored.error().what, "this is no SQLite file, so none that Retrial wrote");
}

TEST_F(Store, another_programs_file_and_another_version_say_so) {
  {
    auto db = sqlite::Database::create(file());
    ASSERT_TRUE(db->run("CREATE TABLE run (id)"));
  }
  EXPECT_EQ(read_store(file()).error().what, "this is an SQLite file, but none that Retrial wrote");
  ASSERT_TRUE(write_store(file(), {}, {}));
  auto bytes = bytes_of(file());
  bytes[63] = 14;  // user_version, big endian, at 60 (SQLite's file format 1.3)
  put(file(), bytes);
  EXPECT_EQ(
      read_store(file()).error().line(),
      file().string() + ": this was written by another version of Retrial: its format is 14, 6 to 13 are read here");
  EXPECT_FALSE(is_damage(read_store(file()).error())) << "it may hold what nobody else does";
}

TEST_F(Store, an_empty_file_is_a_damaged_one) {
  put(file(), "");
  EXPECT_EQ(read_store(file()).error().line(), file().string() + ": the file is damaged: it is empty");
}

TEST_F(Store, a_file_cut_anywhere_is_an_error) {
  ASSERT_TRUE(write_store(file(), campaign(), {run(1)}));
  auto bytes = bytes_of(file());
  ASSERT_GT(bytes.size(), 20'000u);
  for (std::size_t n = 1; n < bytes.size(); n += 977) {
    put(file(), std::string_view(bytes).substr(0, n));
    auto stored = read_store(file());
    ASSERT_FALSE(stored) << n;
    EXPECT_EQ(stored.error().on, file().string());
  }
}

TEST_F(Store, a_row_that_no_one_wrote_is_an_error) {
  for (auto sql :
       {"UPDATE exchange SET ending = 'gone'", "UPDATE exchange SET run = 99", "UPDATE thrown SET result = 17",
        "UPDATE exchange SET fault_name = 99", "UPDATE exchange SET request_headers = 'no line'",
        "DELETE FROM campaign", "UPDATE finding SET evidence = '1 x'"}) {
    ASSERT_TRUE(write_store(file(), campaign(), {run(1)}));
    change(file(), sql);
    auto stored = read_store(file());
    ASSERT_FALSE(stored) << sql;
    EXPECT_TRUE(is_damage(stored.error())) << stored.error().what;
    EXPECT_EQ(stored.error().on, file().string());
  }
}

TEST_F(Store, reads_well_for_people) {
  auto r = trace::Run{.id = 4};
  r.exchanges = {samples::whole(1), samples::whole(2)};
  r.exchanges[1].call = r.exchanges[0].call;
  r.exchanges[0].attempt = 1;
  r.exchanges[1].begun = r.exchanges[0].told + 7 * kMillisecond;
  ASSERT_TRUE(write_store(file(), campaign(), {r}));
  auto db = sqlite::Database::read_only(file());
  auto rows = db->prepare("SELECT site, operation, fault, gap_ms FROM attempt WHERE attempt = 2");
  ASSERT_TRUE(rows) << rows.error().line();
  ASSERT_TRUE(rows->step().value());
  EXPECT_EQ(rows->text(), "src/jobs.mjs:17");
  EXPECT_EQ(rows->text(), "POST /{account}/{queue}/messages");
  EXPECT_EQ(rows->text(), "lost-response(error(503, retry-after=date+3))");
  EXPECT_EQ(rows->real(), 7.0);
  auto headers = db->prepare("SELECT request_headers FROM exchange WHERE id = 1");
  ASSERT_TRUE(headers->step().value());
  EXPECT_EQ(headers->text(), "Host: localhost\nx-ms-client-request-id: id-1\nEmpty: \n");
}

TEST_F(Store, a_hundred_thousand_exchanges_come_back_in_their_order) {
  trace::Run r{.id = 1};
  for (std::uint64_t id = 1; id <= 100'000; id++)
    r.exchanges.push_back(Exchange{.id = id, .method = "GET", .target = "/x"});
  ASSERT_TRUE(write_store(file(), {}, {r, trace::Run{.id = 2}}));
  auto stored = read_store(file());
  ASSERT_TRUE(stored);
  ASSERT_EQ(stored->runs[0].exchanges.size(), 100'000u);
  for (std::uint64_t id = 1; id <= 100'000; id += 999) EXPECT_EQ(stored->runs[0].exchanges[id - 1].id, id);
}

TEST(StoreText, lists_come_back_as_they_were) {
  for (auto list : {std::vector<std::string>{}, {""}, {"", ""}, {"a\nb", "c\\nd", "\\", "e"}}) {
    std::vector<std::string> back;
    EXPECT_TRUE(from_lines(lines(list), back));
    EXPECT_EQ(back, list);
  }
  std::vector<double> back;
  EXPECT_TRUE(from_lines(lines(std::vector<double>{0.1, -1e300, 3}), back));
  EXPECT_EQ(back, (std::vector<double>{0.1, -1e300, 3}));
  std::vector<std::uint64_t> numbers;
  EXPECT_FALSE(from_lines("1 -2", numbers));
  std::vector<std::string> texts;
  EXPECT_FALSE(from_lines("no end", texts));
}

}  // namespace
}  // namespace retrial::trace
