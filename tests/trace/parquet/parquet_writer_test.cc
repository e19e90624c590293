#include "trace/parquet/parquet_writer.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <fstream>
#include <iterator>

#include "tests/support/folder.h"
#include "trace/parquet/thrift.h"

namespace retrial::trace {
namespace {
using Type = ParquetWriter::Type;
constexpr std::array<ParquetWriter::Column, 3> kColumns{
    {{"n", Type::number, true}, {"word", Type::text}, {"yes", Type::yes}}};

class Parquet : public ::testing::Test {
 protected:
  std::string written() {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  test::Folder folder;
  std::filesystem::path file = folder.path() / "t.parquet";
};

TEST_F(Parquet, is_there_under_its_name_once_it_is_whole) {
  auto writer = ParquetWriter::create(file, kColumns, {{"k", "v"}});
  ASSERT_TRUE(writer) << writer.error().line();
  for (std::int64_t n = 0; n < 3; n++) {
    (*writer)->put(0, n);
    if (n != 1) (*writer)->put(1, std::string_view("same"));
    ASSERT_TRUE((*writer)->end_row());
  }
  EXPECT_FALSE(std::filesystem::exists(file));
  ASSERT_TRUE((*writer)->end());
  EXPECT_EQ((*writer)->rows(), 3u);
  EXPECT_FALSE(std::filesystem::exists(file.string() + ".part"));
  auto bytes = written();
  ASSERT_GT(bytes.size(), 12u);
  EXPECT_TRUE(bytes.starts_with("PAR1") && bytes.ends_with("PAR1"));
  std::uint32_t footer = 0;
  std::memcpy(&footer, bytes.data() + bytes.size() - 8, 4);
  EXPECT_LT(footer, bytes.size() - 12);
  auto count = [&](std::string_view text) {
    std::size_t found = 0;
    for (auto at = bytes.find(text); at != bytes.npos; at = bytes.find(text, at + 1)) found++;
    return found;
  };
  EXPECT_EQ(count("same"), 1u) << "by its dictionary";
}

TEST_F(Parquet, that_is_not_ended_leaves_nothing) {
  {
    auto writer = ParquetWriter::create(file, kColumns, {});
    ASSERT_TRUE(writer);
    (*writer)->put(0, std::int64_t{1});
    ASSERT_TRUE((*writer)->end_row());
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(Parquet, that_cannot_be_written_says_so) {
  auto writer = ParquetWriter::create(folder.path() / "no/where.parquet", kColumns, {});
  ASSERT_FALSE(writer);
  EXPECT_NE(writer.error().line().find("cannot be written"), std::string::npos);
  EXPECT_NE(writer.error().line().find("where.parquet"), std::string::npos);
}

TEST(ThriftCompact, is_as_its_specification_has_it) {
  std::string out;
  Thrift to(out);
  to.begin();
  to.i32(1, -1);
  to.i64(3, 150);
  to.yes(4, true);
  to.text(5, "ab");
  to.i32s(6, 2);
  to.element(std::int32_t{1});
  to.element(std::int32_t{2});
  to.begin(7);
  to.end();
  to.end();
  EXPECT_EQ(out, std::string("\x15\x01\x26\xac\x02\x11\x18\x02"
                             "ab\x19\x25\x02\x04\x1c\x00\x00",
                             17));
}

}  // namespace
}  // namespace retrial::trace
