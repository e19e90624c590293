#include "trace/recording/segment.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/text.h"
#include "tests/trace/samples.h"
#include "trace/fault_table.h"
#include "trace/recording/record.h"

namespace retrial::trace {
namespace {
namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "retrial-trace-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path); }
  fs::path path;
};
std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}
void put(const fs::path& file, std::string_view bytes) { std::ofstream(file, std::ios::binary) << bytes; }

std::unique_ptr<SegmentWriter> writer(const fs::path& folder, std::size_t bytes = 1 << 16) {
  auto opened = SegmentWriter::open(folder, bytes);
  EXPECT_TRUE(opened) << opened.error().line();
  return std::move(*opened);
}
std::vector<Run> read(const fs::path& folder) {
  auto runs = read_segments(folder);
  EXPECT_TRUE(runs) << runs.error().line();
  return runs ? std::move(*runs) : std::vector<Run>{};
}
// All that happens to one exchange, as the proxy tells it.
void record(SegmentWriter& w, std::uint64_t run, std::uint64_t id) {
  auto e = samples::exchange(id);
  ASSERT_TRUE(w.head(run, e));
  ASSERT_TRUE(w.answer(run, samples::answered(e)));
  ASSERT_TRUE(w.fired(run, samples::fired(e)));
  ASSERT_TRUE(w.over(run, samples::over(e)));
}

TEST(Segments, give_back_every_field_of_a_run_and_its_exchanges) {
  Folder folder;
  auto run = samples::run(7);
  {
    auto w = writer(folder.path);
    ASSERT_TRUE(w->begin({.id = 7}));
    for (std::uint64_t id = 1; id <= 3; id++) record(*w, 7, id);
    ASSERT_TRUE(w->end(run));
  }
  for (std::uint64_t id = 1; id <= 3; id++) run.exchanges.push_back(samples::whole(id));
  auto runs = read(folder.path);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(samples::text(runs[0]), samples::text(run));
}

// Numbers that share a place in a record come back as what they are of their fault.
TEST(Segments, give_back_every_fault_with_numbers_of_its_own) {
  Folder folder;
  std::vector<FaultSpec> faults;
  auto w = writer(folder.path);
  ASSERT_TRUE(w->begin({.id = 7}));
  for (auto& row : fault_rows())
    for (auto spread : {Spread::fixed, Spread::uniform, Spread::pareto}) {
      auto e = samples::exchange(faults.size() + 1);
      e.fault = {.name = row.fault, .spread = spread};
      e.fault.*stored_bytes(row.fault) = 7;
      e.fault.*stored_width(spread) = 8;
      if (is_pass(e.fault)) e.fault = {};
      faults.push_back(e.fault);
      ASSERT_TRUE(w->head(7, e));
    }
  auto exchanges = read(folder.path).at(0).exchanges;
  ASSERT_EQ(exchanges.size(), faults.size());
  for (std::size_t i = 0; i < faults.size(); i++) EXPECT_EQ(exchanges[i].fault, faults[i]) << show(faults[i]);
}

TEST(Segments, a_record_is_readable_as_soon_as_it_is_written) {
  Folder folder;
  auto w = writer(folder.path);
  ASSERT_TRUE(w->begin(samples::run(1)));
  auto e = samples::exchange(1);
  auto seen = [&] { return samples::text(read(folder.path).at(0).exchanges.at(0)); };
  ASSERT_TRUE(w->head(1, e));
  EXPECT_EQ(seen(), samples::text(e));
  ASSERT_TRUE(w->answer(1, samples::answered(e)));
  EXPECT_EQ(seen(), samples::text(e));
  ASSERT_TRUE(w->fired(1, samples::fired(e)));
  EXPECT_EQ(seen(), samples::text(e));
  ASSERT_TRUE(w->over(1, samples::over(e)));
  EXPECT_EQ(seen(), samples::text(e));
  EXPECT_FALSE(read(folder.path)[0].incomplete.empty()) << "it has not ended";
  ASSERT_TRUE(w->end(samples::run(1)));
  EXPECT_EQ(read(folder.path)[0].incomplete, "");
}

