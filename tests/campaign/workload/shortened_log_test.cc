#include "campaign/workload/shortened_log.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace retrial::campaign {
namespace {

class ShortenedLog : public testing::Test {
 protected:
  std::string of(const std::string& text) {
    std::ofstream(file_, std::ios::binary) << text;
    shorten_log(file_);
    std::ostringstream now;
    now << std::ifstream(file_, std::ios::binary).rdbuf();
    return now.str();
  }
  ~ShortenedLog() override { std::filesystem::remove(file_); }
  std::filesystem::path file_ = std::filesystem::path(testing::TempDir()) / "shortened_log_test";
};

TEST_F(ShortenedLog, keeps_what_is_short_as_it_is) {
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of(std::string(1 << 20, 'a')).size(), 1u << 20);
}
TEST_F(ShortenedLog, keeps_beginning_and_end_of_what_is_long) {
  auto text = of("first" + std::string(3 << 20, 'a') + "last");
  EXPECT_TRUE(text.starts_with("firstaaa"));
  EXPECT_TRUE(text.ends_with("aaalast"));
  EXPECT_TRUE(text.contains("... 2097161 bytes left out by retrial ..."));
  EXPECT_LT(text.size(), (1u << 20) + 100);
}

}  // namespace
}  // namespace retrial::campaign
