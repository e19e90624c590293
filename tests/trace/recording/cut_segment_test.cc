// What another process takes away of a segment that is being written.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "tests/support/folder.h"
#include "tests/trace/samples.h"
#include "trace/recording/segment.h"

namespace retrial::trace {
namespace {
namespace fs = std::filesystem;
using test::Folder;

std::unique_ptr<SegmentWriter> writer(const fs::path& folder, std::size_t bytes = 1 << 16) {
  auto opened = SegmentWriter::open(folder, bytes);
  EXPECT_TRUE(opened) << opened.error().line();
  return std::move(*opened);
}
// Writes exchanges until that fails; the error's line, or "" where it never does.
std::string written_until_it_fails(SegmentWriter& w, std::uint64_t from = 1, std::uint64_t to = 10'000) {
  for (auto id = from; id < to; id++) {
    auto e = samples::exchange(id);
    if (auto ok = w.head(1, e); !ok) return ok.error().line();
    if (auto ok = w.over(1, samples::over(e)); !ok) return ok.error().line();
  }
  return "";
}

TEST(CutSegments, are_named_by_their_writer_which_goes_on_in_another) {
  for (std::uintmax_t left : {0, 1, 12, 5000, 40'000}) {
    Folder folder;
    auto w = writer(folder.path());
    ASSERT_TRUE(w->begin(samples::run(1)));
    ASSERT_EQ(written_until_it_fails(*w, 1, 5), "");
    fs::resize_file(folder.path() / "0001.seg", left);
    auto why = written_until_it_fails(*w, 5);
    EXPECT_NE(why.find("0001.seg: "), std::string::npos) << left << ": " << why;
    EXPECT_EQ(written_until_it_fails(*w, 5000, 5010), "") << left;
    EXPECT_TRUE(w->end(samples::run(1))) << left;
    w.reset();
    EXPECT_LE(fs::file_size(folder.path() / "0001.seg"), left) << "what others cut stays cut";
    auto runs = read_segments(folder.path());
    ASSERT_TRUE(runs) << runs.error().line();
    ASSERT_EQ(runs->size(), 1u) << left;
    EXPECT_NE(runs->front().incomplete, "") << left;
    EXPECT_EQ(runs->front().exchanges.back().id, 5009u) << left;
  }
}

TEST(CutSegments, are_noticed_at_the_end_where_nothing_was_written_beyond_the_cut) {
  Folder folder;
  auto w = writer(folder.path());
  ASSERT_TRUE(w->begin(samples::run(1)));
  ASSERT_EQ(written_until_it_fails(*w, 1, 5), "");
  fs::resize_file(folder.path() / "0001.seg", (1 << 16) - 1);
  auto end = w->end(samples::run(1));
  ASSERT_FALSE(end);
  EXPECT_NE(end.error().line().find("0001.seg: "), std::string::npos) << end.error().line();
}

TEST(CutSegments, of_one_writer_leave_the_writers_of_other_threads_alone) {
  Folder folder;
  auto cut = writer(folder.path() / "cut"), whole = writer(folder.path() / "whole");
  ASSERT_TRUE(cut->begin({.id = 1}));
  ASSERT_TRUE(whole->begin({.id = 1}));
  std::string why;
  std::thread other([&] {
    EXPECT_EQ(written_until_it_fails(*whole, 1, 2000), "");
    EXPECT_TRUE(whole->end({.id = 1}));
  });
  std::thread failing([&] {
    fs::resize_file(folder.path() / "cut" / "0001.seg", 0);
    why = written_until_it_fails(*cut);
  });
  other.join();
  failing.join();
  EXPECT_NE(why, "");
  whole.reset();
  auto run = read_run(folder.path() / "whole", 1);
  ASSERT_TRUE(run) << run.error().line();
  EXPECT_EQ(run->incomplete, "");
  EXPECT_EQ(run->exchanges.size(), 1999u);
}

// A page of a file that is not there any more, and of no segment.
char* lost_page() {
  auto file = ::memfd_create("lost", MFD_CLOEXEC);
  EXPECT_EQ(::ftruncate(file, 4096), 0);
  auto* page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  EXPECT_EQ(::ftruncate(file, 0), 0);
  ::close(file);
  return static_cast<char*>(page);
}

class OtherBusErrors : public ::testing::Test {
 protected:
  OtherBusErrors() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  Folder folder_;
};

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // these have a handler of their own
TEST_F(OtherBusErrors, end_the_process_as_they_do_without_a_writer) {
  auto w = writer(folder_.path());
  EXPECT_EXIT(*lost_page() = 1, ::testing::KilledBySignal(SIGBUS), "");
  EXPECT_EXIT(::raise(SIGBUS), ::testing::KilledBySignal(SIGBUS), "");
  EXPECT_EXIT(::kill(::getpid(), SIGBUS), ::testing::KilledBySignal(SIGBUS), "");
}
#endif

void leave(int, siginfo_t*, void* /*context*/) { ::_exit(7); }
TEST_F(OtherBusErrors, go_to_the_handler_that_was_there_before) {
  auto provoke = [&] {
    struct sigaction own{};
    own.sa_sigaction = leave;
    own.sa_flags = SA_SIGINFO;
    ::sigaction(SIGBUS, &own, nullptr);
    auto w = writer(folder_.path());
    *lost_page() = 1;
  };
  EXPECT_EXIT(provoke(), ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace retrial::trace
