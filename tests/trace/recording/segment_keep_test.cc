#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/support/folder.h"
#include "trace/recording/segment.h"
#include "trace/recording/segment_folder.h"

namespace retrial::trace {
namespace {
namespace fs = std::filesystem;

class SegmentsWithALimit : public ::testing::Test {
 protected:
  std::unique_ptr<SegmentWriter> writer(std::uint64_t keep) {
    auto opened = SegmentWriter::open(folder, 16384, keep);
    EXPECT_TRUE(opened) << opened.error().line();
    return std::move(*opened);
  }
  std::vector<std::unique_ptr<SegmentWriter>> writers(int count, std::size_t bytes, std::uint64_t keep) {
    auto shared = SegmentFolder::open(folder, {.segment = bytes, .keep = keep, .writers = count});
    EXPECT_TRUE(shared) << shared.error().line();
    std::vector<std::unique_ptr<SegmentWriter>> all;
    for (int i = 0; i < count; i++) all.push_back(std::move(*SegmentWriter::open(*shared)));
    for (auto& w : all) EXPECT_TRUE(w->begin({.id = 1, .began = 5}));
    return all;
  }
  static void record(SegmentWriter& w, std::uint64_t id, std::size_t size = 200) {
    Exchange e;
    e.id = id;
    e.begun = static_cast<Nanos>(id) * 10;
    e.target = "/" + std::string(size, 'x');
    auto head = w.head(1, e);
    ASSERT_TRUE(head) << head.error().line();
    e.ending = Ending::answered;
    e.told = e.begun + 5;
    ASSERT_TRUE(w.over(1, e));
  }
  std::uint64_t bytes() const {
    std::uint64_t all = 0;
    for (auto& file : fs::directory_iterator(folder)) all += file.file_size();
    return all;
  }
  test::Folder kept_;
  fs::path folder = kept_.path() / "trace";
};

TEST_F(SegmentsWithALimit, keep_the_newest_exchanges_and_say_that_others_are_gone) {
  auto w = writer(65536);
  ASSERT_TRUE(w->begin({.id = 1, .began = 5}));
  for (std::uint64_t id = 1; id <= 2000; id++) {
    record(*w, id);
    EXPECT_LE(bytes(), 65536u) << "after exchange " << id;
  }
  ASSERT_TRUE(w->end({.id = 1, .began = 5, .ended = 9}));
  w.reset();
  auto run = read_run(folder, 1);
  ASSERT_TRUE(run) << run.error().line();
  EXPECT_EQ(run->began, 5);
  EXPECT_EQ(run->ended, 9);
  ASSERT_FALSE(run->exchanges.empty());
  EXPECT_EQ(run->exchanges.back().id, 2000u);
  EXPECT_GT(run->exchanges.front().id, 1850u);
  EXPECT_EQ(run->exchanges.size(), 2000 - run->exchanges.front().id + 1);
  EXPECT_GT(run->exchanges.size(), 75u) << "half of what there is room for";
}

TEST_F(SegmentsWithALimit, are_never_more_than_it_whatever_writers_and_sizes_there_are) {
  for (int count : {1, 3, 8})
    for (std::size_t size : {std::size_t{4096}, std::size_t{100'000}, std::size_t{2} << 20})
      for (std::uint64_t keep : {SegmentFolder::least_keep(count), std::uint64_t{1} << 20}) {
        folder = kept_.path() / fmt::format("{}-{}-{}", count, size, keep);
        auto all = writers(count, size, keep);
        std::uint64_t most = bytes();
        for (std::uint64_t id = 1; id <= 3000; id++) {
          record(*all[id * id % all.size()], id, id % 200 ? 200 : 9000);
          if (id % 101 == 0) most = std::max(most, bytes());
        }
        EXPECT_LE(most, keep) << count << " writers, segments of " << size;
        EXPECT_GT(most, keep / 2) << "it is used";
        all.clear();
        auto run = read_run(folder, 1);
        ASSERT_TRUE(run) << run.error().line();
        EXPECT_EQ(run->exchanges.back().id, 3000u);
      }
}

TEST_F(SegmentsWithALimit, of_earlier_starts_count_and_go_first_and_those_that_are_written_stay) {
  auto beside = kept_.path() / "earlier";
  constexpr std::uint64_t kKeep = 131'072;
  for (std::uint64_t start = 1; start <= 6; start++) {
    auto opened =
        SegmentFolder::open(start == 1 ? beside : folder, {.segment = 16384, .keep = kKeep, .earlier = {beside}});
    ASSERT_TRUE(opened);
    auto w = std::move(*SegmentWriter::open(*opened));
    ASSERT_TRUE(w->begin({.id = start}));
    auto all = [&] {
      std::uint64_t sum = fs::exists(folder) ? bytes() : 0;
      for (auto& file : fs::directory_iterator(beside)) sum += file.file_size();
      return sum;
    };
    for (std::uint64_t id = 1; id <= 100; id++) {
      Exchange e{.id = id};
      e.target = std::string(300, 'x');
      ASSERT_TRUE(w->head(start, e));
      EXPECT_LE(all(), kKeep) << "start " << start;
    }
  }
  EXPECT_TRUE(fs::is_empty(beside)) << "the oldest of all";
  auto runs = read_segments(folder);
  ASSERT_TRUE(runs) << runs.error().line();
  EXPECT_EQ(runs->back().id, 6u);
  EXPECT_EQ(runs->back().exchanges.size(), 100u);
  EXPECT_GT(runs->front().id, 2u);
  EXPECT_LT(runs->front().id, 6u) << "no more is removed than has to be";

  auto open = writer(0);  // without a limit, and still being written
  ASSERT_TRUE(open->begin({.id = 7}));
  auto w = writer(65536);
  ASSERT_TRUE(w->begin({.id = 8}));
  for (std::uint64_t id = 1; id <= 1000; id++) {
    Exchange e{.id = id};
    e.target = std::string(300, 'x');
    ASSERT_TRUE(w->head(8, e));
  }
  EXPECT_TRUE(read_run(folder, 7)) << "it is another's";
}

TEST_F(SegmentsWithALimit, of_several_threads_are_never_more_than_it) {
  constexpr std::uint64_t kKeep = 1u << 20;
  auto all = writers(4, 1u << 20, kKeep);
  std::atomic<int> running{4};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < all.size(); t++)
    threads.emplace_back([&, t] {
      for (std::uint64_t n = 0; n < 3000; n++) record(*all[t], n * 4 + t + 1, n % 100 ? 300 : 500'000);
      running--;
    });
  while (running) {
    std::uint64_t now = 0;
    std::error_code gone;
    for (auto& file : fs::directory_iterator(folder))
      if (auto size = file.file_size(gone); !gone) now += size;
    EXPECT_LE(now, kKeep + (1u << 18)) << "a file may have been renamed while they were counted";
  }
  for (auto& thread : threads) thread.join();
  EXPECT_LE(bytes(), kKeep);
}

TEST_F(SegmentsWithALimit, know_their_run_from_any_segment_that_is_left) {
  auto w = writer(65536);
  ASSERT_TRUE(w->begin({.id = 1, .began = 5}));
  for (std::uint64_t id = 1; id <= 1000; id++) record(*w, id);
  auto run = read_run(folder, 1);  // as after kill -9
  ASSERT_TRUE(run) << run.error().line();
  EXPECT_EQ(run->began, 5);
  EXPECT_FALSE(run->incomplete.empty());
}

TEST_F(SegmentsWithALimit, say_that_the_beginning_is_gone_where_no_exchange_tells) {
  auto w = writer(65536);
  ASSERT_TRUE(w->begin({.id = 1, .began = 5}));
  for (std::uint64_t id = 1; !fs::exists(folder / "0003.seg"); id++) record(*w, id);
  ASSERT_TRUE(w->end({.id = 1, .began = 5, .ended = 9}));
  w.reset();
  EXPECT_EQ(read_run(folder, 1)->incomplete, "");
  fs::remove(folder / "0001.seg");
  auto run = read_run(folder, 1);
  ASSERT_TRUE(run) << run.error().line();
  EXPECT_TRUE(run->incomplete.starts_with(kBeheaded)) << run->incomplete;
  EXPECT_EQ(run->began, 5);
}

// Nothing that is left says when it began, or what it was.
TEST_F(SegmentsWithALimit, without_any_record_of_their_run_are_read_from_the_first_exchange_on) {
  auto w = writer(0);
  ASSERT_TRUE(w->begin({.id = 7, .began = 5}));
  auto at = [](std::uint64_t id) { return static_cast<Nanos>(id) * 10; };
  std::uint64_t id = 1;
  auto put = [&] {
    Exchange e{.id = id++};
    e.begun = at(e.id);
    e.target = std::string(200, 'x');
    ASSERT_TRUE(w->head(7, e));
    e.told = e.begun + 5;
    ASSERT_TRUE(w->over(7, e));
  };
  while (!fs::exists(folder / "0003.seg")) put();
  put();
  w.reset();
  fs::remove(folder / "0001.seg");
  auto run = read_run(folder, 7);
  ASSERT_TRUE(run) << run.error().line();
  EXPECT_TRUE(run->incomplete.starts_with(kBeheaded)) << run->incomplete;
  EXPECT_EQ(run->stop, Stop::cut_off);
  ASSERT_FALSE(run->exchanges.empty());
  EXPECT_EQ(run->began, run->exchanges.front().begun);
  EXPECT_EQ(run->ended, at(id - 1) + 5);
}

TEST_F(SegmentsWithALimit, leave_out_an_exchange_whose_beginning_is_gone) {
  auto first = writer(0);
  ASSERT_TRUE(first->begin({.id = 1}));
  Exchange e;
  e.id = 1;
  ASSERT_TRUE(first->head(1, e));
  first.reset();
  auto second = writer(0);
  ASSERT_TRUE(second->over(1, e));
  record(*second, 2);
  ASSERT_TRUE(second->end({.id = 1}));
  second.reset();
  fs::remove(folder / "0001.seg");
  auto run = read_run(folder, 1);
  ASSERT_TRUE(run) << run.error().line();
  ASSERT_EQ(run->exchanges.size(), 1u);
  EXPECT_EQ(run->exchanges[0].id, 2u);
  EXPECT_NE(run->incomplete.find("1 records of earlier exchanges"), std::string::npos) << run->incomplete;
}

TEST_F(SegmentsWithALimit, hold_a_record_that_is_larger_than_a_segment_within_it) {
  auto w = writer(200'000);
  ASSERT_TRUE(w->begin({.id = 1}));
  for (std::uint64_t id = 1; id <= 100; id++) {
    record(*w, id, id % 10 ? 200 : 100'000);
    EXPECT_LE(bytes(), 200'000u) << "after exchange " << id;
  }
  ASSERT_TRUE(w->end({.id = 1}));
  w.reset();
  auto run = read_run(folder, 1);
  ASSERT_TRUE(run) << run.error().line();
  EXPECT_EQ(run->exchanges.back().target.size(), 100'001u);
}

TEST_F(SegmentsWithALimit, refuse_a_record_that_is_larger_than_it_and_say_so) {
  auto w = writer(65536);
  ASSERT_TRUE(w->begin({.id = 1}));
  Exchange e;
  e.id = 1;
  e.target = std::string(100'000, 'y');
  auto refused = w->head(1, e);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().line().find("more than are left of the 65536 that are kept"), std::string::npos)
      << refused.error().line();
  EXPECT_LE(bytes(), 65536u);
}

TEST_F(SegmentsWithALimit, that_has_no_room_for_all_writers_are_refused_with_the_least) {
  auto refused = SegmentFolder::open(folder, {.keep = 100'000, .writers = 8});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().line(), folder.string() +
                                        ": 100000 bytes are too few for a trace with 8 writers: at least " +
                                        std::to_string(SegmentFolder::least_keep(8)));
  EXPECT_EQ(refused.error().blame, Blame::user);
}

std::vector<std::uint64_t> ids(const Run& run) {
  std::vector<std::uint64_t> all;
  for (auto& e : run.exchanges) all.push_back(e.id);
  return all;
}

// What stood in a file before it was written anew stands behind the new records, at the very places where records of
// the same size end.
TEST_F(SegmentsWithALimit, give_back_no_old_record_of_a_file_that_is_written_anew) {
  auto w = writer(65536);
  ASSERT_TRUE(w->begin({.id = 1}));
  for (std::uint64_t id = 1; id <= 2000; id++) {
    record(*w, id);
    auto run = read_run(folder, 1);
    ASSERT_TRUE(run) << run.error().line();
    ASSERT_EQ(run->incomplete.find("byte"), std::string::npos) << "after exchange " << id << ": " << run->incomplete;
    auto seen = ids(*run);
    ASSERT_EQ(seen.back(), id);
    ASSERT_EQ(seen.size(), seen.back() - seen.front() + 1) << "each once, and none between is missing";
  }
}

// After the power was lost: pages reach the disk in any order.
TEST_F(SegmentsWithALimit, with_an_old_page_in_the_place_of_a_new_one_mark_the_run) {
  auto w = writer(65536);
  ASSERT_TRUE(w->begin({.id = 1}));
  std::uint64_t id = 1;
  while (!fs::exists(folder / "0008.seg")) record(*w, id++);
  auto old = test::contents(folder / "0005.seg");
  while (!fs::exists(folder / "0009.seg")) record(*w, id++);
  ASSERT_FALSE(fs::exists(folder / "0005.seg")) << "it is 0009 now";
  for (int n = 0; n < 30; n++) record(*w, id++);
  ASSERT_TRUE(w->end({.id = 1}));
  w.reset();
  auto bytes = test::contents(folder / "0009.seg");
  ASSERT_GT(bytes.size(), 8192u);
  std::ofstream(folder / "0009.seg", std::ios::binary) << bytes.substr(0, 4096) << old.substr(4096);
  auto run = read_run(folder, 1);
  ASSERT_TRUE(run) << run.error().line();
  EXPECT_NE(run->incomplete.find("0009.seg: a record at byte "), std::string::npos) << run->incomplete;
  auto gone = read_segment_bytes(old, "0005.seg");
  ASSERT_TRUE(gone) << gone.error().line();
  EXPECT_GT(run->exchanges.front().id, gone->at(0).exchanges.back().id);
}

TEST_F(SegmentsWithALimit, can_be_read_while_they_are_written) {
  auto w = writer(1u << 18);
  ASSERT_TRUE(w->begin({.id = 1}));
  std::atomic<bool> over{false};
  std::thread busy([&] {
    for (std::uint64_t id = 1; id <= 20'000; id++) record(*w, id);
    over = true;
  });
  while (!over) {
    auto runs = read_segments(folder);
    EXPECT_TRUE(runs) << runs.error().line();
    if (!runs || runs->empty()) continue;  // all files that were there have been written anew
    auto seen = ids(runs->back());
    EXPECT_EQ(std::ranges::adjacent_find(seen, std::greater_equal()), seen.end()) << "each once";
  }
  busy.join();
}

}  // namespace
}  // namespace retrial::trace