TEST(Segments, an_exchange_without_call_site_or_headers_stays_so) {
  Folder folder;
  auto w = writer(folder.path);
  Exchange e{.id = 1, .method = "GET"};
  ASSERT_TRUE(w->begin({.id = 1}));
  ASSERT_TRUE(w->head(1, e));
  EXPECT_EQ(samples::text(read(folder.path)[0].exchanges.at(0)), samples::text(e));
}

TEST(Segments, go_on_in_another_file_where_one_is_full_and_records_may_be_larger_than_a_file) {
  Folder folder;
  auto run = samples::run(1);
  {
    auto w = writer(folder.path, 4096);
    ASSERT_TRUE(w->begin(run));
    for (std::uint64_t id = 1; id <= 50; id++) record(*w, 1, id);
    auto large = samples::exchange(51);
    large.target = std::string(100'000, 'x');
    ASSERT_TRUE(w->head(1, large));
    record(*w, 1, 52);
    ASSERT_TRUE(w->end(run));
    run.exchanges.clear();
    for (std::uint64_t id = 1; id <= 52; id++) run.exchanges.push_back(id == 51 ? large : samples::whole(id));
  }
  EXPECT_GT(std::distance(fs::directory_iterator(folder.path), {}), 10);
  EXPECT_EQ(samples::text(read(folder.path).at(0)), samples::text(run));
}

TEST(Segments, the_end_of_a_run_of_many_tests_may_be_larger_than_a_file_too) {
  Folder folder;
  auto run = samples::run(1);
  run.results.push_back({.test = std::string(10'000, 't'), .phase = Phase::test, .outcome = "passed", .chain = {}});
  {
    auto w = writer(folder.path, 4096);
    ASSERT_TRUE(w->begin(run));
    auto ended = w->end(run);
    EXPECT_TRUE(ended) << ended.error().line();
  }
  EXPECT_EQ(samples::text(read(folder.path).at(0)), samples::text(run));
}

TEST(Segments, give_back_the_room_that_was_not_used) {
  Folder folder;
  {
    auto w = writer(folder.path, 1 << 20);
    ASSERT_TRUE(w->begin(samples::run(1)));
    EXPECT_EQ(fs::file_size(folder.path / "0001.seg"), 1u << 20) << "allocated ahead";
  }
  EXPECT_LT(fs::file_size(folder.path / "0001.seg"), 2000u);
  EXPECT_EQ(read(folder.path).size(), 1u);
}

TEST(Segments, two_writers_in_one_folder_do_not_meet) {
  Folder folder;
  {
    auto a = writer(folder.path), b = writer(folder.path);
    ASSERT_TRUE(a->begin(samples::run(1)));
    ASSERT_TRUE(b->begin(samples::run(2)));
    record(*b, 2, 1);
    record(*a, 1, 1);
    record(*b, 1, 2);
    ASSERT_TRUE(b->end(samples::run(2)));
    ASSERT_TRUE(a->end(samples::run(1)));
  }
  auto runs = read(folder.path);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].id, 1u);
  EXPECT_EQ(runs[0].exchanges.size(), 2u);
  EXPECT_EQ(runs[0].exchanges[1].id, 2u) << "by id, whoever wrote them";
  EXPECT_EQ(runs[1].exchanges.size(), 1u);
  EXPECT_EQ(runs[0].incomplete + runs[1].incomplete, "");
}

TEST(Segments, are_read_from_folders_below_and_one_run_alone) {
  Folder folder;
  for (std::uint64_t id : {12, 3}) {
    auto w = writer(folder.path / ("run-" + std::to_string(id)));
    ASSERT_TRUE(w->begin(samples::run(id)));
    record(*w, id, 1);
    ASSERT_TRUE(w->end(samples::run(id)));
  }
  auto runs = read(folder.path);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].id, 3u);
  auto one = read_run(folder.path, 12);
  ASSERT_TRUE(one);
  EXPECT_EQ(samples::text(*one), samples::text(runs[1]));
  auto none = read_run(folder.path, 4);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().what, "the trace holds no run 4");
}

