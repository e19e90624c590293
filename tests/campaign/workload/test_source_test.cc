#include "campaign/workload/test_source.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace retrial::campaign {
namespace {

class Source : public testing::Test {
 protected:
  Source() : file_(std::filesystem::temp_directory_path() / ("source-" + std::to_string(getpid()))) {}
  ~Source() override { std::filesystem::remove(file_); }
  std::string lines(const std::string& text, int line) {
    std::ofstream(file_, std::ios::binary) << text;
    return lines_up_to(file_, line);
  }

 private:
  std::filesystem::path file_;
};

TEST_F(Source, is_from_where_the_test_begins_to_its_line) {
  EXPECT_EQ(lines("def test_a():\n    a()\n\ndef test_b():\n    b()\n    assert c\n    d()\n", 6),
            "def test_b():\n    b()\n    assert c");
  EXPECT_EQ(
      lines("describe('x', () => {\n  test('a', () => {\n    a();\n  });\n  it('b', async () => {\n    b();\n    c();",
            7),
      "  it('b', async () => {\n    b();\n    c();");
  EXPECT_EQ(lines("func TestA(t *testing.T) {\n\ta()\n}\n\nfunc TestB(t *testing.T) {\n\tif b() {\n\t\tt.Fatal()", 7),
            "func TestB(t *testing.T) {\n\tif b() {\n\t\tt.Fatal()");
  EXPECT_EQ(lines("  @Test\n  void a() {\n    b();\n    c();", 4), "  void a() {\n    b();\n    c();");
}

TEST_F(Source, that_is_not_at_hand_is_none) {
  EXPECT_EQ(lines_up_to("/nonexistent/test.py", 3), "");
  EXPECT_EQ(lines_up_to("/", 3), "");
  EXPECT_EQ(lines("a\nb", 3), "");
  EXPECT_EQ(lines("a\nb", 0), "");
  EXPECT_EQ(lines("a\nb", -1), "");
  EXPECT_EQ(lines(std::string(2 << 20, '\n'), 5), "");
}

TEST_F(Source, is_bounded) {
  std::string many;
  for (int i = 0; i < 200; i++) many += "x\n";
  EXPECT_EQ(lines(many, 200).size(), 79u);
  EXPECT_EQ(lines(std::string(9000, 'y') + "\n" + std::string(9000, 'z'), 2), "");
}

}  // namespace
}  // namespace retrial::campaign
