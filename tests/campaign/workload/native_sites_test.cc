#include "campaign/workload/native_sites.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "trace/comparing/retrier.h"

namespace retrial::campaign {
namespace {

namespace fs = std::filesystem;

// A project whose program's debug information has been read before: it stands in the file that is kept.
class NativeSitesTest : public testing::Test {
 protected:
  NativeSitesTest() {
    fs::create_directories(project_ / ".git");
    fs::create_directories(project_ / "src");
    std::ofstream(project_ / "src/shop.cc")
        << "void place() {\n  for (;;) {\n    ask();\n  }\n}\nvoid ask() {\n  send();\n}\n";
    std::ofstream(program_) << "machine code";
  }
  ~NativeSitesTest() override { fs::remove_all(project_); }

  void knows(int place, const std::string& frames) {
    struct stat about{};
    stat(program_.c_str(), &about);
    std::ofstream(kept_, std::ios::app) << program_.string() << ':' << about.st_size << ':' << about.st_mtim.tv_sec
                                        << '.' << about.st_mtim.tv_nsec << '\t' << std::hex << place << '\t' << frames
                                        << '\n';
  }
  std::string in(const std::string& file) const { return (project_ / file).string(); }
  std::optional<NativeSites::Origin> origin(const std::string& offsets) {
    return NativeSites(project_, kept_).origin_of(program_.string() + ":" + offsets);
  }

  fs::path project_ = fs::canonical(fs::temp_directory_path()) / ("native-sites-" + std::to_string(getpid()));
  fs::path program_ = project_ / "shop_test", kept_ = project_ / "lines";
};

TEST_F(NativeSitesTest, are_chains_of_the_projects_functions_up_to_the_test) {
  knows(1, "/usr/include/c++/12/socket:9 std::send");
  knows(2, in("src/shop.cc") + ":7 ask <- " + in("src/shop.cc") + ":3 place");
  knows(3, in("tests/shop_test.cc") + ":5 Orders_ArePlaced_Test::TestBody");
  knows(4, in("_deps/gtest/gtest.cc") + ":5 testing::Run");
  auto found = origin("1,2,3,4");
  ASSERT_TRUE(found);
  EXPECT_EQ(trace::show(found->site), "src/shop.cc:7 ask <- src/shop.cc:3 place");
  EXPECT_EQ(trace::running(found->site), 2u) << "place calls from its loop";
  EXPECT_NE(found->statement, 0u);
}

TEST_F(NativeSitesTest, are_the_tests_own_lines_where_it_sends_by_itself) {
  knows(1, in("tests/shop_test.cc") + ":5 Orders_ArePlaced_Test::TestBody");
  auto found = origin("1");
  ASSERT_TRUE(found);
  EXPECT_EQ(trace::show(found->site), "tests/shop_test.cc:5 Orders_ArePlaced_Test::TestBody");
}

TEST_F(NativeSitesTest, name_a_function_that_calls_itself_once) {
  knows(1, in("src/shop.cc") + ":7 ask <- " + in("src/shop.cc") + ":9 ask <- " + in("src/shop.cc") + ":20 main");
  auto found = origin("1");
  ASSERT_TRUE(found);
  EXPECT_EQ(trace::show(found->site), "src/shop.cc:7 ask <- src/shop.cc:20 main");
}

TEST_F(NativeSitesTest, are_found_where_the_build_names_files_from_its_own_folder) {
  knows(1, "src/shop.cc:7 ask <- /proc/self/cwd/src/shop.cc:3 place <- lib/elsewhere.cc:5 other");
  auto found = origin("1");
  ASSERT_TRUE(found);
  EXPECT_EQ(trace::show(found->site), "src/shop.cc:7 ask <- src/shop.cc:3 place");
}

TEST_F(NativeSitesTest, are_none_without_a_frame_of_the_projects) {
  knows(1, "/home/other/lib.cc:9 send");
  EXPECT_FALSE(origin("1"));
  EXPECT_FALSE(origin("xyz"));
  EXPECT_FALSE(NativeSites(project_, kept_).origin_of("1,2"));
  EXPECT_FALSE(NativeSites(project_, kept_).origin_of("/no/such/file:1"));
}

TEST(ProjectAround, is_the_repository_or_what_is_built_as_one) {
  auto root = fs::canonical(fs::temp_directory_path()) / ("project-around-" + std::to_string(getpid()));
  fs::create_directories(root / "work/app/build/tests");
  std::ofstream(root / "work/app/CMakeLists.txt");
  EXPECT_EQ(project_around(root / "work/app/build/tests"), root / "work/app");
  fs::create_directories(root / "work/.git");
  EXPECT_EQ(project_around(root / "work/app/build/tests"), root / "work");
  fs::remove_all(root);
}

}  // namespace
}  // namespace retrial::campaign