// What a reader is told, a line each.
std::string told(const fs::path& folder) {
  std::string out;
  auto runs = read_segments(
      folder, {.head = [&](auto run, Exchange& e) { out += fmt::format("head {} {}\n", run, e.id), e.call = 7; },
               .over = [&](auto run, Exchange&& e) { out += fmt::format("over {} {} {}\n", run, e.id, e.call); }});
  EXPECT_TRUE(runs) << runs.error().line();
  for (auto& run : *runs) EXPECT_TRUE(run.exchanges.empty());
  return out;
}

TEST(Segments, of_several_loops_are_told_in_the_order_in_which_it_happened) {
  Folder folder;
  auto a = writer(folder.path, 8192), b = writer(folder.path, 8192);
  ASSERT_TRUE(a->begin({.id = 1}));
  auto tell = [](SegmentWriter& w, std::uint64_t id, Nanos begun, Nanos told) {
    Exchange e{.id = id, .begun = begun};
    ASSERT_TRUE(w.head(1, e));
    if (!told) return;
    e.told = told;
    ASSERT_TRUE(w.over(1, e));
  };
  tell(*b, 2, 15, 40);
  tell(*a, 1, 10, 20);
  tell(*a, 3, 30, 50);
  tell(*b, 4, 45, 0);
  ASSERT_TRUE(a->end({.id = 1}));
  a.reset();
  b.reset();
  EXPECT_EQ(told(folder.path),
            "head 1 1\nhead 1 2\nover 1 1 7\nhead 1 3\nover 1 2 7\nhead 1 4\nover 1 3 7\nover 1 4 7\n");
}

TEST(Segments, of_a_long_run_are_told_one_by_one_and_none_is_missing) {
  Folder folder;
  {
    auto w = writer(folder.path, 4096);
    ASSERT_TRUE(w->begin({.id = 1}));
    for (std::uint64_t id = 1; id <= 300; id++) record(*w, 1, id);
    ASSERT_TRUE(w->end({.id = 1}));
  }
  std::uint64_t next = 1;
  auto good = read(folder.path).at(0);
  auto runs = read_segments(folder.path, {.over = [&](auto, Exchange&& e) {
                              EXPECT_EQ(e.id, next++);
                              EXPECT_EQ(samples::text(e), samples::text(good.exchanges[e.id - 1]));
                            }});
  ASSERT_TRUE(runs);
  EXPECT_EQ(next, 301u);
  EXPECT_EQ(runs->at(0).incomplete, "");
}

TEST(Segments, a_folder_without_segments_has_no_runs_and_a_missing_one_is_an_error) {
  Folder folder;
  EXPECT_TRUE(read(folder.path).empty());
  auto missing = read_segments(folder.path / "no");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().line().find("No such file"), std::string::npos) << missing.error().line();
}

