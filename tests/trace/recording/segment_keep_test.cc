#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "trace/recording/segment.h"

namespace retrial::trace {
namespace {
namespace fs = std::filesystem;

class SegmentsWithALimit : public ::testing::Test {
 protected:
  SegmentsWithALimit() {
    std::string name = (fs::temp_directory_path() / "retrial-keep-XXXXXX").string();
    folder = ::mkdtemp(name.data());
  }
  ~SegmentsWithALimit() override { fs::remove_all(folder); }

  std::unique_ptr<SegmentWriter> writer(std::uint64_t keep) {
    auto opened = SegmentWriter::open(folder, 4096, keep);
    EXPECT_TRUE(opened) << opened.error().line();
    return std::move(*opened);
  }
  static void record(SegmentWriter& w, std::uint64_t id) {
    Exchange e;
    e.id = id;
    e.target = "/" + std::string(200, 'x');
    ASSERT_TRUE(w.head(1, e));
    e.ending = Ending::answered;
    ASSERT_TRUE(w.over(1, e));
  }
  std::uint64_t bytes() const {
    std::uint64_t all = 0;
    for (auto& file : fs::directory_iterator(folder)) all += file.file_size();
    return all;
  }
  fs::path folder;
};

TEST_F(SegmentsWithALimit, keep_the_newest_exchanges_and_say_that_others_are_gone) {
  auto w = writer(16384);
  ASSERT_TRUE(w->begin({.id = 1, .began = 5}));
  for (std::uint64_t id = 1; id <= 500; id++) {
    record(*w, id);
    EXPECT_LE(bytes(), 16384u) << "after exchange " << id;
  }
  ASSERT_TRUE(w->end({.id = 1, .began = 5, .ended = 9}));
  w.reset();
  auto run = read_run(folder, 1);
  ASSERT_TRUE(run) << run.error().line();
  EXPECT_EQ(run->began, 5);
  EXPECT_EQ(run->ended, 9);
  ASSERT_FALSE(run->exchanges.empty());
  EXPECT_EQ(run->exchanges.back().id, 500u);
  EXPECT_GT(run->exchanges.front().id, 400u);
  EXPECT_EQ(run->exchanges.size(), 500 - run->exchanges.front().id + 1);
}

TEST_F(SegmentsWithALimit, know_their_run_from_any_segment_that_is_left) {
  auto w = writer(8192);
  ASSERT_TRUE(w->begin({.id = 1, .began = 5}));
  for (std::uint64_t id = 1; id <= 100; id++) record(*w, id);
  auto run = read_run(folder, 1);  // as after kill -9
  ASSERT_TRUE(run) << run.error().line();
  EXPECT_EQ(run->began, 5);
  EXPECT_FALSE(run->incomplete.empty());
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

TEST_F(SegmentsWithALimit, may_hold_one_record_that_is_larger_than_the_limit) {
  auto w = writer(8192);
  ASSERT_TRUE(w->begin({.id = 1}));
  Exchange e;
  e.id = 1;
  e.target = std::string(100'000, 'y');
  ASSERT_TRUE(w->head(1, e));
  ASSERT_TRUE(w->over(1, e));
  record(*w, 2);
  w.reset();
  auto run = read_run(folder, 1);
  ASSERT_TRUE(run) << run.error().line();
  EXPECT_EQ(run->exchanges.back().id, 2u);
}

}  // namespace
}  // namespace retrial::trace
