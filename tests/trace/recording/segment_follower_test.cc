#include "trace/recording/segment_follower.h"
#include "trace/fault_name.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/folder.h"
#include "tests/trace/samples.h"
#include "trace/recording/record.h"
#include "trace/recording/segment_folder.h"

namespace retrial::trace {
namespace {

struct Following : ::testing::Test {
  test::Folder folder;
  std::filesystem::path path = folder.path() / "trace";
  trace::Run run{.id = 5, .began = 1, .wall_began = 1};
  std::vector<std::unique_ptr<SegmentWriter>> writers;
  std::vector<std::uint64_t> begun, ended;
  std::uint64_t last = 0;

  void record(std::size_t segment, std::uint64_t keep, int loops = 1) {
    auto opened = SegmentFolder::open(path, {.segment = segment, .keep = keep, .writers = loops});
    ASSERT_TRUE(opened) << opened.error().line();
    for (int i = 0; i < loops; i++) {
      auto writer = SegmentWriter::open(*opened);
      ASSERT_TRUE(writer) << writer.error().line();
      ASSERT_TRUE((*writer)->begin(run));
      writers.push_back(std::move(*writer));
    }
  }
  Exchange begin(std::size_t writer = 0, std::size_t size = 40) {
    Exchange e;
    e.id = ++last;
    e.service = "127.0.0.1:1";
    e.method = "GET";
    e.target = "/" + std::string(size, 'a');
    e.begun = static_cast<Nanos>(1000 * last);
    EXPECT_TRUE(writers[writer]->head(run.id, e));
    return e;
  }
  void end(Exchange e, std::size_t writer = 0) {
    e.told = e.begun + 10;
    e.client_status = 200;
    e.ending = Ending::answered;
    EXPECT_TRUE(writers[writer]->over(run.id, e));
  }
  // Everything that has come since.
  void look(SegmentFollower& follower) {
    for (bool more = true; more;) {
      auto looked = follower.look({.head = [&](Exchange& e) { begun.push_back(e.id); },
                                   .over =
                                       [&](auto& e) {
                                         EXPECT_EQ(e->client_status, 200);
                                         EXPECT_EQ(e->method, "GET");
                                         ended.push_back(e->id);
                                       }});
      ASSERT_TRUE(looked) << looked.error().line();
      more = *looked;
    }
  }
};

TEST_F(Following, sees_each_record_once_as_soon_as_it_is_there) {
  record(1u << 20, 0);
  SegmentFollower follower(path, {.run = run.id});
  look(follower);
  auto one = begin();
  look(follower);
  EXPECT_EQ(begun, (std::vector<std::uint64_t>{1}));
  EXPECT_TRUE(ended.empty());
  end(one);
  end(begin());
  look(follower);
  look(follower);
  EXPECT_EQ(ended, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(follower.lost(), 0u);
}

TEST_F(Following, tells_of_each_exchange_nothing_of_another_whose_room_it_has) {
  record(1u << 20, 0);
  SegmentFollower follower(path, {.run = run.id});
  auto rich = begin();
  rich.answered = rich.begun + 1;
  rich.service_status = 200;
  rich.response_headers = {{"Location", std::string(100, 'a')}};
  rich.evidence = std::string(100, 'b');
  rich.fault.name = FaultName::delay;
  EXPECT_TRUE(writers[0]->answer(run.id, rich));
  EXPECT_TRUE(writers[0]->fired(run.id, rich));
  end(rich);
  look(follower);
  end(begin());
  bool told = false;
  auto looked = follower.look({.head = {}, .over = [&](auto& e) {
                                 told = true;
                                 EXPECT_TRUE(e->response_headers.empty());
                                 EXPECT_TRUE(e->evidence.empty());
                                 EXPECT_FALSE(e->fired);
                                 EXPECT_TRUE(is_pass(e->fault));
                                 EXPECT_EQ(e->answered, 0);
                               }});
  EXPECT_TRUE(looked && told);
}

TEST_F(Following, what_has_ended_may_be_kept_and_it_is_said_how_many_more_do) {
  record(1u << 20, 0);
  SegmentFollower follower(path, {.run = run.id});
  for (int i = 0; i < 5; i++) end(begin());
  std::vector<std::unique_ptr<Exchange>> kept;
  std::vector<std::size_t> more;
  auto looked = follower.look({.head = {}, .over = [&](auto& e) {
                                 kept.push_back(std::move(e));
                                 more.push_back(follower.still_to_end());
                               }});
  ASSERT_TRUE(looked);
  EXPECT_EQ(more, (std::vector<std::size_t>{4, 3, 2, 1, 0}));
  for (std::uint64_t i = 0; i < 5; i++) EXPECT_EQ(kept[i]->id, i + 1);
}

TEST(Record, a_room_that_is_used_again_tells_nothing_of_what_was_there) {
  auto e = samples::whole(1);
  e.tag.frames = "f";
  e.request_lines = e.response_lines = e.trailer_lines = "a: b\r\n";
  e.credentials = e.credentials_given = 1;
  e.busy = {1, 2, 3};
  record::begin_anew(e);
  e.request_headers.clear();  // that are written over
  EXPECT_EQ(samples::text(e), samples::text(Exchange{}));
  EXPECT_TRUE(e.tag.frames.empty() && e.request_lines.empty() && e.response_lines.empty() && e.trailer_lines.empty());
  EXPECT_EQ(e.credentials + e.credentials_given, 0u);
  EXPECT_EQ(e.fault, FaultSpec{});
}

TEST_F(Following, goes_on_over_windows_segments_and_writers_and_misses_nothing) {
  record(64u << 10, 0, 2);
  SegmentFollower follower(path, {.run = run.id});
  for (int i = 0; i < 20'000; i++) {
    auto writer = static_cast<std::size_t>(i % 2);
    end(begin(writer, static_cast<std::size_t>(i % 300)), writer);
    if (i % 37 == 0) look(follower);
  }
  look(follower);
  EXPECT_EQ(ended.size(), 20'000u);
  EXPECT_EQ(std::set(ended.begin(), ended.end()).size(), 20'000u);
  EXPECT_EQ(follower.lost(), 0u);
  EXPECT_EQ(follower.open(), 0u);
}

TEST_F(Following, takes_a_record_that_is_larger_than_a_window) {
  record(256u << 10, 0);
  SegmentFollower follower(path, {.run = run.id});
  end(begin(0, 150'000));
  end(begin(0, 300'000));
  end(begin());
  look(follower);
  EXPECT_EQ(ended, (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST_F(Following, counts_what_was_gone_before_it_was_read_and_goes_on_with_what_is_there) {
  record(16u << 10, 64u << 10);
  SegmentFollower follower(path, {.run = run.id});
  end(begin());
  look(follower);
  for (int i = 0; i < 20'000; i++) end(begin());
  look(follower);
  EXPECT_GT(follower.lost(), 0u);
  EXPECT_GT(ended.size(), 1u);
  EXPECT_LT(ended.size(), 2'000u);
  EXPECT_EQ(ended.back(), last) << "the newest are there";
  ended.clear();
  end(begin());
  look(follower);
  EXPECT_EQ(ended, (std::vector<std::uint64_t>{last}));
}

TEST_F(Following, begins_with_what_is_being_written_where_that_is_asked) {
  record(16u << 10, 0);
  for (int i = 0; i < 1'000; i++) end(begin());
  SegmentFollower follower(path, {.run = run.id, .from_the_first = false});
  look(follower);
  EXPECT_LT(ended.size(), 200u);
  EXPECT_EQ(ended.back(), last);
  EXPECT_EQ(follower.lost(), 0u);
}

TEST_F(Following, looks_at_its_own_run_alone_and_holds_no_more_open_than_it_may) {
  record(1u << 20, 0);
  SegmentFollower other(path, {.run = 6}), few(path, {.run = run.id, .most_open = 10});
  for (int i = 0; i < 100; i++) begin();
  look(other);
  EXPECT_TRUE(begun.empty());
  look(few);
  EXPECT_EQ(begun.size(), 100u);
  EXPECT_EQ(few.open(), 10u);
  EXPECT_EQ(few.lost(), 90u);
}

}  // namespace
}  // namespace retrial::trace