// In a process of its own, which is killed in the middle of it once `least` exchanges are written. `bytes` and `keep`
// as in SegmentWriter::open. How many it said to have written.
std::uint64_t killed_while_writing(const fs::path& folder, std::uint64_t least, std::size_t bytes, std::uint64_t keep) {
  int told[2];
  if (::pipe(told) != 0) return 0;
  auto child = ::fork();
  if (child == 0) {
    auto w = SegmentWriter::open(folder, bytes, keep);
    (void)(*w)->begin(samples::run(1));
    for (std::uint64_t id = 1; id < 1'000'000; id++) {
      auto e = samples::exchange(id);
      if (!(*w)->head(1, e) || !(*w)->over(1, samples::over(e))) break;
      if (::write(told[1], &id, sizeof id) != sizeof id) break;
    }
    ::_exit(1);
  }
  ::close(told[1]);
  std::uint64_t written = 0, next = 0;
  bool killed = false;
  while (::read(told[0], &next, sizeof next) == static_cast<ssize_t>(sizeof next)) {
    written = next;
    if (written >= least && !killed) killed = ::kill(child, SIGKILL) == 0;
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  ::close(told[0]);
  return written;
}

TEST(Segments, survive_kill_9_of_the_process_that_writes_them) {
  for (std::size_t bytes : {8192, 1 << 18, 1 << 21}) {
    Folder folder;
    auto written = killed_while_writing(folder.path, 500, bytes, 0);
    auto runs = read(folder.path);
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0].incomplete, "the trace stops before the run has ended");
    ASSERT_GE(runs[0].exchanges.size(), written) << "what was said to be committed is there";
    EXPECT_EQ(runs[0].tests.size(), 2u);
    for (std::uint64_t id = 1; id <= written; id++) EXPECT_EQ(runs[0].exchanges[id - 1].ending, Ending::reset);
  }
}

TEST(Segments, survive_kill_9_where_old_ones_are_written_anew) {
  for (std::uint64_t least = 3000; least < 3010; least++) {
    Folder folder;
    auto written = killed_while_writing(folder.path, least, 1 << 15, 1 << 17);
    auto runs = read(folder.path);
    ASSERT_EQ(runs.size(), 1u);
    auto& run = runs[0];
    EXPECT_EQ(run.incomplete.find("cannot be read"), run.incomplete.npos) << run.incomplete;
    EXPECT_EQ(run.incomplete.find("byte"), run.incomplete.npos) << run.incomplete;
    ASSERT_GT(run.exchanges.size(), 50u);
    for (auto& e : run.exchanges)
      EXPECT_EQ(e.id - run.exchanges[0].id, static_cast<std::uint64_t>(&e - &run.exchanges[0]));
    EXPECT_GE(run.exchanges.back().id, written);
  }
}

// One small segment of a run that has ended.
std::string small_segment() {
  Folder folder;
  {
    auto w = writer(folder.path, 4096);
    EXPECT_TRUE(w->begin({.id = 1}));
    record(*w, 1, 1);
    EXPECT_TRUE(w->end({.id = 1}));
  }
  return bytes_of(folder.path / "0001.seg");
}

TEST(Segments, a_record_cut_in_the_middle_ends_the_segment_and_marks_the_run) {
  auto whole = small_segment();
  for (std::size_t n = sizeof(record::SegmentHead); n + 8 < whole.size(); n++) {
    auto runs = read_segment_bytes(std::string_view(whole).substr(0, n), "0001.seg");
    ASSERT_TRUE(runs) << n << runs.error().line();
    for (auto& run : *runs) EXPECT_FALSE(run.incomplete.empty()) << n;
  }
}

TEST(Segments, a_damaged_byte_anywhere_marks_the_run_or_is_no_part_of_it) {
  auto whole = small_segment();
  auto good = samples::text(read_segment_bytes(whole, "x").value().at(0));
  std::size_t noticed = 0;
  for (std::size_t n = sizeof(record::SegmentHead); n < whole.size(); n++) {
    auto bytes = whole;
    bytes[n] = static_cast<char>(bytes[n] ^ 0x10);
    auto runs = read_segment_bytes(bytes, "x");
    ASSERT_TRUE(runs) << n;
    ASSERT_FALSE(runs->empty()) << n;
    bool marked = std::ranges::any_of(*runs, [](auto& run) { return !run.incomplete.empty(); });
    noticed += marked;
    if (!marked) {
      EXPECT_EQ(samples::text(runs->at(0)), good) << n;  // padding
    }
  }
  EXPECT_GT(noticed, whole.size() - 100);
}

TEST(Segments, damage_in_one_run_leaves_the_others_whole) {
  Folder folder;
  for (std::uint64_t id : {1, 2}) {
    auto w = writer(folder.path / std::to_string(id));
    ASSERT_TRUE(w->begin({.id = id}));
    record(*w, id, 1);
    ASSERT_TRUE(w->end({.id = id}));
  }
  auto file = folder.path / "2" / "0001.seg";
  auto bytes = bytes_of(file);
  bytes[bytes.size() / 2] ^= 1;
  put(file, bytes);
  auto runs = read(folder.path);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].incomplete, "");
  EXPECT_NE(runs[1].incomplete.find("0001.seg: a record at byte"), std::string::npos) << runs[1].incomplete;
}

TEST(Segments, of_another_version_are_an_error_that_says_so) {
  Folder folder;
  auto bytes = small_segment();
  bytes[8] = static_cast<char>(record::kVersion + 1);
  put(folder.path / "0001.seg", bytes);
  auto runs = read_segments(folder.path);
  ASSERT_FALSE(runs);
  EXPECT_EQ(runs.error().what,
            "this trace was written by another version of Retrial: its format is 16, 7 to 15 are read here");
  EXPECT_NE(runs.error().on.find("0001.seg"), std::string::npos);
}

// The same segment as an earlier version wrote it: its head ended before `previous`.
std::string of_version(std::uint32_t version, std::string_view now) {
  auto head = record::head_of(now);
  auto from = head.size();
  head.version = version;
  auto at = head.size();
  std::string bytes(reinterpret_cast<char*>(&head), at);
  bytes += now.substr(from);
  for (record::RecordHead r; at + sizeof r <= bytes.size(); at += record::padded(sizeof r + r.length)) {
    std::memcpy(&r, bytes.data() + at, sizeof r);
    r.place = record::place_of(head.number, at);
    std::memcpy(bytes.data() + at, &r, sizeof r);
    r.crc = crc32c(std::string_view(bytes).substr(at + record::kChecked, sizeof r - record::kChecked + r.length));
    std::memcpy(bytes.data() + at, &r, sizeof r);
  }
  return bytes;
}

TEST(Segments, of_earlier_versions_are_read) {
  auto segment = small_segment();
  auto good = samples::text(read_segment_bytes(segment, "x").value().at(0));
  for (auto version = record::kOldest; version < record::kVersion; version++) {
    auto runs = read_segment_bytes(of_version(version, segment), "x");
    ASSERT_TRUE(runs) << runs.error().line();
    EXPECT_EQ(samples::text(runs->at(0)), good) << version;
  }
}

TEST(Segments, of_a_version_without_what_a_fault_answered_are_read_too) {
  auto e = samples::whole(1);
  e.injected_sample.clear();
  std::vector<char> room(4096);
  auto size = record::encode_fired({room.data(), room.size()}, e).size();
  Exchange read;
  EXPECT_TRUE(record::decode_fired({room.data(), size - sizeof(std::uint32_t)}, read));
  EXPECT_EQ(read.evidence, e.evidence);
}

TEST(Segments, a_file_of_another_kind_is_an_error_and_one_never_begun_is_none) {
  Folder folder;
  put(folder.path / "0001.seg", std::string(4096, '\0'));
  put(folder.path / "0002.seg", "");
  EXPECT_TRUE(read(folder.path).empty());
  put(folder.path / "0003.seg", "SQLite format 3");
  auto runs = read_segments(folder.path);
  ASSERT_FALSE(runs);
  EXPECT_EQ(runs.error().what, "this is no segment of a trace");
}

// A file may not grow past a limit: the kernel's answer differs from a full disk's by its number only.
class NoRoom {
 public:
  explicit NoRoom(rlim_t bytes) {
    old_ = ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    auto less = before_;
    less.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &less);
  }
  ~NoRoom() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, old_);
  }

 private:
  rlimit before_{};
  sighandler_t old_;
};

TEST(Segments, a_full_disk_shows_when_room_is_allocated) {
  Folder folder;
  NoRoom limit(4096);
  auto w = SegmentWriter::open(folder.path, 1 << 16);
  ASSERT_FALSE(w);
  EXPECT_NE(w.error().what.find("cannot allocate a trace segment"), std::string::npos) << w.error().line();
  EXPECT_TRUE(fs::is_empty(folder.path)) << "nothing is left behind";
}

TEST(Segments, what_fails_is_lost_and_counted_and_what_was_written_stays) {
  Folder folder;
  {
    auto w = writer(folder.path, 4096);
    ASSERT_TRUE(w->begin({.id = 1}));
    NoRoom limit(8191);
    auto e = samples::exchange(1);
    std::uint64_t written = 0;
    while (written < 100 && w->head(1, e)) e.id = ++written + 1;
    ASSERT_LT(written, 100u);
    ASSERT_GT(written, 2u);
    auto first = w->over(1, e);
    ASSERT_FALSE(first);
    EXPECT_NE(first.error().what.find("cannot allocate"), std::string::npos);
    EXPECT_EQ(w->end({.id = 1}).error().line(), first.error().line());
  }
  auto runs = read(folder.path);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_GT(runs[0].exchanges.size(), 2u);
  EXPECT_FALSE(runs[0].incomplete.empty());
}

// While it lives no further descriptor can be had.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    auto less = before_;
    less.rlim_cur = 0;
    ::setrlimit(RLIMIT_NOFILE, &less);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST(Segments, go_on_once_there_are_descriptors_again_and_say_how_much_was_lost) {
  for (bool ends : {true, false}) {
    Folder folder;
    auto w = writer(folder.path, 8192);
    ASSERT_TRUE(w->begin({.id = 1, .began = 5}));
    std::uint64_t id = 1;
    for (int times = 0; times < 2; times++) {
      std::string why;
      {
        NoDescriptors limit;
        while (id < 10'000 && why.empty())
          if (auto ok = w->head(1, samples::exchange(++id)); !ok) why = ok.error().line();
        EXPECT_NE(why.find("cannot create a trace segment: Too many open files"), why.npos) << why;
        for (int n = 0; n < 4; n++) EXPECT_FALSE(w->answer(1, samples::exchange(id)));
      }
      record(*w, 1, ++id);
    }
    if (ends) {
      ASSERT_TRUE(w->end({.id = 1, .began = 5, .ended = 9}));
    }
    auto runs = read(folder.path);  // as after kill -9 where it has not ended
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0].exchanges.back().id, id);
    EXPECT_EQ(runs[0].began, 5);
    EXPECT_TRUE(runs[0].incomplete.starts_with("10 of its records could not be written: ")) << runs[0].incomplete;
  }
}

TEST(Segments, of_a_run_that_lost_none_say_nothing_of_the_run_before) {
  Folder folder;
  auto w = writer(folder.path, 4096);
  ASSERT_TRUE(w->begin({.id = 1}));
  {
    NoDescriptors limit;
    while (w->head(1, samples::exchange(1))) {
    }
  }
  ASSERT_TRUE(w->begin({.id = 2}));
  ASSERT_TRUE(w->end({.id = 2}));
  auto runs = read(folder.path);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_NE(runs[0].incomplete, "");
  EXPECT_EQ(runs[1].incomplete, "");
}

TEST(Segments, a_folder_that_cannot_be_made_is_an_error) {
  Folder folder;
  put(folder.path / "file", "");
  auto w = SegmentWriter::open(folder.path / "file" / "trace");
  ASSERT_FALSE(w);
  EXPECT_NE(w.error().what.find("cannot be made"), std::string::npos);
}

}  // namespace
}  // namespace retrial::trace
